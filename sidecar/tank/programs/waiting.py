"""`tank wait`: looks at the live directory until a session has a status. One stat ten times a second, nothing else at rest."""

import time
from datetime import datetime
from typing import NamedTuple

from tank.board import said
from tank.edges.live_directory import LiveDirectory
from tank.errors import RefusedError
from tank.programs import talking
from tank.records.entry import Entry
from tank.roster import target
from tank.roster.roster import Roster, Session

POLL_S = 0.1
VERIFY_S = 1.0
"""A process that ended without a word leaves its entry unchanged, so all is read anew this often."""
GONE_S = 1.5
"""How long an entry may be away while its session starts a new sidecar."""


def reached(entry: Entry, wanted: frozenset[str], since: datetime | None) -> str | None:
    """The wanted status that the session has, or had after `since`. done is also reached by idle right after a run:
    whoever watched it end left nothing unseen."""
    passed = [change.status for change in entry.recent if since and change.at > since]
    found = next((status for status in (entry.status, *reversed(passed)) if status in wanted), None)
    return found or ("done" if "done" in wanted and _finished(entry) else None)


def _finished(entry: Entry) -> bool:
    if entry.status != "idle" or len(entry.recent) < 2:
        return False
    before, last = entry.recent[-2:]
    return last.status == "idle" and before.status in ("working", "done")


class Followed(NamedTuple):
    """The session that is waited for: another one in the same process isn't it."""

    file: str
    start: str | None
    session_id: str

    def among(self, roster: Roster) -> Session | None:
        """The session of the same process, if it lives."""
        same = (s for s in roster.sessions if s.file == self.file and s.entry.process_start == self.start)
        return next(same, None)


def wait(word: str, wanted: frozenset[str], timeout_s: float | None) -> list[str]:
    """Raises `NoSuchSessionError` at the start, `RefusedError` when the time is over or the session has ended."""
    directory = LiveDirectory()
    first = target.resolve(word, directory.scan().sessions)
    followed = Followed(first.file, first.entry.process_start, first.entry.session_id)
    since = max((change.at for change in first.entry.recent), default=first.entry.status_since)
    name, last = talking.name(first.entry), first.entry
    deadline = None if timeout_s is None else time.monotonic() + timeout_s
    seen_at = read_at = time.monotonic()
    session: Session | None = first
    while True:
        if session is not None:
            seen_at, last = read_at, session.entry
            if last.session_id != followed.session_id:
                raise RefusedError(f"{name} has ended: its process shows another session now")
            if status := reached(last, wanted, since):
                return [f"{name}: {said.WORDS[status]}"]
        elif read_at - seen_at > GONE_S:
            raise RefusedError(f"{name} has ended; it was {said.WORDS[last.status]}")
        if deadline is not None and time.monotonic() >= deadline:
            raise RefusedError(f"{name} is still {said.WORDS[last.status]} after {timeout_s:g} s")
        read_at = _change(directory, read_at, deadline)
        session = followed.among(directory.scan())


def _change(directory: LiveDirectory, read_at: float, deadline: float | None) -> float:
    """Sleep until the directory changed, a look is due, or the time is over; now."""
    while True:
        now = time.monotonic()
        time.sleep(max(min(POLL_S, (deadline or now + POLL_S) - now), 0))
        now = time.monotonic()
        if directory.changed() or now - read_at >= VERIFY_S or (deadline and now >= deadline):
            return now
