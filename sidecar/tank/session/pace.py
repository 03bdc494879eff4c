"""When a changed entry is published: at once, but what changes all the time alone at most four times a second."""

from tank.session.effects import Effect, Publish

LIGHT = frozenset({"activity", "context", "lastReply", "updatedAt"})
"""Fields whose change alone may wait."""
LIGHT_S = 0.25


class Pace:
    """`due` is the tick at which a change that came too soon after the last publication is to be published."""

    def __init__(self) -> None:
        self.due: float | None = None
        self._published: dict[str, object] = {}
        self._published_at = 0.0

    def publish(self, entry: dict[str, object], tick: float) -> list[Effect]:
        """This entry, if it differs from the published one and need not wait."""
        changed, due = self._changed(entry), self._published_at + LIGHT_S
        self.due = due if changed and changed <= LIGHT and tick < due else None
        if not changed or self.due is not None:
            return []
        self._published, self._published_at = entry, tick
        return [Publish(entry)]

    def _changed(self, entry: dict[str, object]) -> set[str]:
        """Names of the fields that differ, time stamps aside."""
        return {
            name
            for name, value in entry.items()
            if name != "updatedAt" and self._published.get(name) != value
        }
