"""The terminal is ours for a while, and theirs again after every end that can be caught."""

import fcntl
import os
import re
import signal
import subprocess
import sys
import termios

import psutil
import pytest
from hypothesis import given
from hypothesis import strategies as st

from demo.waiting import eventually
from tank.edges.tty import BEGIN, END, ENTER, LEAVE, LOOK, RESTORE_S, Tty, anchored, changes
from tank.records import text
from tests.support.terminal import Terminal

PROGRAM = """
import os, selectors, signal, sys
from tank.edges.tty import Tty
with Tty() as terminal:
    terminal.draw(["ready", "%dx%d" % terminal.size()])
    watch = selectors.DefaultSelector()
    watch.register(0, selectors.EVENT_READ)
    watch.register(terminal.woken, selectors.EVENT_READ)
    said = []
    while True:
        for key, _ in watch.select():
            if key.fd == terminal.woken:
                news = terminal.news()
                said += sorted(each.name for each in news)
                if signal.SIGTSTP in news:
                    terminal.suspend(group=False)
                terminal.forget()
            else:
                data = terminal.read()
                if data == b"e":
                    raise RuntimeError("broken")
                if data == b"f":
                    terminal.say("x" * 1_000_000)
                if data == b"z":
                    terminal.suspend(group=True)
                if data == b"q":
                    sys.exit(7)
                said.append(repr(data))
        terminal.draw(["ready", "%dx%d" % terminal.size(), *said])
"""


def program(columns: int = 40, rows: int = 10) -> Terminal:
    terminal = Terminal([sys.executable, "-I", "-c", PROGRAM], {"TERM": "xterm"}, columns, rows)
    terminal.until("ready")
    return terminal


def is_restored(terminal: Terminal) -> bool:
    return bytes(terminal.written).count(LEAVE.encode()) == 1 and terminal.modes() == terminal.found


def test_inside_keys_come_raw_and_nothing_is_echoed() -> None:
    with program() as terminal:
        assert terminal.written.startswith(ENTER.encode())
        local = terminal.modes()[3]
        assert not local & (termios.ECHO | termios.ICANON | termios.ISIG)
        terminal.type("\x03\x1a\r\x11")
        terminal.until(r"b'\x03\x1a\r\x11'")


def test_an_ordinary_end_restores_the_terminal() -> None:
    with program() as terminal:
        terminal.type("q")
        assert terminal.ended() == 7
        assert is_restored(terminal)
        assert terminal.written.endswith(LEAVE.encode())


def test_an_exception_restores_the_terminal_before_it_is_told() -> None:
    with program() as terminal:
        terminal.type("e")
        assert terminal.ended() == 1
        assert is_restored(terminal)
        _, told = bytes(terminal.written).split(LEAVE.encode())
        assert b"RuntimeError: broken" in told


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGQUIT])
def test_a_signal_that_ends_restores_the_terminal(number: signal.Signals) -> None:
    with program() as terminal:
        terminal.process.send_signal(number)
        assert terminal.ended() == 128 + number
        assert is_restored(terminal)


def test_two_signals_at_once_restore_it_once() -> None:
    with program() as terminal:
        terminal.process.send_signal(signal.SIGHUP)
        terminal.process.send_signal(signal.SIGTERM)
        assert terminal.ended() in (128 + signal.SIGHUP, 128 + signal.SIGTERM)
        assert is_restored(terminal)


def test_a_signal_that_comes_upon_the_end_restores_it_too() -> None:
    late = """
import os, signal
from tank.edges.tty import Tty
class Late(Tty):
    def __exit__(self, *ended):
        os.kill(os.getpid(), signal.SIGTERM)
        super().__exit__(*ended)
with Late():
    pass
"""
    with Terminal([sys.executable, "-I", "-c", late], {"TERM": "xterm"}) as terminal:
        assert terminal.ended() == 128 + signal.SIGTERM
        assert is_restored(terminal)


def test_a_change_of_size_is_news() -> None:
    with program() as terminal:
        terminal.resize(77, 33)
        terminal.until("77x33")
        terminal.until("SIGWINCH")


@pytest.mark.parametrize("how", ["the key", "the signal"])
def test_a_stop_gives_the_terminal_back_and_going_on_takes_it_again(how: str) -> None:
    shell = ["bash", "--norc", "--noprofile", "-i"]
    with Terminal(shell, {"TERM": "xterm", "PS1": "PROMPT> ", "PROGRAM": PROGRAM}, 40, 10) as terminal:
        terminal.until("PROMPT> ")
        terminal.type(f'{sys.executable} -I -c "$PROGRAM"\n')
        terminal.until("ready")
        running = terminal.modes()
        assert not running[3] & termios.ECHO
        begun = terminal.mark()
        if how == "the key":
            terminal.type("z")
        else:
            psutil.Process(terminal.process.pid).children()[0].send_signal(signal.SIGTSTP)
        terminal.until("Stopped", begun)
        assert LEAVE.encode() in terminal.written[begun:]
        resumed = terminal.mark()
        terminal.type("fg\n")
        terminal.until(ENTER.encode(), resumed)
        terminal.until("ready", resumed)
        eventually(lambda: terminal.modes() == running)
        left = terminal.mark()
        terminal.type("q")
        terminal.until(LEAVE.encode(), left)
        terminal.until("PROMPT> ", left)
        terminal.type("exit\n")
        assert terminal.ended() == 7


def test_after_a_stop_from_outside_it_hears_that_it_goes_on() -> None:
    with program() as terminal:
        terminal.process.send_signal(signal.SIGSTOP)
        terminal.process.send_signal(signal.SIGCONT)
        terminal.until("SIGCONT")


