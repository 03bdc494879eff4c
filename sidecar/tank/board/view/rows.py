"""The list as rows: a line for each session, and for each project a header."""

from collections.abc import Iterable
from typing import NamedTuple

from tank.board import cells, changes, said
from tank.board.cells import Piece
from tank.board.groups import who
from tank.board.layout import NARROW_CELLS
from tank.board.state import State, asks_here, odd
from tank.board.theme import Theme
from tank.roster.ages import age
from tank.roster.groups import Group
from tank.roster.marks import OLDER
from tank.roster.roster import Session

TINY_CELLS = 32
"""Below, a row shows no age and its status takes no more room than its word."""
WIDE_CELLS = 100
"""From so many on, a row tells how full the context is."""
STATUS_CELLS, AGE_CELLS = 11, 4
LEAD_CELLS = 24
"""Marker, status, age and priority of a row, with the space after each."""
LABEL_SHARE = 0.5
"""The most that labels get of what the fixed columns leave, unless the reasons need less than the rest."""
REASON_CELLS = 8
"""What marks leave at least of a row's end to why it matters."""
LEAST_MARK_CELLS = 8
"""A mark cut shorter says nothing."""
MARKER = "▸"


class Columns(NamedTuple):
    """Cells of the columns that depend on what is listed; 0 for context when no session has one."""

    whole: int
    label: int
    context: int


def measured(state: State, sessions: Iterable[Session], columns: int) -> Columns:
    """Labels get what the longest needs, up to their share and what the longest reason leaves."""
    shown = list(sessions)
    measures = columns >= WIDE_CELLS and any(each.entry.context_percent is not None for each in shown)
    context = len("ctx 100%") if measures else 0
    room = columns - LEAD_CELLS - 3 - (context + 2 if context else 0)
    labels = max((cells.width(state.listed.labels[each.file]) for each in shown), default=0)
    reasons = max((_reason_cells(state, each) for each in shown), default=0)
    return Columns(columns, max(min(labels, max(int(room * LABEL_SHARE), room - reasons)), 1), context)


def _reason_cells(state: State, session: Session) -> int:
    """What the row would need behind its label."""
    marks = " · ".join(odd(state, session))
    return cells.width(said.why(session.entry)) + (cells.width(marks) + 2 if marks else 0)


def header(state: State, group: Group, columns: int, theme: Theme) -> str:
    """The project's name and key; at the right its most urgent priority and how many changes aren't committed."""
    urgent = "" if group.priority is None else f"p{group.priority}"
    changed, trees = changes.count(state, group)
    told = f"{changed} uncommitted" if changed else ""
    if trees > 1:
        told += f" in {trees} checkouts"
    between = " · " if urgent and told else ""
    if columns < TINY_CELLS:
        told = between = ""
    right = len(urgent + between + told)
    name = cells.clean(group.name, max(columns - right - 4, 1))
    room = columns - cells.width(name) - right - 6
    where = "in Rex" if group.tab else group.key
    key = "" if where == group.name or columns < TINY_CELLS else where
    shown = cells.clean(key, room) if room >= len(key) or room > TINY_CELLS // 2 else ""
    gap = columns - right - 2 - cells.width(name) - cells.width(shown) - 2
    pieces = [
        Piece(" "),
        Piece(name, theme.strong),
        Piece("  "),
        Piece(shown, theme.dim),
        Piece(" " * max(gap, 0)),
        Piece(urgent, theme.priority(group.priority)),
        Piece(between + told, theme.dim),
    ]
    return cells.join(pieces, columns).rstrip()


def row(state: State, session: Session, widths: Columns, theme: Theme) -> str:
    """One session; the selected one in one look from edge to edge."""
    selected = who(session) == state.selected
    if widths.whole < NARROW_CELLS:
        pieces = _narrow(state, session, widths.whole, theme)
    else:
        pieces = _wide(state, session, widths, theme)
    pieces = [Piece(MARKER if selected else " "), *pieces]
    if selected and theme.selected:
        plain = cells.join([Piece(text) for text, _ in pieces], widths.whole)
        return theme.selected + cells.padded(plain, widths.whole) + cells.RESET
    return cells.join(pieces, widths.whole).rstrip()


