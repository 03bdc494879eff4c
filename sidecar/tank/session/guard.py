"""The loop guard: how many messages from sessions a person lets pass before typing again."""

from tank.records import fields, header
from tank.records.fields import Record
from tank.records.limits import RUNNING_MESSAGES


def is_typed(record: Record) -> bool:
    """Whether a forwarded `input` is a prompt that the person typed: an aborted message put back and sent again is none."""
    return record.get("source") == "interactive" and not header.begins(fields.string(record, "text") or "")


def lets_pass(count: int) -> bool:
    """Whether the next message may run; `count` messages came since the last typed prompt."""
    return count < RUNNING_MESSAGES
