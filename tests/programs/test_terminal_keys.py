"""Each key of the board on a real terminal, in the forms in which terminals send it."""

import pytest

from tank.board.bindings import BINDINGS, Act
from tank.edges.tty import ENTER, LEAVE
from tests.support.desk import Desk
from tests.support.terminal import Terminal
from tests.support.terminal_board import board, three

FIRST, SECOND, LAST = "▸ ● needs you", "▸ ◐ working", "▸ ✓ done"
BACK = "␛ ␛[27u ␛[27;1u ␛[27;1:1u ␛[27;65u"
CLOSE = "␃ ␛[99;5u ␛[99;5:1u ␛[99;69u ␛[27;5;99~"

FORMS: dict[Act, tuple[str, str, str | bytes, str]] = {
    Act.UP: ("G", "k ␛[A ␛OA ␛[1;1A ␛[1;1:2A ␛[107u ␛[107;1:1u ␛[57419u", SECOND, ""),
    Act.DOWN: ("g", "j ␛[B ␛OB ␛[1;1B ␛[106u ␛[106;129u ␛[57420u", SECOND, ""),
    Act.LEFT: ("G", "h ␛[D ␛OD ␛[1;1D ␛[104u ␛[57417u", SECOND, ""),
    Act.RIGHT: ("g", "l ␛[C ␛OC ␛[1;1C ␛[108u ␛[57418u", SECOND, ""),
    Act.FIRST: ("G", "g ␛[H ␛OH ␛[1~ ␛[7~ ␛[103u ␛[57423u", FIRST, ""),
    Act.LAST: ("g", "G ␛[F ␛OF ␛[4~ ␛[8~ ␛[103;2u ␛[103:71;2u ␛[57424u ␛[27;2;71~", LAST, ""),
    Act.PAGE_UP: ("G", "␛[5~ ␛[5;1:1~ ␛[57421u", FIRST, ""),
    Act.PAGE_DOWN: ("g", "␛[6~ ␛[6;1:2~ ␛[57422u", LAST, ""),
    Act.NEXT: ("G", "n ␛[110u ␛[110;;110u", FIRST, ""),
    Act.PEEK: ("g", "␠ ␛[32u ␛[32;1:1u", "no prompt yet", "␛"),
    Act.SHOW: ("g", "m␍ m␛[13u m␛[13;1:1u m␛[57414u m␛OM", "there is nothing to send yet", "␛"),
    Act.MESSAGE: ("g", "m ␛[109u ␛[109;65u", "message to alpha", "␛"),
    Act.PRIORITY: ("g", "p ␛[112u ␛[112;1:1u", "priority: 0 1 2 3", "␛"),
    Act.COPY: ("g", "y ␛[121u", "resume command", "␛"),
    Act.FILTER: ("g", "/ ␛[47u ␛Oo ␛[57410u", "3 of 3", "␛"),
    Act.REFRESH: ("g", "r ␛[114u", "gamma", ""),
    Act.HELP: ("g", "? ␛[63u ␛[47:63;2u ␛[27;2;63~", "every key", "␛"),
    Act.TANK: ("g", "t ␛[116u ␛[116;1:1u", "Tank has no home yet", ""),
    Act.SUSPEND: ("g", "␚ ␛[122;5u ␛[122;5:1u ␛[27;5;122~", LEAVE.encode(), ""),
}
"""For each act: a key before it, its forms, what shows that it was done, and a key that undoes it."""

NO_KEYS = (
    "␛[106;1:3u ␛[1;1:3B ␛[57441;2u ␛[I ␛[O ␛[<0;5;5M ␛[?62;22c ␛[3;1R ␛P>|xterm␛\\ ␛]11;rgb:0/0/0␇ ␛[27;1:3u"
)
"""Releases, a modifier alone, focus, the mouse, and a terminal's answers."""


def bytes_of(form: str) -> str:
    """A control picture stands for its control character, and for the blank."""
    return form.translate({0x2400 + code: code for code in range(0x21)})


def show(terminal: Terminal, keys: str, wanted: str | bytes) -> None:
    """Types it, and what is wanted comes."""
    before = terminal.mark()
    terminal.type(bytes_of(keys))
    terminal.until(wanted, before, timeout_s=5)


def test_every_form_of_every_key_does_what_the_key_does(desk: Desk) -> None:
    assert {*FORMS, Act.BACK, Act.CLOSE} == {binding.act for binding in BINDINGS}
    for session in three(desk):
        session.listen(lambda _: None)
    with board(desk, NO_COLOR="1") as terminal:
        for before, forms, wanted, undo in FORMS.values():
            for form in forms.split():
                show(terminal, before + "r", "gamma")
                show(terminal, form, wanted)
                if undo:
                    show(terminal, undo, "Esc close")


def test_every_form_of_escape_goes_back(desk: Desk) -> None:
    with board(desk) as terminal:
        for form in BACK.split():
            show(terminal, "?", "every key")
            show(terminal, form, "Esc close the board")


@pytest.mark.parametrize("form", CLOSE.split())
def test_every_form_of_the_closing_key_closes(desk: Desk, form: str) -> None:
    with board(desk) as terminal:
        terminal.type(bytes_of(form))
        assert terminal.ended() == 0


def test_what_is_no_key_press_does_nothing_and_takes_no_key_with_it(desk: Desk) -> None:
    three(desk)
    with board(desk, NO_COLOR="1") as terminal:
        terminal.until("gamma")
        for sequence in NO_KEYS.split():
            show(terminal, "gr", "gamma")
            show(terminal, sequence + "j", SECOND)


def test_nothing_is_asked_of_the_terminal(desk: Desk) -> None:
    """One that never answers holds up nothing: all that is written before the first frame's end tells, none asks."""
    with board(desk) as terminal:
        assert terminal.written.startswith(ENTER.encode())
        assert not [ask for ask in (b"c", b"n", b"$p", b"?u", b"t") if b"\x1b[" + ask in terminal.written]


def test_no_key_is_lost_that_comes_with_one_that_acts_outside(desk: Desk) -> None:
    three(desk)
    with board(desk, NO_COLOR="1") as terminal:
        terminal.until("gamma")
        show(terminal, "rj", SECOND)
        show(terminal, "␚k", FIRST)
        terminal.type("r\x03")
        assert terminal.ended(3) == 0
