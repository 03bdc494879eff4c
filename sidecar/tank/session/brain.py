"""One session's decisions: what the extension forwards and what others ask go in, effects come out. Does nothing itself."""

from typing import NamedTuple

from tank.records import fields, text
from tank.records.fields import Record
from tank.records.header import Sender
from tank.session import guard, incoming, kept, outgoing, publication, requests
from tank.session.effects import AskPane, Effect, FindProject, Leave, Order, Publish, Reply, notice
from tank.session.inbox import Inbox
from tank.session.kept import Kept
from tank.session.message import Message
from tank.session.profile import RECAP, Profile
from tank.session.publication import Place
from tank.session.run import Run
from tank.session.standing import Standing
from tank.session.status import KEY_MATTERS, RUN, Happening, Phase

HELLO_S = 10.0
"""An extension that says nothing this long after it went, or at the start, was uninstalled."""
PANE_S = 1.0
APPEND_S = 5.0
APPENDS = 16
"""Priorities that wait for Pi at most."""
REPLACED = ("new", "resume", "fork")
"""Reasons of a hello from another session, which may bear the same id: a file can be imported."""
SILENT = frozenset({"key", "answer", "entries", "call"})
"""Records that are no events of Pi."""


class Moment(NamedTuple):
    """Now: `wall` in seconds since 1970 for what people read, `tick` in seconds of a clock that never steps."""

    wall: float
    tick: float


class Append(NamedTuple):
    """A priority on its way into the session file; who asked is told once Pi has it. `token`: None once told that it's late."""

    token: int | None
    priority: int | None
    due: float


