"""What an empty board teaches: the three first moves, and where to look when nothing comes."""

from tank.board import cells
from tank.board.cells import Piece
from tank.board.theme import Theme
from tank.roster.roster import Roster

MOVES = (
    ("start Pi in a project", "cd your/project && pi"),
    ("name the session, in Pi", "/name fix the login test"),
    ("send it a message, from a shell", 'tank send "fix the login test" "how far are you?"'),
)
NOTHING = "Nothing appears? `tank doctor` says why."
UNREAD = (
    ("No session can be shown, whether any is open or not.", "strong"),
    ("Open sessions go on; they show as soon as they can be read. `tank doctor` says what to do.", "dim"),
)
SIDE_BY_SIDE_CELLS = 90


def lines(roster: Roster, columns: int, theme: Theme) -> list[str]:
    """That no session is open is said only where everything could be read."""
    alone = not roster.sessions
    if alone and roster.problems:
        return [line for text, look in UNREAD for line in _part(" ", text, getattr(theme, look), columns)]
    first = "No Pi session is open. Three first moves:" if alone else "Three first moves:"
    found = [*_part(" ", first, theme.strong, columns), ""]
    for number, (move, command) in enumerate(MOVES, 1):
        if columns >= SIDE_BY_SIDE_CELLS:
            found.append(cells.join([Piece(f" {number}  {move:<33}"), Piece(command, theme.tool)], columns))
        else:
            found += [*_part(f" {number}  ", move, "", columns), *_part("    ", command, theme.tool, columns)]
    return [*found, "", *_part(" ", NOTHING, theme.dim, columns)] if alone else found


def _part(first: str, text: str, look: str, columns: int) -> list[str]:
    """One sentence, wrapped where the screen is narrow."""
    wrapped = cells.wrapped(text, max(columns - len(first), 1), len(text))
    starts = [first, *[" " * len(first)] * len(wrapped)]
    return [
        cells.join([Piece(start), Piece(line, look)], columns)
        for start, line in zip(starts, wrapped, strict=False)
    ]
