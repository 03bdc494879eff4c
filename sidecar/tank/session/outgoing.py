"""What this session's model writes to others, and the answers its calls get."""

from tank.records import delivery, fields, text
from tank.records.fields import Record
from tank.session.effects import Effect, Order, SendOut
from tank.session.message import MODES
from tank.session.profile import Profile

RESULT_LIMIT = 4096
TOOL = "send_to_session"


def call(record: Record, profile: Profile) -> list[Effect]:
    """A call of one of Tank's tools by this session's model."""
    number, arguments = fields.integer(record, "id") or 0, fields.mapping(record, "arguments") or {}
    target, message = fields.string(arguments, "to"), fields.string(arguments, "message")
    mode = arguments.get("mode") or MODES[0]
    if record.get("tool") != TOOL:
        return [
            Order(_result(number, f"Tank has no tool {text.short(str(record.get('tool')), 60)}", failed=True))
        ]
    if not target or not message or mode not in MODES:
        said = (
            "to and message must be texts that are not empty; mode is follow_up or steer. Nothing was sent."
        )
        return [Order(_result(number, said, failed=True))]
    project = profile.project or {}
    sender = {
        "sessionId": profile.session_id or "",
        "label": profile.shown,
        "project": fields.string(project, "name"),
    }
    return [SendOut(number, target, {"type": "send", "message": message, "mode": mode, "from": sender})]


def result(number: int, shown: str, reply: Record) -> Record:
    """The model's answer to its call, from the other session's reply; `shown` is that session's label."""
    data = fields.mapping(reply, "data") or {}
    word = fields.string(data, "delivered")
    said = delivery.sentence(shown, word, fields.string(data, "note"))
    if reply.get("ok") is True:
        return _result(number, said, failed=False)
    error = fields.string(reply, "error") or "refused"
    return _result(number, f"{error}. {said}" if word else error, failed=True)


def _result(number: int, said: str, *, failed: bool) -> Record:
    return {"type": "result", "id": number, "text": text.lines(said)[:RESULT_LIMIT], "isError": failed}
