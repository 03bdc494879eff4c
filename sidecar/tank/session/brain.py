"""One session's decisions: what the extension forwards and what others ask go in, effects come out. Does nothing itself."""

from tank.records import fields, text
from tank.records.fields import Record
from tank.records.header import Sender
from tank.session import guard, incoming, kept, outgoing, publication, requests
from tank.session.course import Course
from tank.session.effects import Effect, FindProject, Leave, Order, Reply, notice
from tank.session.inbox import Inbox
from tank.session.kept import Kept
from tank.session.message import Message
from tank.session.moment import Moment
from tank.session.pace import Pace
from tank.session.priorities import Priorities
from tank.session.profile import RECAP, Profile
from tank.session.publication import Place

HELLO_S = 10.0
"""An extension that says nothing this long after it went, or at the start, was uninstalled."""
REPLACED = ("new", "resume", "fork")
"""Reasons of a hello from another session, which may bear the same id: a file can be imported."""
SILENT = frozenset({"key", "answer", "entries", "call"})
"""Records that are no events of Pi."""


class Brain:
    """All that is decided about one session. The sidecar sets `place` before the first hello, `socket` when it listens."""

    def __init__(self, now: Moment) -> None:
        self.place: Place | None = None
        self.socket: str | None = None
        self.role: str | None = None
        self.course = Course(now.wall)
        self.profile = Profile()
        self.priorities = Priorities()
        self.inbox = Inbox()
        self.count = 0
        self.started = now.wall
        self._pace = Pace()
        self._hello_due: float | None = now.tick + HELLO_S
        self._next_id = 1
        self._kept: Kept | None = None

    def receive(self, record: Record, now: Moment) -> list[Effect]:
        """A record that the extension forwarded."""
        kind = fields.string(record, "type")
        if kind is None:
            return []
        if kind not in SILENT:
            self.course.standing.events.append((kind, now.wall))
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
            return [Reply(token, {"ok": True, "data": self.course.standing.explain(now.wall)})]
        if isinstance(request, requests.SetPriority):
            effects = [self.priorities.ask(token, request.priority, self._take_id(), now.tick)]
        else:
            effects = self._send(token, request, sender, now)
        return self._settled_up(effects, now)

    def project_found(self, cwd: str, key: str, name: str, now: Moment) -> list[Effect]:
        """Answers `FindProject`; one for a directory that the session has left changes nothing."""
        if cwd == self.profile.cwd:
            self.profile.project = {"key": key, "name": text.short(name, publication.NAME_CELLS) or key}
        return self._settle_up(now)

    def role_found(self, role: str | None, now: Moment) -> list[Effect]:
        """What the session is besides ordinary."""
        self.role = role
        return self._settle_up(now)

    def pane_asked(self, now: Moment, *, shown: bool | None) -> list[Effect]:
        """Answers `AskPane`; None when tmux didn't say, which counts as seen."""
        self.course.pane_asked(now, shown=shown)
        return self._settle_up(now)

    def sent_out(self, call: int, shown: str, reply: Record) -> list[Effect]:
        """Answers `SendOut` with the other session's reply, or one in its shape when nothing was sent."""
        return [Order(outgoing.result(call, shown, reply))]

    def wake(self, now: Moment) -> list[Effect]:
        """Called at `next_wake`, or later."""
        if self._hello_due is not None and now.tick >= self._hello_due:
            return [Leave()]
        self.course.wake(now)
        effects = self.inbox.wake(now.tick) + self.priorities.wake(now.tick)
        return self._settled_up(effects, now)

    def next_wake(self) -> float | None:
        """The tick at which `wake` is due; None at rest."""
        times = [self._hello_due, self._pace.due, self.course.next_wake(), self.priorities.next_wake()]
        times.append(self.inbox.next_wake(running=self.course.running))
        return min((t for t in times if t is not None), default=None)

    def entry(self, now: Moment) -> dict[str, object]:
        """The entry as it would be published now; empty before the first hello."""
        if self.place is None or self.profile.session_id is None:
            return {}
        standing = self.course.standing
        entry = self.place.published() | {
            "socket": self.socket,
            "role": self.role,
            **self.profile.published(),
            "status": standing.status,
            "statusSince": publication.stamp(standing.since),
            "statusDetail": standing.shown_detail,
            "activity": self.course.activity,
            "recent": standing.recent,
            "messagesSinceInput": self.count,
            "startedAt": publication.stamp(self.started),
            "updatedAt": publication.stamp(now.wall),
        }
        return publication.fitted(entry)

    def _hear(self, kind: str, record: Record, now: Moment) -> list[Effect]:
        effects: list[Effect] = []
        if fields.integer(record, "id") is not None:
            effects.append(Order({"type": "taken", "id": record["id"]}))
        self.profile.hear(record)
        effects += self.course.hear(record, now, in_tmux=self.place is not None and self.place.in_tmux)
        if kind == "input" and guard.is_typed(record):
            self.count = 0
            self.inbox.typed()
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
        self._hello_due = None
        self.course.arrived()
        memory = kept.read(record.get("kept")) if self.profile.session_id is None else None
        if memory:
            self._remember(memory)
        before = memory.session_id if memory else self.profile.session_id
        effects += self._learn(facts)
        if reason in REPLACED or before not in (None, self.profile.session_id):
            effects += self._replace(now)
        elif reason == "reload":
            self.course.restart(now.wall)
        self.inbox.arrived(pending=facts.get("hasPendingMessages") is not False)
        self.course.take_stock(facts, now)
        return effects

    def _welcome(self, hello: int) -> Record:
        place = self.place
        tank, protocol = (place.tank, place.protocol) if place else ("", 0)
        return {"type": "welcome", "id": hello, "tank": tank, "protocol": protocol, "entryTypes": [RECAP]}

    def _remember(self, memory: Kept) -> None:
        standing = self.course.standing
        standing.phase, standing.since, standing.rule = memory.phase, memory.since, memory.rule
        standing.detail, standing.recent = memory.detail, list(memory.recent)
        self.count, self.course.focused, self.started = memory.received, memory.focused, memory.started
        self.inbox.queued = list(memory.queued)
        self.inbox.answers.given = {key: (tick, record) for key, tick, record in memory.answers}
        self.inbox.waiting = [
            Message(text, mode, guarded, answered=True) for text, mode, guarded in memory.held
        ]

    def _memory(self) -> Kept:
        standing, inbox = self.course.standing, self.inbox
        return Kept(
            session_id=self.profile.session_id or "",
            phase=standing.phase,
            since=standing.since,
            rule=standing.rule,
            detail=standing.detail,
            recent=tuple(standing.recent),
            received=self.count,
            focused=self.course.focused,
            started=self.started,
            queued=tuple(inbox.queued[-kept.QUEUED :]),
            held=tuple((m.text, m.mode, m.guarded) for m in inbox.waiting if m.answered),
            answers=tuple((key, *answer) for key, answer in inbox.answers.given.items())[-kept.ANSWERS :],
        )

    def _replace(self, now: Moment) -> list[Effect]:
        """Another session in the same process: what it doesn't inherit goes, and what was lost is said."""
        effects, lost = self.inbox.replaced(now.tick)
        self.course.restart(now.wall)
        self.course.standing.recent = []
        return effects + [notice(f"Not delivered before the session changed: {message}") for message in lost]

    def _learn(self, facts: Record) -> list[Effect]:
        moved = self.profile.learn(facts)
        return [FindProject(self.profile.cwd)] if moved and self.profile.cwd else []

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
        return self.inbox.accept(message, now.tick, running=self.course.running)

    def _answer(self, record: Record, now: Moment) -> list[Effect]:
        told = self.priorities.hear_answer(record, self.profile)
        return self.inbox.hear_answer(record, now.tick) if told is None else told

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
            now.tick, self._next_id, running=self.course.running, wall_ms=int(now.wall * 1000)
        )
        self._next_id += len(effects)
        effects += self.course.watch_key()
        memory = self._memory()
        if memory != self._kept:
            self._kept = memory
            effects.append(Order({"type": "keep", "value": memory.write()}))
        return effects + self._pace.publish(self.entry(now), now.tick)

    def _take_id(self) -> int:
        self._next_id += 1
        return self._next_id - 1
