"""A descriptor that is written without waiting; what it doesn't take now is written when it's ready."""

import os
from collections.abc import Callable

from tank.edges.loop import WRITE, Loop

CHUNK_BYTES = 64 * 1024


class Outlet:
    """Owns the descriptor. `backlog` is what the other side hasn't taken; `drained` is called when that is all gone."""

    def __init__(self, loop: Loop, descriptor: int, drained: Callable[[], None] = lambda: None) -> None:
        os.set_blocking(descriptor, False)
        self._loop = loop
        self._descriptor = descriptor
        self._drained = drained
        self._pending = bytearray()
        self.broken = False
        """The other side is gone: what is written is dropped."""

    @property
    def backlog(self) -> int:
        """Bytes that wait."""
        return len(self._pending)

    def write(self, data: bytes) -> None:
        if self.broken:
            return
        waiting = bool(self._pending)
        self._pending += data
        if not waiting:
            self._send()

    def close(self) -> None:
        """Drop what waits and close the descriptor."""
        self.broken = True
        self._pending.clear()
        self._loop.forget(self._descriptor)
        os.close(self._descriptor)

    def _send(self) -> None:
        try:
            while self._pending:
                del self._pending[: os.write(self._descriptor, bytes(self._pending[:CHUNK_BYTES]))]
        except BlockingIOError:
            self._loop.watch(self._descriptor, self._resume, WRITE)
        except OSError:
            self.broken = True
            self._pending.clear()

    def _resume(self) -> None:
        self._send()
        if not self._pending:
            self._loop.forget(self._descriptor)
            self._drained()
