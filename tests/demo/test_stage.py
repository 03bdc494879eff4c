import shlex
from collections.abc import Iterator
from functools import partial

import pytest

from demo.stage import Stage, Terminal, runs
from demo.waiting import NeverError, eventually


@pytest.fixture
def stage() -> Iterator[Stage]:
    with Stage("http://127.0.0.1:9/v1") as made:
        yield made


def test_what_is_typed_and_pasted_arrives_as_it_is(stage: Stage) -> None:
    cat = stage.open("cat", ["cat"], kind=Terminal)

    def echoed(text: str) -> bool:
        return cat.screen().count(text) == 2

    for text in ("ends with ;", "-l $HOME #{pane_id} 'quoted\"", "two  spaces"):
        cat.submit(text)
        cat.wait_until(partial(echoed, text), text)
    cat.paste("pasted; as it is")
    cat.wait_for("pasted; as it is")


def test_a_program_sees_the_stage_and_nothing_of_the_callers_environment(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PI_CODING_AGENT", "true")
    env = stage.open("env", ["env"], size=(300, 40), kind=Terminal)
    env.wait_for("XDG_TANK_STAGE=")
    shown = dict(line.split("=", 1) for line in env.screen().splitlines() if "=" in line)
    assert shown["HOME"] == str(stage.folder / "home")
    assert shown["XDG_STATE_HOME"] == str(stage.folder / "state")
    assert shown["TMUX"].startswith(str(stage.folder / "tmux"))
    assert shown["TMUX_PANE"] == env.pane.pane_id
    assert "PI_CODING_AGENT" not in shown


def test_the_pane_has_become_the_program(stage: Stage) -> None:
    cat = stage.open("cat", ["cat"], kind=Terminal)
    cat.wait_until(lambda: [p.name() for p in stage.processes()] == ["cat"], "cat alone")
    assert [p.pid for p in stage.processes()] == [cat.pid]


def test_closing_ends_and_tells_what_a_program_left_behind() -> None:
    stage = Stage("http://127.0.0.1:9/v1")
    command = "setsid sleep 1000 & exec sleep 2000"
    shell = stage.open("shell", ["sh", "-c", command], kind=Terminal)
    shell.wait_until(lambda: len(stage.processes()) == 2, "both")
    (left,) = [p.pid for p in stage.processes() if p.pid != shell.pid]
    assert stage.close() == [f"{left} {shlex.join(['sleep', '1000'])}"]
    assert not runs(left)
    assert not runs(shell.pid)
    assert not stage.folder.exists()


def test_eventually_returns_what_it_found_and_tells_what_it_saw_last() -> None:
    found = iter(["", "", "third"])
    assert eventually(lambda: next(found)) == "third"
    with pytest.raises(NeverError, match=r"a pig that flies\nlast seen: \[\]"):
        eventually(list, 0.1, "a pig that flies")
