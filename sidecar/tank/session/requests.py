"""What a client of the message socket may ask, checked with plain code; tests hold it equal to `records.socket`."""

from typing import NamedTuple

import orjson

from tank.errors import BadRequestError
from tank.records import fields
from tank.records.fields import Record
from tank.records.limits import MESSAGE_LIMIT_BYTES, MESSAGE_TOO_LONG, REQUEST_ID_LIMIT
from tank.records.naming import called
from tank.session.message import MODES


class Send(NamedTuple):
    """Deliver a message; `said_*` is the sender's own word, its label else the first characters of its id."""

    message: str
    mode: str
    said_label: str | None
    said_project: str | None
    from_session: bool
    to: str | None
    id: str | None


class SetPriority(NamedTuple):
    priority: int | None


class Ping(NamedTuple):
    pass


class Explain(NamedTuple):
    pass


Request = Send | SetPriority | Ping | Explain


def parse(data: bytes) -> Request:
    """Raises `BadRequestError` that says what is wrong."""
    try:
        record = orjson.loads(data)
    except orjson.JSONDecodeError as error:
        raise BadRequestError(f"the request is not JSON: {error}") from error
    if not isinstance(record, dict):
        raise BadRequestError('the request is not a JSON object like {"type":"ping"}')
    kind = record.get("type")
    if kind == "send":
        return _send(record)
    if kind == "priority":
        return SetPriority(priority(record))
    if kind == "ping":
        return Ping()
    if kind == "explain":
        return Explain()
    raise BadRequestError(f"unknown type {_shown(kind)}: use send, priority, ping or explain")


def priority(record: Record) -> int | None:
    """The `priority` of a record: 0 to 3 or null. Raises `BadRequestError`."""
    value = record.get("priority", "")
    if value is None:
        return None
    number = fields.integer(record, "priority")
    if number is None or not 0 <= number <= 3:
        raise BadRequestError("priority must be 0, 1, 2, 3 or null")
    return number


def _send(record: Record) -> Send:
    message = fields.string(record, "message")
    if not message:
        raise BadRequestError("message must be a text that is not empty")
    if len(message.encode("utf-8", "surrogatepass")) > MESSAGE_LIMIT_BYTES:
        raise BadRequestError(MESSAGE_TOO_LONG)
    mode = record.get("mode", "follow_up")
    if mode not in MODES:
        raise BadRequestError(f"unknown mode {_shown(mode)}: use follow_up or steer")
    sender, receiver = _party(record, "from"), _party(record, "to")
    for name in ("label", "project"):
        if sender and sender.get(name) is not None and fields.string(sender, name) is None:
            raise BadRequestError(f"from.{name} must be a text or null")
    key = record.get("id")
    if key is not None and not (isinstance(key, str) and 0 < len(key) <= REQUEST_ID_LIMIT):
        raise BadRequestError(f"id must be a text of 1 to {REQUEST_ID_LIMIT} characters")
    return Send(
        message=message,
        mode=str(mode),
        said_label=_label(sender) if sender else None,
        said_project=fields.string(sender, "project") if sender else None,
        from_session=sender is not None,
        to=fields.string(receiver, "sessionId") if receiver else None,
        id=key,
    )


def _party(record: Record, name: str) -> Record | None:
    if record.get(name) is None:
        return None
    party = fields.mapping(record, name)
    if party is None or fields.string(party, "sessionId") is None:
        raise BadRequestError(f'{name} must be an object like {{"sessionId":"…"}}')
    return party


def _label(sender: Record) -> str:
    return called(fields.string(sender, "label"), fields.string(sender, "sessionId") or "")


def _shown(value: object) -> str:
    return repr(value)[:40]
