"""How a session goes on: Pi's events, the person's keys and looks, and tmux's word move its standing.

Nothing leaves it stuck: whatever wasn't heard is put right when a run settles, and at the next hello.
"""

from tank.records import fields
from tank.records.fields import Record
from tank.session import kept
from tank.session.effects import AskPane, Effect, Order
from tank.session.moment import Moment
from tank.session.run import Run
from tank.session.standing import Standing
from tank.session.status import KEY_MATTERS, RUN, Happening, Phase

PANE_S = 1.0
"""tmux is given this long to say whether somebody sees the pane."""


class Course:
    """`focused` is None until the terminal has reported it, which counts as focused."""

    def __init__(self, wall: float) -> None:
        self.run = Run()
        self.standing = Standing(wall)
        self.focused: bool | None = None
        self._reports_blur = False
        """tmux tells of a focus when a client attaches, and without `focus-events` of nothing afterwards."""
        self._pane_due: float | None = None
        self._key_armed = False

    @property
    def running(self) -> bool:
        return self.standing.phase in RUN

    @property
    def activity(self) -> str | None:
        """What the run does now."""
        return self.run.activity if self.running else None

    def hear(self, record: Record, now: Moment, *, in_tmux: bool) -> list[Effect]:
        """A record that the extension forwarded."""
        happening, kind = self.run.hear(record), record["type"]
        if happening is Happening.RUN_STARTED:
            self._pane_due = None
        if happening:
            question = self.run.question if happening is Happening.ASKED else None
            self.standing.happen(happening, now.wall, question)
        if kind == "agent_settled":
            return self._settled(now, aborted=fields.boolean(record, "aborted"), in_tmux=in_tmux)
        if kind == "key":
            self._key(now, escape=fields.boolean(record, "escape"))
        elif kind == "focus":
            self._focus(now, focused=fields.boolean(record, "focused"))
        return []

    def pane_asked(self, now: Moment, *, shown: bool | None) -> None:
        """Answers `AskPane`; None when tmux didn't say, which counts as seen."""
        if self._pane_due is not None:
            self._finish(now, seen=shown is not False)

    def wake(self, now: Moment) -> None:
        """A tmux that says nothing in time holds nothing up."""
        if self._pane_due is not None and now.tick >= self._pane_due:
            self._finish(now, seen=True)

    def next_wake(self) -> float | None:
        return self._pane_due

    def watch_key(self) -> list[Effect]:
        """Asks for the next key press, once, where it would change something."""
        if self._key_armed or not (self.standing.phase in KEY_MATTERS or self.run.retrying):
            return []
        self._key_armed = True
        return [Order({"type": "watch_key"})]

    def arrived(self) -> None:
        """The next copy of the extension is there: it was asked for nothing yet."""
        self._pane_due, self._key_armed = None, False

    def restart(self, wall: float) -> None:
        """Begin anew, as after a reload or with another session."""
        self.run = Run()
        self.standing.restart(wall)

    def take_stock(self, facts: Record, now: Moment) -> None:
        """Stand where Pi says the session is: it went on while no sidecar heard of it."""
        standing, dialog = self.standing, fields.mapping(facts, "dialog")
        asking = dialog is not None and (dialog.get("kind") != "custom" or standing.phase is Phase.ASKING)
        phase = kept.resume(standing.phase, idle=facts.get("isIdle") is not False, asking=asking)
        if phase is standing.phase:
            return
        ended = fields.mapping(facts, "ended")
        if ended is not None and self.running and phase is Phase.IDLE:
            self.run.hear({**ended, "type": "agent_end"})
            self._finish(now, seen=self.focused is not False)
            return
        if phase is Phase.ASKING and dialog is not None:
            self.run.hear({**dialog, "type": "ui_prompt_start"})
        question = self.run.question if phase is Phase.ASKING else None
        standing.move(phase, "Pi was asked at the start", now.wall, question)

    def _settled(self, now: Moment, *, aborted: bool, in_tmux: bool) -> list[Effect]:
        unknown = in_tmux and not self._reports_blur
        if unknown and self.run.ended_well(aborted=aborted) and self.running:
            self._pane_due = now.tick + PANE_S
            return [AskPane()]
        self._finish(now, aborted=aborted, seen=self.focused is not False)
        return []

    def _finish(self, now: Moment, *, aborted: bool = False, seen: bool) -> None:
        self._pane_due = None
        end = self.run.settle(aborted=aborted, seen=seen)
        self.standing.happen(end, now.wall, self.run.reason if end is Happening.RUN_FAILED else None)
        self.run = Run()

    def _key(self, now: Moment, *, escape: bool) -> None:
        self._key_armed = False
        self.run.escaped = self.run.escaped or (escape and self.run.retrying)
        self.standing.happen(Happening.KEY_PRESSED, now.wall)

    def _focus(self, now: Moment, *, focused: bool) -> None:
        self.focused = focused
        self._reports_blur = self._reports_blur or not focused
        if self._pane_due is not None:
            self._finish(now, seen=focused)
        if focused:
            self.standing.happen(Happening.FOCUSED, now.wall)
