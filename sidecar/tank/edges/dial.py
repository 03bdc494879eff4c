"""One request to another session's socket, without waiting for it."""

import os
import socket
import time
from collections.abc import Callable

from tank.edges.loop import Loop
from tank.edges.outlet import Outlet
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
        self._connection: socket.socket | None = None
        self._outlet: Outlet | None = None
        self._lines = Lines(REPLY_LIMIT_BYTES)
        loop.later(timeout_s, lambda: self._end(None, f"no answer within {timeout_s:g} s"))
        loop.later(0, self._connect)

    def _connect(self) -> None:
        if self._done is None:
            return
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        connection.settimeout(0)
        try:
            connection.connect(self._path)
        except OSError as error:
            connection.close()
            if (
                isinstance(error, ConnectionRefusedError | FileNotFoundError | BlockingIOError)
                and self._patient()
            ):
                self._loop.later(RETRY_S, self._connect)
            else:
                self._end(None, f"cannot connect: {error.strerror or error}")
            return
        self._connection = connection
        self._outlet = Outlet(self._loop, os.dup(connection.fileno()))
        self._outlet.write(self._line)
        self._loop.watch(connection.fileno(), self._read)

    def _patient(self) -> bool:
        return time.monotonic() - self._started < REFUSED_S

    def _read(self) -> None:
        if self._connection is None:
            return
        try:
            data = self._connection.recv(REPLY_LIMIT_BYTES)
        except BlockingIOError:
            return
        except OSError as error:
            self._end(None, f"the connection broke: {error.strerror or error}")
            return
        if not data:
            self._end(None, "the session closed the connection without an answer")
            return
        self._lines.feed(data)
        try:
            self._end(self._lines.next(), "the answer is too long")
        except LookupError:
            return

    def _end(self, reply: bytes | None, why: str) -> None:
        done, self._done = self._done, None
        if done is None:
            return
        if self._connection is not None:
            self._loop.forget(self._connection.fileno())
            self._connection.close()
        if self._outlet is not None:
            self._outlet.close()
        done(reply, why)
