"""One request to another session's socket, without waiting for it."""

import os
import socket
import time
from collections.abc import Callable

from tank.edges.loop import Loop
from tank.edges.outlet import Outlet
from tank.edges.peers import peer
from tank.records.framing import Lines

REPLY_LIMIT_BYTES = 64 * 1024
REFUSED_S = 1.0
"""A living session whose socket refuses is asked again this long: its sidecar may be starting."""
RETRY_S = 0.1

Done = Callable[[bytes | None, str], None]


class Dial:
    """Connect, write one line, read one line. `done` gets the reply, or None and why there is none."""

    def __init__(self, loop: Loop, path: str, line: bytes, timeout_s: float, done: Done) -> None:
        self._loop = loop
        self._path = path
        self._line = line
        self._done: Done | None = done
        self._started = time.monotonic()
        self._outlet: Outlet | None = None
        self._lines = Lines(REPLY_LIMIT_BYTES)
        self._limit = loop.later(timeout_s, lambda: self._end(None, f"no answer within {timeout_s:g} s"))
        loop.later(0, self._connect)

    @property
    def connected(self) -> bool:
        """Whether somebody took the connection; without a reply it's unknown what became of the request."""
        return self._outlet is not None

    def _connect(self) -> None:
        if self._done is None:
            return
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
                connection.settimeout(0)
                connection.connect(self._path)
                credentials = peer(connection)
                if credentials is None or credentials[0] != os.getuid():
                    raise PermissionError("another user listens there")
                number = connection.detach()
        except (ConnectionRefusedError, FileNotFoundError, BlockingIOError) as error:
            if time.monotonic() - self._started < REFUSED_S:
                self._loop.later(RETRY_S, self._connect)
            else:
                self._fail("cannot connect", error)
        except (OSError, ValueError) as error:
            self._fail("cannot connect", error)
        else:
            self._outlet = Outlet(self._loop, number, lambda: self._listen(number))
            self._outlet.write(self._line)
            if not self._outlet.backlog:
                self._listen(number)

    def _listen(self, number: int) -> None:
        """Once the request is written. A server that had enough of it may have answered all the same."""
        self._loop.watch(number, lambda: self._read(number))

    def _read(self, number: int) -> None:
        try:
            data = os.read(number, REPLY_LIMIT_BYTES)
        except BlockingIOError:
            return
        except OSError as error:
            self._fail("the connection broke", error)
            return
        if not data:
            self._end(None, "the session closed the connection without an answer")
            return
        self._lines.feed(data)
        try:
            self._end(self._lines.next(), "the answer is too long")
        except LookupError:
            return

    def _fail(self, what: str, error: Exception) -> None:
        why = error.strerror if isinstance(error, OSError) else None
        self._end(None, f"{what}: {why or error}")

    def _end(self, reply: bytes | None, why: str) -> None:
        done, self._done = self._done, None
        if done is None:
            return
        self._loop.cancel(self._limit)
        if self._outlet is not None:
            self._outlet.close()
        done(reply, why)