def named(state: State, session: Session, room: int) -> str:
    """The shown label in `room` cells; what tells namesakes apart stays, the name before it is cut."""
    label = state.listed.labels[session.file]
    own = session.entry.label or ""
    telling = label.removeprefix(own) if own else ""
    return cells.clean(own or label, max(room - cells.width(telling), 0)) + cells.clean(telling, room).rjust(
        len(telling)
    )


def _narrow(state: State, session: Session, columns: int, theme: Theme) -> list[Piece]:
    entry = session.entry
    pieces = [_status(session, STATUS_CELLS if columns >= TINY_CELLS else 0, theme), Piece(" ")]
    if columns >= TINY_CELLS:
        pieces.append(Piece(f"{age(entry.status_since, state.now):>{AGE_CELLS}} ", theme.dim))
    if entry.priority is not None:
        pieces.append(Piece(f"p{entry.priority} ", theme.priority(entry.priority)))
    room = columns - 1 - sum(len(text) for text, _ in pieces)
    return [*pieces, Piece(named(state, session, room), _label_look(session, theme))]


def _wide(state: State, session: Session, widths: Columns, theme: Theme) -> list[Piece]:
    entry = session.entry
    room = widths.whole - LEAD_CELLS - widths.label - 3
    return [
        Piece(" "),
        _status(session, STATUS_CELLS, theme),
        Piece(f" {age(entry.status_since, state.now):>{AGE_CELLS}}  ", theme.dim),
        Piece("  " if entry.priority is None else f"p{entry.priority}", theme.priority(entry.priority)),
        Piece("  "),
        Piece(cells.padded(named(state, session, widths.label), widths.label), _label_look(session, theme)),
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
    entry = session.entry
    room = max(room - context - 2, 0) if context else room
    reason = cells.clean(said.ASKS_HERE if asks_here(state, session) else said.why(entry), room)
    share = room if entry.status == "needs-you" else room // 3
    marks = _marks(odd(state, session), room, cells.width(reason), share)
    if marks:
        reason = cells.cut(reason, max(room - cells.width(marks) - 2, 0))
    gap = max(room - cells.width(reason) - cells.width(marks), 0)
    look = theme.needs_you if entry.status == "needs-you" else "" if entry.activity else theme.dim
    grave = theme.problem if session.file in state.twice else theme.warning
    pieces = [Piece(reason, look), Piece(" " * gap), Piece(marks, grave)]
    if context:
        pieces.append(Piece(f"  {said.context(entry):>{context}}", theme.dim))
    return pieces


def _marks(marks: list[str], room: int, reason: int, share: int) -> str:
    """As many whole marks as leave the reason its share, the gravest in any case; an older Tank is counted in the title."""
    left = room - min(reason, max(share, REASON_CELLS)) - 2
    if left < LEAST_MARK_CELLS:
        return ""
    while len(marks) > 1 and len(" · ".join(marks)) > left:
        marks = marks[:-1]
    if marks == [OLDER] and room - reason - 2 < len(OLDER):
        return ""
    return cells.cut(" · ".join(marks), max(left, 0))


def detail(state: State, session: Session | None, columns: int, theme: Theme) -> list[str]:
    """Two lines that say of the selected session what its row has no room for."""
    if session is None:
        return ["", ""]
    since = age(session.entry.status_since, state.now)
    second = " · ".join(part for part in (said.why(session.entry), *odd(state, session)) if part)
    first = [
        Piece(f"{MARKER} ", theme.dim),
        Piece(f"{since} " if since and columns < TINY_CELLS else "", theme.dim),
        Piece(state.listed.labels[session.file], theme.strong),
    ]
    look = theme.status(session.entry.status)
    return [
        cells.join(first, columns),
        cells.join([Piece(f"  {cells.clean(second, columns)}", look)], columns),
    ]
