"""How the screen is shared out, and whether cards or rows stand where. Nothing here is drawn."""

from typing import NamedTuple

from tank.board import cells, said
from tank.board.groups import Who, who
from tank.board.state import Mode, Size, State, asks_here
from tank.records import text
from tank.roster.groups import Group
from tank.roster.roster import Session

CARD_ROWS = 6
COLUMNS = ((160, 3), (110, 2))
"""Cells from which so many cards stand side by side; below all, one."""
NARROW_CELLS = 72
"""Below, a row has no room for why a session matters."""
DETAIL_CELLS = 110
"""Below, a row may cut it short: the selected one's stands at the bottom in full."""
CARD_CELLS = 30
"""A screen of fewer lists rows."""
FOOTER_ROWS, NOTES_ROWS, AIRY_ROWS, DETAIL_ROWS, ROOMY_ROWS = 3, 6, 12, 8, 16
"""The least rows of a screen that has the part; from the last on each note has its own row."""
MOST_NOTES = 3
BESIDE_CELLS = 160
"""From so many on, the peek stands beside the list instead of below it."""
MOST_WRITTEN_ROWS, MOST_NOTICE_ROWS = 6, 4


class Block(NamedTuple):
    """A part of the list, from edge to edge: a header when there is no session, else a row, or cards side by side."""

    group: Group
    sessions: tuple[Session, ...] = ()
    rows: int = 1


class Areas(NamedTuple):
    """Rows of each part, from top to bottom, which add up to the screen's; a peek beside the list is as high as the list.

    `columns` are the cells that the list has. `cards`: its sessions are cards, `across` of them side by side.
    """

    title: int
    notes: int
    above: int
    list: int
    below: int
    peek: int
    detail: int
    footer: int
    columns: int
    cards: bool
    across: int


def blocks(state: State) -> list[Block | None]:
    """The whole list; None is an empty row between groups, there only while everything fits."""
    parts = areas(state)
    return _blocks(state, parts.list, parts.across, CARD_ROWS) if parts.cards else rows(state, parts.list)


def rows(state: State, height: int) -> list[Block | None]:
    """The whole list with a row for each session."""
    return _blocks(state, height, 1, 1)


def _blocks(state: State, height: int, across: int, block_rows: int) -> list[Block | None]:
    whole: list[Block | None] = []
    for group in state.listed.groups:
        shown = group.sessions
        lines = [shown[at : at + across] for at in range(0, len(shown), across)]
        whole += [None, Block(group), *(Block(group, line, block_rows) for line in lines)]
    airy = whole[1:]
    if sum(block.rows if block else 1 for block in airy) <= height:
        return airy
    return [block for block in airy if block]


