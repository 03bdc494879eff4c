"""What the session is about, as Pi tells it: name, prompts, model, context, priority, recap, project."""

from tank.records import fields
from tank.records.fields import Record
from tank.records.naming import called
from tank.session import label, publication

RECAP = "session-recap"


class Profile:
    """Pi's facts about the session, kept current by what the extension forwards."""

    def __init__(self) -> None:
        self.facts: dict[str, object] = {}
        self.label: str | None = None
        self.project: dict[str, object] | None = None

    @property
    def session_id(self) -> str | None:
        return fields.string(self.facts, "sessionId")

    @property
    def cwd(self) -> str | None:
        return fields.string(self.facts, "cwd")

    @property
    def shown(self) -> str:
        """What the session is called."""
        return called(self.label, self.session_id or "")

    def learn(self, facts: Record) -> bool:
        """Take over all of Pi's facts, if they name a session; whether it now stands in another directory."""
        if not fields.string(facts, "sessionId") or fields.string(facts, "cwd") is None:
            return False
        moved = facts.get("cwd") != self.facts.get("cwd")
        self.facts = dict(facts)
        self._name()
        if moved:
            self.project = None
        return moved

    def hear(self, record: Record) -> None:
        """A forwarded record that tells one of the facts anew; any other changes nothing."""
        kind = record["type"]
        if "context" in record:
            self.facts["context"] = record["context"]
        if kind == "session_info_changed":
            self.facts["name"] = record.get("name")
        elif kind == "model_select":
            self.facts["model"] = record.get("model")
        elif kind == "message_end" and fields.string(record, "reply"):
            self.facts["reply"] = record["reply"]
        elif kind == "message_start" and record.get("role") == "user":
            self._asked(fields.string(record, "text") or "")
        elif kind == "entries":
            for entry in fields.items(record, "entries"):
                if isinstance(entry, dict) and entry.get("customType") == RECAP:
                    self.facts["recap"] = entry
        if kind in ("session_info_changed", "message_start"):
            self._name()

    def published(self) -> dict[str, object]:
        """These facts in the shapes of the entry."""
        facts = self.facts
        return {
            "sessionId": self.session_id,
            "sessionFile": fields.string(facts, "sessionFile"),
            "cwd": self.cwd,
            "project": self.project,
            "label": self.label,
            "priority": publication.priority(facts.get("priority")),
            "recap": publication.recap(fields.mapping(facts, "recap")),
            "lastReply": publication.closing(fields.string(facts, "reply")),
            "context": publication.context(fields.mapping(facts, "context")),
            "model": publication.model(fields.mapping(facts, "model")),
        }

    def _asked(self, prompt: str) -> None:
        """Once a prompt gives a label, no later one matters."""
        if label.choose(None, self._prompts()) is None:
            self.facts["prompts"] = [prompt]

    def _prompts(self) -> list[str]:
        return [p for p in fields.items(self.facts, "prompts") if isinstance(p, str)]

    def _name(self) -> None:
        self.label = label.choose(fields.string(self.facts, "name"), self._prompts())
