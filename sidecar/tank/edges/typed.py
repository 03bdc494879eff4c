"""When the person typed their last prompts in each of Tank's homes: what is new to them is what came since."""

from contextlib import suppress
from datetime import datetime
from pathlib import Path

from tank.edges import state_file
from tank.errors import RefusedError

FILE = "typed.json"
KEPT = 2
"""The prompt at hand, and the one before it."""
Times = tuple[datetime, ...]


def read(home: Path) -> Times:
    """The oldest first; none where nothing can be read of it."""
    with suppress(RefusedError):
        return _times(state_file.read(FILE).get(str(home)))
    return ()


def keep(home: Path, times: Times) -> None:
    """Waits for who has the file. Raises as `state_file.changing` does."""
    with state_file.changing(FILE) as known:
        known[str(home)] = [time.isoformat() for time in times]


def _times(found: object) -> Times:
    """None for all when one is no time."""
    try:
        times = tuple(datetime.fromisoformat(time) for time in found) if isinstance(found, list) else ()
    except (TypeError, ValueError):
        return ()
    return times[-KEPT:] if all(time.tzinfo for time in times) else ()
