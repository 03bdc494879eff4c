"""Text in terminal cells."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tank.board import cells
from tank.board.cells import Piece

FAMILY = "👨‍👩‍👧‍👦"
TEXTS = st.text(
    st.one_of(st.characters(), st.sampled_from("\u200d\ufe0f\u0301👩家🇩🇪\x1b\u202e ")), max_size=40
)


def test_a_cut_shows_and_falls_between_clusters() -> None:
    assert cells.cut("abcdef", 4) == "abc…"
    assert cells.cut("家族家", 5) == "家族…"
    assert cells.cut("家族家", 4) == "家…"
    assert cells.cut(FAMILY * 2, 3) == FAMILY + "…"
    assert cells.cut("e\u0301" * 4, 3) == "e\u0301" * 2 + "…"
    assert cells.cut("家", 1) == "…"
    assert cells.cut("abc", 0) == cells.cut("家", 0) == ""


def test_what_fits_is_left_alone() -> None:
    assert cells.cut("abcd", 4) == "abcd"
    assert cells.cut("家族", 4) == "家族"


@given(TEXTS, st.integers(0, 30))
def test_clean_text_is_never_wider_than_asked(value: str, room: int) -> None:
    assert cells.width(cells.clean(value, room)) <= room


@given(TEXTS, st.integers(0, 30))
def test_padded_text_is_exactly_as_wide_as_asked(value: str, room: int) -> None:
    assert cells.width(cells.padded(cells.clean(value, 50), room)) == room


@given(st.lists(st.builds(Piece, TEXTS, st.sampled_from(["", "\x1b[1m"])), max_size=4), st.integers(0, 60))
def test_a_joined_line_holds_no_escape_but_its_styles(pieces: list[Piece], room: int) -> None:
    line = cells.join(pieces, room).replace("\x1b[1m", "").replace(cells.RESET, "")
    assert "\x1b" not in line
    assert "\u202e" not in line
    assert cells.width(line) <= room


def test_a_styled_piece_ends_its_style() -> None:
    assert cells.join([Piece("a", "\x1b[1m"), Piece("b")], 9) == "\x1b[1ma\x1b[0mb"
    assert cells.join([Piece("", "\x1b[1m")], 9) == ""


def test_a_joiner_that_joins_nothing_is_dropped() -> None:
    assert cells.clean("a\u200d👩b", 9) == "a👩b"
    assert cells.clean(FAMILY, 9) == FAMILY


def test_text_breaks_between_words_and_keeps_blank_lines_and_indentation() -> None:
    assert cells.wrapped("one two three\n\n  four", 8, 9) == ["one two", "three", "", "  four"]


def test_a_word_that_is_too_long_is_broken() -> None:
    assert cells.wrapped("abcdefgh", 3, 9) == ["abc", "def", "gh"]
    assert cells.wrapped("家族家", 5, 9) == ["家族", "家"]


def test_a_cut_text_ends_with_an_ellipsis() -> None:
    assert cells.wrapped("a b c d", 1, 2) == ["a", "…"]
    assert cells.wrapped("one two three four", 9, 2) == ["one two", "three …"]


@given(TEXTS, st.integers(1, 20), st.integers(1, 10))
def test_wrapped_lines_fit(value: str, room: int, most: int) -> None:
    lines = cells.wrapped(value, room, most)
    assert len(lines) <= most
    assert all(cells.width(line) <= room for line in lines)


@given(st.text("ab 家\n", max_size=60), st.integers(2, 20))
def test_wrapping_loses_nothing_but_white_space(value: str, room: int) -> None:
    assert "".join("".join(cells.wrapped(value, room, 1000)).split()) == "".join(value.split())


@pytest.mark.parametrize("huge", ["x" * 100_000, "家" * 100_000, "e\u0301" * 50_000, "a " * 50_000])
def test_a_line_of_100_kb_costs_next_to_nothing(huge: str) -> None:
    started = time.process_time()
    cells.clean(huge, 80)
    cells.wrapped(huge, 80, 400)
    assert time.process_time() - started < 1


def test_a_mark_with_nothing_to_stand_on_joins_no_other_piece() -> None:
    assert cells.join([Piece("a"), Piece("\u0949b"), Piece("\u0301c")], 9) == "abc"
    assert cells.clean("e\u0301", 9) == "e\u0301"
