"""Lines from a descriptor as they come, bounded."""

import os
from collections.abc import Callable

from tank.edges.loop import Loop
from tank.records.framing import Lines

CHUNK_BYTES = 64 * 1024


class Inlet:
    """`hear` gets each line without its end, None for one over the limit; `ended` is called at end of file."""

    def __init__(
        self,
        loop: Loop,
        descriptor: int,
        limit_bytes: int,
        hear: Callable[[bytes | None], object],
        ended: Callable[[], object],
    ) -> None:
        os.set_blocking(descriptor, False)
        self._descriptor = descriptor
        self._lines = Lines(limit_bytes)
        self._hear, self._ended = hear, ended
        loop.watch(descriptor, self._read)

    def _read(self) -> None:
        try:
            data = os.read(self._descriptor, CHUNK_BYTES)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self._ended()
            return
        self._lines.feed(data)
        while True:
            try:
                line = self._lines.next()
            except LookupError:
                return
            self._hear(line)
