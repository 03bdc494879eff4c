"""What senders are told of their messages: each request once, and a repeat of its id the same again.

What goes wrong after a sender had its answer is told to the person.
"""

from tank.records.fields import Record
from tank.session.effects import Effect, Reply, notice
from tank.session.message import Message

REPEAT_S = 600.0
"""A request's id is remembered this long."""
REMEMBERED = 1024
"""So many of them at most: a client that floods costs no more."""
REPLACED = "the session gave way to another one"
UNREAD = "Pi did not read the message within 4 s and will drop it: the session is suspended or hangs"
UNSHOWN = "Pi did not read the message within 5 s: the session is suspended or hangs, and shows it later"
UNCONFIRMED = (
    "Pi took the message but no run started within 5 s: look at the session (is a model configured?)"
)


class Answers:
    """Those given to requests with an id, by it, each with its tick."""

    def __init__(self) -> None:
        self.given: dict[str, tuple[float, Record]] = {}
        self.given_back = 0
        """Messages that were counted by the guard and then never reached Pi; the brain takes them off."""

    def again(self, key: str, tick: float) -> Record | None:
        """The answer that a request of this id got."""
        self.given = {k: v for k, v in self.given.items() if tick - v[0] < REPEAT_S}
        return self.given[key][1] if key in self.given else None

    def tell(self, message: Message, delivered: str, tick: float) -> list[Effect]:
        """Where it is now."""
        message.answered = True
        data = {"delivered": delivered} | ({"note": message.note} if message.note else {})
        return self._reply(message, {"ok": True, "data": data}, tick)

    def hold(self, message: Message, tick: float) -> list[Effect]:
        """That it isn't with Pi yet: its sender need not wait."""
        return self.tell(message, "shown" if message.guarded else "held", tick)

    def refuse(self, message: Message, error: str, delivered: str, tick: float) -> list[Effect]:
        """To who still waits; `delivered` is `no` or `unknown`."""
        self.given_back += message.counted and delivered == "no" and not message.answered
        message.answered = True
        return self._reply(message, {"ok": False, "error": error, "data": {"delivered": delivered}}, tick)

    def undelivered(self, message: Message, why: str, tick: float) -> list[Effect]:
        """Pi didn't take it."""
        if message.answered:
            return [notice(f"Not delivered ({why}): {message.text}")]
        return self.refuse(message, why, "no", tick)

    def unconfirmed(self, message: Message, why: str, tick: float) -> list[Effect]:
        """Pi took it, and nothing showed that it arrived."""
        if message.answered:
            return [notice(f"A held message may not have arrived: {message.text}")]
        return self.refuse(message, why, "unknown", tick)

    def _reply(self, message: Message, record: Record, tick: float) -> list[Effect]:
        if message.key and message.tokens:
            self.given[message.key] = (tick, record)
            for key in list(self.given)[:-REMEMBERED]:
                del self.given[key]
        tokens, message.tokens = message.tokens, []
        return [Reply(token, record) for token in tokens]
