"""Help: the bindings table as a page."""

from tank.board import cells
from tank.board.bindings import KEYS_CELLS, NARROW_HELP_CELLS, help_lines
from tank.board.cells import Piece
from tank.board.state import State
from tank.board.theme import Theme


def page(state: State, columns: int, rows: int, theme: Theme) -> list[str]:
    """As many lines as fit, scrolled as far as the state says."""
    lines = help_lines(columns, overlay=state.overlay)
    shown = lines[max(min(state.help_top, len(lines) - rows), 0) :][:rows]
    return [
        cells.join(
            [
                Piece(
                    " " + (line.keys.ljust(KEYS_CELLS) if line.says and line.keys else line.keys),
                    theme.strong,
                ),
                Piece(
                    " " * (KEYS_CELLS if not line.keys and columns >= NARROW_HELP_CELLS else 0)
                    + " "
                    + line.says
                ),
            ],
            columns,
        ).rstrip()
        for line in shown
    ]
