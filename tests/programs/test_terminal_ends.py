"""However the board ends or is stopped: the terminal is as it was, and nothing runs on."""

import fcntl
import os
import re
import signal
import struct
import subprocess
import sys
import termios
from pathlib import Path

import psutil
import pytest

from demo.waiting import NeverError, eventually
from tank.edges.tty import END, ENTER, LEAVE
from tests.support.desk import Desk
from tests.support.terminal import Terminal
from tests.support.terminal_board import OLD, board, three

SHELL = ["bash", "--norc", "--noprofile", "-i"]
BROKEN = """
from tank.programs import terminal_board
draw, drawn = terminal_board.view, []
def view(*shown):
    drawn.append(shown)
    if len(drawn) > 1:
        raise RuntimeError("a fault of the board's own")
    return draw(*shown)
terminal_board.view = view
terminal_board.run()
"""


def is_restored(terminal: Terminal) -> bool:
    written = bytes(terminal.written)
    return (
        written.count(LEAVE.encode()) == written.count(ENTER.encode()) and terminal.modes() == terminal.found
    )


def test_what_is_switched_on_is_switched_off() -> None:
    for number in re.findall(r"\x1b\[\?([0-9]+)h", ENTER):
        assert f"\x1b[?{number}l" in LEAVE
    for number in re.findall(r"\x1b\[\?([0-9]+)l", ENTER):
        assert f"\x1b[?{number}h" in LEAVE


@pytest.mark.parametrize(
    "keys", ["\x1b", "\x03", " \x1b\x1b", "/x\x03", "?\x03", "mhalf\x03", "p\x03", "y\x03"]
)
def test_every_key_that_closes_restores_the_terminal(desk: Desk, keys: str) -> None:
    for session in three(desk):
        session.listen(lambda _: None)
    with board(desk) as terminal:
        terminal.until("gamma")
        terminal.type(keys)
        assert terminal.ended() == 0
        assert terminal.written.endswith(LEAVE.encode())
        assert is_restored(terminal)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGQUIT])
def test_every_signal_that_ends_restores_the_terminal(desk: Desk, number: signal.Signals) -> None:
    three(desk)
    with board(desk) as terminal:
        terminal.until("gamma")
        terminal.process.send_signal(number)
        assert terminal.ended() == 128 + number
        assert terminal.written.endswith(LEAVE.encode())
        assert is_restored(terminal)


def test_a_fault_while_drawing_restores_the_terminal_and_is_told_there(desk: Desk) -> None:
    three(desk)
    settings = desk.environment | {"TERM": "xterm"}
    with Terminal([sys.executable, "-I", "-c", BROKEN], settings) as terminal:
        terminal.until("gamma")
        terminal.type("j")
        assert terminal.ended() == 1
        assert is_restored(terminal)
        _, told = bytes(terminal.written).split(LEAVE.encode())
        assert b"RuntimeError: a fault of the board's own" in told


@pytest.mark.parametrize("controlling", [True, False])
def test_a_terminal_that_is_closed_leaves_no_board(desk: Desk, controlling: bool) -> None:  # noqa: FBT001
    session = desk.session(label="alpha")
    master, slave = os.openpty()
    fcntl.ioctl(master, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    process = subprocess.Popen(
        desk.command(),
        stdin=slave,
        stdout=slave,
        stderr=subprocess.PIPE,
        env=desk.environment | {"TERM": "xterm"},
        start_new_session=True,
        preexec_fn=(lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0)) if controlling else None,
    )
    os.close(slave)
    written = b""
    while b"alpha" not in written:
        written += os.read(master, 4096)
    session.change(label="beta")
    os.close(master)
    _, told = process.communicate(timeout=10)
    assert (process.returncode, told) == (128 + signal.SIGHUP if controlling else 0, b"")


def test_from_a_script_ctrl_z_stops_the_script_too_and_fg_goes_on_with_both(
    desk: Desk, tmp_path: Path
) -> None:
    three(desk)
    script = tmp_path / "script"
    script.write_text(f"{sys.executable} -I -m tank\necho after\\ the board\n")
    settings = desk.environment | {"TERM": "xterm", "PS1": "PROMPT> "}
    with Terminal(SHELL, settings, 100, 30) as terminal:
        terminal.until("PROMPT> ")
        terminal.type(f"sh {script}\n")
        terminal.until("gamma")
        terminal.type("\x1a")
        terminal.until("Stopped")
        (run,) = psutil.Process(terminal.process.pid).children(recursive=False)
        stopped = [run, *run.children()]
        assert {each.status() for each in stopped} == {psutil.STATUS_STOPPED}
        resumed = terminal.mark()
        terminal.type("fg\n")
        terminal.until("gamma", resumed)
        terminal.type("\x1b")
        terminal.until("after the board", resumed)
        assert terminal.written[resumed:].count(ENTER.encode()) == 1
        terminal.type("exit\n")
        assert terminal.ended() == 0


def test_without_a_shell_that_could_bring_it_back_ctrl_z_stops_nothing(desk: Desk) -> None:
    three(desk)
    with board(desk) as terminal:
        terminal.until("gamma")
        before = terminal.mark()
        terminal.type("\x1a")
        terminal.until(LEAVE.encode(), before)
        terminal.until("gamma", before)
        terminal.type("\x1b")
        assert terminal.ended() == 0


def test_after_a_stop_with_many_changes_one_frame_shows_them_all(desk: Desk) -> None:
    sessions = [desk.session(label=f"name {at}", statusSince=OLD) for at in range(8)]
    with board(desk, 160, 50) as terminal:
        terminal.until("name 7")
        stopped = terminal.process
        stopped.send_signal(signal.SIGSTOP)
        eventually(lambda: psutil.Process(stopped.pid).status() == psutil.STATUS_STOPPED)
        for number in range(50):
            for at, session in enumerate(sessions):
                session.change(label=f"name {at}.{number}")
        before = terminal.mark()
        stopped.send_signal(signal.SIGCONT)
        eventually(lambda: all(f"name {at}.49" in terminal.text(before) for at in range(8)))
        shown = terminal.text(before)
        assert re.findall(r"name \d\.(\d+)", shown).count("49") == len(re.findall(r"name \d\.", shown))
        with pytest.raises(NeverError):
            eventually(lambda: terminal.written[before:].count(END.encode()) > 3, 1)


def test_a_terminal_that_takes_nothing_for_a_while_costs_nothing_and_then_shows_the_latest(
    desk: Desk,
) -> None:
    sessions = [desk.session(label=f"name {at}", statusSince=OLD) for at in range(8)]
    with board(desk, 160, 50) as terminal:
        terminal.until("name 7")
        process = psutil.Process(terminal.process.pid)
        before, used = process.memory_info().rss, process.cpu_times()
        terminal.reads.clear()
        for number in range(100):
            for at, session in enumerate(sessions):
                session.change(label=f"name {at}.{number}")
            terminal.type("r")
        held = terminal.mark()
        assert process.memory_info().rss - before < 2 * 1024 * 1024
        spent = process.cpu_times()
        assert spent.user + spent.system - used.user - used.system < 0.5
        terminal.reads.set()
        eventually(lambda: all(f"name {at}.99" in terminal.text(held) for at in range(8)), 3)
        assert len(set(re.findall(r"name 0\.(\d+)", terminal.text(held)))) < 30
        terminal.type("\x1b")
        assert terminal.ended() == 0
