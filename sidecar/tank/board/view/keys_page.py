"""Help: the bindings table as a page."""

from tank.board import cells
from tank.board.bindings import KEYS_CELLS, help_lines
from tank.board.cells import Piece
from tank.board.theme import Theme


def page(columns: int, rows: int, top: int, theme: Theme) -> list[str]:
    """As many lines as fit, from the line `top` on."""
    lines = help_lines(columns)
    shown = lines[max(min(top, len(lines) - rows), 0) :][:rows]
    return [
        cells.join(
            [
                Piece(
                    " " + (line.keys.ljust(KEYS_CELLS) if line.says and line.keys else line.keys),
                    theme.strong,
                ),
                Piece(" " * (KEYS_CELLS if not line.keys and columns >= 32 else 0) + " " + line.says),
            ],
            columns,
        ).rstrip()
        for line in shown
    ]
