"""What is odd about a session, as the board, the list and the meta agent say it."""

from datetime import datetime
from functools import lru_cache

from tank.records.entry import Entry
from tank.records.limits import RUNNING_MESSAGES
from tank.roster import ages
from tank.roster.roster import Life, Session
from tank.version import __version__

TWICE, CROWDED, OLDER = "open twice", "two edit this checkout", "older Tank"
SILENT_S = 600
"""Without a word from a session that works, the board says so: it may hang, or a long command may run."""


def marks(session: Session, now: datetime | None, *, twice: bool, crowded: bool = False) -> list[str]:
    """What a person should know before acting on the session, the gravest first. `twice`: another process has its transcript open too;
    `crowded`: another session works in its checkout.

    Without `now` only what doesn't depend on it.
    """
    entry, life = session.entry, session.life
    silent = silent_since(session, now) if now else None
    shown = (entry.messages_since_input or 0) - RUNNING_MESSAGES
    said = {
        TWICE: twice,
        CROWDED: crowded,
        "not reporting: /reload": life is Life.UNREPORTED,
        "suspended": life is Life.SUSPENDED,
        "elsewhere": life is Life.ELSEWHERE,
        "newer Tank": entry.newer,
        f"guard: {shown} not run": shown > 0,
        f"silent {ages.age(silent, now) if now else ''}": silent is not None,
        "can't get messages": entry.socket is None and life is not Life.ELSEWHERE,
        OLDER: runs_older(entry),
    }
    return [mark for mark, holds in said.items() if holds]


def silent_since(session: Session, now: datetime) -> datetime | None:
    """When a session that works was last heard of, if that is long ago."""
    entry = session.entry
    if entry.status != "working" or session.life is not Life.ALIVE or entry.updated_at is None:
        return None
    return entry.updated_at if ages.seconds(entry.updated_at, now) >= SILENT_S else None


def runs_older(entry: Entry) -> bool:
    """Whether an older Tank publishes the session. A version that can't be read isn't older."""
    return () < _version(entry.tank) < _version(__version__)


@lru_cache(64)
def _version(version: str | None) -> tuple[int, ...]:
    parts = (version or "").split(".")
    return tuple(map(int, parts)) if all(part.isascii() and part.isdigit() for part in parts) else ()
