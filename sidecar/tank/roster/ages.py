"""How long something has lasted, in the one unit that matters. Clocks step: what lies ahead of now is 0 s old."""

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
