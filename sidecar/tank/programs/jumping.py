"""The one way to a session's terminal, for Enter on the board, `tank focus` and the agents' tool; and where all of them are."""

import os
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from tank.edges import processes, rex, tmux
from tank.errors import TerminalError
from tank.records import text
from tank.records.entry import Entry
from tank.roster.place import Place, Tab
from tank.roster.roster import Life, Session
from tank.terminals import place
from tank.terminals import rex as rex_places
from tank.terminals.route import Here, Way, route
from tank.terminals.tmux import pane_of

NAME_CELLS = 30
POPUP = "tmux doesn't tell which terminal shows this popup: open the board in a pane to go there"
ELSEWHERE = "it runs in a tmux that this terminal doesn't show"


class Outcome(NamedTuple):
    """The person is there when all is empty. `attach` is to be run in this terminal, `command` by the person elsewhere."""

    error: str = ""
    command: str = ""
    attach: tuple[str, ...] = ()


def here(*, can_attach: bool) -> Here:
    """Where this process runs."""
    where = place.of_environment(os.environ)
    return Here(where, can_attach=can_attach and not os.environ.get("TMUX"))


def show(session: Session, where: Here, pid: int) -> Outcome:
    """Brings the session before the person whose terminal holds the process `pid`. Blocks for seconds at most."""
    if os.environ.get("TMUX") and not os.environ.get("TMUX_PANE"):
        return Outcome(POPUP)
    found = route(session, where)
    entry, socket = session.entry, session.entry.tmux_socket or ""
    try:
        match found.way:
            case Way.REX:
                rex.focus(entry.rex_server or "", entry.terminal_id or "", pid=_local_pid(entry))
            case Way.SWITCH:
                tmux.focus(socket, entry.pid, entry.process_start, own=tmux.Own(socket, pid))
            case Way.ATTACH:
                return Outcome(attach=tuple(tmux.attach_command(socket, entry.pid, entry.process_start)))
            case Way.COMMAND:
                command = tmux.command_to_run(socket, entry.pid, entry.process_start)
                return Outcome(f"{ELSEWHERE}: y copies the command that goes there", command)
            case Way.NONE:
                return Outcome(found.why)
    except TerminalError as error:
        return Outcome(text.line(str(error)))
    return Outcome()


def _local_pid(entry: Entry) -> int | None:
    """A pid of another namespace names another process here, or none."""
    host = processes.host()
    return entry.pid if entry.host is None or entry.host.pidns in (None, host.pidns) else None


def locate(sessions: Iterable[Session]) -> tuple[dict[str, Place], list[str]]:
    """Where the terminals' servers say that the sessions are, by `Session.file`; and why some couldn't be asked.

    A tmux server that doesn't answer leaves its cards without a name: nothing depends on it.
    """
    local = [session for session in sessions if session.life is not Life.ELSEWHERE]
    in_rex = [each for each in local if each.entry.rex_server and not each.entry.tmux_socket]
    problems: list[str] = []
    places = _in_tmux([each for each in local if each.entry.tmux_socket])
    servers: defaultdict[str, list[Session]] = defaultdict(list)
    for session in in_rex:
        servers[rex_places.endpoint(session.entry.rex_server or "")].append(session)
    for server, there in servers.items():
        try:
            places |= _in_rex(server, there)
        except TerminalError as error:
            problems.append(text.line(str(error)))
    return places, problems


def _in_tmux(sessions: Sequence[Session]) -> dict[str, Place]:
    found = {}
    for socket in {session.entry.tmux_socket or "" for session in sessions}:
        try:
            panes = tmux.panes(socket)
        except TerminalError:
            continue
        for session in sessions:
            if session.entry.tmux_socket == socket:
                pane = pane_of(panes, processes.ancestors(session.entry.pid))
                if pane:
                    found[session.file] = Place(f"tmux {text.short(pane.session_name, NAME_CELLS)}")
    return found


def _in_rex(server: str, sessions: Sequence[Session]) -> dict[str, Place]:
    blocks = [session.entry.terminal_id or "" for session in sessions]
    snapshot = rex.snapshot(server, blocks)
    found = {}
    for session, block in zip(sessions, blocks, strict=True):
        at = rex_places.place(snapshot, block)
        if at:
            tab = Tab(f"{server} {at.session_id}", text.short(at.session_label, NAME_CELLS), at.order)
            found[session.file] = Place(tab=tab)
    return found
