"""What the board says about one session in words: its name, why it matters, and what is odd about it."""

from functools import lru_cache

from tank.records.entry import UNKNOWN, Entry
from tank.roster.roster import Life, Roster, Session
from tank.version import __version__

GLYPHS = {"needs-you": "●", "working": "◐", "done": "✓", "idle": "○", UNKNOWN: "?"}
WORDS = {"needs-you": "needs you", "working": "working", "done": "done", "idle": "idle", UNKNOWN: UNKNOWN}
GUARDED_AFTER = 3
"""Messages from sessions that run with no typed prompt in between; further ones are only shown."""


def project(entry: Entry) -> tuple[str, str]:
    """The key that groups a session's project, and the project's name; where none is published its directory serves."""
    key = entry.project_key or entry.cwd
    name = entry.project_name or key.rstrip("/").rpartition("/")[2]
    return key, name or key


def why(entry: Entry) -> str:
    """Why it needs the person, else what it does, else what came of it."""
    return entry.status_detail or entry.activity or entry.recap or entry.last_reply or ""


def marks(session: Session, *, twice: bool) -> list[str]:
    """What a person should know before acting on the session, the gravest first. `twice`: another process has its transcript open too."""
    entry, life = session.entry, session.life
    shown = (entry.messages_since_input or 0) - GUARDED_AFTER
    said = {
        TWICE: twice,
        "not reporting: /reload": life is Life.UNREPORTED,
        "suspended": life is Life.SUSPENDED,
        "elsewhere": life is Life.ELSEWHERE,
        "newer Tank": entry.newer,
        f"guard: {shown} shown": shown > 0,
        "no messages": entry.socket is None and life is not Life.ELSEWHERE,
    }
    return [mark for mark, holds in said.items() if holds]


TWICE = "open twice"


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
