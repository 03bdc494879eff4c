"""When an age that is shown says something else."""

from collections.abc import Iterable
from datetime import datetime

from tank.roster.ages import UNITS


def lasts(since: datetime, now: datetime) -> float:
    """Seconds until `age` says something else."""
    exact = (now - since).total_seconds()
    if exact < 0:
        return 1 - exact
    size = next(size for size, _ in UNITS if exact >= size or size == 1)
    return size - exact % size


def soonest(beginnings: Iterable[datetime | None], now: datetime, most_s: float) -> float:
    """Seconds until one of these ages says something else; `most_s` when none does before."""
    return min([most_s, *(lasts(since, now) for since in beginnings if since)])
