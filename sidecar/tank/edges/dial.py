"""Asks another session's socket one question, without waiting for the answer."""

import os
import time
from collections.abc import Callable

from tank.edges import session_socket
from tank.edges.loop import Loop
from tank.edges.outlet import Outlet
from tank.errors import NoAnswerError, UnreachableError
from tank.records.fields import Record
from tank.records.reply import ReplyReader

CHUNK_BYTES = 64 * 1024

Done = Callable[[Record | None, str], None]


class Dial:
    """Connect, write one line, read one reply. `done` gets the reply, or None and why there is none."""

    def __init__(self, loop: Loop, path: str, line: bytes, timeout_s: float, done: Done) -> None:
        self._loop = loop
        self._path = path
        self._line = line
        self._done: Done | None = done
        self._patience = time.monotonic() + session_socket.REFUSED_S
        self._outlet: Outlet | None = None
        self._reader = ReplyReader()
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
            number = session_socket.connect(self._path, 0).detach()
        except UnreachableError as error:
            self._end(None, f"cannot connect: {error}")
        except OSError as error:
            if session_socket.is_refusal(error) and time.monotonic() < self._patience:
                self._loop.later(session_socket.RETRY_S, self._connect)
            else:
                self._end(None, f"cannot connect: {error.strerror or error}")
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
            reply = self._reader.feed(os.read(number, CHUNK_BYTES))
        except BlockingIOError:
            return
        except OSError as error:
            self._end(None, f"the connection broke: {error.strerror or error}")
        except NoAnswerError as error:
            self._end(None, str(error))
        else:
            if reply is not None:
                self._end(reply, "")

    def _end(self, reply: Record | None, why: str) -> None:
        done, self._done = self._done, None
        if done is None:
            return
        self._loop.cancel(self._limit)
        if self._outlet is not None:
            self._outlet.close()
        done(reply, why)
