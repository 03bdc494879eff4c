"""The board in a real terminal of its own, next to stand-in sessions."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tank.edges.tty import END, ENTER
from tests.support.desk import Desk
from tests.support.stand_in import Session
from tests.support.terminal import Terminal

OWN = re.compile(rb"\x1b\[(?:\?[0-9]+[hl]|[0-9]+;1H|2K|2J|[0-9;]*m)")
"""The control sequences that the board writes."""
OLD = "2026-01-01T00:00:00Z"
"""Of what began then the age changes once a day."""


@contextmanager
def board(desk: Desk, columns: int = 100, rows: int = 30, **environment: str) -> Iterator[Terminal]:
    """Its first frame is drawn."""
    settings = desk.environment | {"TERM": "xterm-256color"} | environment
    with Terminal(desk.command(), settings, columns, rows) as terminal:
        terminal.until(ENTER.encode())
        terminal.until(END.encode())
        yield terminal


def three(desk: Desk) -> list[Session]:
    """One that needs the person, one that works and one that is done, in this order."""
    said: tuple[dict[str, Any], ...] = (
        {"label": "alpha", "status": "needs-you", "statusDetail": "Allow bash: make?"},
        {"label": "beta", "status": "working"},
        {"label": "gamma", "status": "done"},
    )
    return [
        desk.session(**each, statusSince=OLD, startedAt=f"2026-07-01T1{at}:00:00Z")
        for at, each in enumerate(said)
    ]
