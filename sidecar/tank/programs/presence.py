"""A session's place in the live directory, its entry and its socket: taken, held whatever happens to the files, given up."""

import os
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

import orjson

from tank.edges import paths, processes
from tank.edges.live_directory import LiveDirectory
from tank.edges.log import Log
from tank.edges.loop import Loop, Timer
from tank.edges.own_entry import OwnEntry
from tank.edges.socket_server import Asked, Server
from tank.errors import TankError
from tank.programs.clock import now
from tank.records import fields, text
from tank.records.fields import Record
from tank.records.header import Sender
from tank.records.naming import called
from tank.session.brain import Brain
from tank.session.publication import Place
from tank.terminals.place import of_environment
from tank.version import PROTOCOL, __version__

if TYPE_CHECKING:
    from tank.programs.titling import Titling

RETRY_S = 5.0
"""Between two attempts to publish or to listen where that failed."""


class Presence:
    """Says once through `warn` when the session can't be published, and tries again by itself."""

    def __init__(self, loop: Loop, log: Log, brain: Brain, asked: Asked, warn: Callable[[str], None]) -> None:
        self.server = Server(loop, asked)
        self._loop = loop
        self._log = log
        self._brain = brain
        self._warn = warn
        self._titling: Titling | None = None
        self._own: OwnEntry | None = None
        self._failing = False
        self._retry: Timer | None = None
        self._listen_at = 0.0

    def settle(self, pid: int) -> None:
        """Find out where this session runs, and listen: once, at the first hello."""
        self._brain.place = place = _place(pid)
        server = fields.string(place.terminal, "rexServer")
        if server and place.terminal_id:
            from tank.programs.titling import Titling

            self._titling = Titling(server, place.terminal_id, self._log.warn)
        try:
            self._claim(pid)
        except (OSError, TankError) as error:
            self._log.warn(f"cannot take the place of pid {pid}: {error}")

    def publish(self, entry: Record) -> None:
        """Write this entry, or a newer one if the socket has changed meanwhile."""
        if self._brain.place is None:
            return
        try:
            own = self._own or self._claim(self._brain.place.pid)
            if not self.server.stands() and time.monotonic() >= self._listen_at:
                self._listen(own)
            if entry["socket"] != self._brain.socket:
                entry = self._brain.entry(now())
            own.publish(orjson.dumps(entry))
            if self._titling:
                self._titling.follow(entry)
        except (OSError, TankError) as error:
            self._publish_failed(error)
        else:
            self._failing = False

    def leave(self) -> None:
        """Leaves no file behind."""
        self.server.unlisten()
        if self._own is not None:
            self._own.remove()

    def _claim(self, pid: int) -> OwnEntry:
        """Take this pid's place in the live directory from what stands there, and listen. Raises OSError and TankError."""
        own = OwnEntry(pid)
        own.clear()
        self._own = own
        self._listen(own)
        return own

    def _listen(self, own: OwnEntry) -> None:
        """At the first path that can be had; without any the session takes no messages and its entry says so."""
        self._brain.socket = None
        for path in paths.sockets(own.pid):
            try:
                paths.private_directory(path.parent)
                own.clear_socket(path)
                self.server.listen(path)
            except (OSError, TankError) as error:
                self._log.warn(f"cannot listen at {path}: {error}")
            else:
                self._brain.socket = str(path)
                return
        self._listen_at = time.monotonic() + RETRY_S

    def _publish_failed(self, error: Exception) -> None:
        if not self._failing:
            self._failing = True
            why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
            where = f" in {paths.live_directory()}" if isinstance(error, OSError) else ""
            said = text.line(f"Tank can't publish this session{where}: {why}. It tries again by itself.")
            self._log.warn(said)
            self._warn(said)
        if self._retry is None:
            self._retry = self._loop.later(RETRY_S, self._publish_again)

    def _publish_again(self) -> None:
        self._retry = None
        if self._failing:
            self.publish(self._brain.entry(now()))


def sender(peer: tuple[int, int]) -> Sender | None:
    """The session whose sidecar the peer is, by the kernel's word and the living entries."""
    uid, pid = peer
    process = processes.look(pid)
    if uid != os.getuid() or process is None:
        return None
    for session in LiveDirectory().sessions_of(process.parent):
        entry = session.entry
        if entry.sidecar_pid == pid:
            return Sender(entry.project_name or "?", called(entry.label, entry.session_id), verified=True)
    return None


def _place(pid: int) -> Place:
    process = processes.look(pid)
    where = of_environment(os.environ)
    return Place(
        tank=__version__,
        protocol=PROTOCOL,
        pid=pid,
        process_start=process.start if process else None,
        host=processes.host()._asdict(),
        sidecar_pid=os.getpid(),
        terminal={
            "program": where.program,
            "tty": processes.tty_of(pid),
            "tmux": dict(zip(("socket", "pane"), where.tmux, strict=True)) if where.tmux else None,
            "rexServer": where.rex_server,
        },
        terminal_id=where.rex_block,
    )
