"""The sessions of this machine as the readers share them: entry, life, and what couldn't be read."""

from enum import StrEnum
from typing import NamedTuple

from tank.records.entry import Entry


class Life(StrEnum):
    """What a reader knows of a session's process. A dead one is in no roster."""

    ALIVE = "alive"
    SUSPENDED = "suspended"
    """Stopped, as by Ctrl-Z: it lives and answers nothing."""
    ELSEWHERE = "elsewhere"
    """On another machine: its process can't be judged from here."""


class Session(NamedTuple):
    """One session; `file` is the entry's path, `raw` the object that was read (for `--json`)."""

    entry: Entry
    life: Life
    file: str
    raw: dict[str, object]


class Roster(NamedTuple):
    """`sessions` ordered by start, then pid; `problems` are sentences for the person, such as `2 files could not be read`."""

    sessions: tuple[Session, ...] = ()
    problems: tuple[str, ...] = ()
