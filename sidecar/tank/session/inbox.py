"""What becomes of each message: waiting here, offered to Pi, in Pi's queue, begun, or told as undelivered.

A message counts as delivered once Pi's own events show it, never because a call returned.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

import orjson

from tank.records import fields
from tank.records.fields import Record
from tank.session.effects import Effect, Order, Reply

MODES = ("follow_up", "steer")
HELD_MESSAGES = 16
HELD_BYTES = 256 * 1024
"""Counted as JSON, since the extension keeps them so."""
REPLY_S = 5.0
"""A sender gets its answer after this long at most."""
EXPIRES_S = 4.0
"""The extension drops an order that it reads later than this; less than `REPLY_S`, so that `no` is the truth."""
RETRY_S = 0.25
REPEAT_S = 600.0
"""A request's id is remembered this long."""
LOST_S = 1.0
"""A session replaced this soon after an abort took Pi's queue with it instead of leaving it in the editor."""
PREFIX = 512
"""Code points by which a queued message is known again when it begins."""


@dataclass
class Message:
    """One message with its header; `tokens` are the requests that still wait for an answer."""

    text: str
    mode: str
    guarded: bool
    tokens: list[int] = field(default_factory=list)
    key: str | None = None
    note: str | None = None
    """Said to the sender beside the outcome."""
    due: float = 0.0
    """When its sender must have an answer."""
    answered: bool = False
    """Whether its sender has one: held, or shown."""


@dataclass
class Offer:
    """The one message that is with the extension now."""

    message: Message
    id: int
    at: float
    sent: bool = False
    """Given to Pi, not yet seen in its events."""
    begun: bool = False
    """Seen; the next message waits until the run has really started."""


