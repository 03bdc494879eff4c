"""The board fits the terminal that it is given: its colours, its size, and whether it can be drawn on at all."""

import re
import shlex

import pytest

from tank.edges.tty import END
from tank.records import text
from tests.support.desk import Desk
from tests.support.terminal import Terminal
from tests.support.terminal_board import OWN, board, three

LOOKS = re.compile(rb"\x1b\[([0-9;]*)m")
ROW = re.compile(rb"\x1b\[([0-9]+);1H")
SIZES = [(20, 30), (100, 3), (7, 7), (2, 2), (1, 30), (100, 1), (1, 1), (300, 100), (1, 1)]
ATTRIBUTES = {"0", "1", "2", "7"}
COLOURS = {str(code) for code in range(30, 38)}


def looks(terminal: Terminal) -> set[str]:
    """The single attributes and colours that were written."""
    return {each for found in LOOKS.findall(bytes(terminal.written)) for each in found.decode().split(";")}


@pytest.mark.parametrize("term", ["xterm-16color", "linux", "screen", "tmux-256color", "xterm-kitty"])
def test_colours_are_of_the_eight_that_every_terminal_of_colours_has(desk: Desk, term: str) -> None:
    three(desk)
    with board(desk, TERM=term) as terminal:
        terminal.until("gamma")
        assert looks(terminal) <= ATTRIBUTES | COLOURS
        assert looks(terminal) & COLOURS


@pytest.mark.parametrize("environment", [{"NO_COLOR": "1"}, {"TERM": "vt100"}])
def test_without_colours_the_status_stands_in_words_and_the_selection_is_marked(
    desk: Desk, environment: dict[str, str]
) -> None:
    three(desk)
    with board(desk, 100, 30, **environment) as terminal:
        terminal.until("▸ ● needs you")
        terminal.until("✓ done")
        assert looks(terminal) <= ATTRIBUTES


def test_an_empty_no_color_asks_for_nothing(desk: Desk) -> None:
    three(desk)
    with board(desk, NO_COLOR="") as terminal:
        terminal.until("gamma")
        assert looks(terminal) & COLOURS


@pytest.mark.parametrize(
    ("keys", "shown"),
    [
        ("", "gamma"),
        (" ", "no prompt yet"),
        ("?", "every key"),
        ("mhalf a message", "half a message"),
        ("/alp", "1 of 3"),
        ("p", "priority: 0"),
        ("y", "resume command"),
    ],
)
def test_any_size_is_drawn_within_itself_and_where_there_is_room_again_all_is_back(
    desk: Desk, keys: str, shown: str
) -> None:
    for session in three(desk):
        session.listen(lambda _: None)
    with board(desk, NO_COLOR="1") as terminal:
        terminal.until("gamma")
        terminal.type(keys)
        terminal.until(shown)
        resized(terminal, 90, 30)
        whole = resized(terminal, 100, 30)
        for size in SIZES:
            frame = resized(terminal, *size)
            rows = [int(row) for row in ROW.findall(frame)]
            lines = OWN.sub(b"\n", frame).decode().splitlines()
            assert max(rows) <= size[1]
            assert max(map(text.width, lines), default=0) <= size[0]
        assert resized(terminal, 100, 30) == whole


def test_where_nothing_can_be_typed_the_board_is_printed_once(desk: Desk) -> None:
    """Standard input is a pipe, standard output a terminal."""
    three(desk)
    command = ["sh", "-c", f"echo j | {shlex.join(desk.command())}"]
    with Terminal(command, desk.environment | {"TERM": "xterm"}, 60, 20) as terminal:
        assert terminal.ended() == 0
        lines = terminal.written.decode().split("\r\n")
        assert lines[0] == " Tank ● 1 needs you · ◐ 1 working · ✓ 1 done"
        assert max(map(text.width, lines)) <= 60
        assert b"\x1b" not in terminal.written


def resized(terminal: Terminal, columns: int, rows: int) -> bytes:
    """The frame that a new size brings."""
    before = terminal.mark()
    terminal.resize(columns, rows)
    terminal.until(END.encode(), before)
    frames = bytes(terminal.written[before:]).split(END.encode())
    assert len(frames) == 2
    return frames[0]
