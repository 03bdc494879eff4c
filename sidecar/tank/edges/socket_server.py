"""The message socket: many clients, each bounded in memory, none able to hold up another. Decides nothing."""

import os
import socket
import stat
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from tank.edges.loop import Loop
from tank.edges.outlet import Outlet
from tank.edges.peers import peer
from tank.records.framing import Lines
from tank.records.limits import REQUEST_LIMIT_BYTES

SKIP_LIMIT_BYTES = 16 * 1024 * 1024
"""A client that goes on this long without an end of line is cut off."""
HELD_LIMIT_BYTES = 16 * 1024 * 1024
"""While unfinished requests of all clients take this much, one that adds to a long one is cut off."""
CLIENTS = 512
"""At most half the descriptors that this process may have: the other half is for everything else."""
PAUSE_S = 0.1
"""Nobody is accepted for this long when the system has no descriptor left."""
CHUNK_BYTES = 64 * 1024

Asked = Callable[[int, bytes | None, tuple[int, int]], None]
"""Token, request (None: too long), and the peer's uid and pid. Answered by `Server.reply`."""


class Client:
    """One connection. It is read only while no complete request, no answer and no unwritten reply is left of it."""

    def __init__(self, outlet: Outlet, credentials: tuple[int, int]) -> None:
        self.outlet = outlet
        self.credentials = credentials
        self.lines = Lines(REQUEST_LIMIT_BYTES)
        self.waiting: int | None = None


class Server:
    """`path` is where it listens, None while it doesn't."""

    def __init__(self, loop: Loop, asked: Asked) -> None:
        self._loop = loop
        self._asked = asked
        self._listener: socket.socket | None = None
        self._inode: tuple[int, int] | None = None
        self._clients: dict[int, Client] = {}
        self._by_token: dict[int, int] = {}
        self._next_token = 1
        self._room = max(min(CLIENTS, os.sysconf("SC_OPEN_MAX") // 2), 1)
        self.path: Path | None = None

    def listen(self, path: Path) -> None:
        """Bind a socket of mode 0600 from its first instant. Raises OSError."""
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            mask = os.umask(0o177)
            try:
                listener.bind(str(path))
            finally:
                os.umask(mask)
            listener.settimeout(0)
            listener.listen(CLIENTS)
            status = path.lstat()
        except OSError:
            listener.close()
            raise
        self.unlisten()
        self._listener, self._inode, self.path = listener, (status.st_dev, status.st_ino), path
        self._loop.watch(listener.fileno(), self._accept)

    def stands(self) -> bool:
        """Whether the socket's file is still the one that was bound."""
        if self.path is None:
            return False
        try:
            status = self.path.lstat()
        except OSError:
            return False
        return (status.st_dev, status.st_ino) == self._inode and stat.S_ISSOCK(status.st_mode)

    def unlisten(self) -> None:
        """Stop listening; the file goes only while it's the one that was bound."""
        if self._listener is None or self.path is None:
            return
        self._loop.forget(self._listener.fileno())
        self._listener.close()
        if self.stands():
            with suppress(OSError):
                self.path.unlink()
        self._listener, self._inode, self.path = None, None, None

    def reply(self, token: int, line: bytes) -> None:
        """Answer a request; what comes after the answer is dropped."""
        number = self._by_token.pop(token, None)
        if number is None:
            return
        client = self._clients[number]
        client.waiting = None
        client.outlet.write(line + b"\n")
        self._advance(number)

    def _accept(self) -> None:
        if self._listener is None:
            return
        try:
            connection, _ = self._listener.accept()
        except (BlockingIOError, ConnectionAbortedError):
            return
        except OSError:
            self._drop_one()
            self._loop.forget(self._listener.fileno())
            self._loop.later(PAUSE_S, self._accept_again)
            return
        credentials = peer(connection)
        if credentials is None or credentials[0] not in (os.getuid(), 0) or not self._make_room():
            connection.close()
            return
        number = connection.detach()
        client = Client(Outlet(self._loop, number, lambda: self._advance(number)), credentials)
        self._clients[number] = client
        self._loop.watch(number, lambda: self._read(number))

    def _accept_again(self) -> None:
        if self._listener is not None:
            self._loop.watch(self._listener.fileno(), self._accept)

    def _read(self, number: int) -> None:
        client = self._clients[number]
        try:
            data = os.read(number, CHUNK_BYTES)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        client.lines.feed(data)
        greedy = client.lines.held > CHUNK_BYTES and self._held() > HELD_LIMIT_BYTES
        if greedy or not data:
            self._close(number)
        else:
            self._advance(number)

    def _advance(self, number: int) -> None:
        """Hand on the client's next request, or read on. Another client's turn comes in between."""
        client = self._clients[number]
        if client.outlet.broken or client.lines.skipped > SKIP_LIMIT_BYTES:
            self._close(number)
            return
        if client.outlet.backlog:
            return
        try:
            line = client.lines.next()
        except LookupError:
            self._loop.watch(number, lambda: self._read(number))
            return
        self._loop.forget(number)
        token, self._next_token = self._next_token, self._next_token + 1
        client.waiting = token
        self._by_token[token] = number
        self._loop.later(0, lambda: self._asked(token, line, client.credentials))

    def _held(self) -> int:
        return sum(client.lines.held for client in self._clients.values())

    def _make_room(self) -> bool:
        return len(self._clients) < self._room or self._drop_one()

    def _drop_one(self) -> bool:
        """Close the oldest connection that waits for nothing, if there is one."""
        idle = next((number for number, client in self._clients.items() if client.waiting is None), None)
        if idle is not None:
            self._close(idle)
        return idle is not None

    def _close(self, number: int) -> None:
        self._clients.pop(number).outlet.close()
