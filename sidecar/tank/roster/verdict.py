"""Whether the session of an entry lives, by the host it names and what the system shows. Time alone never kills one here."""

from enum import Enum, StrEnum

from tank.records.entry import Entry
from tank.records.identity import Host, Process
from tank.roster.roster import Life

HIDDEN_S = 24 * 3600
EXPIRED_S = 30 * 24 * 3600


class Where(Enum):
    """Where an entry's process runs, as seen from this host."""

    HERE = 1
    """Its pid means the same process here."""
    BEFORE = 2
    """On this machine before it was started last."""
    BESIDE = 3
    """In another pid namespace of this boot: only its socket tells."""
    ELSEWHERE = 4
    """On another machine, or where nothing can be judged from here."""


class Absent(StrEnum):
    """Why an entry is in no roster."""

    DEAD = "dead"
    HIDDEN = "hidden"
    """Kept, since it may live elsewhere, but unchanged for long."""
    EXPIRED = "expired"
    """Unchanged so long that it goes."""


def where(theirs: Host | None, ours: Host) -> Where:
    """An entry without a host, or with parts that either side doesn't know, counts as one of this host as far as the rest allows."""
    if theirs is None or theirs == ours:
        return Where.HERE
    machine, boot, pidns = (_compare(*parts) for parts in zip(theirs, ours, strict=True))
    if boot is True and pidns is False:
        return Where.BESIDE
    if machine is True and boot is False:
        return Where.BEFORE
    return Where.ELSEWHERE if False in (machine, boot, pidns) else Where.HERE


def here(entry: Entry, process: Process | None, *, reported: bool = True) -> Life | Absent:
    """The verdict of a reader HERE, by who has the pid; `reported`: whether the entry's sidecar exists."""
    if process is None or process.state in "ZXx":
        return Absent.DEAD
    if entry.process_start and process.start and entry.process_start != process.start:
        return Absent.DEAD
    if process.state == "T":
        return Life.SUSPENDED
    return Life.ALIVE if reported else Life.UNREPORTED


def afar(place: Where, *, accepts: bool | None, unchanged_s: float) -> Life | Absent:
    """The verdict of a reader anywhere else, where the pid means nothing.

    `accepts`: whether the socket takes connections, asked only BESIDE, None where that can't be tried.
    `unchanged_s` may be negative: clocks are set back.
    """
    if place is Where.BEFORE:
        return Absent.DEAD
    if place is Where.BESIDE and accepts is not None:
        return Life.ALIVE if accepts else Absent.DEAD
    if unchanged_s > EXPIRED_S:
        return Absent.EXPIRED
    return Absent.HIDDEN if unchanged_s > HIDDEN_S else Life.ELSEWHERE


def unchanged(entry: Entry, modified_s: float, now_s: float) -> float:
    """Seconds since an entry's last change. A copied file is new while what it says is old, so the older of the two counts."""
    said = entry.updated_at
    return now_s - (min(said.timestamp(), modified_s) if said else modified_s)


def _compare(theirs: str | None, ours: str | None) -> bool | None:
    return theirs == ours if theirs and ours else None
