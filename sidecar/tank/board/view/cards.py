"""A session as a card: its status in the border, then its label, why it matters, what came of it, and its facts."""

from collections.abc import Sequence
from typing import NamedTuple

from tank.board import cells, said
from tank.board.cells import Piece
from tank.board.groups import who
from tank.board.layout import Areas
from tank.board.state import State, asks_here, is_own, odd
from tank.board.theme import Theme
from tank.board.view.rows import MARKER, named
from tank.records.entry import TANK
from tank.roster.ages import age
from tank.roster.groups import project
from tank.roster.place import Place
from tank.roster.roster import Session


class Border(NamedTuple):
    """Six box-drawing characters."""

    top_left: str
    across: str
    top_right: str
    side: str
    bottom_left: str
    bottom_right: str


PLAIN, WAITS, SELECTED = Border(*"╭─╮│╰╯"), Border(*"┏━┓┃┗┛"), Border(*"╔═╗║╚╝")
"""They tell who waits and what is selected where there are no colours."""
MARGIN, GAP = 1, 1


def line(state: State, sessions: Sequence[Session], parts: Areas, theme: Theme) -> list[str]:
    """Cards side by side."""
    room = (parts.columns - 2 * MARGIN - (parts.across - 1) * GAP) // parts.across
    drawn = [card(state, session, room, theme) for session in sessions]
    return [" " * MARGIN + (" " * GAP).join(row) for row in zip(*drawn, strict=True)]


def card(state: State, session: Session, room: int, theme: Theme) -> list[str]:
    """Six lines, each exactly `room` cells wide."""
    entry, selected = session.entry, who(session) == state.selected
    waits = entry.status == "needs-you"
    border = SELECTED if selected else WAITS if waits else PLAIN
    edge = theme.selected_border if selected else theme.needs_you if waits else theme.dim
    inner = room - 4
    why = [part for part in (entry.status_detail or entry.activity, entry.recap or entry.last_reply) if part]
    first = said.ASKS_HERE if asks_here(state, session) else why[0] if why else ""
    look = theme.needs_you if waits else "" if entry.activity else theme.dim
    body = [
        [Piece(named(state, session, inner), theme.strong)],
        [Piece(cells.clean(first, inner), look)],
        [Piece(cells.clean(why[1] if len(why) > 1 else "", inner), theme.dim)],
        _facts(state, session, inner, theme),
    ]
    side, bottom = border.side, border.bottom_left + border.across * (room - 2) + border.bottom_right
    lines = [_top(state, session, border, edge, room, theme)]
    for pieces in body:
        filled = cells.filled(pieces, inner)
        lines.append(cells.join([Piece(f"{side} ", edge), *filled, Piece(f" {side}", edge)], room))
    return [*lines, cells.join([Piece(bottom, edge)], room)]


def _top(state: State, session: Session, border: Border, edge: str, room: int, theme: Theme) -> str:
    entry = session.entry
    status = f" {said.GLYPHS[entry.status]} {said.WORDS[entry.status]} "
    since = age(entry.status_since, state.now)
    lasts = f"· {since} " if since else ""
    urgent = "" if entry.priority is None else f" p{entry.priority} "
    rule = border.across * max(room - 4 - len(status + lasts + urgent), 0)
    pieces = [
        Piece(border.top_left + (MARKER if border is SELECTED else border.across), edge),
        Piece(status, theme.status(entry.status)),
        Piece(lasts, theme.dim),
        Piece(rule, edge),
        Piece(urgent, theme.priority(entry.priority)),
        Piece(border.across + border.top_right, edge),
    ]
    return cells.join(pieces, room)


def _facts(state: State, session: Session, inner: int, theme: Theme) -> list[Piece]:
    """What is odd about it, else where it is and its model; how full its context is at the right."""
    entry = session.entry
    context = said.context(entry)
    room = inner - (len(context) + 1 if context else 0)
    plain = ["Tank, the meta agent"] if entry.role == TANK else []
    plain += ["this session"] if is_own(state, session) else []
    place = state.places.get(session.file, Place())
    plain += [part for part in (project(entry)[1] if place.tab else "", place.name) if part]
    plain += [entry.model.rpartition("/")[2]] if entry.model else []
    marks = cells.clean(" · ".join(odd(state, session)), room)
    rest = cells.clean(" · ".join(plain), room - cells.width(marks) - 3) if plain else ""
    pieces = [Piece(marks, theme.problem if session.file in state.twice else theme.warning)]
    pieces += [Piece(" · " if marks and rest else "", theme.dim), Piece(rest, theme.dim)]
    gap = inner - sum(cells.width(text) for text, _ in pieces) - len(context)
    return [*pieces, Piece(" " * max(gap, 0)), Piece(context, theme.dim)]
