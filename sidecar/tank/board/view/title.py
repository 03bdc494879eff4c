"""The title counts what there is and says what couldn't be read; marks at the list's edges count what it hides."""

from collections.abc import Sequence

from tank.board import cells, layout, said
from tank.board.cells import Piece
from tank.board.state import Mode, State
from tank.board.theme import Theme
from tank.records.entry import UNKNOWN
from tank.roster.ages import age
from tank.roster.roster import Session

SHOWN_FILTER_CELLS = 40
LONGEST_CELLS = 100
"""From so many on, the title tells how long the person has been waited for."""


def title(state: State, columns: int, theme: Theme) -> str:
    """The counts of all sessions, what matters most first, and the filter in force with what it leaves."""
    sessions = state.roster.sessions
    name = " Tank " if columns < layout.NARROW_CELLS else " Tank   "
    filtered = Piece("")
    if state.filter and state.mode is not Mode.FILTER:
        room = min(SHOWN_FILTER_CELLS, columns // 3)
        filtered = Piece(f"/{cells.clean(state.filter, room)}  {left(state)}", theme.warning)
    room = columns - len(name) - (cells.width(filtered.text) + 3 if filtered.text else 1)
    pieces: list[Piece] = []
    for count in _counts(state, theme):
        piece = [Piece(" · ", theme.dim), count] if pieces else [count]
        room -= sum(cells.width(text) for text, _ in piece)
        if room < 0:
            break
        pieces += piece
    if not sessions:
        pieces = [Piece("sessions can't be read" if state.roster.problems else "no session")]
    if filtered.text:
        pieces += [Piece(" " * (max(room, 0) + 2)), filtered]
    return cells.join([Piece(name, theme.strong), *pieces], columns)


def _counts(state: State, theme: Theme) -> list[Piece]:
    """Whole words or none: half a number would be a wrong one."""
    sessions = state.roster.sessions
    counted = [Piece(f"{len(sessions)} session{'s' * (len(sessions) != 1)}")] if sessions else []
    words = {"needs-you": "need you", "working": "working", "done": "done", "idle": "idle", UNKNOWN: UNKNOWN}
    for status, word in words.items():
        count = sum(each.entry.status == status for each in sessions)
        if count:
            shown = "needs you" if (status, count) == ("needs-you", 1) else word
            longest = _longest(state) if status == "needs-you" and count > 1 else ""
            counted.append(Piece(f"{said.GLYPHS[status]} {count} {shown}{longest}", theme.status(status)))
    if state.size.columns < layout.NARROW_CELLS:
        counted = counted[1:]  # the others add up to it
    return counted


def _longest(state: State) -> str:
    """How long the first of those that need the person has waited."""
    since = [each.entry.status_since for each in said.waiting(state.roster.sessions)]
    told = age(min((moment for moment in since if moment), default=None), state.now)
    return f", longest {told}" if told and state.size.columns >= LONGEST_CELLS else ""


def left(state: State) -> str:
    """How many sessions the filter leaves, and how many it hides of those that need the person."""
    sessions, shown = state.roster.sessions, state.listed.sessions
    hidden = len(said.waiting(sessions)) - len(said.waiting(shown))
    told = f" · {said.GLYPHS['needs-you']} {hidden} hidden" if hidden else ""
    return f"{len(shown)} of {len(sessions)}{told}"


def notes(state: State, columns: int, rows: int, theme: Theme) -> list[str]:
    """One a row, the gravest first; the last row takes those that are left."""
    told = [*([said.ASKS_HERE] if layout.asks(state) else []), *layout.notes(state)]
    lines = [*told[: rows - 1], " · ".join(told[rows - 1 :])] if rows else []
    looks = [theme.problem if layout.asks(state) and not at else theme.warning for at in range(len(lines))]
    return [
        cells.join([Piece(" ! ", look), Piece(cells.clean(line, columns), look)], columns)
        for line, look in zip(lines, looks, strict=True)
    ]


def more(arrow: str, where: str, sessions: Sequence[Session], columns: int, theme: Theme) -> str:
    """What the list hides there, and how many of it need the person; empty when it hides nothing."""
    if not sessions:
        return ""
    waiting = sum(each.entry.status == "needs-you" for each in sessions)
    pieces = [Piece(f" {arrow} {len(sessions)} more {where}", theme.dim)]
    if waiting:
        told = f"{said.GLYPHS['needs-you']} {waiting} need{'s' * (waiting == 1)} you"
        pieces += [Piece(" · ", theme.dim), Piece(told, theme.needs_you)]
    return cells.join(pieces, columns)
