"""Other programs run for their output, without waiting: bounded in time and size, never through a shell."""

import os
import signal
import subprocess
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

from tank.edges.loop import Loop

OUTPUT_LIMIT_BYTES = CHUNK_BYTES = 64 * 1024
FIRST_LOOK_S = 0.001
"""A program that closed its output is asked whether it has exited after this long, then at intervals that double."""

Ended = Callable[[bytes | None], None]


class Command:
    """One run. `ended` gets the output, or None when it failed, was too slow, said too much or isn't there.

    With `heard` the output goes there in pieces as it comes, and isn't kept.
    """

    def __init__(
        self,
        loop: Loop,
        argv: Sequence[str],
        environment: Mapping[str, str],
        timeout_s: float,
        ended: Ended,
        limit_bytes: int = OUTPUT_LIMIT_BYTES,
        heard: Callable[[bytes], object] | None = None,
    ) -> None:
        self._loop = loop
        self._left_bytes = limit_bytes
        self._ended: Ended | None = ended
        self._output = bytearray()
        self._heard = heard or self._output.extend
        self._pause_s = FIRST_LOOK_S
        self._limit = loop.later(timeout_s, self._give_up)
        try:
            process = subprocess.Popen(
                argv,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                cwd="/",
                env=dict(environment),
                start_new_session=True,
            )
        except (OSError, ValueError):
            self._group: int | None = None
            loop.later(0, lambda: self._end(None))
            return
        assert process.stdout is not None  # noqa: S101 - stdout is a pipe, as asked
        self._process, self._stdout, self._group = process, process.stdout, process.pid
        os.set_blocking(self._stdout.fileno(), False)
        loop.watch(self._stdout.fileno(), self._read)

    @property
    def running(self) -> bool:
        """Whether `ended` is still to be called."""
        return self._ended is not None

    def kill(self) -> None:
        """End the program and its children, which may hold the pipe; `ended` isn't called any more."""
        if self._ended is None:
            return
        self._ended = None
        if self._group is not None:
            with suppress(OSError):
                os.killpg(self._group, signal.SIGKILL)
            self._hang_up()

    def _give_up(self) -> None:
        ended = self._ended
        self.kill()
        if ended is not None:
            ended(None)

    def _read(self) -> None:
        try:
            data = os.read(self._stdout.fileno(), CHUNK_BYTES)
        except BlockingIOError:
            return
        self._left_bytes -= len(data)
        if self._left_bytes < 0:
            self._give_up()
        elif data:
            self._heard(data)
        else:
            self._hang_up()

    def _hang_up(self) -> None:
        if not self._stdout.closed:
            self._loop.forget(self._stdout.fileno())
            self._stdout.close()
            self._look()

    def _look(self) -> None:
        """Reap the program once it has exited. Never waits: one that hangs in the kernel outlives its killing."""
        code = self._process.poll()
        if code is None:
            self._loop.later(self._pause_s, self._look)
            self._pause_s *= 2
        else:
            self._end(bytes(self._output) if code == 0 else None)

    def _end(self, output: bytes | None) -> None:
        ended, self._ended = self._ended, None
        self._loop.cancel(self._limit)
        if ended is not None:
            ended(output)