def areas(state: State) -> Areas:
    """Small screens lose the parts around the list first; the list keeps one row."""
    rows = state.size.rows
    title = int(rows > 1)
    footer = min(_written(state), rows // 2) if rows >= FOOTER_ROWS else 0
    most = MOST_NOTES if rows >= ROOMY_ROWS else int(rows >= NOTES_ROWS)
    told = min(len(notes(state)) + asks(state), most)
    above = int(rows >= AIRY_ROWS)
    left = rows - title - footer - told - above
    shows_peek = state.peeked is not None and state.mode is not Mode.HELP
    beside = shows_peek and state.size.columns >= BESIDE_CELLS
    columns = state.size.columns // 2 if beside else state.size.columns
    peek = _peek(state, left) if shows_peek and not beside else 0
    left -= peek
    most_across = next((count for cells, count in COLUMNS if columns >= cells), 1)
    cards = not peek and columns >= CARD_CELLS and 0 < _card_rows(state, most_across) <= left
    small = columns < DETAIL_CELLS and rows >= DETAIL_ROWS and not cards
    calm = state.mode not in (Mode.HELP, Mode.MESSAGE)
    detail = 2 if small and not shows_peek and calm and state.roster.sessions else 0
    left -= detail
    below = int(rows >= AIRY_ROWS and not cards and _row_rows(state) > left)
    height = left - below
    peek = height if beside else peek
    across = most_across if cards else 1
    return Areas(title, told, above, height, below, peek, detail, footer, columns, cards, across)


def peek_size(state: State) -> Size:
    """The cells of the peek's lines, and its rows with its rule."""
    parts = areas(state)
    beside = parts.columns < state.size.columns
    return Size(state.size.columns - parts.columns - 2 if beside else state.size.columns, parts.peek)


def notes(state: State) -> list[str]:
    """What the title adds about all sessions, and why some couldn't be placed."""
    return [*said.notes(state.roster), *state.unplaced]


def asks(state: State) -> bool:
    """Whether the session under the board asks something that can't be answered before the board is closed."""
    return state.overlay and any(asks_here(state, each) for each in state.roster.sessions)


def shows_notice(state: State) -> bool:
    """Whether the footer is a notice: nothing is asked, and nothing written."""
    return state.mode is Mode.LIST and bool(state.notice)


def _written(state: State) -> int:
    """Rows of the footer: one, more for a notice that needs them, and while a message is written its head and its lines."""
    if shows_notice(state):
        return len(cells.wrapped(state.notice, max(state.size.columns - 2, 1), MOST_NOTICE_ROWS))
    if state.mode is not Mode.MESSAGE or not state.draft:
        return 1
    room = max(state.size.columns - 4, 1)
    lines = sum(text.width(line) // room + 1 for line in state.draft.text.whole.split("\n"))
    return 2 + min(lines, MOST_WRITTEN_ROWS)


def _card_rows(state: State, across: int) -> int:
    """What the list needs as cards, without the rows between groups."""
    return sum(1 + -(-len(group.sessions) // across) * CARD_ROWS for group in state.listed.groups)


def _row_rows(state: State) -> int:
    return sum(1 + len(group.sessions) for group in state.listed.groups)


def _peek(state: State, left: int) -> int:
    """The peek gets what the list doesn't need as rows, but at least three fifths; the list keeps two where it can."""
    needed = _row_rows(state) + len(state.listed.groups) - 1
    kept = max(min(needed, left * 2 // 5), min(2, left - 2), 1)
    return max(left - kept, 0)


def scrolled(whole: list[Block | None], selected: Who | None, top: int, height: int) -> int:
    """The first row shown, moved as little as keeps the selected session in sight below its group's header."""
    if any(block.rows > 1 for block in whole if block):
        return 0
    at = place(whole, selected)
    if at is not None:
        above = 1 if height > 1 else 0
        top = max(min(top, at - above), at - height + 1)
    return max(min(top, len(whole) - height), 0)


def window(whole: list[Block | None], top: int, height: int) -> list[Block | None]:
    """The rows shown; a header that is out of sight stands in the first one's place, one with no row below is left out."""
    shown = whole[top : top + height]
    first = shown[0] if shown else None
    if first and first.sessions and height > 1:
        shown = [Block(first.group), *shown[1:]]
    last = shown[-1] if len(shown) > 1 else None
    if last and not last.sessions and top + height < len(whole):
        return [*shown[:-1], None]
    return shown


def place(whole: list[Block | None], selected: Who | None) -> int | None:
    """Which block holds the session."""
    for at, block in enumerate(whole):
        if block and any(who(session) == selected for session in block.sessions):
            return at
    return None


def hidden(state: State) -> tuple[list[Session], list[Session]]:
    """The sessions out of sight above and below."""
    height = areas(state).list
    whole = blocks(state)
    shown = {who(s) for block in window(whole, state.top, height) if block for s in block.sessions}
    before: list[Session] = []
    after: list[Session] = []
    for at, block in enumerate(whole):
        if block:
            gone = [session for session in block.sessions if who(session) not in shown]
            (before if at <= state.top else after).extend(gone)
    return before, after


def on_screen(state: State) -> list[Group]:
    """The groups whose header is to be seen."""
    seen = window(blocks(state), state.top, areas(state).list)
    return [block.group for block in seen if block and not block.sessions]
