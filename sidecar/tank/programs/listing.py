"""`tank list`: what is live, for a person or a script."""

import json
import os
import sys
import unicodedata
from collections.abc import Iterator
from datetime import UTC, datetime

from tank.board import cells, groups, said
from tank.edges import transcripts
from tank.edges.live_directory import LiveDirectory
from tank.roster import ages, target
from tank.roster.groups import project
from tank.roster.marks import marks
from tank.roster.roster import Roster, Session

GAP = "  "
PROJECT_CELLS = 24
LABEL_CELLS = 16
"""A label has at least so much room before why it matters gets any."""
LABEL_SHARE = 0.6
LABEL, WHY = 4, 7
ROOM_CELLS = 1000
"""More than any field of an entry has."""
OBEYED = ("Cc", "Cf", "Cs", "Zl", "Zp")
"""Unicode categories of what a terminal or an editor might obey."""


def read() -> Roster:
    return LiveDirectory().scan()


def width() -> int | None:
    """Cells of a line: $COLUMNS, else the terminal's; None for a pipe, whose reader wants whole lines."""
    named = os.environ.get("COLUMNS", "")
    if named.isdecimal() and int(named) > 0:
        return int(named)
    try:
        return os.get_terminal_size(sys.stdout.fileno()).columns or None
    except OSError:
        return None


def as_json(value: object) -> str:
    """JSON of the same value in which nothing obeys: published text may be anybody's."""
    plain = json.dumps(value, ensure_ascii=False, indent=2)
    if plain.isascii():
        return plain.replace("\x7f", "\\u007f")
    return "".join(
        json.dumps(each)[1:-1] if each != "\n" and unicodedata.category(each) in OBEYED else each
        for each in plain
    )


def entries(roster: Roster) -> list[dict[str, object]]:
    """The entries as they are published."""
    return [session.raw for session in roster.sessions]


def table(roster: Roster, width: int | None) -> Iterator[str]:
    """A line a session, in the board's order; cut to the width if there is one."""
    listed = groups.listed(roster, "")
    now = datetime.now(UTC)
    twice = transcripts.shared(roster)
    ids = target.shown_ids(listed.sessions)
    rows = [
        _row(session, listed.labels[session.file], identity, now, twice=session.file in twice)
        for session, identity in zip(listed.sessions, ids, strict=True)
    ]
    if not rows:
        return
    columns = [max(map(cells.width, column)) for column in zip(*rows, strict=True)]
    if width is not None:
        columns = _fitted(columns, width)
    for row in rows:
        line = GAP.join(cells.padded(*each) for each in zip(row, columns, strict=True) if each[1])
        yield cells.cut(line.rstrip(), width or cells.width(line))


def advice(roster: Roster) -> list[str]:
    """What to tell a person who sees no session."""
    if roster.sessions or roster.problems:
        return []
    return ["No Pi session is live. Start `pi`; in one that was open before `tank install`, type /reload."]


def _row(session: Session, label: str, identity: str, now: datetime, *, twice: bool) -> list[str]:
    entry = session.entry
    priority = "" if entry.priority is None else f"p{entry.priority}"
    name = cells.cut(project(entry)[1], PROJECT_CELLS)
    why = " · ".join(part for part in (*marks(session, now, twice=twice), said.why(entry)) if part)
    shown = (
        entry.status,
        ages.age(entry.status_since, now),
        priority,
        name,
        label,
        str(entry.pid),
        identity,
        why,
    )
    return [cells.clean(part, ROOM_CELLS) for part in shown]


def _fitted(columns: list[int], width: int) -> list[int]:
    """Label and reason share what the others leave; a column without room is left out."""
    fixed = sum(size + len(GAP) for size in columns if size) - columns[LABEL] - columns[WHY]
    room = max(width - fixed, 0)
    least = min(columns[LABEL], max(int(room * LABEL_SHARE), LABEL_CELLS))
    label = min(columns[LABEL], max(least, room - columns[WHY]))
    fitted = [*columns]
    fitted[LABEL], fitted[WHY] = label, max(min(columns[WHY], room - label), 0)
    return fitted
