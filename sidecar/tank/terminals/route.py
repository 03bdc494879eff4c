"""How a person gets from where they are to a session's terminal: one table for Enter, `tank focus` and the agents' tool.

Another terminal is one more way here, one parser beside this module, and one edge.
"""

from enum import Enum, auto
from typing import NamedTuple

from tank.records.entry import Entry
from tank.roster.roster import Life, Session
from tank.terminals.place import TerminalPlace


class Way(Enum):
    """What takes the person there."""

    REX = auto()
    """The server focuses the block, its app shows the tab."""
    SWITCH = auto()
    """The tmux client that shows this terminal switches to the pane."""
    ATTACH = auto()
    """This terminal is handed to tmux until it is detached."""
    COMMAND = auto()
    """Nothing here can go there; a command in another terminal can."""
    NONE = auto()
    """There is nothing to ask: `why` says so."""


class Here(NamedTuple):
    """Where the person is. `can_attach`: this terminal is ours to hand over, and no tmux is around it."""

    place: TerminalPlace
    can_attach: bool


class Route(NamedTuple):
    way: Way
    why: str = ""


def route(session: Session, here: Here) -> Route:
    """Sockets are compared as they are named: two names of one server are told apart, and a command is offered."""
    entry = session.entry
    if session.life is Life.ELSEWHERE:
        return Route(Way.NONE, "it runs on another machine: go to it there")
    if entry.tmux_socket and entry.tmux_pane:
        if here.place.tmux and here.place.tmux[0] == entry.tmux_socket:
            return Route(Way.SWITCH)
        return Route(Way.ATTACH if here.can_attach else Way.COMMAND)
    if entry.terminal_id and entry.rex_server:
        return Route(Way.REX)
    if entry.terminal_id:
        return Route(Way.NONE, NO_SERVER)
    return Route(Way.NONE, _by_hand(entry))


NO_SERVER = "its Rex server isn't known: go to its tab by hand"


def _by_hand(entry: Entry) -> str:
    """Terminals without an adapter: the person is told where to look."""
    where = " on ".join(part for part in (entry.program, entry.tty) if part)
    return f"its terminal ({where}) can't be asked to show it: go to it by hand" if where else UNKNOWN


UNKNOWN = "it doesn't say in which terminal it runs"
