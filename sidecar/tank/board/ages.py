"""How long something has lasted, in the one unit that matters. Clocks step: what lies ahead of now is 0 s old."""

from collections.abc import Iterable
from datetime import datetime

MINUTE_S, HOUR_S, DAY_S = 60, 3600, 86_400
MOST_DAYS = 999
UNITS = ((DAY_S, "d"), (HOUR_S, "h"), (MINUTE_S, "m"), (1, "s"))


def seconds(since: datetime, now: datetime) -> int:
    return max(int((now - since).total_seconds()), 0)


def age(since: datetime | None, now: datetime) -> str:
    """`14s`, `2m`, `3h`, `5d`: at most four cells; empty when the beginning is unknown."""
    if since is None:
        return ""
    old = seconds(since, now)
    size, unit = next((size, unit) for size, unit in UNITS if old >= size or size == 1)
    return f"{min(old // size, MOST_DAYS)}{unit}"


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
