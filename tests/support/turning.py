"""A loop that a test turns until something has come about."""

import time
from collections.abc import Callable

from demo.waiting import LOOK_S, NeverError
from tank.edges.loop import Loop


def turn(loop: Loop, done: Callable[[], object], timeout: float = 10, message: str = "") -> None:
    """Run the loop until `done` is true; it is asked every few milliseconds. Raises `NeverError` when that takes too long."""
    end = time.monotonic() + timeout
    reached = False

    def look() -> None:
        nonlocal reached
        reached = bool(done())
        if reached or time.monotonic() > end:
            loop.stop()
        else:
            loop.later(LOOK_S / 4, look)

    loop.later(0, look)
    loop.run()
    if not reached:
        raise NeverError(f"not within {timeout:g} s: {message or 'what was waited for'}")
