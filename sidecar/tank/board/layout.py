"""How the screen is shared out, and which rows of the list it shows. Nothing here is drawn."""

from typing import NamedTuple

from tank.board import said
from tank.board.groups import Group, groups
from tank.board.state import Mode, Size, State, Who, who
from tank.roster.roster import Session

NARROW_CELLS = 72
"""Below, a row has no room for why a session matters; the selected one's stands at the bottom."""
FOOTER_ROWS, NOTES_ROWS, AIRY_ROWS, DETAIL_ROWS, ROOMY_ROWS = 3, 6, 12, 8, 16
"""The least rows of a screen that has the part; from the last on each note has its own row."""
MOST_NOTES = 3


class Row(NamedTuple):
    """A row of the list: a session, or its group's header when there is none."""

    group: Group
    session: Session | None = None


class Areas(NamedTuple):
    """Rows of each part, from top to bottom; they add up to the screen's."""

    title: int
    notes: int
    air: int
    list: int
    peek: int
    detail: int
    footer: int


def rows(state: State, grouped: tuple[Group, ...]) -> list[Row | None]:
    """The whole list; None is an empty row between groups, there only while everything fits."""
    whole: list[Row | None] = []
    for group in grouped:
        whole += [None, Row(group), *(Row(group, session) for session in group.sessions)]
    airy = whole[1:]
    return airy if len(airy) <= areas(state, state.size).list else [row for row in airy if row]


def areas(state: State, size: Size) -> Areas:
    """Small screens lose the parts around the list first; the list keeps one row."""
    title = int(size.rows > 1)
    footer = int(size.rows >= FOOTER_ROWS)
    most = MOST_NOTES if size.rows >= ROOMY_ROWS else int(size.rows >= NOTES_ROWS)
    notes = min(len(said.notes(state.roster)), most)
    air = int(size.rows >= AIRY_ROWS)
    left = size.rows - title - footer - notes - air
    peek = _peek(state, left)
    narrow = size.columns < NARROW_CELLS and size.rows >= DETAIL_ROWS
    detail = 2 if narrow and not peek and state.mode is not Mode.HELP and state.roster.sessions else 0
    return Areas(title, notes, air, left - peek - detail, peek, detail, footer)


def _peek(state: State, left: int) -> int:
    """The peek gets what the list doesn't need, but at least three fifths; the list keeps two rows where it can."""
    if not state.peeked or state.mode is Mode.HELP:
        return 0
    needed = sum(len(group.sessions) + 2 for group in groups(state.roster, state.filter)) - 1
    kept = max(min(needed, left * 2 // 5), min(2, left - 2), 1)
    return max(left - kept, 0)


def scrolled(whole: list[Row | None], selected: Who | None, top: int, height: int) -> int:
    """The first row shown, moved as little as keeps the selected session in sight below its group's header."""
    at = place(whole, selected)
    if at is not None:
        above = 1 if height > 1 else 0
        top = max(min(top, at - above), at - height + 1)
    return max(min(top, len(whole) - height), 0)


def window(whole: list[Row | None], top: int, height: int) -> list[Row | None]:
    """The rows shown; where the first one's header is out of sight it stands in its place."""
    shown = whole[top : top + height]
    first = shown[0] if shown else None
    if first and first.session and height > 1:
        return [Row(first.group), *shown[1:]]
    return shown


def place(whole: list[Row | None], selected: Who | None) -> int | None:
    """Where the session stands in the list."""
    for at, row in enumerate(whole):
        if row and row.session and who(row.session) == selected:
            return at
    return None
