"""How many changes lie uncommitted in the working trees of directories: one git a tree, a few at once, never a wait."""

import os
import time
from collections import deque
from collections.abc import Callable

from tank.edges import git
from tank.edges.commands import Command
from tank.edges.loop import Loop
from tank.edges.workers import Workers
from tank.roster.git_facts import Changes

AT_ONCE = 2
TIMEOUT_S = 3.0
REST_S = 1.0
"""Between two counts of a tree, however often it is asked for."""
OUTPUT_LIMIT_BYTES = 4 * 1024 * 1024
DEPTH = 64
"""Parents that are looked at for a `.git`."""

Told = Callable[[str, str, int | None], None]


class Checkouts:
    """`told` gets each directory that was asked for, its tree's top (empty when it's in none) and the count.

    The count is None where git is missing, refuses, is slow or says too much. Who asks for a tree that waits, rests or is
    being counted gets that answer.
    """

    def __init__(self, loop: Loop, told: Told) -> None:
        self._loop, self._told = loop, told
        self._workers = Workers(loop)
        self._closed = False
        self._looking: set[str] = set()
        self._asked: dict[str, set[str]] = {}
        self._waiting: deque[str] = deque()
        self._running: dict[str, Command] = {}
        self._rests_until: dict[str, float] = {}

    def count(self, cwd: str) -> None:
        """A disk that hangs, as of a network that is gone, holds up this answer alone."""
        if cwd not in self._looking:
            self._looking.add(cwd)
            self._workers.start(lambda: top_of(cwd), lambda top: self._found(cwd, top))

    def close(self) -> None:
        """Ends what runs; nothing is told any more."""
        self._closed = True
        for command in self._running.values():
            command.kill()
        self._waiting.clear()
        self._running.clear()

    def _found(self, cwd: str, top: str | None) -> None:
        self._looking.discard(cwd)
        if self._closed:
            return
        if top is None:
            self._told(cwd, "", None)
            return
        if top not in self._asked:
            self._loop.later(self._rests_until.get(top, 0.0) - time.monotonic(), lambda: self._queue(top))
        self._asked.setdefault(top, set()).add(cwd)

    def _queue(self, top: str) -> None:
        self._waiting.append(top)
        self._go_on()

    def _go_on(self) -> None:
        while self._waiting and len(self._running) < AT_ONCE:
            top = self._waiting.popleft()
            self._running[top] = self._counting(top)

    def _counting(self, top: str) -> Command:
        changes = Changes()

        def ended(output: bytes | None) -> None:
            self._ended(top, None if output is None else changes.count)

        argv, environment = git.status(top), git.environment()
        return Command(self._loop, argv, environment, TIMEOUT_S, ended, OUTPUT_LIMIT_BYTES, changes.hear)

    def _ended(self, top: str, changed: int | None) -> None:
        del self._running[top]
        self._rests_until[top] = time.monotonic() + REST_S
        for cwd in self._asked.pop(top):
            self._told(cwd, top, changed)
        self._go_on()


def top_of(cwd: str) -> str | None:
    """The directory that holds `.git`, as a repository, a linked worktree or a submodule does, by its real path."""
    if not cwd.startswith("/") or "\0" in cwd:
        return None
    top = os.path.realpath(cwd)
    for _ in range(DEPTH):
        if os.path.lexists(os.path.join(top, ".git")):  # noqa: PTH118 - bytes of any name, no object a level
            return top
        if top == "/":
            return None
        top = os.path.dirname(top)  # noqa: PTH120 - the same
    return None
