"""The title counts what there is and says what couldn't be read; the footer says what can be pressed."""

from tank.board import cells, layout, said
from tank.board.bindings import BINDINGS, Act
from tank.board.cells import Piece
from tank.board.groups import matches
from tank.board.state import Mode, State
from tank.board.theme import Theme
from tank.board.view.rows import TINY_CELLS

SHOWN_FILTER_CELLS = 40


def title(state: State, columns: int, theme: Theme) -> str:
    """The counts of all sessions, and the filter in force with what it leaves."""
    sessions = state.roster.sessions
    counts = {status: sum(each.entry.status == status for each in sessions) for status in said.WORDS}
    name = " Tank " if columns < layout.NARROW_CELLS else " Tank   "
    pieces = [Piece(f"{len(sessions)} session{'s' * (len(sessions) != 1)}")]
    if columns < TINY_CELLS and counts["needs-you"]:
        pieces.clear()  # what matters most comes first
    for status, word in (("needs-you", "need you"), ("working", "working"), ("done", "done")):
        count = counts[status]
        if count:
            shown = "needs you" if (status, count) == ("needs-you", 1) else word
            between = [Piece(" · ", theme.dim)] if pieces else []
            pieces += [*between, Piece(f"{count} {shown}", theme.status(status))]
    if state.filter and state.mode is not Mode.FILTER:
        room = min(SHOWN_FILTER_CELLS, columns // 3)
        filtered = Piece(f"/{cells.clean(state.filter, room)}  {left(state)}", theme.warning)
        used = sum(cells.width(text) for text, _ in (filtered, *pieces)) + len(name) + 1
        if used + 2 <= columns:
            pieces += [Piece(" " * (columns - used)), filtered]
        else:
            pieces = [filtered, Piece(" · ", theme.dim), *pieces]
    return cells.join([Piece(name, theme.strong), *pieces], columns)


def left(state: State) -> str:
    """How many sessions the filter leaves."""
    sessions = state.roster.sessions
    return f"{sum(matches(each, state.filter) for each in sessions)} of {len(sessions)}"


def notes(state: State, columns: int, rows: int, theme: Theme) -> list[str]:
    """One a row; the last row takes those that are left."""
    told = said.notes(state.roster)
    lines = [*told[: rows - 1], " · ".join(told[rows - 1 :])] if rows else []
    return [cells.join([Piece(" " + cells.clean(line, columns), theme.warning)], columns) for line in lines]


def footer(state: State, columns: int, theme: Theme) -> str:
    """The question being asked, else the last notice, else the keys to know."""
    if state.mode is Mode.FILTER:
        words = cells.clean(state.filter, columns) + " " * state.filter.endswith(" ")
        pieces = [
            Piece(" /", theme.strong),
            Piece(words),
            Piece("▏", theme.strong),
            Piece(f" {left(state)}   Enter keep   Esc drop", theme.dim),
        ]
    elif state.mode is Mode.PRIORITY:
        pieces = [Piece(" priority: ", theme.strong), Piece("0 1 2 3, - for none   Esc cancel", theme.dim)]
    elif state.mode is Mode.HELP:
        pieces = [Piece(" ↑↓ scroll   Esc back", theme.dim)]
    elif state.notice:
        pieces = [Piece(" " + cells.clean(state.notice, columns), theme.warning)]
    else:
        pieces = [Piece(" " + _hints(state, columns - 2), theme.dim)]
    return cells.join(pieces, columns)


def _hints(state: State, room: int) -> str:
    """As many as fit; the way out and the way to the rest go last."""
    shown = [
        f"{binding.shown.split()[0]} {_back(state) if binding.act is Act.BACK else binding.hint}"
        for binding in BINDINGS
        if binding.hint and (state.roster.sessions or binding.act in (Act.HELP, Act.BACK))
    ]
    while shown and cells.width("   ".join(shown)) > room:
        shown.pop(0)
    return "   ".join(shown)


def _back(state: State) -> str:
    if state.peeked:
        return "close the peek"
    return "drop the filter" if state.filter else "close"
