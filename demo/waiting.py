"""Waiting for the real world: look again until it is so, never a fixed sleep."""

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")
LOOK_S = 0.02


class NeverError(AssertionError):
    """What was waited for didn't come."""


def eventually(look: Callable[[], T | None], timeout: float = 10, message: str | Callable[[], str] = "") -> T:
    """The first truthy value that `look` returns. Raises `NeverError` with the last one after `timeout` seconds."""
    end = time.monotonic() + timeout
    while True:
        found = look()
        if found:
            return found
        if time.monotonic() > end:
            said = message() if callable(message) else message
            raise NeverError(
                f"not within {timeout:g} s: {said or 'what was waited for'}\nlast seen: {found!r}"
            )
        time.sleep(LOOK_S)