@pytest.mark.parametrize("stop", [signal.SIGTSTP, signal.SIGSTOP])
def test_a_stopped_program_can_be_ended_and_leaves_the_shells_modes_alone(stop: signal.Signals) -> None:
    shell = ["bash", "--norc", "--noprofile", "-i"]
    with Terminal(shell, {"TERM": "xterm", "PS1": "PROMPT> ", "PROGRAM": PROGRAM}, 40, 10) as terminal:
        terminal.until("PROMPT> ")
        prompting = terminal.modes()
        terminal.type(f'{sys.executable} -I -c "$PROGRAM"\n')
        terminal.until("ready")
        (program,) = psutil.Process(terminal.process.pid).children()
        begun = terminal.mark()
        program.send_signal(stop)
        terminal.until("Stopped", begun)
        eventually(lambda: terminal.modes() == prompting)
        terminal.type("kill %1\n")
        eventually(lambda: not program.is_running())
        assert terminal.modes() == prompting
        assert terminal.written[begun:].count(LEAVE.encode()) == 1


def test_a_terminal_that_takes_no_more_holds_up_no_end() -> None:
    with program() as terminal:
        terminal.reads.clear()
        terminal.type("f")
        terminal.until(b"xxx")
        terminal.process.send_signal(signal.SIGTERM)
        assert terminal.process.wait(RESTORE_S + 2) == 128 + signal.SIGTERM
        assert terminal.modes() == terminal.found


def test_drawing_on_a_terminal_that_is_gone_is_no_failure_and_reading_tells() -> None:
    master, slave = os.openpty()
    with Tty(slave, slave) as terminal:
        os.close(master)
        terminal.draw(["too late"])
        terminal.retake()
        assert terminal.read() == b""
    os.close(slave)


def test_a_terminal_that_is_gone_ends_the_program() -> None:
    master, slave = os.openpty()
    process = subprocess.Popen(
        [sys.executable, "-I", "-c", PROGRAM],
        stdin=slave,
        stdout=slave,
        env={**os.environ, "TERM": "xterm"},
        start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
    )
    os.close(slave)
    written = b""
    while b"ready" not in written:
        written += os.read(master, 4096)
    os.close(master)
    assert process.wait(10) == 128 + signal.SIGHUP


@given(st.lists(st.text("ab", max_size=2), max_size=6), st.lists(st.text("ab", max_size=2), max_size=6))
def test_only_lines_that_differ_are_written(before: list[str], after: list[str]) -> None:
    written = changes(before, after)
    screen = {row: line for row, line in enumerate(before, 1) if line}
    touched = set()
    for part in written.removeprefix(BEGIN).removesuffix(END).split("\x1b[")[1:]:
        if part.endswith("H"):
            at = int(part.split(";")[0])
            assert at not in touched
            touched.add(at)
            screen.pop(at, None)
        elif part.startswith("2K") and part[2:]:
            screen[at] = part[2:]
    assert screen == {row: line for row, line in enumerate(after, 1) if line}
    assert all(before[row - 1 : row] != after[row - 1 : row] for row in touched)


LINES = st.lists(
    st.sampled_from(
        [
            "a",
            " ",
            "│",
            "●",
            "家",
            "❤️",
            "1️⃣",
            "क्ष",
            "é",
            "e\u0301",
            "👨‍👩‍👧",
            "👍🏽",
            "\u200d",
            "\x1b[1;33m",
            "\x1b[0m",
        ]
    )
).map("".join)


@given(LINES)
def test_naming_columns_changes_nothing_that_is_shown(line: str) -> None:
    shown = re.sub(r"\x1b\[[0-9]+G", "", anchored(line))
    assert shown.replace("\u200d", "") == line.replace("\u200d", "")


@given(LINES.map(lambda line: line.replace("\u200d", "")), st.integers(0, 3))
def test_certain_characters_stand_in_their_columns_however_wide_the_others_are(line: str, cells: int) -> None:
    drawn, column = [], 1
    for named, shown in re.findall(r"\x1b\[([0-9]+)G|([^\x1b]+)", LOOK.sub("", anchored(line))):
        column = int(named) if named else column
        for cluster in text.clusters(shown):
            is_certain = len(cluster) == text.width(cluster) == 1
            drawn += [(cluster, column)] if is_certain else []
            column += 1 if is_certain else cells
    right, column = [], 1
    for part in LOOK.sub("\0", line).split("\0"):
        for cluster in text.clusters(part):
            right += [(cluster, column)] if len(cluster) == text.width(cluster) == 1 else []
            column += text.width(cluster)
    assert drawn == right


def test_columns_are_named_only_where_widths_are_doubtful() -> None:
    assert anchored("╭─ \x1b[36m◐ working\x1b[0m · 2m ─╮ ✓ …") == "╭─ \x1b[36m◐ working\x1b[0m · 2m ─╮ ✓ …"
    assert anchored("a 家族 b │") == "a 家族\x1b[7G b │"
    assert anchored("\x1b[1m1️⃣2️⃣\x1b[0m│") == "\x1b[1m1️⃣2️⃣\x1b[0m\x1b[5G│"


def test_a_joiner_that_joins_nothing_is_not_written() -> None:
    assert "\u200d" not in anchored("a\u200d b")
    assert anchored("👨‍👩‍👧") == "👨‍👩‍👧"


def test_an_unchanged_screen_is_not_written() -> None:
    assert changes(["a", "b"], ["a", "b"]) == ""
