"""What a session's status is: one table. README's diagram is generated from it.

A happening that the table doesn't name for a phase changes nothing, so an end without a start leaves no trace.
"""

from enum import StrEnum


class Phase(StrEnum):
    """Where a session stands; several phases show one status."""

    IDLE = "idle"
    RUNNING = "running"
    ASKING = "asking"
    FAILED = "failed"
    DONE = "done"
    COMPACTING = "compacting"
    COMPACTING_FAILED = "compacting after a failure"
    COMPACTING_DONE = "compacting after an unseen run"


STATUS = {
    Phase.IDLE: "idle",
    Phase.RUNNING: "working",
    Phase.ASKING: "needs-you",
    Phase.FAILED: "needs-you",
    Phase.DONE: "done",
    Phase.COMPACTING: "working",
    Phase.COMPACTING_FAILED: "working",
    Phase.COMPACTING_DONE: "working",
}


class Happening(StrEnum):
    """What the status looks at, in the words that explain and the diagram use."""

    RUN_STARTED = "a run started"
    ASKED = "a dialog opened in a run"
    ANSWERED = "the dialog closed"
    FINISHED_SEEN = "the run finished while the terminal was focused"
    FINISHED_UNSEEN = "the run finished while the terminal was unfocused"
    ABORTED = "the run was aborted"
    RUN_FAILED = "the run failed"
    COMPACTION_STARTED = "the person started a compaction"
    COMPACTION_ENDED = "the compaction ended"
    FOCUSED = "the terminal was focused"
    KEY_PRESSED = "a key was pressed"


_RUN_ENDS = {
    Happening.FINISHED_SEEN: Phase.IDLE,
    Happening.FINISHED_UNSEEN: Phase.DONE,
    Happening.ABORTED: Phase.IDLE,
    Happening.RUN_FAILED: Phase.FAILED,
}

TABLE: dict[Phase, dict[Happening, Phase]] = {
    Phase.IDLE: {
        Happening.RUN_STARTED: Phase.RUNNING,
        Happening.COMPACTION_STARTED: Phase.COMPACTING,
    },
    Phase.RUNNING: {Happening.ASKED: Phase.ASKING, Happening.COMPACTION_ENDED: Phase.IDLE, **_RUN_ENDS},
    Phase.ASKING: {Happening.ANSWERED: Phase.RUNNING, **_RUN_ENDS},
    Phase.FAILED: {
        Happening.KEY_PRESSED: Phase.IDLE,
        Happening.RUN_STARTED: Phase.RUNNING,
        Happening.COMPACTION_STARTED: Phase.COMPACTING_FAILED,
    },
    Phase.DONE: {
        Happening.KEY_PRESSED: Phase.IDLE,
        Happening.FOCUSED: Phase.IDLE,
        Happening.RUN_STARTED: Phase.RUNNING,
        Happening.COMPACTION_STARTED: Phase.COMPACTING_DONE,
    },
    # A run that settles here began unheard, so the compaction is over.
    Phase.COMPACTING: {
        Happening.COMPACTION_ENDED: Phase.IDLE,
        Happening.RUN_STARTED: Phase.RUNNING,
        **_RUN_ENDS,
    },
    Phase.COMPACTING_FAILED: {
        Happening.COMPACTION_ENDED: Phase.FAILED,
        Happening.KEY_PRESSED: Phase.COMPACTING,
        Happening.RUN_STARTED: Phase.RUNNING,
        **_RUN_ENDS,
    },
    Phase.COMPACTING_DONE: {
        Happening.COMPACTION_ENDED: Phase.DONE,
        Happening.KEY_PRESSED: Phase.COMPACTING,
        Happening.FOCUSED: Phase.COMPACTING,
        Happening.RUN_STARTED: Phase.RUNNING,
        **_RUN_ENDS,
    },
}

RUN = frozenset({Phase.RUNNING, Phase.ASKING})
"""Phases in which a run is active."""
KEY_MATTERS = frozenset(phase for phase, row in TABLE.items() if Happening.KEY_PRESSED in row)
"""Phases in which the next key press changes something, so that it is worth asking for."""


def after(phase: Phase, happening: Happening) -> Phase:
    """The phase that follows; the same one for a pair that the table doesn't name."""
    return TABLE[phase].get(happening, phase)


def changes(phase: Phase) -> list[str]:
    """What would change the status, a sentence each."""
    return [
        f"{happening} → {STATUS[then]}"
        for happening, then in TABLE[phase].items()
        if STATUS[then] != STATUS[phase]
    ]
