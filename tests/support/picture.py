"""A drawn screen as a picture: SVG in a terminal's colours, the same to the byte on every machine.

Fonts are the reader's: frames are drawn, since a font's own leave gaps between rows, and what isn't ASCII keeps to its cells.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from html import escape
from typing import NamedTuple

from tank.board.state import Size
from tank.records import text

CELL, ROW, MARGIN, BASELINE = 9, 20, 14, 15
APART = 1.5
"""Half the distance of a double line's two."""
STROKES = {"LIGHT": 1.25, "DOUBLE": 1.25, "HEAVY": 3}
"""How wide the lines of a frame are, by the first word of their character's name."""
SGR = re.compile(r"\x1b\[([0-9;]*)m")
ALIKE = re.compile(r"([ -~]+|─+|━+|═+)")
WORDS = re.compile(r"\S+(?: \S+)*")
SHEET = """\
svg{color:#d1d7e0}
text{fill:currentColor;font:15px ui-monospace,Menlo,Consolas,"DejaVu Sans Mono",monospace;font-variant-ligatures:none}
rect{fill:currentColor}
path{stroke:currentColor;fill:none}
.screen{fill:#12161c;stroke:#3d444d}
.on{color:#12161c}
.bold{font-weight:bold}
.dim{opacity:.62}
.red{color:#ff7b72}
.green{color:#56d364}
.yellow{color:#e3b341}
.blue{color:#79c0ff}
.magenta{color:#d2a8ff}
.cyan{color:#39c5cf}"""
LOOKS = {
    "1": "bold",
    "2": "dim",
    "7": "reverse",
    "31": "red",
    "32": "green",
    "33": "yellow",
    "34": "blue",
    "35": "magenta",
    "36": "cyan",
}
RESET = ("", "0")


class Run(NamedTuple):
    """Text of one look, and the cell of its row in which it begins."""

    column: int
    text: str
    look: frozenset[str]


def svg(lines: Sequence[str], size: Size) -> str:
    """These lines on a screen of this size. Raises `KeyError` for a look that can't be shown."""
    width, height = size.columns * CELL + 2 * MARGIN, size.rows * ROW + 2 * MARGIN
    drawn, frames = [], dict[str, str]()
    for row, line in enumerate(lines):
        top = MARGIN + row * ROW
        for run in _runs(line):
            if "reverse" in run.look:
                drawn.append(_ground(run, top))
            for word in _words(run):
                path = _frame(word, top)
                if path is None:
                    drawn.append(_text(word, top))
                else:
                    stroke = _named(word.look) + path[0]
                    frames[stroke] = frames.get(stroke, "") + path[1]
    drawn += [f'<path{stroke} d="{path}"/>' for stroke, path in frames.items()]
    page = f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}">'
    edge = f'<rect class="screen" x=".5" y=".5" width="{width - 1}" height="{height - 1}" rx="8"/>'
    return "\n".join([page, f"<style>\n{SHEET}\n</style>", edge, *drawn, "</svg>"]) + "\n"


def _runs(line: str) -> Iterator[Run]:
    column, look = 0, frozenset[str]()
    for index, part in enumerate(SGR.split(line)):
        if index % 2 == 0:
            if part:
                yield Run(column, part, look)
            column += _cells(part)
            continue
        for code in part.split(";"):
            look = frozenset() if code in RESET else look | {LOOKS[code]}


def _words(run: Run) -> Iterator[Run]:
    """Each with a place of its own: words of ASCII, level lines, any other cluster alone."""
    column = run.column
    for index, part in enumerate(ALIKE.split(run.text)):
        if part.isascii():
            for found in WORDS.finditer(part):
                yield run._replace(column=column + found.start(), text=found[0])
            column += len(part)
            continue
        for shown in [part] if index % 2 else text.clusters(part):
            yield run._replace(column=column, text=shown)
            column += _cells(shown)


def _cells(shown: str) -> int:
    return sum(map(text.width, text.clusters(shown)))


def _left(run: Run) -> int:
    return MARGIN + run.column * CELL


def _named(look: frozenset[str]) -> str:
    return f' class="{" ".join(sorted(look))}"' if look else ""


def _ground(run: Run, top: int) -> str:
    size = f'width="{_cells(run.text) * CELL}" height="{ROW}"'
    return f'<rect{_named(run.look - {"reverse", "bold"})} x="{_left(run)}" y="{top}" {size}/>'


def _text(word: Run, top: int) -> str:
    look = {"on", *word.look & {"bold"}} if "reverse" in word.look else word.look
    length = f' textLength="{len(word.text) * CELL}"' if len(word.text) > 1 and word.text.isascii() else ""
    place = f'x="{_left(word)}" y="{top + BASELINE}"{length}'
    return f"<text{_named(frozenset(look))} {place}>{escape(word.text, quote=False)}</text>"


def _frame(word: Run, top: int) -> tuple[str, str] | None:
    """The stroke and the path of a frame's straight line or corner; None for what is written."""
    name = (
        unicodedata.name(word.text[0], "")
        .replace("HORIZONTAL", "LEFT AND RIGHT")
        .replace("VERTICAL", "UP AND DOWN")
    )
    found = re.fullmatch(r"BOX DRAWINGS (\w+)( ARC)? (UP|DOWN|LEFT) AND (DOWN|LEFT|RIGHT)", name)
    if found is None or found[1] not in STROKES:
        return None
    weight, rounded, *ends = found.groups()
    left = _left(word)
    right, bottom, x, y = left + len(word.text) * CELL, top + ROW, left + CELL / 2, top + ROW / 2
    across, down = (1 if "RIGHT" in ends else -1), (1 if "DOWN" in ends else -1)
    to_x, to_y = (right if across > 0 else left), (bottom if down > 0 else top)
    path = ""
    for away in (-APART, APART) if weight == "DOUBLE" else (0,):
        if ends == ["LEFT", "RIGHT"]:
            path += f"M{left} {y + away:g}H{right}"
        elif ends == ["UP", "DOWN"]:
            path += f"M{x + away:g} {top}V{bottom}"
        elif rounded:
            path += f"M{x:g} {to_y}V{y + down * CELL / 2:g}Q{x:g} {y:g} {to_x} {y:g}"
        else:
            path += f"M{x + across * away:g} {to_y}V{y + down * away:g}H{to_x}"
    return f' stroke-width="{STROKES[weight]}"', path
