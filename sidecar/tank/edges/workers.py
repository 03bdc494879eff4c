"""Threads for what may block, whose results come back to the loop's own thread."""

import os
import threading
from collections.abc import Callable
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import TypeVar

from tank.edges.loop import Loop

T = TypeVar("T")


class Workers:
    """Each act has a thread of its own, which ends with it and holds up no exit."""

    def __init__(self, loop: Loop) -> None:
        self._done: SimpleQueue[Callable[[], object]] = SimpleQueue()
        self._woken, self._waker = os.pipe()
        os.set_blocking(self._woken, False)
        os.set_blocking(self._waker, False)
        loop.watch(self._woken, self._collect)

    def start(self, act: Callable[[], T], done: Callable[[T], object]) -> None:
        """`done` gets the result in the loop's thread. `act` sees to its own exceptions."""

        def work() -> None:
            result = act()
            self._done.put(lambda: done(result))
            with suppress(OSError):
                os.write(self._waker, b"\0")

        threading.Thread(target=work, daemon=True).start()

    def _collect(self) -> None:
        with suppress(BlockingIOError):
            while os.read(self._woken, 4096):
                pass
        while True:
            try:
                done = self._done.get_nowait()
            except Empty:
                return
            done()
