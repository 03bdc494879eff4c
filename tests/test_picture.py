"""The pictures of README: what the terminal would show, where it would show it."""

import re
from collections import Counter
from collections.abc import Iterator
from xml.etree import ElementTree

import pytest

from tank.board.state import Size
from tests.support import readme
from tests.support.picture import CELL, MARGIN, ROW, svg

RESET = "\x1b[0m"


def drawn(line: str, kind: str) -> list[tuple[str, int, str | None, str | None]]:
    """What stands in a picture of this line: class, column, text, and width or path."""
    root = ElementTree.fromstring(svg([line], Size(20, 1)))  # noqa: S314 - our own picture
    return [
        (
            each.get("class", ""),
            (int(each.get("x", MARGIN)) - MARGIN) // CELL,
            each.text,
            each.get("textLength") or each.get("width") or each.get("d"),
        )
        for each in root.iter(f"{{http://www.w3.org/2000/svg}}{kind}")
        if each.get("class") != "screen"
    ]


def test_words_keep_to_their_cells_whatever_the_font() -> None:
    assert drawn(" two words   more", "text") == [
        ("", 1, "two words", str(9 * CELL)),
        ("", 13, "more", str(4 * CELL)),
    ]


def test_wide_and_joined_characters_take_the_cells_that_a_terminal_gives_them() -> None:
    shown = [(column, text) for _, column, text, _ in drawn("a漢é👩‍👧!", "text")]
    assert shown == [(0, "a"), (1, "漢"), (3, "é"), (4, "👩‍👧"), (6, "!")]


def test_a_look_lasts_until_the_reset() -> None:
    line = f"\x1b[1;33mneeds{RESET} you \x1b[2m2m\x1b[m."
    assert [(look, text) for look, _, text, _ in drawn(line, "text")] == [
        ("bold yellow", "needs"),
        ("", "you"),
        ("dim", "2m"),
        ("", "."),
    ]


def test_reversed_text_lies_on_a_ground_of_its_colour() -> None:
    line = f"- \x1b[7;36m 漢  {RESET}"
    assert drawn(line, "rect") == [("cyan", 2, None, str(5 * CELL))]
    assert drawn(line, "text")[1:] == [("on", 3, "漢", None)]


def test_markup_is_text() -> None:
    assert drawn('<b a="1">&amp;', "text")[0][2] == '<b a="1">&amp;'


def ends(path: str) -> Iterator[tuple[float, float]]:
    """Where each stroke of a path begins and where it ends."""
    for begin_x, begin_y, steps in re.findall(r"M([\d.]+) ([\d.]+)([^M]*)", path):
        x, y = float(begin_x), float(begin_y)
        yield x, y
        for step, numbers in re.findall(r"([HVQ])([\d. ]+)", steps):
            *_, last = map(float, numbers.split())
            x, y = {"H": (last, y), "V": (x, last)}.get(step) or tuple(map(float, numbers.split()[2:]))
        yield x, y


@pytest.mark.parametrize("frame", ["╭─╮│╰╯", "┌─┐│└┘", "┏━┓┃┗┛", "╔═╗║╚╝"])
def test_a_frame_is_drawn_without_a_gap(frame: str) -> None:
    begin, level, end, side, bottom, corner = list(frame)
    made = svg([begin + level * 3 + end, side + "   " + side, bottom + level * 3 + corner], Size(5, 3))
    (path,) = re.findall(r'<path [^>]*d="([^"]+)"/>', made)
    assert set(Counter(ends(path)).values()) == {2}, "each stroke begins where another ends"
    assert {y for _, y in ends(path)} >= {MARGIN + ROW, MARGIN + 2 * ROW}
    assert "<text" not in made


def test_the_lines_of_a_double_corner_do_not_cross() -> None:
    assert [path for *_, path in drawn("╔", "path")] == ["M17 34V22.5H23M20 34V25.5H23"]


@pytest.mark.parametrize("glyph", "├╬╼╱●▏…")
def test_what_is_no_plain_frame_is_written(glyph: str) -> None:
    assert [text for _, _, text, _ in drawn(glyph, "text")] == [glyph]


def test_a_look_that_no_picture_has_is_refused() -> None:
    with pytest.raises(KeyError, match="48"):
        svg(["\x1b[48;5;1mx"], Size(1, 1))


@pytest.mark.parametrize("name", readme.pictures())
def test_a_picture_is_small_and_fetches_nothing(name: str) -> None:
    made = readme.pictures()[name]
    assert len(made) < 30_000
    assert re.findall(r"https?://[^\"]*|url\(|@import|href", made) == ["http://www.w3.org/2000/svg"]
