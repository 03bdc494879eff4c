"""What the board says about one session in words: its name, why it matters, and what is odd about it."""

from collections.abc import Iterable
from datetime import datetime
from functools import lru_cache

from tank.board import ages
from tank.records.entry import UNKNOWN, Entry
from tank.records.limits import RUNNING_MESSAGES
from tank.roster.roster import Life, Roster, Session
from tank.version import __version__

GLYPHS = {"needs-you": "●", "working": "◐", "done": "✓", "idle": "○", UNKNOWN: "?"}
WORDS = {"needs-you": "needs you", "working": "working", "done": "done", "idle": "idle", UNKNOWN: UNKNOWN}


def project(entry: Entry) -> tuple[str, str]:
    """The key that groups a session's project, and the project's name; where none is published its directory serves."""
    key = entry.project_key or entry.cwd
    name = entry.project_name or key.rstrip("/").rpartition("/")[2]
    return key, name or key


def why(entry: Entry) -> str:
    """Why it needs the person, else what it does, else what came of it."""
    return entry.status_detail or entry.activity or entry.recap or entry.last_reply or ""


def context(entry: Entry) -> str:
    """How full the context is, where that was measured."""
    percent = entry.context_percent
    return "" if percent is None else f"ctx {min(max(round(percent), 0), 999)}%"


def where(session: Session) -> str:
    """Where the person finds it; empty when it doesn't say."""
    entry = session.entry
    if session.life is Life.ELSEWHERE:
        return "on another machine"
    if entry.tmux_pane:
        return f"in tmux, pane {entry.tmux_pane}"
    return f"on {entry.tty}" if entry.tty else ""


def asks(entry: Entry) -> bool:
    """Whether a dialog waits in the session; a run that failed needs the person, but asks nothing."""
    return entry.status == "needs-you" and not (entry.status_detail or "").startswith(FAILED)


def silent_since(session: Session, now: datetime) -> datetime | None:
    """When a session that works was last heard of, if that is long ago."""
    entry = session.entry
    if entry.status != "working" or session.life is not Life.ALIVE or entry.updated_at is None:
        return None
    return entry.updated_at if ages.seconds(entry.updated_at, now) >= SILENT_S else None


def beginnings(session: Session) -> list[datetime]:
    """What the ages that are shown of it, or may come to be shown, count from."""
    entry = session.entry
    found = [entry.status_since, entry.updated_at if entry.status == "working" else None]
    return [moment for moment in found if moment]


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


TWICE, CROWDED, OLDER = "open twice", "two edit this checkout", "older Tank"
FAILED = "failed: "
ASKS_HERE = "asks here: close the board"
SILENT_S = 600
"""Without a word from a session that works, the board says so: it may hang, or a long command may run."""


def waiting(sessions: Iterable[Session]) -> list[Session]:
    """Those that need the person."""
    return [session for session in sessions if session.entry.status == "needs-you"]


def notes(roster: Roster) -> list[str]:
    """What the title adds about all sessions: who runs an older Tank, and what couldn't be read."""
    older = sum(runs_older(session.entry) for session in roster.sessions)
    told = [f"{older} run{'s' * (older == 1)} an older Tank: /reload"] if older else []
    return [*told, *roster.problems]


def runs_older(entry: Entry) -> bool:
    """Whether an older Tank publishes the session. A version that can't be read isn't older."""
    return () < _version(entry.tank) < _version(__version__)


@lru_cache(64)
def _version(version: str | None) -> tuple[int, ...]:
    parts = (version or "").split(".")
    return tuple(map(int, parts)) if all(part.isascii() and part.isdigit() for part in parts) else ()
