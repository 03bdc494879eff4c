"""The sessions of this machine as the readers share them: entry, life, and what couldn't be read."""

from enum import StrEnum
from typing import NamedTuple

from tank.records.entry import Entry, unreported


class Life(StrEnum):
    """What a reader knows of a session's process. A dead one is in no roster."""

    ALIVE = "alive"
    SUSPENDED = "suspended"
    """Stopped, as by Ctrl-Z: it lives and answers nothing."""
    UNREPORTED = "unreported"
    """It lives, but its sidecar is gone: nobody knows its status now."""
    ELSEWHERE = "elsewhere"
    """On another machine: its process can't be judged from here."""


class Session(NamedTuple):
    """One session; `file` is the entry's path, `raw` the object that was read (for `--json`)."""

    entry: Entry
    life: Life
    file: str
    raw: dict[str, object]


def living(entry: Entry, life: Life, file: str, raw: dict[str, object]) -> Session:
    """The session of an entry; where nobody reports it any more, what it says of its status doesn't count."""
    return Session(unreported(entry) if life is Life.UNREPORTED else entry, life, file, raw)


class Roster(NamedTuple):
    """`sessions` ordered by start, then pid; `problems` are sentences for the person, such as `2 files could not be read`."""

    sessions: tuple[Session, ...] = ()
    problems: tuple[str, ...] = ()
