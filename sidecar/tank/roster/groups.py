"""How sessions are grouped and ordered: one project is one group, a p0 lifts its group, nothing else moves anything."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import NamedTuple

from tank.records.entry import Entry
from tank.roster.place import Place, Tab
from tank.roster.roster import Session

Places = Mapping[str, Place]
"""By `Session.file`."""
NOWHERE: Places = {}


class Group(NamedTuple):
    """A project, or with `tab` a session of Rex, whose `key` is its id.

    `priority` is the most urgent of the group's, None when no session has one.
    """

    key: str
    name: str
    priority: int | None
    sessions: tuple[Session, ...]
    tab: Tab | None = None


def project(entry: Entry) -> tuple[str, str]:
    """The key that groups a session's project, and the project's name; where none is published its directory serves."""
    key = entry.project_key or entry.cwd
    name = entry.project_name or key.rstrip("/").rpartition("/")[2]
    return key, name or key


def grouped(sessions: Iterable[Session], places: Places = NOWHERE) -> list[Group]:
    """Rex's sessions come as Rex lists them, then the projects by name."""
    found: dict[tuple[bool, str], list[Session]] = {}
    for session in sessions:
        tab = places.get(session.file, Place()).tab
        key = (False, tab.session) if tab else (True, project(session.entry)[0])
        found.setdefault(key, []).append(session)
    return sorted((_group(key, group, places) for (_, key), group in found.items()), key=_rank)


def _rank(group: Group) -> tuple[bool, bool, int, str, str]:
    number = group.tab.order[0] if group.tab else 0
    return (group.priority != 0, group.tab is None, number, group.name.casefold(), group.key)


def _group(key: str, sessions: list[Session], places: Places) -> Group:
    def rank(session: Session) -> tuple[tuple[int, ...], datetime, int]:
        tab = places.get(session.file, Place()).tab
        return tab.order if tab else (), session.entry.started_at, session.entry.pid

    ordered = tuple(sorted(sessions, key=rank))
    priorities = [session.entry.priority for session in ordered if session.entry.priority is not None]
    tab = places.get(ordered[0].file, Place()).tab
    name = tab.label if tab else project(ordered[0].entry)[1]
    return Group(key, name, min(priorities, default=None), ordered, tab)
