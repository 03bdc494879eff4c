"""Which theme a terminal gets."""

import dataclasses
import re

import pytest

from tank.board import theme


@pytest.mark.parametrize("term", ["xterm-256color", "linux", "screen", "tmux-256color"])
def test_a_terminal_of_colours_gets_the_eight_that_all_have(term: str) -> None:
    chosen = theme.chosen({"TERM": term})
    assert chosen is theme.COLOURS
    codes = re.findall(r"\d+", "".join(dataclasses.astuple(chosen)))
    assert {int(code) for code in codes} <= {1, 2, 7, *range(30, 38)}


def test_no_color_leaves_no_colour() -> None:
    chosen = theme.chosen({"TERM": "xterm", "NO_COLOR": "1"})
    assert {int(code) for code in re.findall(r"\d+", "".join(dataclasses.astuple(chosen)))} <= {1, 7}
    assert chosen.selected


def test_an_empty_no_color_says_nothing() -> None:
    assert theme.chosen({"TERM": "xterm", "NO_COLOR": ""}) is theme.COLOURS


@pytest.mark.parametrize("environment", [{}, {"TERM": "dumb"}, {"TERM": ""}])
def test_a_dumb_terminal_gets_plain_text(environment: dict[str, str]) -> None:
    assert theme.chosen(environment) == theme.PLAIN


def test_a_terminal_without_colours_gets_none() -> None:
    assert theme.chosen({"TERM": "vt100"}) is theme.COLOURLESS


def test_a_theme_is_read_by_meaning_and_what_it_lacks_is_plain() -> None:
    read = theme.read({"working": "\x1b[38;5;6m", "unheard_of": "\x1b[1m"})
    assert read == theme.Theme(working="\x1b[38;5;6m")


def test_each_status_and_priority_has_its_look() -> None:
    looks = theme.Theme(needs_you="n", working="w", done="d", idle="i", p0="0", p3="3")
    assert [looks.status(status) for status in ("needs-you", "working", "done", "idle")] == list("nwdi")
    assert [looks.priority(priority) for priority in (0, 3, None)] == ["0", "3", ""]
