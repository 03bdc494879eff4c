"""Which sessions are listed and in which order: one project is one group, a p0 lifts its group, nothing else moves anything."""

from collections.abc import Mapping
from datetime import datetime
from typing import NamedTuple

from tank.board import said
from tank.records.entry import UNKNOWN, Entry
from tank.roster.place import Place, Tab
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


Places = Mapping[str, Place]
"""By `Session.file`."""
NOWHERE: Places = {}


def who(session: Session) -> Who:
    return Who(session.file, session.entry.pid, session.entry.process_start)


class Group(NamedTuple):
    """A project, or with `tab` a session of Rex, whose `key` is its id.

    `priority` is the most urgent of the group's, None when no session has one; `sessions` are those that match.
    """

    key: str
    name: str
    priority: int | None
    sessions: tuple[Session, ...]
    tab: Tab | None = None


class Listed(NamedTuple):
    """What the board lists, worked out once for a roster and a filter; `labels` of all sessions, by `Session.file`."""

    groups: tuple[Group, ...] = ()
    labels: Mapping[str, str] = {}

    @property
    def sessions(self) -> list[Session]:
        """In reading order."""
        return [session for group in self.groups for session in group.sessions]


def listed(roster: Roster, words: str, places: Places = NOWHERE) -> Listed:
    """The sessions that match the filter. What the filter hides still lifts its group.

    Rex's sessions come as Rex lists them, then the projects by name.
    """
    found: dict[tuple[bool, str], list[Session]] = {}
    for session in roster.sessions:
        tab = places.get(session.file, Place()).tab
        key = (False, tab.session) if tab else (True, said.project(session.entry)[0])
        found.setdefault(key, []).append(session)
    grouped = [_group(key, sessions, words, places) for (_, key), sessions in found.items()]
    shown = [group for group in grouped if group.sessions]
    labels = zip(roster.sessions, shown_labels(roster.sessions), strict=True)
    return Listed(tuple(sorted(shown, key=_rank)), {session.file: label for session, label in labels})


def _rank(group: Group) -> tuple[bool, bool, int, str, str]:
    number = group.tab.order[0] if group.tab else 0
    return (group.priority != 0, group.tab is None, number, group.name.casefold(), group.key)


def _group(key: str, sessions: list[Session], words: str, places: Places) -> Group:
    def rank(session: Session) -> tuple[tuple[int, ...], datetime, int]:
        tab = places.get(session.file, Place()).tab
        return tab.order if tab else (), session.entry.started_at, session.entry.pid

    ordered = sorted(sessions, key=rank)
    priorities = [session.entry.priority for session in ordered if session.entry.priority is not None]
    shown = tuple(session for session in ordered if matches(session, words))
    tab = places.get(ordered[0].file, Place()).tab
    name = tab.label if tab else said.project(ordered[0].entry)[1]
    return Group(key, name, min(priorities, default=None), shown, tab)


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
        *said.project(entry),
        said.WORDS[entry.status],
        *said.marks(session, None, twice=False),
        *_texts(entry),
    )
    return "\n".join(shown).casefold()


def _texts(entry: Entry) -> list[str]:
    texts = (entry.label, entry.session_id, entry.cwd, entry.model, entry.status_detail, entry.activity)
    return [text for text in (*texts, entry.recap, entry.last_reply) if text]
