"""Text measured, cut, joined and wrapped in terminal cells.

Whatever the board draws goes through `join`: no control or bidi character reaches the terminal, whoever wrote it.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from tank.records import text

RESET = "\x1b[0m"
SGR = re.compile(r"\x1b\[[0-9;:]*m")
SHOWN_CODE_POINTS = 64
"""Code points a cell that are looked at: more than any cluster's share, so that a line of 100 KB costs nothing."""


class Piece(NamedTuple):
    """A part of a line in one style; `style` is the escape sequence that switches it on, empty for none."""

    text: str
    style: str = ""


def clean(value: str, cells: int) -> str:
    """Untrusted text as one line of at most `cells` cells."""
    return cut(_settled(text.line(value[: cells * SHOWN_CODE_POINTS])), cells)


def width(value: str) -> int:
    """Cells of clean text, each cluster by itself: never fewer than a terminal that joins less draws."""
    return len(value) if value.isascii() else sum(map(text.width, text.clusters(value)))


def cut(value: str, cells: int) -> str:
    """Clean one-line text in at most `cells` cells; a cut shows as an ellipsis and falls between clusters."""
    if value.isascii():
        return value if len(value) <= cells else value[: max(cells - 1, 0)] + text.ELLIPSIS[: max(cells, 0)]
    kept, used, whole = 0, 0, ""
    pieces = text.clusters(value[: max(cells, 0) * SHOWN_CODE_POINTS])
    for cluster in pieces:
        used += text.width(cluster)
        if used <= cells - 1:
            kept += 1
        if used > cells:
            break
        whole += cluster
    else:
        if len(value) <= cells * SHOWN_CODE_POINTS:
            return whole
    return "".join(pieces[:kept]) + text.ELLIPSIS if cells > 0 else ""


def padded(value: str, cells: int) -> str:
    """Clean text cut or filled to exactly `cells` cells, so that columns stay columns."""
    shown = cut(value, cells)
    return shown + " " * (cells - width(shown))


def join(pieces: Iterable[Piece], cells: int) -> str:
    """One line of at most `cells` cells, in which nothing but the styles is more than text."""
    shown: list[str] = []
    left = cells
    for value, style in pieces:
        flat = _settled(text.lines(value[: left * SHOWN_CODE_POINTS]).replace("\n", " "))
        part = cut(flat, left)
        left -= width(part)
        if part:
            shown.append(f"{style}{part}{RESET}" if style else part)
        if left <= 0:
            break
    return "".join(shown)


def clusters(value: str) -> list[str]:
    """The grapheme clusters of untrusted text, without what a terminal would obey."""
    return text.clusters(_settled(text.lines(value).replace("\n", " ")))


def filled(pieces: Iterable[Piece], cells: int) -> list[Piece]:
    """Pieces of clean text that together take exactly `cells` cells."""
    found, left = [], cells
    for value, style in pieces:
        shown = cut(value, left)
        left -= width(shown)
        found.append(Piece(shown, style))
    return [*found, Piece(" " * left)]


def beside(left: str, columns: int, right: str) -> str:
    """Two drawn lines with a rule between them; the left one takes exactly `columns` cells."""
    return left + " " * (columns - width(SGR.sub("", left))) + right


def wrapped(value: str, cells: int, most: int) -> list[str]:
    """Untrusted text of several lines as at most `most` clean lines, broken between words where that's possible.

    The last one ends with an ellipsis when there is more. Blank lines and indentation stay.
    """
    found: list[str] = []
    room = text.lines(value[: cells * most * SHOWN_CODE_POINTS])
    for paragraph in room.split("\n"):
        for line in _broken(_settled(paragraph.rstrip()), cells):
            if len(found) == most:
                return [*found[:-1], cut(found[-1] + " " + text.ELLIPSIS, cells)] if found else []
            found.append(line)
    return found


def _broken(line: str, cells: int) -> Iterator[str]:
    while len(head := _head(line, cells)) < len(line):
        if not head:  # one cluster is wider than the whole line
            return
        space = head.rfind(" ")
        if line[len(head)] != " " and head[: max(space, 0)].strip():
            head = head[: space + 1]
        yield head.rstrip()
        line = line[len(head) :].lstrip(" ")
    yield line


def _head(line: str, cells: int) -> str:
    """As many whole clusters as fit."""
    if line.isascii():
        return line[:cells]
    head = ""
    used = 0
    for cluster in text.clusters(line[: cells * SHOWN_CODE_POINTS]):
        used += text.width(cluster)
        if used > cells:
            break
        head += cluster
    return head


def _settled(value: str) -> str:
    """Text without a mark at its beginning, which would join what stands before; and without its zero-width joiners where a terminal that doesn't join would draw more cells than one that does."""
    if value.isascii():
        return value
    while value and unicodedata.category(value[0]).startswith("M"):
        value = value[1:]
    if text.width(value) == width(value):
        return value
    return value.translate({ord(joiner): None for joiner in text.JOINERS})