class Brain:
    """All that is decided about one session. The sidecar sets `place` before the first hello, `socket` when it listens."""

    def __init__(self, now: Moment) -> None:
        self.place: Place | None = None
        self.socket: str | None = None
        self.standing = Standing(now.wall)
        self.run = Run()
        self.profile = Profile()
        self.inbox = Inbox()
        self.count = 0
        self.focused: bool | None = None
        self._reports_blur = False
        """tmux tells of a focus when a client attaches, and without `focus-events` of nothing afterwards."""
        self.started = now.wall
        self._hello_due: float | None = now.tick + HELLO_S
        self._pane_due: float | None = None
        self._key_armed = False
        self._next_id = 1
        self._appends: dict[int, Append] = {}
        self._published: dict[str, object] = {}
        self._published_at = 0.0
        self._light_due: float | None = None
        """When a change that came too soon after the last publication is to be published."""
        self._kept: Kept | None = None

    def receive(self, record: Record, now: Moment) -> list[Effect]:
        """A record that the extension forwarded."""
        kind = fields.string(record, "type")
        if kind is None:
            return []
        if kind not in SILENT:
            self.standing.events.append((kind, now.wall))
        if kind == "hello":
            effects = self._hello(record, now)
        elif kind == "answer":
            effects = self._answer(record, now)
        else:
            effects = self._hear(kind, record, now)
        return self._settled_up(effects, now)

    def request(
        self, token: int, request: requests.Request, sender: Sender | None, now: Moment
    ) -> list[Effect]:
        """A request of the message socket; `sender` is verified by the peer's credentials, else None."""
        if self.profile.session_id is None:
            return [incoming.refusal(token, "the session has only just begun: try again")]
        if isinstance(request, requests.Ping):
            return [Reply(token, {"ok": True, "data": self.entry(now)})]
        if isinstance(request, requests.Explain):
            return [Reply(token, {"ok": True, "data": self.standing.explain(now.wall)})]
        if isinstance(request, requests.SetPriority):
            effects = self._set_priority(token, request.priority, now)
        else:
            effects = self._send(token, request, sender, now)
        return self._settled_up(effects, now)

    def project_found(self, cwd: str, key: str, name: str, now: Moment) -> list[Effect]:
        """Answers `FindProject`; one for a directory that the session has left changes nothing."""
        if cwd == self.profile.cwd:
            self.profile.project = {"key": key, "name": text.short(name, publication.NAME_CELLS) or key}
        return self._settle_up(now)

    def pane_asked(self, now: Moment, *, shown: bool | None) -> list[Effect]:
        """Answers `AskPane`; None when tmux didn't say, which counts as seen."""
        if self._pane_due is None:
            return []
        self._finish(now, aborted=False, seen=shown is not False)
        return self._settle_up(now)

    def sent_out(self, call: int, shown: str, reply: Record) -> list[Effect]:
        """Answers `SendOut` with the other session's reply, or one in its shape when nothing was sent."""
        return [Order(outgoing.result(call, shown, reply))]

    def wake(self, now: Moment) -> list[Effect]:
        """Called at `next_wake`, or later."""
        if self._hello_due is not None and now.tick >= self._hello_due:
            return [Leave()]
        if self._pane_due is not None and now.tick >= self._pane_due:
            self._finish(now, aborted=False, seen=True)
        effects = self.inbox.wake(now.tick)
        for order, append in self._appends.items():
            if append.token is not None and now.tick >= append.due:
                self._appends[order] = append._replace(token=None)
                error = "Pi did not store the priority within 5 s: the session is suspended or hangs, and may do it later"
                effects.append(Reply(append.token, {"ok": False, "error": error}))
        return self._settled_up(effects, now)

    def next_wake(self) -> float | None:
        """The tick at which `wake` is due; None at rest."""
        times = [self._hello_due, self._pane_due, self._light_due]
        times.append(self.inbox.next_wake(running=self._running))
        times += [append.due for append in self._appends.values() if append.token is not None]
        return min((t for t in times if t is not None), default=None)

    def entry(self, now: Moment) -> dict[str, object]:
        """The entry as it would be published now; empty before the first hello."""
        if self.place is None or self.profile.session_id is None:
            return {}
        standing = self.standing
        entry = self.place.published() | {
            "socket": self.socket,
            **self.profile.published(),
            "status": standing.status,
            "statusSince": publication.stamp(standing.since),
            "statusDetail": standing.shown_detail,
            "activity": self.run.activity if self._running else None,
            "recent": standing.recent,
            "messagesSinceInput": self.count,
            "startedAt": publication.stamp(self.started),
            "updatedAt": publication.stamp(now.wall),
        }
        return publication.fitted(entry)

    @property
    def _running(self) -> bool:
        return self.standing.phase in RUN

    def _hear(self, kind: str, record: Record, now: Moment) -> list[Effect]:
        effects: list[Effect] = []
        if fields.integer(record, "id") is not None:
            effects.append(Order({"type": "taken", "id": record["id"]}))
        self.profile.hear(record)
        happening = self.run.hear(record)
        if happening is Happening.RUN_STARTED:
            self._pane_due = None
        if happening:
            self.standing.happen(
                happening, now.wall, self.run.question if happening is Happening.ASKED else None
            )
        if kind == "agent_settled":
            effects += self._settled(record, now)
        elif kind == "input" and guard.is_typed(record):
            self.count = 0
            self.inbox.typed()
        elif kind == "key":
            self._key(now, escape=fields.boolean(record, "escape"))
        elif kind == "focus":
            self._focus(now, focused=fields.boolean(record, "focused"))
        elif kind == "session_tree":
            effects += self._learn(fields.mapping(record, "facts") or {})
        elif kind == "session_shutdown":
            self._hello_due = now.tick + HELLO_S
        elif kind == "call":
            effects += outgoing.call(record, self.profile)
        return effects + self.inbox.hear(record, now.tick)

    def _hello(self, record: Record, now: Moment) -> list[Effect]:
        facts, reason = fields.mapping(record, "facts") or {}, fields.string(record, "reason")
        effects: list[Effect] = [Order(self._welcome(fields.integer(record, "id") or 0))]
        self._hello_due, self._pane_due, self._key_armed = None, None, False
        memory = kept.read(record.get("kept")) if self.profile.session_id is None else None
        if memory:
            self._remember(memory)
        before = memory.session_id if memory else self.profile.session_id
        effects += self._learn(facts)
        if reason in REPLACED or before not in (None, self.profile.session_id):
            effects += self._replace(now)
        elif reason == "reload":
            self.run = Run()
            self.standing.restart(now.wall)
        self.inbox.arrived(pending=facts.get("hasPendingMessages") is not False)
        self._take_stock(facts, now)
        return effects

    def _take_stock(self, facts: Record, now: Moment) -> None:
        """Stand where Pi says the session is: it went on while no sidecar heard of it."""
        standing, dialog = self.standing, fields.mapping(facts, "dialog")
        asking = dialog is not None and (dialog.get("kind") != "custom" or standing.phase is Phase.ASKING)
        phase = kept.resume(standing.phase, idle=facts.get("isIdle") is not False, asking=asking)
        if phase is standing.phase:
            return
        ended = fields.mapping(facts, "ended")
        if ended is not None and self._running and phase is Phase.IDLE:
            self.run.hear({**ended, "type": "agent_end"})
            self._finish(now, aborted=False, seen=self.focused is not False)
            return
        if phase is Phase.ASKING and dialog is not None:
            self.run.hear({**dialog, "type": "ui_prompt_start"})
        standing.move(
            phase, "Pi was asked at the start", now.wall, self.run.question if phase is Phase.ASKING else None
        )

    def _welcome(self, hello: int) -> Record:
        place = self.place
        tank, protocol = (place.tank, place.protocol) if place else ("", 0)
        return {"type": "welcome", "id": hello, "tank": tank, "protocol": protocol, "entryTypes": [RECAP]}

    def _remember(self, memory: Kept) -> None:
        standing = self.standing
        standing.phase, standing.since, standing.rule = memory.phase, memory.since, memory.rule
        standing.detail, standing.recent = memory.detail, list(memory.recent)
        self.count, self.focused, self.started = memory.received, memory.focused, memory.started
        self.inbox.queued = list(memory.queued)
        self.inbox.answers.given = {key: (tick, record) for key, tick, record in memory.answers}
        self.inbox.waiting = [
            Message(text, mode, guarded, answered=True) for text, mode, guarded in memory.held
        ]

    def _memory(self) -> Kept:
        standing, inbox = self.standing, self.inbox
        return Kept(
            session_id=self.profile.session_id or "",
            phase=standing.phase,
            since=standing.since,
            rule=standing.rule,
            detail=standing.detail,
            recent=tuple(standing.recent),
            received=self.count,
            focused=self.focused,
            started=self.started,
            queued=tuple(inbox.queued[-kept.QUEUED :]),
            held=tuple((m.text, m.mode, m.guarded) for m in inbox.waiting if m.answered),
            answers=tuple((key, *answer) for key, answer in inbox.answers.given.items())[-kept.ANSWERS :],
        )

    def _replace(self, now: Moment) -> list[Effect]:
        """Another session in the same process: what it doesn't inherit goes, and what was lost is said."""
        effects, lost = self.inbox.replaced(now.tick)
        self.run = Run()
        self.standing.restart(now.wall)
        self.standing.recent = []
        return effects + [notice(f"Not delivered before the session changed: {message}") for message in lost]

    def _learn(self, facts: Record) -> list[Effect]:
        moved = self.profile.learn(facts)
        return [FindProject(self.profile.cwd)] if moved and self.profile.cwd else []

    def _settled(self, record: Record, now: Moment) -> list[Effect]:
        aborted = fields.boolean(record, "aborted")
        unknown = not self._reports_blur and self.place is not None and self.place.in_tmux
        if unknown and self.run.ended_well(aborted=aborted) and self._running:
            self._pane_due = now.tick + PANE_S
            return [AskPane()]
        self._finish(now, aborted=aborted, seen=self.focused is not False)
        return []

    def _finish(self, now: Moment, *, aborted: bool, seen: bool) -> None:
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
            self._finish(now, aborted=False, seen=focused)
        if focused:
            self.standing.happen(Happening.FOCUSED, now.wall)

    def _send(self, token: int, request: requests.Send, sender: Sender | None, now: Moment) -> list[Effect]:
        if request.to not in (None, self.profile.session_id):
            return [
                incoming.refusal(token, "another session runs in this process now: list the sessions again")
            ]
        again = self.inbox.repeat(request.id, token, now.tick) if request.id else None
        if again is not None:
            return again
        message = incoming.message(request, sender, token, self.count)
        if self.inbox.full(message.text):
            return [
                incoming.refusal(
                    token, "16 messages or 256 KiB wait for this session already: try again later"
                )
            ]
        self.count += 1
        return self.inbox.accept(message, now.tick, running=self._running)

    def _set_priority(self, token: int, priority: int | None, now: Moment) -> list[Effect]:
        if len(self._appends) >= APPENDS:
            error = "earlier priorities wait for Pi: the session is suspended or hangs"
            return [Reply(token, {"ok": False, "error": error})]
        order = self._take_id()
        self._appends[order] = Append(token, priority, now.tick + APPEND_S)
        data = {"priority": priority}
        return [Order({"type": "append", "id": order, "customType": "tank-priority", "data": data})]

    def _answer(self, record: Record, now: Moment) -> list[Effect]:
        append = self._appends.pop(fields.integer(record, "id") or 0, None)
        if append is None:
            return self.inbox.hear_answer(record, now.tick)
        data: dict[str, object] = {"priority": append.priority}
        reply: Record = {"ok": True, "data": data}
        if record.get("outcome") == "done":
            self.profile.facts["priority"] = data
        else:
            why = fields.string(record, "error") or "the session is busy changing; try again"
            reply = {"ok": False, "error": f"Pi did not store the priority: {why}"}
        return [Reply(append.token, reply)] if append.token is not None else []

    def _settled_up(self, effects: list[Effect], now: Moment) -> list[Effect]:
        """These effects and what follows from the change. Replies come last: what they promise is kept and shown by then."""
        whole = effects + self._settle_up(now)
        return sorted(whole, key=lambda effect: isinstance(effect, Reply))

    def _settle_up(self, now: Moment) -> list[Effect]:
        """What follows from any change: offers, keys to ask for, what must be kept, what must be published."""
        if self.profile.session_id is None:
            return []
        answers = self.inbox.answers
        self.count, answers.given_back = max(self.count - answers.given_back, 0), 0
        effects = self.inbox.advance(
            now.tick, self._next_id, running=self._running, wall_ms=int(now.wall * 1000)
        )
        self._next_id += len(effects)
        if not self._key_armed and (self.standing.phase in KEY_MATTERS or self.run.retrying):
            self._key_armed = True
            effects.append(Order({"type": "watch_key"}))
        memory = self._memory()
        if memory != self._kept:
            self._kept = memory
            effects.append(Order({"type": "keep", "value": memory.write()}))
        return effects + self._publish(now)

    def _publish(self, now: Moment) -> list[Effect]:
        entry = self.entry(now)
        changed, due = self._changed(entry), self._published_at + publication.LIGHT_S
        self._light_due = due if changed and changed <= publication.LIGHT and now.tick < due else None
        if not changed or self._light_due is not None:
            return []
        self._published, self._published_at = entry, now.tick
        return [Publish(entry)]

    def _changed(self, entry: dict[str, object]) -> set[str]:
        """Names of the fields in which an entry differs from the published one, time stamps aside."""
        return {
            name
            for name, value in entry.items()
            if name != "updatedAt" and self._published.get(name) != value
        }

    def _take_id(self) -> int:
        self._next_id += 1
        return self._next_id - 1
