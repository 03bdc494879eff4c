"""What changed in the sessions since the person last typed a prompt to the meta agent, from what each entry keeps of it."""

from collections.abc import Sequence
from datetime import datetime

from tank.agent import quoting
from tank.records.entry import Entry
from tank.roster.ages import age

LIMIT_BYTES = 4 * 1024
KEPT = 8
"""Changes of status that an entry keeps: with so many since then, there may have been more before."""
SHOWN = 4
LABEL_CELLS = 60


def digest(entries: Sequence[tuple[str, Entry]], since: datetime | None, now: datetime) -> list[str]:
    """Lines, one for each session that changed or came; `entries` with the ids that are shown of them, the most urgent first.

    Nothing is known of sessions that ended. `since` is None where no prompt before the one at hand is known.
    """
    if since is None:
        return ["No earlier prompt of the person's is known here: there is no telling what is new to them."]
    begin = f"Since the person last typed here, {age(since, now)} ago"
    found = [line for identity, entry in entries if (line := _line(identity, entry, since, now))]
    if not found:
        return [f"{begin}, no status changed."]
    lines = [f"{begin}, {len(found)} changed:"]
    room = LIMIT_BYTES - quoting.size([*lines, f"… and {len(found)} more"])
    for place, line in enumerate(found):
        room -= quoting.size([line])
        if room < 0:
            return [*lines, f"… and {len(found) - place} more"]
        lines.append(line)
    return lines


def _line(identity: str, entry: Entry, since: datetime, now: datetime) -> str:
    """Empty when nothing happened."""
    changes = [change for change in entry.recent if change.at > since]
    told = [f"{change.status} {age(change.at, now)} ago" for change in changes[-SHOWN:]]
    if entry.started_at > since:
        told = [f"new {age(entry.started_at, now)} ago", *told]
    elif len(changes) > SHOWN or len(changes) >= KEPT:
        told = ["…", *told]
    label = quoting.quoted(entry.label, LABEL_CELLS) if entry.label else ""
    return f"{identity} {' → '.join(told)} {label}".rstrip() if told else ""
