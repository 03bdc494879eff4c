"""What a sidecar that is started anew must know: one opaque value that the extension keeps and returns in every hello."""

from typing import NamedTuple

from tank.records import fields, text
from tank.records.fields import Record
from tank.session import publication
from tank.session.inbox import HELD_MESSAGES
from tank.session.message import MODES
from tank.session.run import DETAIL_CELLS
from tank.session.standing import RECENT
from tank.session.status import RUN, STATUS, Phase

QUEUED = 16
LATEST = 32503680000.0
"""The year 3000: a time that is no time would stop every publication."""
ANSWERS = 32
RESTING = {
    Phase.RUNNING: Phase.IDLE,
    Phase.ASKING: Phase.IDLE,
    Phase.COMPACTING: Phase.IDLE,
    Phase.COMPACTING_DONE: Phase.DONE,
    Phase.COMPACTING_FAILED: Phase.FAILED,
}
"""Where a busy phase leads when Pi is idle and nobody heard the end."""


class Kept(NamedTuple):
    """A sidecar's memory. Times in seconds since 1970; `held` are text, mode and guarded of each message
    whose sender was told that it waits; `answers` the id, the tick and the reply of requests that may be repeated."""

    session_id: str
    phase: Phase
    since: float
    rule: str
    detail: str | None
    recent: tuple[dict[str, object], ...]
    received: int
    focused: bool | None
    started: float
    queued: tuple[str, ...]
    held: tuple[tuple[str, str, bool], ...]
    answers: tuple[tuple[str, float, Record], ...]

    def write(self) -> Record:
        """The value of a keep order."""
        return self._asdict() | {"phase": self.phase.value}


def read(value: object) -> Kept | None:
    """A value that came back; None when it isn't one that this version understands."""
    if not isinstance(value, dict):
        return None
    session_id, phase = fields.string(value, "session_id"), fields.string(value, "phase")
    since, started = _moment(value, "since"), _moment(value, "started")
    if session_id is None or phase not in set(Phase) or since is None or started is None:
        return None
    focused = value.get("focused")
    return Kept(
        session_id=session_id,
        phase=Phase(phase),
        since=since,
        rule=fields.string(value, "rule") or "",
        detail=_detail(value),
        recent=tuple(_changes(fields.items(value, "recent"))[-RECENT:]),
        received=max(fields.integer(value, "received") or 0, 0),
        focused=focused if isinstance(focused, bool) else None,
        started=started,
        queued=tuple(said for said in fields.items(value, "queued") if isinstance(said, str))[-QUEUED:],
        held=tuple(_held(fields.items(value, "held")[:HELD_MESSAGES])),
        answers=tuple(_answers(fields.items(value, "answers")[-ANSWERS:])),
    )


def _answers(answers: list[object]) -> list[tuple[str, float, Record]]:
    read: list[tuple[str, float, Record]] = []
    for answer in answers:
        match answer:
            case [str(key), float(tick), dict(record)]:
                read.append((key, tick, record))
    return read


def _moment(record: Record, name: str) -> float | None:
    value = fields.number(record, name)
    return float(value) if value is not None and 0 <= value < LATEST else None


def _detail(record: Record) -> str | None:
    return text.short(fields.string(record, "detail") or "", DETAIL_CELLS) or None


def _changes(changes: list[object]) -> list[dict[str, object]]:
    read: list[dict[str, object]] = []
    for change in changes:
        if isinstance(change, dict):
            status, at = fields.string(change, "status"), publication.time(fields.string(change, "at") or "")
            if status in STATUS.values() and at:
                read.append({"status": status, "detail": _detail(change), "at": at})
    return read


def _held(messages: list[object]) -> list[tuple[str, str, bool]]:
    read = []
    for message in messages:
        match message:
            case [str(said), str(mode), bool(guarded)] if mode in MODES:
                read.append((said, mode, guarded))
    return read


def resume(phase: Phase, *, idle: bool, asking: bool) -> Phase:
    """The phase of a session that went on while no sidecar listened; `asking`: a dialog is open now."""
    if idle:
        return RESTING.get(phase, phase)
    if phase not in RESTING:
        phase = Phase.RUNNING
    if phase in RUN:
        return Phase.ASKING if asking else Phase.RUNNING
    return phase
