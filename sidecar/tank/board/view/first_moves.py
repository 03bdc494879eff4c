"""What an empty board teaches: the three first moves, and where to look when nothing comes."""

from tank.board import cells
from tank.board.cells import Piece
from tank.board.theme import Theme

MOVES = (
    ("start Pi in a project", "cd your/project && pi"),
    ("name the session, in Pi", "/name fix the login test"),
    ("send it a message, from a shell", 'tank send "fix the login test" "how far are you?"'),
)
SIDE_BY_SIDE_CELLS = 90


def lines(columns: int, theme: Theme, *, alone: bool) -> list[str]:
    """`alone`: no session is open."""
    first = "No Pi session is open. Three first moves:" if alone else "Three first moves:"
    found = [cells.join([Piece(f" {first}", theme.strong)], columns), ""]
    for number, (move, command) in enumerate(MOVES, 1):
        if columns >= SIDE_BY_SIDE_CELLS:
            found.append(cells.join([Piece(f" {number}  {move:<33}"), Piece(command, theme.tool)], columns))
        else:
            found.append(cells.join([Piece(f" {number}  {move}")], columns))
            found.append(cells.join([Piece("    "), Piece(command, theme.tool)], columns))
    hint = [Piece(" Nothing appears? `tank doctor` says why.", theme.dim)]
    return [*found, "", cells.join(hint, columns)] if alone else found
