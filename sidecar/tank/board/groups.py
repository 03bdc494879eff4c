"""Which sessions the board lists: those that match the filter, in the groups of the roster."""

from collections.abc import Mapping
from typing import NamedTuple

from tank.board import said
from tank.records.entry import UNKNOWN, Entry
from tank.roster.groups import NOWHERE, Group, Places, grouped, project
from tank.roster.marks import marks
from tank.roster.roster import Roster, Session
from tank.roster.target import shown_labels

PRIORITIES = {"p0": 0, "p1": 1, "p2": 2, "p3": 3}
STATUSES = {
    "needs": "needs-you",
    "needs-you": "needs-you",
    "working": "working",
    "done": "done",
    "idle": "idle",
    UNKNOWN: UNKNOWN,
}


class Who(NamedTuple):
    """A process, as the selection follows it: through a new session, a rename, a move in the order."""

    file: str
    """The entry's path, which tells equal pids of two hosts apart."""
    pid: int
    start: str | None


def who(session: Session) -> Who:
    return Who(session.file, session.entry.pid, session.entry.process_start)


class Listed(NamedTuple):
    """What the board lists, worked out once for a roster and a filter; `labels` of all sessions, by `Session.file`."""

    groups: tuple[Group, ...] = ()
    labels: Mapping[str, str] = {}

    @property
    def sessions(self) -> list[Session]:
        """In reading order."""
        return [session for group in self.groups for session in group.sessions]


def listed(roster: Roster, words: str, places: Places = NOWHERE) -> Listed:
    """The sessions that match the filter. What the filter hides still lifts its group."""
    groups = [
        group._replace(sessions=tuple(each for each in group.sessions if matches(each, words)))
        for group in grouped(roster.sessions, places)
    ]
    labels = zip(roster.sessions, shown_labels(roster.sessions), strict=True)
    shown = tuple(group for group in groups if group.sessions)
    return Listed(shown, {session.file: label for session, label in labels})


def matches(session: Session, words: str) -> bool:
    """Whether each word fits: a status or a priority by itself, anything else as a part of what the session shows."""
    terms = words.casefold().split()
    haystack = _haystack(session) if terms else ""
    return all(_fits(session, term, haystack) for term in terms)


def _fits(session: Session, term: str, haystack: str) -> bool:
    if term in PRIORITIES:
        return session.entry.priority == PRIORITIES[term]
    if term in STATUSES:
        return session.entry.status == STATUSES[term]
    return term in haystack


def _haystack(session: Session) -> str:
    entry = session.entry
    shown = (
        *project(entry),
        said.WORDS[entry.status],
        *marks(session, None, twice=False),
        *_texts(entry),
    )
    return "\n".join(shown).casefold()


def _texts(entry: Entry) -> list[str]:
    texts = (entry.label, entry.session_id, entry.cwd, entry.model, entry.status_detail, entry.activity)
    return [text for text in (*texts, entry.recap, entry.last_reply) if text]
