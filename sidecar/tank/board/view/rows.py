"""The list: a header for each project, one line a session."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from tank.board import cells, said
from tank.board.ages import age
from tank.board.cells import Piece
from tank.board.groups import Group
from tank.board.layout import NARROW_CELLS
from tank.board.state import State, who
from tank.board.theme import Theme
from tank.roster.roster import Session

TINY_CELLS = 32
"""Below, a row shows no age and its status takes no more room than its word."""
WIDE_CELLS = 100
STATUS_CELLS, AGE_CELLS = 11, 4
LEAD_CELLS = 24
"""Marker, status, age and priority of a row, with the space after each."""
LABEL_SHARE, LABEL_CELLS = 0.4, 48
"""The most that labels get of what the fixed columns leave."""
REASON_SHARE, REASON_CELLS = 3, 8
"""What marks leave of a row's end to why it matters: a third, and some cells at least."""
MARKER = "▸"


class Columns(NamedTuple):
    """Cells of the columns that depend on what is listed; 0 for context when no session has one."""

    whole: int
    label: int
    context: int


def measured(labels: Mapping[str, str], sessions: Iterable[Session], columns: int) -> Columns:
    """Labels get what the longest needs, up to their share, so that what they say starts close by."""
    left = columns - LEAD_CELLS
    longest = max((cells.width(labels[each.file]) for each in sessions), default=0)
    measures = any(each.entry.context_percent is not None for each in sessions)
    context = len("ctx 100%") if columns >= WIDE_CELLS else len("100%")
    return Columns(
        columns, max(min(longest, int(left * LABEL_SHARE), LABEL_CELLS), 1), context if measures else 0
    )


def header(group: Group, columns: int, theme: Theme) -> str:
    """The project's name and key, its most urgent priority at the right."""
    urgent = "" if group.priority is None else f"p{group.priority}"
    name = cells.clean(group.name, max(columns - 6, 1))
    key = "" if group.key == group.name or columns < TINY_CELLS else group.key
    room = columns - cells.width(name) - 8
    shown = cells.clean(key, room) if room >= len(key) or room > TINY_CELLS // 2 else ""
    gap = columns - 4 - cells.width(name) - cells.width(shown) - 2
    pieces = [
        Piece(" "),
        Piece(name, theme.strong),
        Piece("  "),
        Piece(shown, theme.dim),
        Piece(" " * max(gap, 0)),
    ]
    return cells.join([*pieces, Piece(urgent, theme.priority(group.priority))], columns).rstrip()


def row(state: State, session: Session, label: str, widths: Columns, theme: Theme) -> str:
    """One session; the selected one in one look from edge to edge."""
    selected = who(session) == state.selected
    if widths.whole < NARROW_CELLS:
        pieces = _narrow(state, session, label, widths.whole, theme)
    else:
        pieces = _wide(state, session, label, widths, theme)
    pieces = [Piece(MARKER if selected else " "), *pieces]
    if selected and theme.selected:
        plain = cells.join([Piece(text) for text, _ in pieces], widths.whole)
        return theme.selected + cells.padded(plain, widths.whole) + cells.RESET
    return cells.join(pieces, widths.whole).rstrip()


def named(session: Session, label: str, room: int) -> str:
    """The shown label in `room` cells; what tells namesakes apart stays, the name before it is cut."""
    own = session.entry.label or ""
    telling = label.removeprefix(own) if own else ""
    return cells.clean(own or label, max(room - cells.width(telling), 0)) + cells.clean(telling, room).rjust(
        len(telling)
    )


def _narrow(state: State, session: Session, label: str, columns: int, theme: Theme) -> list[Piece]:
    entry = session.entry
    pieces = [_status(session, STATUS_CELLS if columns >= TINY_CELLS else 0, theme), Piece(" ")]
    if columns >= TINY_CELLS:
        pieces.append(Piece(f"{age(entry.status_since, state.now):>{AGE_CELLS}} ", theme.dim))
    if entry.priority is not None:
        pieces.append(Piece(f"p{entry.priority} ", theme.priority(entry.priority)))
    room = columns - 1 - sum(len(text) for text, _ in pieces)
    return [*pieces, Piece(named(session, label, room), _label_look(session, theme))]


def _wide(state: State, session: Session, label: str, widths: Columns, theme: Theme) -> list[Piece]:
    entry = session.entry
    room = widths.whole - LEAD_CELLS - widths.label - 3
    return [
        Piece(" "),
        _status(session, STATUS_CELLS, theme),
        Piece(f" {age(entry.status_since, state.now):>{AGE_CELLS}}  ", theme.dim),
        Piece("  " if entry.priority is None else f"p{entry.priority}", theme.priority(entry.priority)),
        Piece("  "),
        Piece(cells.padded(named(session, label, widths.label), widths.label), _label_look(session, theme)),
        Piece("  "),
        *_reasons(state, session, room, widths.context, theme),
    ]


def _label_look(session: Session, theme: Theme) -> str:
    return theme.strong if session.entry.status == "needs-you" else ""


def _status(session: Session, room: int, theme: Theme) -> Piece:
    status = session.entry.status
    return Piece(f"{said.GLYPHS[status]} {said.WORDS[status]}".ljust(room), theme.status(status))


def _reasons(state: State, session: Session, room: int, context: int, theme: Theme) -> list[Piece]:
    """Why it matters, what is odd about it, and how full its context is, in `room` cells."""
    entry, twice = session.entry, session.file in state.twice
    room = max(room - context - 2, 0) if context else room
    reason = cells.clean(said.why(entry), room)
    odd = _marks(said.marks(session, twice=twice), room, cells.width(reason))
    if odd:
        reason = cells.cut(reason, max(room - cells.width(odd) - 2, 0))
    gap = max(room - cells.width(reason) - cells.width(odd), 0)
    look = theme.needs_you if entry.status == "needs-you" else "" if entry.activity else theme.dim
    pieces = [Piece(reason, look), Piece(" " * gap), Piece(odd, theme.problem if twice else theme.warning)]
    if context:
        pieces.append(Piece(f"  {_context(entry.context_percent, context):>{context}}", theme.dim))
    return pieces


def _marks(marks: list[str], room: int, reason: int) -> str:
    """As many whole marks as leave the reason its share, the gravest in any case."""
    left = room - max(min(reason, room // REASON_SHARE), min(reason, REASON_CELLS)) - 2
    while len(marks) > 1 and len(" · ".join(marks)) > left:
        marks = marks[:-1]
    return cells.cut(" · ".join(marks), max(left, 0))


def _context(percent: float | None, room: int) -> str:
    if percent is None:
        return ""
    return f"{'ctx ' if room > len('100%') else ''}{min(max(round(percent), 0), 999)}%"


def detail(state: State, session: Session | None, label: str, columns: int, theme: Theme) -> list[str]:
    """Two lines that say of the selected session what its narrow row can't."""
    if session is None:
        return ["", ""]
    odd = said.marks(session, twice=session.file in state.twice)
    since = age(session.entry.status_since, state.now)
    second = " · ".join(part for part in (*odd, said.why(session.entry)) if part)
    look = theme.status(session.entry.status)
    first = [
        Piece(f" {since} " if since and columns < TINY_CELLS else " ", theme.dim),
        Piece(label, theme.strong),
    ]
    return [cells.join(first, columns), cells.join([Piece(f" {second}", look)], columns)]
