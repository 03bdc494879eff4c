"""Which session a word names, and what each is called where several are seen."""

from collections import Counter
from collections.abc import Iterator, Sequence

from tank.errors import NoSuchSessionError
from tank.records import text
from tank.records.entry import LINE_CELLS
from tank.records.naming import ID_SHOWN, called
from tank.roster.roster import Life, Session

PREFIX = 6
"""Characters of an id that may stand for it."""
TELLING = 4
"""Characters of its id by which one of several sessions of one label is told."""


def resolve(word: str, sessions: Sequence[Session]) -> Session:
    """The one session that a word names. The first rule that matches any session decides.

    Raises `NoSuchSessionError`, which lists the sessions the person can choose from.
    """
    said = text.short(word, LINE_CELLS)
    quoted = f"‘{text.cut(said, 60)}’"
    matches = next(filter(None, _matches(word, said, sessions)), [])
    if len(matches) == 1:
        return matches[0]
    if matches:
        listed = candidates(matches)
        raise NoSuchSessionError(f"{quoted} names {len(matches)} sessions; use the pid of one:\n{listed}")
    if sessions:
        raise NoSuchSessionError(f"no session is {quoted}; these are open:\n{candidates(sessions)}")
    raise NoSuchSessionError(f"no session is {quoted}: none is open")


def unreachable(session: Session) -> str | None:
    """Why nobody here can ask the session anything; None when its socket can be tried."""
    if session.life is Life.ELSEWHERE:
        return "it runs on another machine: ask there"
    if session.entry.socket is None:
        return "it has no message socket: `tank doctor` says more"
    return None


def candidates(sessions: Sequence[Session]) -> str:
    """A line for each: `pid · id · project · label · status`."""
    lines = []
    for (entry, *_), identity in zip(sessions, shown_ids(sessions), strict=True):
        words = (str(entry.pid), identity, entry.project_name, entry.label, entry.status)
        lines.append(" · ".join(word or "-" for word in words))
    return "\n".join(lines)


def shown_ids(sessions: Sequence[Session]) -> list[str]:
    """The beginnings of their ids, all as long as tells them apart: ids that were made in one minute begin alike."""
    ids = [session.entry.session_id for session in sessions]
    length = ID_SHOWN
    while len({each[:length] for each in ids}) < len(set(ids)):
        length += 1
    return [each[:length] for each in ids]


def shown_labels(sessions: Sequence[Session]) -> list[str]:
    """What each of these living sessions is called, in their order: its label, else the beginning of its id.

    Where several would be called the same, each shows as much of its id as tells them apart, else its pid.
    """
    namesakes: dict[str, list[Session]] = {}
    for session in sessions:
        namesakes.setdefault(_name(session), []).append(session)
    shown: dict[str, str] = {}
    for several in namesakes.values():
        shown |= _told_apart(several)
    return [shown[session.file] for session in sessions]


def shown_label(session: Session, sessions: Sequence[Session]) -> str:
    """What one of these living sessions is called; for all of them `shown_labels` costs less."""
    others = [other for other in sessions if _name(other) == _name(session) and other.file != session.file]
    return _told_apart([session, *others])[session.file]


def _matches(word: str, said: str, sessions: Sequence[Session]) -> Iterator[list[Session]]:
    """What each rule matches, in the order of the rules."""
    yield [session for session in sessions if session.entry.session_id == word]
    yield [session for session in sessions if str(session.entry.pid) == word]
    yield [session for session in sessions if session.entry.label == said]
    shown = zip(sessions, shown_labels(sessions), strict=True)
    yield [session for session, label in shown if label == said]
    yield [session for session in sessions if said and _in_project(session) == said]
    yield [
        session for session in sessions if len(word) >= PREFIX and session.entry.session_id.startswith(word)
    ]


def _in_project(session: Session) -> str | None:
    project, label = session.entry.project_name, session.entry.label
    return f"{project}/{label}" if project and label else None


def _name(session: Session) -> str:
    return called(session.entry.label, session.entry.session_id)


def _told_apart(namesakes: Sequence[Session]) -> dict[str, str]:
    """What each of several sessions of one name is called, by file. Ids begin with the time: four characters seldom tell."""
    if len(namesakes) == 1:
        return {namesakes[0].file: _name(namesakes[0])}
    ids = Counter(session.entry.session_id for session in namesakes)
    telling = TELLING
    while len({each[:telling] for each in ids}) < len(ids):
        telling += 1
    shown = {}
    for entry, file in ((session.entry, session.file) for session in namesakes):
        length = telling if entry.label else max(telling, ID_SHOWN)
        part = entry.session_id[:length] if ids[entry.session_id] == 1 else str(entry.pid)
        shown[file] = f"{entry.label} · {part}" if entry.label else part
    return shown
