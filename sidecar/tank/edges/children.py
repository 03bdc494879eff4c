"""Programs run and waited for, several at once: bounded in time and size, never through a shell, never a question to the person."""

import os
import selectors
import signal
import subprocess
import time
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from enum import Enum, auto
from typing import NamedTuple

CHUNK_BYTES = 64 * 1024
REAP_S = 0.2
"""How long a killed program is waited for: one that hangs in the kernel outlives its killing."""


class End(Enum):
    """What became of a program; only one that exited has said all it had to say."""

    EXITED = auto()
    SLOW = auto()
    FLOODED = auto()
    MISSING = auto()


class Ran(NamedTuple):
    """`code` is the exit code, or a signal's number below zero; 0 too for what didn't exit by itself."""

    end: End
    code: int = 0
    output: bytes = b""
    errors: bytes = b""


def run(
    commands: Sequence[Sequence[str]],
    environment: Mapping[str, str],
    timeout_s: float,
    limit_bytes: int,
    at_once: int = 1,
) -> list[Ran]:
    """What became of each, in their order. Blocks until all have ended or the time is over.

    What isn't done then is killed with its children, what has not begun never starts: both were slow. `limit_bytes` holds
    for everything that one program says.
    """
    deadline = time.monotonic() + timeout_s
    ran = [Ran(End.SLOW)] * len(commands)
    waiting = deque(range(len(commands)))
    running: set[_Child] = set()
    with selectors.DefaultSelector() as selector:
        try:
            while (waiting or running) and time.monotonic() < deadline:
                while waiting and len(running) < at_once:
                    number = waiting.popleft()
                    try:
                        running.add(_Child(number, commands[number], environment, limit_bytes, selector))
                    except (OSError, ValueError):
                        ran[number] = Ran(End.MISSING)
                for key, _ in selector.select(max(deadline - time.monotonic(), 0)) if running else ():
                    child: _Child = key.data
                    if child in running and (end := child.read(key.fd, deadline)):
                        ran[child.number] = end
                        running.remove(child)
        finally:
            for child in running:
                child.kill()
    return ran


class _Child:
    def __init__(
        self,
        number: int,
        command: Sequence[str],
        environment: Mapping[str, str],
        limit_bytes: int,
        selector: selectors.BaseSelector,
    ) -> None:
        self.number = number
        self._left_bytes = limit_bytes
        self._selector = selector
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd="/",
            env=dict(environment),
            start_new_session=True,
        )
        assert self._process.stdout and self._process.stderr  # noqa: S101, PT018 - pipes, as asked
        self._pipes = {pipe.fileno(): pipe for pipe in (self._process.stdout, self._process.stderr)}
        self._said = {descriptor: bytearray() for descriptor in self._pipes}
        for descriptor in self._pipes:
            selector.register(descriptor, selectors.EVENT_READ, self)

    def read(self, descriptor: int, deadline: float) -> Ran | None:
        """Take what one of its pipes has; what became of the program once it has ended or said too much."""
        data = os.read(descriptor, CHUNK_BYTES)
        self._said[descriptor] += data
        self._left_bytes -= len(data)
        if self._left_bytes < 0:
            self.kill()
            return Ran(End.FLOODED)
        if not data:
            self._close(descriptor)
        return None if self._pipes else self._ended(deadline)

    def kill(self) -> None:
        """End it and its children, which may hold the pipes."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(REAP_S)
        for descriptor in list(self._pipes):
            self._close(descriptor)

    def _ended(self, deadline: float) -> Ran:
        try:
            code = self._process.wait(max(deadline - time.monotonic(), 0))
        except subprocess.TimeoutExpired:
            self.kill()
            return Ran(End.SLOW)
        output, errors = self._said.values()
        return Ran(End.EXITED, code, bytes(output), bytes(errors))

    def _close(self, descriptor: int) -> None:
        self._selector.unregister(descriptor)
        self._pipes.pop(descriptor).close()
