"""What `tank_sessions` tells a model: every live session and what changed, within one result's room.

Where not all fits, details go before sessions, and those that need the person go last.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from itertools import chain
from posixpath import commonprefix
from typing import NamedTuple

from tank.agent import quoting
from tank.agent.digest import digest
from tank.agent.quoting import LIMIT_BYTES, quoted
from tank.records import text
from tank.records.entry import STATUSES, UNKNOWN, Entry
from tank.roster import groups, marks
from tank.roster.ages import age
from tank.roster.groups import Group, Places
from tank.roster.place import Place
from tank.roster.roster import Roster, Session
from tank.roster.target import shown_ids

NAME_CELLS = 60
LABEL_CELLS = 100
WHY_CELLS = 160
RECAP_CELLS = 300
PATH_CELLS = 400
PROBLEM_CELLS = 200
END_BYTES = 400
"""Room for what is said of what wasn't listed."""
ORDER = {status: place for place, status in enumerate(("needs-you", "done", "working", "idle", UNKNOWN))}

HEAD, WHY, FULL = 1, 2, 3
"""How much of a session is shown: its facts and label; why it matters; everything."""


class Told(NamedTuple):
    """What can be said of a session: `shown[level]` are the lines of a level, none for 0."""

    session: Session
    group: str
    shown: tuple[tuple[str, ...], ...]


def listed(
    roster: Roster,
    places: Places,
    twice: Collection[str],
    now: datetime,
    since: datetime | None,
    own: str | None,
) -> str:
    """`twice`: whose transcript another session has open too, and `own`: the meta agent's session, both as `Session.file`.

    `since`: when the person last typed a prompt here.
    """
    found = groups.grouped(roster.sessions, places)
    sessions = [session for group in found for session in group.sessions]
    under = _folder([each.entry.session_file for each in sessions if each.entry.session_file])
    ids = dict(zip((each.file for each in sessions), _ids(sessions), strict=True))
    told = []
    for group in found:
        for each in group.sessions:
            odd = ["you"] * (each.file == own) + marks.marks(each, now, twice=each.file in twice)
            place = places.get(each.file, Place())
            lines = _lines(each.entry, place, _facts(ids[each.file], each.entry, place, odd, now), under)
            told.append(Told(each, group.key, lines))
    ranked = sorted(told, key=lambda each: _rank(each.session.entry))
    changed = [(ids[each.session.file], each.session.entry) for each in ranked if each.session.file != own]
    head = [_count(sessions), quoting.RULE, *digest(changed, since, now)]
    if under:
        head.append(f"files are under {quoted(under, PATH_CELLS)}")
    headers = {group.key: _header(group) for group in found}
    problems = [text.short(problem, PROBLEM_CELLS) for problem in roster.problems]
    room = LIMIT_BYTES - END_BYTES - quoting.size([*head, *problems])
    levels = _levels(ranked, headers, room)
    body = chain.from_iterable(_group(headers[group.key], group, told, levels) for group in found)
    return "\n".join([*head, *body, *_left_out(told, levels), *problems])


def _ids(sessions: Sequence[Session]) -> list[str]:
    """Where two have one id, as after an import, the pid tells them apart."""
    count = Counter(session.entry.session_id for session in sessions)
    return [
        shown if count[session.entry.session_id] == 1 else f"{shown} pid {session.entry.pid}"
        for session, shown in zip(sessions, shown_ids(sessions), strict=True)
    ]


def _rank(entry: Entry) -> tuple[bool, int, int, datetime]:
    """Who is told of first."""
    priority = len(STATUSES) if entry.priority is None else entry.priority
    return entry.status != "needs-you", priority, ORDER[entry.status], entry.status_since or entry.started_at


def _count(sessions: Sequence[Session]) -> str:
    count = Counter(session.entry.status for session in sessions)
    parts = ", ".join(f"{count[status]} {status}" for status in ORDER if count[status])
    many = f"{len(sessions)} live session{'s' * (len(sessions) != 1)}"
    return f"{many}: {parts}." if sessions else "No session is live."


