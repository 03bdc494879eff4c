"""A session's tab is titled by its label, through a real `rex` child process that is a stateful fake."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from demo.waiting import eventually
from tank.programs.titling import Titling, give
from tests.support.fake_rex import FakeRex, session, tiled, window
from tests.support.stand_in import Session


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeRex]:
    found = FakeRex(
        tmp_path,
        session(
            "session:1",
            "work",
            window("window:1", None, tiled("block:a", "block:b")),
            window("window:2", "Window 1a2b", tiled("block:c")),
        ),
    )
    monkeypatch.setenv("PATH", str(found.bin), prepend=os.pathsep)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("REX_BIN_DIR", raising=False)
    yield found
    assert found.offences == []


def labels(fake: FakeRex) -> list[str | None]:
    return [tab["label"] for tab in fake.state["sessions"][0]["windows"]]


def rename(fake: FakeRex, label: str) -> None:
    """As the person does in the app."""
    with fake.changing() as state:
        state["sessions"][0]["windows"][0]["label"] = label


def test_a_tab_of_rexs_own_naming_gets_the_title_and_keeps_up_with_it(fake: FakeRex) -> None:
    assert give(fake.server, "block:a", "p1 · fix it")
    assert give(fake.server, "block:c", "port the parser")
    assert labels(fake) == ["p1 · fix it", "port the parser"]
    assert give(fake.server, "block:a", "p0 · fix it")
    assert labels(fake)[0] == "p0 · fix it"


def test_what_the_person_wrote_stays(fake: FakeRex) -> None:
    give(fake.server, "block:a", "fix it")
    rename(fake, "my own")
    assert not give(fake.server, "block:a", "p0 · fix it")
    assert labels(fake)[0] == "my own"


def test_of_two_sessions_in_one_tab_the_first_titles_it(fake: FakeRex, tmp_path: Path) -> None:
    live = tmp_path / "state" / "pi" / "live"
    first = Session(live, terminalId="block:a", terminal={"rexServer": fake.server})
    assert not give(fake.server, "block:b", "second")
    first.end()
    first.file.unlink()
    assert give(fake.server, "block:b", "second")
    assert labels(fake)[0] == "second"


def test_a_block_that_rex_does_not_show_has_no_tab(fake: FakeRex) -> None:
    assert not give(fake.server, "block:gone", "x")


def test_changes_that_come_fast_end_with_the_last_title(fake: FakeRex) -> None:
    warned: list[str] = []
    titling = Titling(fake.server, "block:a", warned.append)
    for number in range(5):
        titling.follow({"label": f"task {number}", "priority": None})
    eventually(lambda: labels(fake)[0] == "task 4")
    titling.follow({"label": "task 4", "priority": 2})
    eventually(lambda: labels(fake)[0] == "p2 · task 4")
    titling.follow({"label": None, "priority": 2})
    assert labels(fake)[0] == "p2 · task 4"
    assert warned == []


def test_a_server_that_does_not_answer_is_logged_and_nothing_more(tmp_path: Path, fake: FakeRex) -> None:
    warned: list[str] = []
    Titling(f"unix://{tmp_path}/none", "block:a", warned.append).follow({"label": "x"})
    eventually(lambda: warned)
    assert "no Rex server answers" in warned[0]
