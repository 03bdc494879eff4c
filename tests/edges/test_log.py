import os
import stat
import sys
import traceback
from pathlib import Path

import pytest

from tank.edges.log import LIMIT_BYTES, Log


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Log:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    return Log(77)


def test_a_log_is_made_with_its_first_line_and_its_user_s_alone(log: Log, tmp_path: Path) -> None:
    path = tmp_path / "pi" / "tank" / "log" / "77.log"
    assert not path.parent.exists()
    before = os.umask(0)
    try:
        log.warn("the socket is gone")
    finally:
        os.umask(before)
    assert path.read_text().endswith("Z the socket is gone\n")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_it_takes_tracebacks_in_place_of_stderr(log: Log, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", log)
    try:
        raise ValueError("odd \udc80 text")
    except ValueError:
        traceback.print_exc()
    assert r"ValueError: odd \udc80 text" in log.path.read_text()


def test_it_never_grows_over_its_limit_and_keeps_what_was_said_last(log: Log) -> None:
    for number in range(600):
        log.warn(f"{number} {'é' * 500}")
        assert log.path.stat().st_size <= LIMIT_BYTES
    said = log.path.read_text().splitlines()
    assert said[0] == "(earlier lines were dropped)"
    assert " 599 " in said[-1]
    log.write("x" * 3 * LIMIT_BYTES + "end")
    assert log.path.stat().st_size <= LIMIT_BYTES
    assert log.path.read_text().endswith("xend")


def test_it_goes_at_a_clean_end_even_when_it_was_never_made(log: Log) -> None:
    log.remove()
    log.warn("x")
    log.remove()
    assert not log.path.exists()


def test_where_it_can_t_be_written_it_says_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    Log(77).warn("x")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    Log(78).warn("x")
    (tmp_path / "pi" / "tank" / "log" / "79.log").symlink_to(tmp_path / "file")
    Log(79).warn("x")
    assert (tmp_path / "file").read_bytes() == b""


def test_a_clean_end_takes_the_logs_of_processes_that_are_gone_and_no_other(log: Log) -> None:
    for pid in (77, os.getpid(), 2**22 + 5):
        Log(pid).warn("the socket is gone")
    note = log.path.with_name("note.log")
    note.write_text("not ours")
    log.remove()
    assert sorted(path.name for path in log.path.parent.iterdir()) == [f"{os.getpid()}.log", "note.log"]
