"""Tank's own files that its programs share."""

import fcntl
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tank.edges import paths, state_file
from tank.errors import RefusedError

NAME = "list.json"


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    return paths.tank_state()


def test_it_is_empty_before_it_is_written_and_holds_what_was_changed(state: Path) -> None:
    assert state_file.read(NAME) == {}
    os.umask(0o022)
    for number in (1, 2):
        with state_file.changing(NAME) as found:
            found[f"é{number}"] = [number]
    assert state_file.read(NAME) == {"é1": [1], "é2": [2]}
    assert (state / NAME).stat().st_mode & 0o777 == 0o600
    assert state.stat().st_mode & 0o777 == 0o700
    assert sorted(path.name for path in state.iterdir()) == [f".lock-{NAME}", NAME]


def test_what_was_not_changed_is_not_written(state: Path) -> None:
    with state_file.changing(NAME) as found:
        assert found == {}
    assert not (state / NAME).exists()


def test_a_failed_change_leaves_it_as_it_was(state: Path) -> None:
    with state_file.changing(NAME) as found:
        found["a"] = 1
    with pytest.raises(ZeroDivisionError), state_file.changing(NAME) as found:
        found["a"] = 1 / 0
    with pytest.raises(TypeError), state_file.changing(NAME) as found:
        found["a"] = object()
    assert state_file.read(NAME) == {"a": 1}


@pytest.mark.parametrize("broken", [b"", b"{", b"[]", b"5", b"\xff", b"[" * 100_000])
def test_a_broken_one_is_named_and_never_written_over(state: Path, broken: bytes) -> None:
    state.mkdir(parents=True, mode=0o700)
    (state / NAME).write_bytes(broken)
    with pytest.raises(RefusedError, match=r"list\.json is no JSON.*repair it"), state_file.changing(NAME):
        pass
    assert (state / NAME).read_bytes() == broken


def test_what_an_interrupted_writer_left_is_in_nobody_s_way(state: Path) -> None:
    state.mkdir(parents=True, mode=0o700)
    (state / f".tmp-{NAME}").write_text("{")
    with state_file.changing(NAME) as found:
        found["a"] = 1
    assert state_file.read(NAME) == {"a": 1}


ADDING = """
import sys
from tank.edges import state_file
for number in range(25):
    with state_file.changing("list.json") as found:
        found[f"{sys.argv[1]}-{number}"] = number
"""


def test_two_who_change_it_at_once_lose_nothing() -> None:
    command = [sys.executable, "-c", ADDING]
    adding = [subprocess.Popen([*command, name]) for name in ("a", "b", "c")]
    assert [process.wait(20) for process in adding] == [0, 0, 0]
    assert len(state_file.read(NAME)) == 75


def test_one_who_holds_it_for_long_is_not_waited_for(state: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(state_file, "LOCK_S", 0.05)
    state.mkdir(parents=True, mode=0o700)
    with (state / f".lock-{NAME}").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with pytest.raises(RefusedError, match="try again"), state_file.changing(NAME):
            pass
