"""The entry that a session publishes, built from what is known now. Tests hold it equal to `records.live`."""

from datetime import UTC, datetime
from functools import lru_cache
from typing import NamedTuple

import orjson

from tank.records import fields, text
from tank.records.fields import Record
from tank.version import FORMAT

NAME_CELLS = 120
LINE_CELLS = 200
RECAP_CELLS = 1000
LIMIT_BYTES = 16 * 1024
SPARE = (
    "recent",
    "recap",
    "lastReply",
    "activity",
    "statusDetail",
    "model",
    "terminal",
    "terminalId",
    "label",
    "project",
    "sessionFile",
)
"""What an entry that is too large goes without, one after the other."""
REQUIRED_POINTS = 512
"""Code points that are left of the required texts if even that isn't enough."""


class Place(NamedTuple):
    """What the sidecar finds out once, at its start, in the published fields' own shapes."""

    tank: str
    protocol: int
    pid: int
    process_start: str | None
    host: Record
    sidecar_pid: int
    terminal: Record
    terminal_id: str | None

    @property
    def in_tmux(self) -> bool:
        return bool(self.terminal.get("tmux"))

    def published(self) -> dict[str, object]:
        """These in the shapes of the entry, the format's version first."""
        return {
            "v": FORMAT,
            "tank": self.tank,
            "protocol": self.protocol,
            "pid": self.pid,
            "processStart": self.process_start,
            "host": self.host,
            "sidecarPid": self.sidecar_pid,
            "terminalId": self.terminal_id,
            "terminal": self.terminal,
        }


def stamp(wall: float) -> str:
    """ISO 8601 in UTC with milliseconds, from seconds since 1970."""
    moment = datetime.fromtimestamp(wall, UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def context(usage: Record | None) -> dict[str, object] | None:
    """Pi's usage; None where Pi doesn't know, and for the zero it reports before the first answer."""
    if usage is None:
        return None
    tokens, window, percent = (
        fields.integer(usage, "tokens"),
        fields.integer(usage, "contextWindow"),
        fields.number(usage, "percent"),
    )
    if not tokens or window is None or percent is None:
        return None
    return {"tokens": tokens, "window": window, "percent": round(float(percent), 1)}


def model(record: Record | None) -> str | None:
    """`provider/id`; None for Pi's unknown/unknown."""
    provider, name = (fields.string(record or {}, part) for part in ("provider", "id"))
    if not provider or not name or (provider, name) == ("unknown", "unknown"):
        return None
    return text.short(f"{provider}/{name}", NAME_CELLS)


def recap(entry: Record | None) -> dict[str, object] | None:
    """A session-recap entry whose data is a string or names its text; None when it holds none."""
    if entry is None:
        return None
    data = entry.get("data")
    if isinstance(data, dict):
        names = ("text", "content", "recap", "summary")
        data = next((data[name] for name in names if isinstance(data.get(name), str)), None)
    said = text.short(data, RECAP_CELLS) if isinstance(data, str) else ""
    return {"text": said, "at": time(fields.string(entry, "at") or "")} if said else None


@lru_cache(1)
def closing(reply: str | None) -> str | None:
    """The last line of an answer that says something. Asked for the same one at every entry until the next answer."""
    spoken = (
        line for line in reversed(text.lines(reply or "").split("\n")) if any(c.isalnum() for c in line)
    )
    return text.short(next(spoken, ""), LINE_CELLS) or None


def priority(data: object) -> int | None:
    """The priority that a `tank-priority` entry's data sets; None for null and for anything else."""
    value = fields.integer(data, "priority") if isinstance(data, dict) else None
    return value if value is not None and 0 <= value <= 3 else None


def fitted(entry: dict[str, object]) -> dict[str, object]:
    """The entry under 16 KiB. Only text of many code points a cell, or paths of many KiB, make one too large."""
    for name in (*SPARE, "sessionId", "cwd"):
        if len(orjson.dumps(entry)) < LIMIT_BYTES:
            break
        entry = entry | {name: None if name in SPARE else str(entry[name])[:REQUIRED_POINTS]}
    return entry


def time(value: str) -> str | None:
    """A time with an offset in the entry's own form, None for anything else."""
    try:
        moment = datetime.fromisoformat(value)
        return stamp(moment.timestamp()) if moment.tzinfo else None
    except (ValueError, OverflowError):
        return None
