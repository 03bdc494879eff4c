"""The whole board as lines: never more than the screen has rows, none wider than it has cells, whatever it is given."""

from dataclasses import replace

from tank.board import cells, layout, said
from tank.board.groups import groups
from tank.board.state import Mode, Size, State, session
from tank.board.theme import PLAIN, Theme
from tank.board.view import first_moves, keys_page, peek, rows, title
from tank.roster.target import shown_labels

ENDLESS = 1_000_000
"""Rows of a screen on which everything fits."""


def view(state: State, size: Size, theme: Theme) -> list[str]:
    """What the board shows on a screen of this size, from its first row on."""
    if size.columns < 1 or size.rows < 1:
        return []
    parts = layout.areas(state, size)
    labels = _labels(state)
    chosen = session(state, state.selected)
    shown = [
        *[title.title(state, size.columns, theme)][: parts.title],
        *title.notes(state, size.columns, parts.notes, theme),
        *[""] * parts.air,
        *_filled(_main(state, Size(size.columns, parts.list), labels, theme), parts.list),
    ]
    if parts.peek and chosen and state.peeked:
        shown += peek.pane(state, chosen, labels[chosen.file], Size(size.columns, parts.peek), theme)
    if parts.detail:
        label = labels[chosen.file] if chosen else ""
        shown += rows.detail(state, chosen, label, size.columns, theme)
    if parts.footer:
        shown = _filled(shown, size.rows - 1)
        shown.append(title.footer(state, size.columns, theme))
    return shown


def printed(state: State, columns: int) -> list[str]:
    """The board for a terminal that can't be drawn on, or for a pipe: everything once, as plain text."""
    whole = replace(state, size=Size(columns, ENDLESS), selected=None)
    notes = title.notes(whole, columns, len(said.notes(state.roster)), PLAIN)
    return [title.title(whole, columns, PLAIN), *notes, "", *_main(whole, whole.size, _labels(whole), PLAIN)]


def _labels(state: State) -> dict[str, str]:
    sessions = state.roster.sessions
    return {each.file: label for each, label in zip(sessions, shown_labels(sessions), strict=True)}


def _filled(lines: list[str], rows: int) -> list[str]:
    return lines[:rows] + [""] * (rows - len(lines))


def _main(state: State, size: Size, labels: dict[str, str], theme: Theme) -> list[str]:
    """The list or what stands in its place; may be fewer or more lines than there is room for."""
    if state.mode is Mode.HELP:
        return keys_page.page(size.columns, size.rows, state.help_top, theme)
    grouped = groups(state.roster, state.filter)
    whole = layout.rows(state, grouped)
    top = layout.scrolled(whole, state.selected, state.top, size.rows)
    sessions = [each for group in grouped for each in group.sessions]
    widths = rows.measured(labels, sessions, size.columns)
    lines = []
    for row in layout.window(whole, top, size.rows):
        if row is None:
            lines.append("")
        elif row.session is None:
            lines.append(rows.header(row.group, size.columns, theme))
        else:
            lines.append(rows.row(state, row.session, labels[row.session.file], widths, theme))
    if state.filter and not grouped:
        lines = [cells.join([cells.Piece(" Nothing matches the filter.", theme.dim)], size.columns)]
    elif len(state.roster.sessions) <= 1 and not state.peeked:
        moves = first_moves.lines(state.roster, size.columns, theme)
        lines += [*([""] if lines else []), *moves]
    return lines
