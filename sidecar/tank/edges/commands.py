"""Other programs run for their output, without waiting: bounded in time and size, never through a shell."""

import os
import subprocess
from collections.abc import Callable, Mapping, Sequence

from tank.edges.loop import Loop

OUTPUT_LIMIT_BYTES = 64 * 1024
EXIT_S = 0.2
"""A program that closed its output has this long to exit."""

Ended = Callable[[bytes | None], None]


class Command:
    """One run. `ended` gets the output, or None when it failed, was too slow, said too much or isn't there."""

    def __init__(
        self, loop: Loop, argv: Sequence[str], environment: Mapping[str, str], timeout_s: float, ended: Ended
    ) -> None:
        self._loop = loop
        self._ended: Ended | None = ended
        self._output = bytearray()
        try:
            self._process = subprocess.Popen(
                argv,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                cwd="/",
                env=dict(environment),
                start_new_session=True,
            )
        except OSError:
            loop.later(0, lambda: self._end(None))
            return
        assert self._process.stdout is not None  # noqa: S101 - stdout is a pipe, as asked
        self._descriptor = self._process.stdout.fileno()
        os.set_blocking(self._descriptor, False)
        loop.watch(self._descriptor, self._read)
        loop.later(timeout_s, self._expire)

    def _read(self) -> None:
        try:
            data = os.read(self._descriptor, OUTPUT_LIMIT_BYTES)
        except BlockingIOError:
            return
        self._output += data
        if len(self._output) > OUTPUT_LIMIT_BYTES:
            self._expire()
        elif not data:
            self._close(EXIT_S)

    def _expire(self) -> None:
        if self._ended is not None:
            self._process.kill()
            self._close(None)

    def _close(self, patience_s: float | None) -> None:
        self._loop.forget(self._descriptor)
        if self._process.stdout is not None:
            self._process.stdout.close()
        try:
            code = self._process.wait(patience_s)
        except subprocess.TimeoutExpired:
            self._process.kill()
            code = self._process.wait()
        self._end(bytes(self._output) if code == 0 else None)

    def _end(self, output: bytes | None) -> None:
        ended, self._ended = self._ended, None
        if ended is not None:
            ended(output)
