"""What a sidecar that is started anew must know: one opaque value that the extension keeps and returns in every hello."""

from typing import NamedTuple

from tank.records import fields
from tank.records.fields import Record
from tank.session.inbox import HELD_MESSAGES, MODES
from tank.session.status import RUN, Phase

QUEUED = 32
RESTING = {
    Phase.RUNNING: Phase.IDLE,
    Phase.ASKING: Phase.IDLE,
    Phase.COMPACTING: Phase.IDLE,
    Phase.COMPACTING_DONE: Phase.DONE,
    Phase.COMPACTING_FAILED: Phase.FAILED,
}
"""Where a busy phase leads when Pi is idle and nobody heard the end."""


class Kept(NamedTuple):
    """A sidecar's memory. Times in seconds since 1970; `held` are text, mode and guarded of each waiting message."""

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

    def write(self) -> Record:
        """The value of a keep order."""
        return self._asdict() | {"phase": self.phase.value}


def read(value: object) -> Kept | None:
    """A value that came back; None when it isn't one that this version understands."""
    if not isinstance(value, dict):
        return None
    session_id, phase = fields.string(value, "session_id"), fields.string(value, "phase")
    since, started = fields.number(value, "since"), fields.number(value, "started")
    if session_id is None or phase not in set(Phase) or since is None or started is None:
        return None
    focused = value.get("focused")
    return Kept(
        session_id=session_id,
        phase=Phase(phase),
        since=float(since),
        rule=fields.string(value, "rule") or "",
        detail=fields.string(value, "detail"),
        recent=tuple(change for change in fields.items(value, "recent") if isinstance(change, dict)),
        received=max(fields.integer(value, "count") or 0, 0),
        focused=focused if isinstance(focused, bool) else None,
        started=float(started),
        queued=tuple(text for text in fields.items(value, "queued") if isinstance(text, str))[-QUEUED:],
        held=tuple(_held(fields.items(value, "held")[:HELD_MESSAGES])),
    )


def _held(messages: list[object]) -> list[tuple[str, str, bool]]:
    read = []
    for message in messages:
        match message:
            case [str(text), str(mode), bool(guarded)] if mode in MODES:
                read.append((text, mode, guarded))
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
