"""What Pi's events say about the run: its tools, its dialogs, how it ended. Turns records into happenings of the status.

A run's end is judged by the last attempt before it settled: Pi tells of no retry, and an attempt's error is none of the run's.
"""

from dataclasses import dataclass, field

import orjson

from tank.records import fields, text
from tank.records.fields import Record
from tank.session.status import Happening

ACTIVITY_CELLS = 80
DETAIL_CELLS = 200


@dataclass
class Run:
    """Attempts, tools and dialogs of the current run."""

    failure: str | None = None
    """Error of the last attempt, None when it had none or was aborted."""
    aborted: bool = False
    escaped: bool = False
    """Whether Esc was pressed since the last attempt failed: the person cancelled the retry."""
    tools: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Running tools by call id, in order of their start: name and activity."""
    question: str | None = None
    """What the last dialog asks: its title, cleaned."""

    def hear(self, record: Record) -> Happening | None:
        """Take in a forwarded record; the happening it means for the status, if any."""
        kind = record["type"]
        if kind == "agent_start":
            self.failure, self.aborted, self.escaped = None, False, False
            return Happening.RUN_STARTED
        if kind == "message_start":
            return Happening.RUN_STARTED if record.get("role") == "assistant" else None
        if kind == "agent_end":
            self.aborted = record.get("stopReason") == "aborted"
            failed = record.get("stopReason") == "error"
            self.failure = (fields.string(record, "errorMessage") or "no reason given") if failed else None
            self.escaped = False
            return None
        if kind == "tool_execution_start":
            self._tool_started(record)
            return Happening.RUN_STARTED
        if kind == "tool_execution_end":
            self.tools.pop(fields.string(record, "toolCallId") or "", None)
            return None
        if kind == "ui_prompt_start":
            return self._asked(record)
        if kind == "ui_prompt_end":
            return Happening.ANSWERED
        if kind == "session_before_compact" and record.get("reason") == "manual":
            return Happening.COMPACTION_STARTED
        if kind in ("session_compact", "session_compact_failed") and record.get("reason") == "manual":
            return Happening.COMPACTION_ENDED
        return None

    def settle(self, *, aborted: bool, seen: bool) -> Happening:
        """How the run ended, once it settled; `seen`: the terminal was focused."""
        if self.failure is not None and not aborted and not self.escaped:
            return Happening.RUN_FAILED
        if aborted or self.aborted or self.failure is not None:
            return Happening.ABORTED
        return Happening.FINISHED_SEEN if seen else Happening.FINISHED_UNSEEN

    def ended_well(self, *, aborted: bool) -> bool:
        """Whether the run finished, so that it matters whether somebody saw it."""
        return not aborted and not self.aborted and self.failure is None

    @property
    def retrying(self) -> bool:
        """An attempt failed and the run hasn't settled: Pi may be waiting to try again."""
        return self.failure is not None

    @property
    def reason(self) -> str | None:
        """Why the run failed, as the card says it."""
        return _shown(f"failed: {plain(self.failure)}", DETAIL_CELLS) if self.failure else None

    @property
    def activity(self) -> str | None:
        """The tool that started last among the running ones."""
        return next(reversed(self.tools.values()))[1] if self.tools else None

    def _tool_started(self, record: Record) -> None:
        name = text.short(fields.string(record, "toolName") or "tool", ACTIVITY_CELLS)
        argument = fields.string(record, "argument")
        shown = _shown(f"{name}: {argument}" if argument else name, ACTIVITY_CELLS)
        self.tools[fields.string(record, "toolCallId") or ""] = (name, shown)

    def _asked(self, record: Record) -> Happening | None:
        if record.get("kind") == "custom":
            if not self.tools:
                return None
            self.question = f"{next(reversed(self.tools.values()))[0]} shows a screen"
            return Happening.ASKED
        self.question = _shown(fields.string(record, "title") or "", DETAIL_CELLS) or None
        return Happening.ASKED


def _shown(said: str, cells: int) -> str:
    """One clean line; secrets are masked first, since a cut or a line break may fall into one."""
    return text.short(text.masked(text.line(said)), cells)


def plain(failure: str) -> str:
    """The words of an error that a provider gave as JSON, such as `529: {"error":{"message":"Overloaded"}}`; any other as it is."""
    code, brace, rest = failure.partition("{")
    try:
        found = orjson.loads(brace + rest)
    except orjson.JSONDecodeError:
        return failure
    while isinstance(found, dict):
        if message := fields.string(found, "message"):
            return code + message
        found = found.get("error")
    return code + found if isinstance(found, str) and found else failure