def _header(group: Group) -> str:
    kind = "rex" if group.tab else "project"
    name = group.name if group.tab or group.key == group.name else f"{group.name} · {group.key}"
    return f"{kind} {quoted(name, LABEL_CELLS)}"


def _facts(identity: str, entry: Entry, place: Place, odd: Sequence[str], now: datetime) -> str:
    """What Tank itself knows, ids first."""
    facts = (
        identity,
        f"tab {place.tab.order[1] + 1}" if place.tab else "",
        entry.status,
        age(entry.status_since, now),
        "" if entry.priority is None else f"p{entry.priority}",
        f"[{'; '.join(odd)}]" if odd else "",
    )
    return " ".join(fact for fact in facts if fact)


def _lines(entry: Entry, place: Place, facts: str, under: str) -> tuple[tuple[str, ...], ...]:
    """Of each level."""
    head = f"{facts} {quoted(entry.label, LABEL_CELLS)}" if entry.label else facts
    why = _detail("why", entry.status_detail or entry.activity, WHY_CELLS)
    recap = entry.recap or entry.last_reply
    where = groups.project(entry)[1] if place.tab else place.name
    file = (entry.session_file or "").removeprefix(under)
    whole = (
        *_detail("recap", recap, RECAP_CELLS),
        *_detail("in", where, NAME_CELLS),
        *_detail("file", file, PATH_CELLS),
    )
    return (), (head,), (head, *(why or _detail("recap", recap, WHY_CELLS))), (head, *why, *whole)


def _detail(name: str, said: str | None, cells: int) -> tuple[str, ...]:
    return (f"  {name} {quoted(said, cells)}",) if said else ()


def _levels(ranked: Sequence[Told], headers: Mapping[str, str], room: int) -> dict[str, int]:
    """How much of each session fits, by `Session.file`. No other is listed before all that need the person are."""
    waiting = [each for each in ranked if each.session.entry.status == "needs-you"]
    others = ranked[len(waiting) :]
    levels = dict.fromkeys((each.session.file for each in ranked), 0)
    opened: set[str] = set()
    for several, level in ((waiting, HEAD), (waiting, WHY), (others, HEAD), (others, WHY), (ranked, FULL)):
        for each in several:
            before = each.shown[levels[each.session.file]]
            needed = quoting.size(each.shown[level]) - quoting.size(before)
            if each.group not in opened:
                needed += quoting.size([headers[each.group]])
            if needed > room:
                break
            room -= needed
            opened.add(each.group)
            levels[each.session.file] = level
        else:
            continue
        if level == HEAD:
            break
    return levels


def _group(header: str, group: Group, told: Sequence[Told], levels: Mapping[str, int]) -> list[str]:
    """Nothing of a group whose sessions all found no room."""
    shown = [each.shown[levels[each.session.file]] for each in told if each.group == group.key]
    lines = [line for lines in shown for line in lines]
    return [header, *lines] if lines else []


def _left_out(told: Sequence[Told], levels: Mapping[str, int]) -> list[str]:
    """What there was no room for."""
    missing = [each.session for each in told if not levels[each.session.file]]
    shortened = sum(
        0 < levels[each.session.file] < FULL and each.shown[FULL] != each.shown[levels[each.session.file]]
        for each in told
    )
    lines = [f"For lack of room {shortened} are shortened: tank_read tells more of one."] if shortened else []
    if missing:
        lines.append(f"For lack of room not listed: {_count(missing)} `tank list` in a shell shows all.")
    return lines


def _folder(files: Sequence[str]) -> str:
    """The directory that all files are in, with its slash; empty where there is none to speak of."""
    common = commonprefix([file.rpartition("/")[0].split("/") for file in files])
    return f"{'/'.join(common)}/" if len(files) > 1 and len(common) > 1 else ""
