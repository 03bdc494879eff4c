"""The peek as a pane below the list."""

from tank.board import cells, peek, said
from tank.board.cells import Piece
from tank.board.peek import Line
from tank.board.state import Size, State
from tank.board.theme import Theme
from tank.roster.roster import Session


def pane(state: State, session: Session, label: str, size: Size, theme: Theme) -> list[str]:
    """Exactly `size.rows` lines: a rule that names the session, its question, and the end of the body."""
    if not state.peeked or size.rows < 1:
        return []
    question, body = peek.shown(state, session, size.columns, size.rows - 1)
    room = max(size.rows - 1 - len(question), 0)
    back = min(state.peeked.back, max(len(body) - room, 0))
    end = len(body) - back
    part = body[max(end - room, 0) : end] if room else []
    while part and not part[0].text and len(body) <= room:
        part = part[1:]
    lines = [_drawn(line, size.columns, theme) for line in (*question, *part)]
    whole = [_rule(session, label, size.columns, back, theme), *lines][: size.rows]
    return whole + [""] * (size.rows - len(whole))


def _rule(session: Session, label: str, columns: int, back: int, theme: Theme) -> str:
    entry = session.entry
    facts = " · ".join(part for part in (said.project(entry)[1], entry.model, entry.session_id[:8]) if part)
    below = f" {back} lines below " if back else ""
    room = max(columns - cells.width(below) - 6, 0)
    name = cells.clean(label, room)
    rest = cells.clean(facts, max(room - cells.width(name) - 3, 0)) if room - cells.width(name) > 12 else ""
    used = 3 + cells.width(name) + cells.width(below) + bool(below) + (cells.width(rest) + 3 if rest else 0)
    return cells.join(
        [
            Piece("─ ", theme.dim),
            Piece(name, theme.strong),
            Piece(f" · {rest} " if rest else " ", theme.dim),
            Piece("─" * max(columns - used, 0), theme.dim),
            Piece(below, theme.warning),
            Piece("─" if below else "", theme.dim),
        ],
        columns,
    )


def _drawn(line: Line, columns: int, theme: Theme) -> str:
    return cells.join([Piece(line.text, getattr(theme, line.look) if line.look else "")], columns)