@dataclass
class Inbox:
    """Messages in the order they came. Every method returns what to do."""

    waiting: list[Message] = field(default_factory=list)
    offer: Offer | None = None
    queued: list[str] = field(default_factory=list)
    """What lies in Pi's own queue: the first code points of each text."""
    returned: list[str] = field(default_factory=list)
    returned_at: float = 0.0
    answers: dict[str, tuple[float, Record]] = field(default_factory=dict)
    retry_at: float = 0.0
    given_back: int = 0
    """Messages that were counted by the guard and then never reached Pi; the brain takes them off."""

    def repeat(self, key: str, token: int, tick: float) -> list[Effect] | None:
        """The first answer again, or a place beside the request that waits for it; None for a new id."""
        self.answers = {k: v for k, v in self.answers.items() if tick - v[0] < REPEAT_S}
        if key in self.answers:
            return [Reply(token, self.answers[key][1])]
        for message in self._all():
            if message.key == key:
                message.tokens.append(token)
                return []
        return None

    def full(self, text: str) -> bool:
        """Whether one more message would be more than is held for Pi."""
        size = sum(len(orjson.dumps(each)) for each in (*(m.text for m in self.waiting), text))
        return len(self.waiting) >= HELD_MESSAGES or size > HELD_BYTES

    def accept(self, message: Message, tick: float, *, running: bool) -> list[Effect]:
        """Take in a message; one that comes behind held ones is held at once, so that the order stays."""
        message.due = tick + REPLY_S
        behind = any(m.answered and not m.guarded for m in self.waiting)
        self.waiting.append(message)
        if message.guarded:
            return self._answer(message, "shown", tick) if running else []
        return self._answer(message, "held", tick) if behind else []

    def advance(self, tick: float, order_id: int, *, running: bool, wall_ms: int) -> list[Effect]:
        """Offer the next message if none is with the extension; `order_id` is used if something is offered."""
        if self.offer is not None or tick < self.retry_at:
            return []
        message = next((m for m in self.waiting if not (m.guarded and running)), None)
        if message is None:
            return []
        self.offer = Offer(message, order_id, tick)
        if message.guarded:
            return [Order({"type": "show", "id": order_id, "text": message.text})]
        record = {
            "type": "deliver",
            "id": order_id,
            "text": message.text,
            "mode": message.mode,
            "expiresAt": wall_ms + int(EXPIRES_S * 1000),
        }
        return [Order(record)]

    def hear_answer(self, record: Record, tick: float) -> list[Effect]:
        """The extension's answer to an offer; one to an order that isn't ours changes nothing."""
        offer, outcome = self.offer, fields.string(record, "outcome")
        if offer is None or offer.id != fields.integer(record, "id"):
            return []
        message = offer.message
        if outcome == "busy":
            self.offer, self.retry_at = None, tick + RETRY_S
            return self._answer(message, "shown" if message.guarded else "held", tick)
        if outcome == "expired":
            return self._expired(message, tick)
        self.waiting.remove(message)
        if outcome != "done":
            self.offer = None
            why = fields.string(record, "error") or "no reason given"
            return self._undelivered(message, tick, f"Pi refused the message: {why}")
        if message.guarded:
            self.offer = None
            return self._answer(message, "shown", tick)
        if record.get("isIdle") is not True and record.get("hasPendingMessages") is True:
            self.offer = None
            self.queued.append(message.text[:PREFIX])
            return self._answer(message, "queued", tick)
        offer.sent = True
        return []

    def hear(self, record: Record, tick: float) -> list[Effect]:
        """Any other forwarded record: proof that a message began, and a reason to offer held ones again."""
        kind = record["type"]
        if kind not in ("focus", "key", "call"):
            self.retry_at = 0.0
        if kind == "message_start" and record.get("role") == "user":
            return self._begun(fields.string(record, "text") or "", tick)
        if kind in ("before_agent_start", "agent_start"):
            return self._started(tick, now_running=kind == "agent_start")
        if kind == "agent_settled" and record.get("hasPendingMessages") is not True:
            self.returned, self.queued, self.returned_at = self.queued, [], tick
            if self.offer and self.offer.begun:
                self.offer = None
        return []

    def wake(self, tick: float) -> list[Effect]:
        """What time alone brings about: answers that are due, and offers that nobody answered."""
        effects: list[Effect] = []
        offer = self.offer
        if offer and tick - offer.at >= REPLY_S:
            self.offer = None
            if offer.sent and not offer.begun:
                effects += self._unconfirmed(offer.message, tick)
            elif not offer.begun and not offer.message.answered:
                effects += self._expired(offer.message, tick)
        for message in self.waiting:
            if message.tokens and tick >= message.due and not (self.offer and self.offer.message is message):
                effects += self._answer(message, "shown" if message.guarded else "held", tick)
        return effects

    def next_wake(self, tick: float) -> float | None:
        """When `wake` or `advance` is worth calling; None while nothing is held or out."""
        times = [m.due for m in self.waiting if m.tokens]
        if self.offer:
            times.append(self.offer.at + REPLY_S)
        elif self.waiting:
            times.append(max(self.retry_at, tick + RETRY_S))
        return min(times, default=None)

    def replaced(self, tick: float) -> tuple[list[Effect], list[str]]:
        """The session gave way to another: answers to who still waits, and the texts that never began."""
        lost = [
            m.text for m in self.waiting if not (self.offer and self.offer.begun and self.offer.message is m)
        ]
        if self.offer and self.offer.sent and not self.offer.begun:
            lost.insert(0, self.offer.message.text)
        lost += self.queued + (self.returned if tick - self.returned_at < LOST_S else [])
        effects: list[Effect] = []
        for message in list(self._all()):
            effects += self._refuse(message, tick, "the session gave way to another one", "no")
        self.waiting, self.queued, self.returned, self.offer = [], [], [], None
        return effects, lost

    def _all(self) -> Iterator[Message]:
        yield from self.waiting
        if self.offer and self.offer.message not in self.waiting:
            yield self.offer.message

    def _started(self, tick: float, *, now_running: bool) -> list[Effect]:
        offer = self.offer
        if offer is None or not offer.sent:
            return []
        effects = [] if offer.begun else self._answer(offer.message, "started", tick)
        offer.begun = True
        if now_running:
            self.offer = None
        return effects

    def _begun(self, text: str, tick: float) -> list[Effect]:
        if self.offer and self.offer.sent and self.offer.message.text[:PREFIX] == text[:PREFIX]:
            return self._started(tick, now_running=True)
        if text[:PREFIX] in self.queued:
            self.queued.remove(text[:PREFIX])
        return []

    def _expired(self, message: Message, tick: float) -> list[Effect]:
        """The extension dropped it, or will when it reads it: held ones are offered again, others refused."""
        self.offer = None
        if message.answered:
            return []
        if message in self.waiting:
            self.waiting.remove(message)
        why = "Pi did not read the message within 4 s and will drop it: the session is suspended or hangs"
        return self._refuse(message, tick, why, "no")

    def _unconfirmed(self, message: Message, tick: float) -> list[Effect]:
        why = (
            "Pi took the message but no run started within 5 s: look at the session (is a model configured?)"
        )
        if message.answered:
            return [notice(f"A held message may not have arrived: {message.text}")]
        return self._refuse(message, tick, why, "unknown")

    def _undelivered(self, message: Message, tick: float, why: str) -> list[Effect]:
        if message.answered:
            return [notice(f"Not delivered ({why}): {message.text}")]
        return self._refuse(message, tick, why, "no")

    def _answer(self, message: Message, delivered: str, tick: float) -> list[Effect]:
        message.answered = True
        data = {"delivered": delivered} | ({"note": message.note} if message.note else {})
        return self._reply(message, {"ok": True, "data": data}, tick)

    def _refuse(self, message: Message, tick: float, error: str, delivered: str) -> list[Effect]:
        self.given_back += delivered == "no" and not message.answered
        message.answered = True
        return self._reply(message, {"ok": False, "error": error, "data": {"delivered": delivered}}, tick)

    def _reply(self, message: Message, record: Record, tick: float) -> list[Effect]:
        """Answer every request that waits for this message, once."""
        if message.key and message.tokens:
            self.answers[message.key] = (tick, record)
        tokens, message.tokens = message.tokens, []
        return [Reply(token, record) for token in tokens]


def notice(said: str) -> Order:
    """A warning in the session; long texts are cut by the extension's limits, not here."""
    return Order({"type": "notify", "text": f"Tank: {said}"[:4096], "level": "warning"})
