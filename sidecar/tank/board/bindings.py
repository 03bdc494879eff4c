"""Every key of the board, once: what it does, what help says of it, and what the footer hints at."""

from enum import Enum, auto
from typing import NamedTuple

from tank.board import cells


class Act(Enum):
    """What a key does in the list."""

    UP = auto()
    DOWN = auto()
    LEFT = auto()
    RIGHT = auto()
    FIRST = auto()
    LAST = auto()
    PAGE_UP = auto()
    PAGE_DOWN = auto()
    NEXT = auto()
    SHOW = auto()
    PEEK = auto()
    MESSAGE = auto()
    PRIORITY = auto()
    COPY = auto()
    FILTER = auto()
    TANK = auto()
    REFRESH = auto()
    HELP = auto()
    BACK = auto()
    CLOSE = auto()
    SUSPEND = auto()


class Binding(NamedTuple):
    """`keys` as `keys.Key` names them, `shown` as a person reads them; a `hint` stands in the footer."""

    act: Act
    keys: tuple[str, ...]
    shown: str
    says: str
    hint: str = ""


BINDINGS = (
    Binding(Act.UP, ("up", "k"), "↑ k", "select the session above"),
    Binding(Act.DOWN, ("down", "j"), "↓ j", "select the session below"),
    Binding(Act.LEFT, ("left", "h"), "← h", "select the card before; among rows: the project before"),
    Binding(Act.RIGHT, ("right", "l"), "→ l", "select the card after; among rows: the project after"),
    Binding(Act.FIRST, ("g", "home"), "g Home", "select the first session"),
    Binding(Act.LAST, ("G", "end"), "G End", "select the last session"),
    Binding(Act.PAGE_UP, ("pageup",), "PgUp", "a page up; scrolls the peek while it is open"),
    Binding(Act.PAGE_DOWN, ("pagedown",), "PgDn", "a page down; scrolls the peek while it is open"),
    Binding(
        Act.SHOW, ("enter",), "Enter", "go to the session; where Tank can't, say where it runs", "go there"
    ),
    Binding(
        Act.PEEK,
        ("space",),
        "Space",
        "peek: what it asks, its last two prompts and what came of them",
        "peek",
    ),
    Binding(
        Act.NEXT,
        ("n",),
        "n",
        "select the next session that needs you, in reading order",
        "next that waits",
    ),
    Binding(Act.MESSAGE, ("m",), "m", "write the session a message", "message"),
    Binding(Act.PRIORITY, ("p",), "p 0…3 -", "set the session's priority; - clears it", "priority"),
    Binding(Act.COPY, ("y",), "y i p r l", "copy its id, path, resume command or last reply", "copy"),
    Binding(Act.FILTER, ("/",), "/", "filter by words, status, project or priority (p0)", "filter"),
    Binding(Act.TANK, ("t",), "t", "go to Tank, the meta agent, or say how to start him"),
    Binding(Act.REFRESH, ("r",), "r", "read everything anew", "read again"),
    Binding(Act.HELP, ("?",), "?", "every key", "keys"),
    Binding(Act.BACK, ("escape",), "Esc", "close the peek, drop the filter, close the board", "close"),
    Binding(Act.CLOSE, ("ctrl+c", "ctrl+alt+c"), "Ctrl+C", "close the board; also right after Esc"),
    Binding(Act.SUSPEND, ("ctrl+z",), "Ctrl+Z", "back to the shell; fg returns here"),
)

ACTS = {key: binding.act for binding in BINDINGS for key in binding.keys}

PRIORITIES: dict[str, int | None] = {"0": 0, "1": 1, "2": 2, "3": 3, "-": None}
"""The keys after `p`."""

COPIES = {"i": "id", "p": "path", "r": "resume command", "l": "last reply"}
"""The keys after `y`."""

KEYS_CELLS = 10
NARROW_HELP_CELLS = 32


class HelpLine(NamedTuple):
    """One line of help; a sentence that goes on has no keys before it."""

    keys: str
    says: str


def help_lines(columns: int, *, overlay: bool) -> list[HelpLine]:
    """Every binding, within `columns` cells: side by side, or below its keys where the screen is narrow."""
    found = []
    narrow = columns < NARROW_HELP_CELLS
    room = max(columns - (3 if narrow else KEYS_CELLS + 3), 1)
    for binding in BINDINGS:
        if overlay and binding.act is Act.SUSPEND:
            continue  # it would stop Pi
        says = cells.wrapped(binding.says, room, len(binding.says))
        found += [HelpLine(binding.shown, "" if narrow else says[0])]
        found += [HelpLine("", line) for line in (says if narrow else says[1:])]
    return found
