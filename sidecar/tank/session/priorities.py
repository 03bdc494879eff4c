"""Priorities on their way into the session file: one counts once Pi has stored it, and only then is who asked told."""

from typing import NamedTuple

from tank.records import fields
from tank.records.fields import Record
from tank.session.effects import Effect, Order, Reply
from tank.session.profile import Profile

APPEND_S = 5.0
APPENDS = 16
"""Priorities that wait for Pi at most."""
LATE = "Pi did not store the priority within 5 s: the session is suspended or hangs, and may do it later"


class Append(NamedTuple):
    """`token` is None once who asked was told that it's late."""

    token: int | None
    priority: int | None
    due: float


class Priorities:
    """Those that were ordered and not yet answered, by the order's id."""

    def __init__(self) -> None:
        self._appends: dict[int, Append] = {}

    def ask(self, token: int, priority: int | None, order: int, tick: float) -> Effect:
        """The order of this id to store a priority, or a refusal."""
        if len(self._appends) >= APPENDS:
            return _refusal(token, "earlier priorities wait for Pi: the session is suspended or hangs")
        self._appends[order] = Append(token, priority, tick + APPEND_S)
        data = {"priority": priority}
        return Order({"type": "append", "id": order, "customType": "tank-priority", "data": data})

    def hear_answer(self, record: Record, profile: Profile) -> list[Effect] | None:
        """The extension's answer to an order; None when that order is none of these."""
        append = self._appends.pop(fields.integer(record, "id") or 0, None)
        if append is None:
            return None
        if record.get("outcome") != "done":
            why = fields.string(record, "error") or "the session is busy changing; try again"
            return _told(append, {"ok": False, "error": f"Pi did not store the priority: {why}"})
        data: dict[str, object] = {"priority": append.priority}
        profile.facts["priority"] = data
        return _told(append, {"ok": True, "data": data})

    def wake(self, tick: float) -> list[Effect]:
        """Tells who has waited too long; the priority still counts when Pi stores it later."""
        effects: list[Effect] = []
        for order, append in self._appends.items():
            if append.token is not None and tick >= append.due:
                self._appends[order] = append._replace(token=None)
                effects.append(_refusal(append.token, LATE))
        return effects

    def next_wake(self) -> float | None:
        """When somebody will have waited too long."""
        return min(
            (append.due for append in self._appends.values() if append.token is not None), default=None
        )


def _told(append: Append, reply: Record) -> list[Effect]:
    return [Reply(append.token, reply)] if append.token is not None else []


def _refusal(token: int, error: str) -> Reply:
    return Reply(token, {"ok": False, "error": error})
