"""tmux's command lines, and blocking runs of them. Targets are ids, sockets are paths; none of them starts a server.

A function raises TerminalError where it doesn't do what its name says.
"""

import os
import shlex
import socket as sockets
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from tank.edges import children, processes
from tank.edges.children import End
from tank.errors import TerminalError
from tank.records import text
from tank.terminals import tmux_replies
from tank.terminals.tmux import Way, entering, pane_of, showing, way
from tank.terminals.tmux_replies import CLIENTS, PANES, Client, Pane

ASK_S = 0.5
ACT_S = 2.0
LIMIT_BYTES = 1 << 20
"""More than a thousand panes say."""
NAME_CELLS, PATH_CELLS, REASON_CELLS = 40, 80, 120
LIST_PANES = ["list-panes", "-a", "-F", PANES]
LIST_CLIENTS = ["list-clients", "-F", CLIENTS]


class Own(NamedTuple):
    """Where the person is: a tmux server's socket, and a process that runs in the pane (the board itself, or Pi under it)."""

    socket: str
    pid: int


def ask_pane(socket: str, pane: str) -> list[str]:
    """Asks what `tmux_replies.pane_shown` reads."""
    where = "#{window_id} #{window_zoomed_flag} #{pane_active}"
    clients = ["list-clients", "-F", "#{window_id}"]
    return ["tmux", "-S", socket, "display-message", "-p", "-t", pane, where, ";", *clients]


def panes(socket: str) -> tuple[Pane, ...]:
    """Every pane of the server, once for each session that holds it."""
    return tmux_replies.panes(_run(socket, LIST_PANES, ASK_S))


def focus(socket: str, pid: int, start: str | None, *, own: Own | None) -> None:
    """Lets the client that shows the own pane show the pane of this process, and moves no other.

    `start` as the session published it. The process, and the pane by its descent, are proved just before tmux is told;
    that the pane is still the same one is proved by tmux as it acts.
    """
    seen = _look(socket, pid, start)
    if own is None or not _same(own.socket, socket):
        raise TerminalError(_elsewhere(socket, seen))
    here = pane_of(seen.panes, processes.ancestors(own.pid))
    if here is None:
        raise TerminalError(
            "the pane that this runs in isn't known to tmux: which terminal to switch can't be told"
        )
    if here.pane == seen.goal.pane:
        return
    mine = _client(socket, seen, here)
    chosen = way(seen.panes, seen.clients, seen.goal, mine)
    command = entering(chosen, ["switch-client", "-c", mine.name], _folder(socket, chosen))
    _prove(pid, start)
    _run(socket, command, ACT_S)


def attach_command(socket: str, pid: int, start: str | None) -> list[str]:
    """What enters the pane of this process from a terminal of its own, moving no other client; as it runs it proves the pane anew."""
    return _attach(socket, _look(socket, pid, start))


def command_to_run(socket: str, pid: int, start: str | None) -> str:
    """The same for a person to paste into a shell; inside this very server tmux itself refuses it."""
    return _typed(socket, _look(socket, pid, start))


class _Seen(NamedTuple):
    panes: tuple[Pane, ...]
    clients: tuple[Client, ...]
    goal: Pane


def _look(socket: str, pid: int, start: str | None) -> _Seen:
    _prove(pid, start)
    output = _run(socket, [*LIST_PANES, ";", *LIST_CLIENTS], ASK_S)
    panes, clients = tmux_replies.panes(output), tmux_replies.clients(output)
    if clients is None:
        raise TerminalError("tmux describes its clients in a way that Tank can't read: switch by hand")
    goal = pane_of(panes, processes.ancestors(pid))
    if goal is None:
        raise TerminalError(f"its process {pid} is in no pane of its tmux server: look for it by hand")
    return _Seen(panes, clients, goal)


def _prove(pid: int, start: str | None) -> None:
    process = processes.look(pid)
    if process is None or process.state in "ZXx":
        raise TerminalError(f"its process {pid} has ended: there is nothing to go to")
    if start and process.start and start != process.start:
        raise TerminalError(f"its process has ended, and {pid} is another one now: there is nothing to go to")


def _client(socket: str, seen: _Seen, here: Pane) -> Client:
    """Of several that show the pane, the one that tmux calls the last used."""
    found = showing(seen.clients, here)
    if len(found) > 1:
        name = _run(socket, ["display-message", "-p", "-t", here.pane, "#{client_name}"], ASK_S)
        found = [client for client in found if client.name.encode() == name.rstrip(b"\n")]
    if len(found) == 1:
        return found[0]
    why = "no one terminal shows the pane that this runs in, selected: which to switch can't be told"
    raise TerminalError(f"{why}; {_elsewhere(socket, seen)}")


def _elsewhere(socket: str, seen: _Seen) -> str:
    name = text.cut(seen.goal.session_name, NAME_CELLS)
    return f"it runs in tmux session {name}: in a terminal outside tmux run: {_typed(socket, seen)}"


def _typed(socket: str, seen: _Seen) -> str:
    if not socket.isprintable():
        raise TerminalError("its tmux socket has a name that can't be typed: go to it by hand")
    return shlex.join(_attach(socket, seen))


def _attach(socket: str, seen: _Seen) -> list[str]:
    chosen = way(seen.panes, seen.clients, seen.goal, None)
    return ["tmux", "-S", socket, *entering(chosen, ["attach-session"], _folder(socket, chosen))]


def _folder(socket: str, chosen: Way) -> str:
    """Where new windows of the session start; empty when that isn't needed, or can't be written in a command."""
    if chosen.name is None:
        return ""
    asked = ["display-message", "-p", "-t", f"{chosen.pane.session}:", "#{session_path}"]
    folder = _run(socket, asked, ASK_S).removesuffix(b"\n").decode("utf-8", "replace")
    return folder if folder.isprintable() and "\ufffd" not in folder else ""


def _same(one: str, other: str) -> bool:
    try:
        return Path(one).samefile(other)
    except OSError:
        return False


def _run(socket: str, words: Sequence[str], timeout_s: float) -> bytes:
    """What tmux says, in UTF-8 whatever the locale."""
    at = f"the tmux server at {text.short(socket, PATH_CELLS)}"
    _knock(socket, at, timeout_s)
    ran = children.run([["tmux", "-u", "-S", socket, *words]], os.environ, timeout_s, LIMIT_BYTES)[0]
    match ran.end:
        case End.EXITED if ran.code == 0:
            return ran.output
        case End.EXITED:
            reason = text.short(ran.errors.decode("utf-8", "replace"), REASON_CELLS)
            raise TerminalError(f"tmux refuses: {reason or f'exit code {ran.code}'}; read anew and try again")
        case End.MISSING:
            raise TerminalError("tmux can't be run: is it installed, and on PATH?")
        case End.SLOW:
            raise TerminalError(f"{at} hasn't answered within {timeout_s:g} s: look after it and try again")
        case End.FLOODED:
            raise TerminalError(f"{at} says more than Tank reads: switch by hand")


def _knock(socket: str, at: str, timeout_s: float) -> None:
    """A server that is gone is told apart from one that refuses."""
    try:
        with sockets.socket(sockets.AF_UNIX, sockets.SOCK_STREAM) as connection:
            connection.settimeout(timeout_s)
            connection.connect(socket)
    except (FileNotFoundError, ConnectionRefusedError):
        raise TerminalError(f"{at} is gone, and its panes with it") from None
    except (OSError, ValueError) as error:
        raise TerminalError(f"{at} can't be reached: {error}") from None
