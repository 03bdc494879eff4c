"""A live entry as a reader holds it: lenient, since other programs write this format too.

What is required and wrong makes the whole entry junk; what may be absent and is wrong is taken as absent.
"""

from dataclasses import dataclass, replace
from datetime import UTC, datetime

import orjson

from tank.records import fields, text
from tank.records.fields import Record
from tank.records.identity import Host
from tank.version import FORMAT

UNKNOWN = "unknown"
"""A reader's word for a status that it can't tell: nobody reports it, or only a newer format names it. Never published."""
STATUSES = ("idle", "working", "needs-you", "done")
TANK = "tank"
"""The role of the meta agent's session."""
LINE_CELLS = 400
"""Cells that any line of an entry is cut to when read: an untrusted writer may have forgotten to."""


class JunkError(ValueError):
    """The bytes are no live entry; says why."""


@dataclass(frozen=True, slots=True)
class Change:
    status: str
    detail: str | None
    at: datetime


@dataclass(frozen=True, slots=True)
class Entry:
    """Text is clean; times are aware and in UTC; absent is None. `newer`: published by a newer format."""

    v: int
    pid: int
    session_id: str
    cwd: str
    status: str
    started_at: datetime
    newer: bool = False
    tank: str | None = None
    protocol: int | None = None
    process_start: str | None = None
    host: Host | None = None
    sidecar_pid: int | None = None
    socket: str | None = None
    session_file: str | None = None
    project_key: str | None = None
    project_name: str | None = None
    label: str | None = None
    role: str | None = None
    terminal_id: str | None = None
    program: str | None = None
    rex_server: str | None = None
    tmux_socket: str | None = None
    tmux_pane: str | None = None
    tty: str | None = None
    status_since: datetime | None = None
    status_detail: str | None = None
    activity: str | None = None
    recent: tuple[Change, ...] = ()
    priority: int | None = None
    recap: str | None = None
    recap_at: datetime | None = None
    last_reply: str | None = None
    context_tokens: int | None = None
    context_window: int | None = None
    context_percent: float | None = None
    model: str | None = None
    messages_since_input: int | None = None
    updated_at: datetime | None = None


def unreported(entry: Entry) -> Entry:
    """The entry without what only its sidecar could know to be still so."""
    return replace(entry, status=UNKNOWN, status_since=None, status_detail=None, activity=None)


def parse(data: bytes) -> tuple[Entry, dict[str, object]]:
    """The entry, and the object it was read from. Raises `JunkError`."""
    try:
        record = orjson.loads(data)
    except orjson.JSONDecodeError as error:
        raise JunkError(f"not JSON: {error}") from error
    if not isinstance(record, dict):
        raise JunkError("not a JSON object")
    return read(record), record


def read(record: Record) -> Entry:
    """Raises `JunkError` when a required field is missing or wrong."""
    v, pid = fields.integer(record, "v"), fields.integer(record, "pid")
    session_id, cwd = fields.string(record, "sessionId"), fields.string(record, "cwd")
    status, started_at = fields.string(record, "status"), time(record, "startedAt")
    if v is None or v < FORMAT or pid is None or pid <= 0 or not session_id or cwd is None:
        raise JunkError("v, pid, sessionId or cwd is missing or wrong")
    if status not in STATUSES:
        if v == FORMAT:
            raise JunkError("status is missing or unknown")
        status = UNKNOWN
    if started_at is None:
        raise JunkError("startedAt is missing or no time")
    return _whole(record, v, pid, session_id, cwd, status, started_at)


def _whole(
    record: Record, v: int, pid: int, session_id: str, cwd: str, status: str, started_at: datetime
) -> Entry:
    project = fields.mapping(record, "project") or {}
    terminal = fields.mapping(record, "terminal") or {}
    tmux = fields.mapping(terminal, "tmux") or {}
    recap = fields.mapping(record, "recap") or {}
    context = fields.mapping(record, "context") or {}
    priority, count = fields.integer(record, "priority"), fields.integer(record, "messagesSinceInput")
    sidecar_pid = fields.integer(record, "sidecarPid")
    return Entry(
        v=v,
        newer=v > FORMAT,
        pid=pid,
        session_id=text.short(session_id, LINE_CELLS),
        cwd=cwd,
        status=status,
        started_at=started_at,
        tank=line(record, "tank"),
        protocol=fields.integer(record, "protocol"),
        process_start=fields.string(record, "processStart"),
        host=_host(record),
        sidecar_pid=sidecar_pid if sidecar_pid and sidecar_pid > 0 else None,
        socket=fields.string(record, "socket"),
        session_file=fields.string(record, "sessionFile"),
        project_key=line(project, "key"),
        project_name=line(project, "name"),
        label=line(record, "label"),
        role=line(record, "role"),
        terminal_id=fields.string(record, "terminalId"),
        program=line(terminal, "program"),
        rex_server=fields.string(terminal, "rexServer"),
        tmux_socket=fields.string(tmux, "socket"),
        tmux_pane=fields.string(tmux, "pane"),
        tty=fields.string(terminal, "tty"),
        status_since=time(record, "statusSince"),
        status_detail=line(record, "statusDetail"),
        activity=line(record, "activity"),
        recent=tuple(_changes(record)),
        priority=priority if priority is not None and 0 <= priority <= 3 else None,
        recap=line(recap, "text"),
        recap_at=time(recap, "at"),
        last_reply=line(record, "lastReply"),
        context_tokens=fields.integer(context, "tokens"),
        context_window=fields.integer(context, "window"),
        context_percent=fields.number(context, "percent"),
        model=line(record, "model"),
        messages_since_input=count if count is not None and count >= 0 else None,
        updated_at=time(record, "updatedAt"),
    )


def line(record: Record, name: str) -> str | None:
    """A field as one clean line; None when absent or when it would show nothing."""
    value = fields.string(record, name)
    return text.short(value, LINE_CELLS) or None if value else None


def time(record: Record, name: str) -> datetime | None:
    """An ISO 8601 time with an offset; None for anything else, epoch numbers included."""
    value = fields.string(record, name)
    try:
        moment = datetime.fromisoformat(value) if value else None
        return moment.astimezone(UTC) if moment and moment.tzinfo else None
    except (ValueError, OverflowError):
        return None


def _host(record: Record) -> Host | None:
    host = fields.mapping(record, "host")
    if host is None:
        return None
    return Host(fields.string(host, "machine"), fields.string(host, "boot"), fields.string(host, "pidns"))


def _changes(record: Record) -> list[Change]:
    found = []
    for item in fields.items(record, "recent")[-8:]:
        if isinstance(item, dict):
            status, at = fields.string(item, "status"), time(item, "at")
            if status in STATUSES and at:
                found.append(Change(status, line(item, "detail"), at))
    return found
