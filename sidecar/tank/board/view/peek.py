"""The peek as a pane below the list."""

from tank.board import cells, peek, said
from tank.board.cells import Piece
from tank.board.peek import Line
from tank.board.state import Size, State
from tank.board.theme import Theme
from tank.roster.groups import project
from tank.roster.roster import Session


def pane(state: State, session: Session, size: Size, theme: Theme) -> list[str]:
    """Exactly `size.rows` lines: a rule that names the session, its question, and the end of the body."""
    if not state.peeked or size.rows < 1:
        return [""] * size.rows
    question, body = peek.shown(state, session, size.columns, size.rows - 1)
    room = max(size.rows - 1 - len(question), 0)
    back = min(state.peeked.back, max(len(body) - room, 0))
    end = len(body) - back
    part = body[max(end - room, 0) : end] if room else []
    while part and not part[0].text and len(body) <= room:
        part = part[1:]
    out = [f"{count} lines {where}" for count, where in ((end - room, "above"), (back, "below")) if count > 0]
    lines = [_drawn(line, size.columns, theme) for line in (*question, *part)]
    whole = [_rule(state, session, size.columns, " · ".join(out), theme), *lines][: size.rows]
    return whole + [""] * (size.rows - len(whole))


def _rule(state: State, session: Session, columns: int, out: str, theme: Theme) -> str:
    """Who is peeked at, and how much of it is out of sight."""
    entry = session.entry
    known = (project(entry)[1], entry.model, said.context(entry), entry.session_id[:13])
    end = f" {out} ─" if out else ""
    room = max(columns - cells.width(end) - 4, 0)
    name = cells.clean(state.listed.labels[session.file], room)
    left = room - cells.width(name) - 3
    facts = cells.clean(" · ".join(part for part in known if part), left) if left > 9 else ""
    middle = f" · {facts} " if facts else " "
    used = 2 + cells.width(name) + cells.width(middle) + cells.width(end)
    return cells.join(
        [
            Piece("─ ", theme.dim),
            Piece(name, theme.strong),
            Piece(middle + "─" * max(columns - used, 0), theme.dim),
            Piece(end, theme.warning),
        ],
        columns,
    )


def _drawn(line: Line, columns: int, theme: Theme) -> str:
    return cells.join([Piece(line.text, getattr(theme, line.look) if line.look else "")], columns)
