"""What tmux answers, parsed. Ids come first and the name last: tmux writes control characters in names as escapes."""

import re
from typing import NamedTuple

from tank.records import text

VISIT = "@tank-visit"
"""Option of a session that Tank makes for one visit."""
LEFT = f"#{{&&:#{{{VISIT}}},#{{&&:#{{==:#{{session_attached}},0}},#{{e|>:#{{session_group_size}},1}}}}}}"
"""Whether such a session is over: its client has left, and its windows live on in the sessions it's grouped with."""
PANES = f"#{{pane_id}} #{{pane_pid}} #{{pane_dead}} #{{pane_active}} #{{window_id}} #{{session_id}} #{{?{VISIT},1,0}} pane #{{session_name}}"
CLIENTS = "#{session_id} #{window_id} #{pane_id} #{destroy-unattached} #{client_flags} #{session_group_size} client #{client_name}"
"""Formats whose lines `panes` and `clients` read; each line says what it is, so that both can stand in one answer."""
PANE = re.compile(r"(%\d+) (\d+) ([01]) ([01]) (@\d+) (\$\d+) ([01]) pane (.*)")
CLIENT = re.compile(r"(\$\d+) (@\d+) (%\d+) (\S*) (\S*) (\d*) client (.*)")
ENDING = ("1", "on", "keep-group")
"""Values of `destroy-unattached` under which a session with no group ends when it's left."""


class Pane(NamedTuple):
    """A pane as one session holds it: the sessions that share its window each give one.

    `pid`: the program that tmux started in it; the number is kept, and means nothing, once the pane is `dead`.
    `active`: the window's selected pane. `visit`: the session was made for one visit.
    """

    pane: str
    pid: int
    dead: bool
    active: bool
    window: str
    session: str
    visit: bool
    session_name: str


class Client(NamedTuple):
    """A terminal attached to tmux, the window it shows and that window's selected pane.

    `own_pane`: it may have another pane selected than the window has. `ends`: its session ends when nobody is attached.
    """

    name: str
    session: str
    window: str
    pane: str
    own_pane: bool
    keyless: bool
    """Nobody can be typing in it: it's suspended, or a program reads it (control mode)."""
    ends: bool


def panes(output: bytes) -> tuple[Pane, ...]:
    """Lines that are none are left out: a pane that isn't seen is never gone to."""
    found = (PANE.fullmatch(line) for line in _lines(output))
    return tuple(
        Pane(pane, int(pid), dead == "1", active == "1", window, session, visit == "1", text.line(name))
        for pane, pid, dead, active, window, session, visit, name in (
            match.groups() for match in found if match
        )
    )


def clients(output: bytes) -> tuple[Client, ...] | None:
    """None when a line is neither a client nor a pane: a client that isn't seen might be moved."""
    found: list[Client] = []
    for line in _lines(output):
        if match := CLIENT.fullmatch(line):
            session, window, pane, unattached, flags, group_size, name = match.groups()
            said = set(flags.split(","))
            ends = unattached in ENDING and int(group_size or 1) < 2
            own_pane, keyless = "active-pane" in said, bool(said & {"suspended", "control-mode"})
            found.append(Client(name, session, window, pane, own_pane, keyless, ends))
        elif not PANE.fullmatch(line):
            return None
    return tuple(found)


def pane_shown(output: bytes | None) -> bool | None:
    """Whether an attached client shows the pane; None when tmux didn't say.

    The first line is the pane's window, whether that is zoomed and whether the pane is its active one; each further
    line is the window that one client shows.
    """
    if output is None:
        return None
    first, *clients = output.decode("ascii", "replace").split("\n")
    match first.split():
        case [window, zoomed, active]:
            hidden = zoomed == "1" and active == "0"
            return not hidden and window in clients
    return None


def _lines(output: bytes) -> list[str]:
    return output.decode("utf-8", "replace").removesuffix("\n").split("\n") if output else []
