"""Where terminals show the sessions, and the way there through Rex: a stateful fake as a real child process."""

import os
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tank.programs import jumping
from tank.records.entry import Entry
from tank.roster.place import Place, Tab
from tank.roster.roster import Life, Session
from tests.support.fake_rex import FakeRex, session, tiled, window
from tests.support.terminals import Terminals


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeRex]:
    found = FakeRex(
        tmp_path,
        session(
            "session:1",
            "work",
            window("window:1", None, tiled("block:b")),
            window("window:2", "x", tiled("block:a")),
        ),
        session("session:2", "play", window("window:3", None, tiled("block:c"))),
    )
    monkeypatch.setenv("PATH", str(found.bin), prepend=os.pathsep)
    for name in ("REX_BIN_DIR", "TMUX", "TMUX_PANE"):
        monkeypatch.delenv(name, raising=False)
    yield found
    assert found.offences == []


def live(pid: int, life: Life = Life.ALIVE, **fields: Any) -> Session:
    entry = Entry(1, pid, f"id-{pid}", "/", "idle", datetime(2026, 1, 1, tzinfo=UTC), **fields)
    return Session(entry, life, f"/live/{pid}.json", {})


def in_rex(fake: FakeRex, pid: int, block: str) -> Session:
    return live(pid, terminal_id=block, rex_server=fake.server)


def test_rex_says_in_which_session_and_tab_each_is(fake: FakeRex) -> None:
    sessions = [
        in_rex(fake, 1, "block:a"),
        in_rex(fake, 2, "block:b"),
        in_rex(fake, 3, "block:gone"),
        live(4),
    ]
    places, problems = jumping.locate(sessions)
    tabs = {file: place.tab for file, place in places.items()}
    assert tabs == {
        "/live/1.json": Tab(f"{fake.server} session:1", "work", (0, 1, 0)),
        "/live/2.json": Tab(f"{fake.server} session:1", "work", (0, 0, 0)),
    }
    assert problems == []


def test_a_rex_that_cannot_be_read_is_said_once_and_places_nothing(fake: FakeRex) -> None:
    fake.quirk(down=4)
    places, problems = jumping.locate([in_rex(fake, 1, "block:a"), in_rex(fake, 2, "block:b")])
    assert places == {}
    (problem,) = problems
    assert "Rex can't be read" in problem


def test_without_a_session_in_rex_nothing_is_run(fake: FakeRex) -> None:
    jumping.locate([live(1), live(2, Life.ELSEWHERE, terminal_id="block:a", rex_server=fake.server)])
    assert fake.calls == []


def test_going_to_a_session_in_rex_focuses_its_pane_and_shows_its_tab(fake: FakeRex) -> None:
    outcome = jumping.show(in_rex(fake, os.getpid(), "block:a"), jumping.here(can_attach=True), os.getpid())
    assert outcome == jumping.Outcome()
    assert fake.state["clients"][0]["shows"] == ["session:1", "window:2"]


def test_what_rex_refuses_is_a_sentence(fake: FakeRex) -> None:
    with fake.changing() as state:
        state["remote_control"] = False
    outcome = jumping.show(in_rex(fake, os.getpid(), "block:a"), jumping.here(can_attach=True), os.getpid())
    assert "turn on Remote Control" in outcome.error


def test_a_tmux_session_s_name_is_told_and_a_server_that_is_gone_names_nothing(tmp_path: Path) -> None:
    terminals = Terminals(tmp_path)
    try:
        pane = int(
            terminals.server.cmd("display-message", "-p", "-t", terminals.here, "#{pane_pid}").stdout[0]
        )
        found = live(pane, tmux_socket=terminals.path, tmux_pane=terminals.here)
        lost = live(2, tmux_socket=str(tmp_path / "none"), tmux_pane="%1")
        assert jumping.locate([found, lost]) == ({found.file: Place("tmux 0")}, [])
    finally:
        terminals.close()
