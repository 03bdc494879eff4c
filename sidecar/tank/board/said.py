"""What the board says about one session in words: its name, why it matters, and what is odd about it."""

from collections.abc import Iterable
from datetime import datetime

from tank.records.entry import UNKNOWN, Entry
from tank.roster.marks import runs_older
from tank.roster.roster import Life, Roster, Session

GLYPHS = {"needs-you": "●", "working": "◐", "done": "✓", "idle": "○", UNKNOWN: "?"}
WORDS = {"needs-you": "needs you", "working": "working", "done": "done", "idle": "idle", UNKNOWN: UNKNOWN}


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


def beginnings(session: Session) -> list[datetime]:
    """What the ages that are shown of it, or may come to be shown, count from."""
    entry = session.entry
    found = [entry.status_since, entry.updated_at if entry.status == "working" else None]
    return [moment for moment in found if moment]


FAILED = "failed: "
ASKS_HERE = "asks here: close the board"


def waiting(sessions: Iterable[Session]) -> list[Session]:
    """Those that need the person."""
    return [session for session in sessions if session.entry.status == "needs-you"]


def notes(roster: Roster) -> list[str]:
    """What the title adds about all sessions: who runs an older Tank, and what couldn't be read."""
    older = sum(runs_older(session.entry) for session in roster.sessions)
    told = [f"{older} run{'s' * (older == 1)} an older Tank: /reload"] if older else []
    return [*told, *roster.problems]
