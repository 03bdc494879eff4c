"""Where each message is: waiting here, offered to Pi, in Pi's queue, begun, or gone.

It counts as delivered once Pi's own events show it, never because a call returned.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

import orjson

from tank.records import fields
from tank.records.fields import Record
from tank.session import answers
from tank.session.answers import Answers
from tank.session.effects import Effect, Order, Reply
from tank.session.message import Message

HELD_MESSAGES = 16
HELD_BYTES = 256 * 1024
"""Counted as JSON, since the extension keeps them so."""
REPLY_S = 5.0
"""A sender gets its answer after this long at most."""
EXPIRES_S = 4.0
"""The extension drops an order that it reads later than this; less than `REPLY_S`, so that `no` is the truth."""
RETRY_S = 0.25
NEVER = float("inf")
PREFIX = 512
"""Code points by which a queued message is known again when it begins."""


@dataclass(eq=False)
class Offer:
    """The one message that is with the extension now."""

    message: Message
    id: int
    at: float
    taken: bool = False
    """About to be given to Pi: no answer any more means that nothing became of it."""
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
    away: bool = False
    """From the end of one copy of the extension to the beginning of the next nothing is offered."""
    retry_at: float = 0.0
    answers: Answers = field(default_factory=Answers)

    def repeat(self, key: str, token: int, tick: float) -> list[Effect] | None:
        """The first answer again, or a place beside the request that waits for it; None for a new id."""
        if answer := self.answers.again(key, tick):
            return [Reply(token, answer)]
        for message in self._all():
            if message.key == key:
                message.tokens.append(token)
                return []
        return None

    def full(self, body: str) -> bool:
        """Whether one more message would be more than is held for Pi."""
        size = sum(len(orjson.dumps(said)) for said in (*(m.text for m in self.waiting), body))
        return len(self.waiting) >= HELD_MESSAGES or size > HELD_BYTES

    def accept(self, message: Message, tick: float, *, running: bool) -> list[Effect]:
        """Take in a message; one that can't be offered now is answered now. The order stays."""
        message.due = tick + REPLY_S
        waits = self.away or any(m.answered and not m.guarded for m in self.waiting)
        if message.guarded:
            waits = waits or running or self.offer is not None
        self.waiting.append(message)
        return self.answers.hold(message, tick) if waits else []

    def advance(self, tick: float, order_id: int, *, running: bool, wall_ms: int) -> list[Effect]:
        """Offer the next message if none is with the extension; `order_id` is used if something is offered."""
        message = self._next(running=running)
        if message is None or tick < self.retry_at:
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
        if offer is None or offer.sent or offer.id != fields.integer(record, "id"):
            return []
        message = offer.message
        if outcome == "taken":
            offer.taken = True
            return []
        if outcome == "busy":
            self.offer, self.retry_at = None, tick + RETRY_S
            return self._hold_all(tick)
        if outcome == "expired":
            return self._expired(message, tick)
        self.waiting.remove(message)
        if outcome != "done":
            self.offer = None
            why = fields.string(record, "error") or "no reason given"
            return self.answers.undelivered(message, f"Pi refused the message: {why}", tick)
        if message.guarded:
            self.offer = None
            return self.answers.tell(message, "shown", tick)
        if record.get("isIdle") is not True and record.get("hasPendingMessages") is True:
            self.offer = None
            self.queued.append(message.text[:PREFIX])
            return self.answers.tell(message, "queued", tick)
        offer.taken = offer.sent = True
        return []

    def hear(self, record: Record, tick: float) -> list[Effect]:
        """Any other forwarded record: proof that a message began, and a reason to offer held ones again."""
        kind = record["type"]
        if kind not in ("focus", "key", "call"):
            self.retry_at = 0.0
        if kind == "session_shutdown":
            self.away = True
            return self._hold_all(tick)
        if kind == "message_start" and record.get("role") == "user":
            return self._begun(fields.string(record, "text") or "", tick)
        if kind in ("before_agent_start", "agent_start"):
            return self._started(tick, now_running=kind == "agent_start")
        if kind == "agent_settled" and record.get("hasPendingMessages") is not True:
            self.queued = []
            if self.offer and self.offer.begun:
                return self._run_shown(self.offer, tick)
        return []

    def typed(self) -> None:
        """The person typed a prompt: the guard counts anew."""
        for message in self._all():
            message.counted = False

    def arrived(self, *, pending: bool) -> None:
        """The next copy of the extension is there; `pending`: Pi's queue holds something."""
        self.away, self.retry_at = False, 0.0
        if not pending:
            self.queued = []

    def wake(self, tick: float) -> list[Effect]:
        """What time alone brings about: answers that are due, and offers that nobody answered."""
        effects: list[Effect] = []
        if self.offer and tick >= self._offer_due(self.offer):
            effects += self._overdue(self.offer, tick)
        for message in self.waiting:
            if message.tokens and tick >= message.due:
                effects += self.answers.hold(message, tick)
        return effects

    def next_wake(self, *, running: bool) -> float | None:
        """When `wake` or `advance` is worth calling; None while nothing is held or out."""
        times = [m.due for m in self.waiting if m.tokens]
        if self.offer:
            times.append(self._offer_due(self.offer))
        elif self._next(running=running):
            times.append(self.retry_at)
        first = min(times, default=NEVER)
        return first if first < NEVER else None

    def replaced(self, tick: float) -> tuple[list[Effect], list[str]]:
        """The session gave way to another: answers to who still waits, and the texts that never began."""
        effects = self._run_shown(self.offer, tick) if self.offer and self.offer.begun else []
        left = list(self._all())
        lost = [*self.queued, *(message.text for message in left)]
        for message in left:
            effects += self.answers.refuse(message, answers.REPLACED, "no", tick)
        self.waiting, self.queued, self.offer = [], [], None
        return effects, lost

    def _all(self) -> Iterator[Message]:
        """In the order they came."""
        if self.offer and self.offer.sent:
            yield self.offer.message
        yield from self.waiting

    def _next(self, *, running: bool) -> Message | None:
        """What may be offered now. While a run is active a guarded message waits for its end."""
        if self.offer is not None or self.away:
            return None
        return next((m for m in self.waiting if not (m.guarded and running)), None)

    def _offer_due(self, offer: Offer) -> float:
        """When the offer is over, or its sender must have an answer."""
        message, over = offer.message, offer.at + REPLY_S
        if offer.sent:
            return min(over, message.due) if message.tokens else over
        if not message.guarded:
            return over
        # What is only to be shown has no time limit: offered again, it could be shown twice.
        return message.due if message.tokens else NEVER

    def _overdue(self, offer: Offer, tick: float) -> list[Effect]:
        message = offer.message
        if message.guarded and not offer.sent:
            return self.answers.refuse(message, answers.UNSHOWN, "unknown", tick)
        if offer.begun:
            return self._run_shown(offer, tick)
        if not offer.taken:
            return self._expired(message, tick)
        self.offer = None
        if message in self.waiting:
            self.waiting.remove(message)
        return self.answers.unconfirmed(message, answers.UNCONFIRMED, tick)

    def _started(self, tick: float, *, now_running: bool) -> list[Effect]:
        offer = self.offer
        if offer is None or not offer.sent:
            return []
        offer.begun = True
        return self._run_shown(offer, tick) if now_running else []

    def _run_shown(self, offer: Offer, tick: float) -> list[Effect]:
        """Only now is the sender told: who asks for the status next must find it working."""
        self.offer = None
        return self.answers.tell(offer.message, "started", tick)

    def _begun(self, prompt: str, tick: float) -> list[Effect]:
        offer, begun = self.offer, prompt[:PREFIX]
        if begun in self.queued:
            self.queued.remove(begun)
        elif offer and not offer.message.guarded and offer.message.text[:PREFIX] == begun:
            if not offer.sent:
                # Pi was faster than the extension's answer.
                self.waiting.remove(offer.message)
                offer.sent = True
            return self._started(tick, now_running=True)
        return []

    def _expired(self, message: Message, tick: float) -> list[Effect]:
        """The extension dropped it, or will when it reads it: held ones are offered again, others refused."""
        self.offer = None
        if message.answered:
            self.retry_at = tick + RETRY_S
            return []
        if message in self.waiting:
            self.waiting.remove(message)
        return self.answers.refuse(message, answers.UNREAD, "no", tick)

    def _hold_all(self, tick: float) -> list[Effect]:
        """Tell every sender that waits; what is with the extension has its own answer coming."""
        out = self.offer.message if self.offer else None
        effects: list[Effect] = []
        for message in self.waiting:
            if message is not out:
                effects += self.answers.hold(message, tick)
        return effects
