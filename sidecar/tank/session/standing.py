"""Where the session stands: its phase, since when and why, and the last changes of status."""

from collections import deque

from tank.session.publication import stamp
from tank.session.status import STATUS, TABLE, Happening, Phase, after, changes

RECENT = 8
EVENTS = 100


class Standing:
    """The status with its history. `detail` says why the session needs the person."""

    def __init__(self, wall: float) -> None:
        self.phase = Phase.IDLE
        self.since = wall
        self.rule = "the session started"
        self.detail: str | None = None
        self.recent: list[dict[str, object]] = []
        self.events: deque[tuple[str, float]] = deque(maxlen=EVENTS)

    @property
    def status(self) -> str:
        return STATUS[self.phase]

    def happen(self, happening: Happening, wall: float, detail: str | None = None) -> None:
        """Move as the table says; a happening that it doesn't name here changes nothing."""
        if happening in TABLE[self.phase]:
            self.move(after(self.phase, happening), str(happening), wall, detail)

    def move(self, phase: Phase, rule: str, wall: float, detail: str | None = None) -> None:
        """Stand in this phase because of `rule`. The status keeps its `since` while the word stays the same."""
        before, self.phase, self.rule = self.status, phase, rule
        # A failure keeps its reason through a compaction.
        if phase not in (Phase.COMPACTING_FAILED, Phase.FAILED) or detail is not None:
            self.detail = detail
        if self.status != before:
            self.since = wall
            change: dict[str, object] = {
                "status": self.status,
                "detail": self.shown_detail,
                "at": stamp(wall),
            }
            self.recent = [*self.recent, change][-RECENT:]

    def restart(self, wall: float) -> None:
        """Begin anew, as after a reload or with another session."""
        self.move(Phase.IDLE, "the session started", wall)
        self.since = wall

    @property
    def shown_detail(self) -> str | None:
        return self.detail if self.status == "needs-you" else None

    def explain(self, wall: float) -> dict[str, object]:
        """Why the status is what it is, and what would change it."""
        return {
            "status": self.status,
            "detail": self.shown_detail,
            "rule": self.rule,
            "next": changes(self.phase),
            "events": [{"event": kind, "age": round(max(wall - at, 0.0), 3)} for kind, at in self.events],
        }
