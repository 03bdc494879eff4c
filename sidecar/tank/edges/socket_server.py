"""The message socket: many clients, each bounded in memory, none able to hold up another. Decides nothing."""

import os
import socket
import stat
from collections.abc import Callable
from pathlib import Path

from tank.edges.loop import Loop
from tank.edges.outlet import Outlet
from tank.edges.peers import peer
from tank.records.framing import Lines

REQUEST_LIMIT_BYTES = 1024 * 1024
SKIP_LIMIT_BYTES = 16 * 1024 * 1024
"""A client that goes on this long without an end of line is cut off."""
REPLY_BACKLOG_BYTES = 64 * 1024
"""A client that leaves this much unread gets its next request read when it has read on."""
CLIENTS = 512
CHUNK_BYTES = 64 * 1024

Asked = Callable[[int, bytes | None, tuple[int, int]], None]
"""Token, request (None: too long), and the peer's uid and pid. Answered by `Server.reply`."""


class Client:
    """One connection: its next request is read once the last one is answered."""

    def __init__(self, connection: socket.socket, outlet: Outlet, credentials: tuple[int, int]) -> None:
        self.connection = connection
        self.outlet = outlet
        self.credentials = credentials
        self.lines = Lines(REQUEST_LIMIT_BYTES)
        self.waiting: int | None = None
        self.ended = False


class Server:
    """Listens at the first of `paths` that can be bound; `path` is None when none could."""

    def __init__(self, loop: Loop, asked: Asked) -> None:
        self._loop = loop
        self._asked = asked
        self._listener: socket.socket | None = None
        self._inode: tuple[int, int] | None = None
        self._clients: dict[int, Client] = {}
        self._by_token: dict[int, Client] = {}
        self._next_token = 1
        self.path: Path | None = None

    def listen(self, path: Path) -> None:
        """Bind a socket of mode 0600 from its first instant. Raises OSError."""
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | getattr(socket, "SOCK_CLOEXEC", 0))
        mask = os.umask(0o177)
        try:
            listener.bind(str(path))
        except OSError:
            listener.close()
            raise
        finally:
            os.umask(mask)
        listener.settimeout(0)
        listener.listen(128)
        self.unlisten()
        status = path.lstat()
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
            self.path.unlink(missing_ok=True)
        self._listener, self._inode, self.path = None, None, None

    def reply(self, token: int, line: bytes) -> None:
        """Answer a request; one whose client has gone is dropped."""
        client = self._by_token.pop(token, None)
        if client is None:
            return
        client.waiting = None
        client.outlet.write(line + b"\n")
        self._advance(client)

    def _accept(self) -> None:
        if self._listener is None:
            return
        try:
            connection, _ = self._listener.accept()
        except OSError:
            self._drop_one()
            return
        credentials = peer(connection)
        if credentials is None or credentials[0] not in (os.getuid(), 0):
            connection.close()
            return
        if len(self._clients) >= CLIENTS:
            self._drop_one()
        connection.settimeout(0)
        number = connection.fileno()
        outlet = Outlet(self._loop, os.dup(number), lambda: self._advance(client))
        client = Client(connection, outlet, credentials)
        self._clients[number] = client
        self._loop.watch(number, lambda: self._read(client))

    def _read(self, client: Client) -> None:
        try:
            data = client.connection.recv(CHUNK_BYTES)
        except BlockingIOError:
            return
        except OSError:
            data = b""
            client.outlet.broken = True
        if not data:
            client.ended = True
            self._loop.forget(client.connection.fileno())
        client.lines.feed(data)
        self._advance(client)

    def _advance(self, client: Client) -> None:
        """Hand on the client's next request, or close it when it's done; another one's turn comes in between."""
        number = client.connection.fileno()
        if client.waiting is not None or number not in self._clients:
            return
        if client.outlet.broken or client.lines.skipped > SKIP_LIMIT_BYTES:
            self._close(client)
            return
        if client.outlet.backlog > REPLY_BACKLOG_BYTES:
            self._loop.forget(number)
            return
        try:
            line = client.lines.next()
        except LookupError:
            if not client.ended:
                self._loop.watch(number, lambda: self._read(client))
            elif not client.outlet.backlog:
                self._close(client)
            return
        self._loop.forget(number)
        token, self._next_token = self._next_token, self._next_token + 1
        client.waiting = token
        self._by_token[token] = client
        self._loop.later(0, lambda: self._ask(token, line, client))

    def _ask(self, token: int, line: bytes | None, client: Client) -> None:
        if self._by_token.get(token) is client:
            self._asked(token, line, client.credentials)

    def _drop_one(self) -> None:
        """Close the oldest connection that waits for nothing."""
        idle = next((client for client in self._clients.values() if client.waiting is None), None)
        if idle is not None:
            self._close(idle)

    def _close(self, client: Client) -> None:
        number = client.connection.fileno()
        if self._clients.pop(number, None) is None:
            return
        if client.waiting is not None:
            self._by_token.pop(client.waiting, None)
        self._loop.forget(number)
        client.outlet.close()
        client.connection.close()
