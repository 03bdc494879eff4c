"""The whole board as lines: never more than the screen has rows, none wider than it has cells, whatever it is given."""

from dataclasses import replace

from tank.board import cells, layout
from tank.board.cells import Piece
from tank.board.groups import listed
from tank.board.state import Mode, Size, State, session
from tank.board.theme import PLAIN, Theme
from tank.board.view import cards, first_moves, keys_page, peek, rows, title
from tank.board.view.footer import footer

ENDLESS = 1_000_000
"""Rows of a screen on which everything fits."""


def view(state: State, size: Size, theme: Theme) -> list[str]:
    """What the board shows on a screen of this size, from its first row on."""
    if size.columns < 1 or size.rows < 1:
        return []
    if size != state.size:
        state = replace(state, size=size)
    parts = layout.areas(state)
    above, below = layout.hidden(state) if parts.above and state.mode is not Mode.HELP else ([], [])
    chosen = session(state, state.selected)
    shown = [
        *[title.title(state, size.columns, theme)][: parts.title],
        *title.notes(state, size.columns, parts.notes, theme),
        *[title.more("↑", "above", above, size.columns, theme)][: parts.above],
        *_main(state, parts, theme),
        *[title.more("↓", "below", below, size.columns, theme)][: parts.below],
    ]
    if parts.peek and parts.columns == size.columns and chosen:
        shown += peek.pane(state, chosen, layout.peek_size(state), theme)
    if parts.detail:
        shown += rows.detail(state, chosen, size.columns, theme)
    return [*shown, *footer(state, Size(size.columns, parts.footer), theme)]


def printed(state: State, columns: int) -> list[str]:
    """The board for a terminal that can't be drawn on, or for a pipe: everything once as rows, as plain text."""
    whole = replace(
        state, size=Size(columns, ENDLESS), selected=None, listed=listed(state.roster, state.filter)
    )
    notes = title.notes(whole, columns, len(layout.notes(state)), PLAIN)
    return [title.title(whole, columns, PLAIN), *notes, "", *_rows(whole, columns, ENDLESS, PLAIN)]


def _main(state: State, parts: layout.Areas, theme: Theme) -> list[str]:
    """The list with the peek beside it, or what stands in their place."""
    lines = _list(state, parts, theme)[: parts.list]
    lines += [""] * (parts.list - len(lines))
    chosen = session(state, state.selected)
    if parts.columns == state.size.columns or not chosen:
        return lines
    pane = peek.pane(state, chosen, layout.peek_size(state), theme)
    rule = cells.join([Piece("│ ", theme.dim)], 2)
    return [cells.beside(left, parts.columns, rule + right) for left, right in zip(lines, pane, strict=True)]


def _list(state: State, parts: layout.Areas, theme: Theme) -> list[str]:
    if state.mode is Mode.HELP:
        return keys_page.page(state, state.size.columns, parts.list, theme)
    if not parts.cards:
        return _rows(state, parts.columns, parts.list, theme)
    lines: list[str] = []
    for block in layout.blocks(state):
        if block is None:
            lines.append("")
        elif block.sessions:
            lines += cards.line(state, block.sessions, parts, theme)
        else:
            lines.append(rows.header(state, block.group, parts.columns, theme))
    return [*lines, *_taught(state, parts.columns, theme)]


def _rows(state: State, columns: int, height: int, theme: Theme) -> list[str]:
    whole = layout.rows(state, height)
    widths = rows.measured(state, state.listed.sessions, columns)
    lines = []
    for block in layout.window(whole, layout.scrolled(whole, state.selected, state.top, height), height):
        if block is None:
            lines.append("")
        elif block.sessions:
            lines.append(rows.row(state, block.sessions[0], widths, theme))
        else:
            lines.append(rows.header(state, block.group, columns, theme))
    if state.filter and not state.listed.groups:
        return [cells.join([Piece(" Nothing matches the filter.", theme.dim)], columns)]
    return [*lines, *_taught(state, columns, theme)]


def _taught(state: State, columns: int, theme: Theme) -> list[str]:
    """The first moves, below no session or a single one."""
    if len(state.roster.sessions) > 1 or state.peeked:
        return []
    return [*[""][: len(state.roster.sessions)], *first_moves.lines(state.roster, columns, theme)]
