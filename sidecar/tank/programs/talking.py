"""`tank send`, `priority` and `explain`: one request to one session's socket, and its answer in words."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import groupby
from typing import BinaryIO

from tank.board import said
from tank.errors import RefusedError
from tank.programs import asking, listing
from tank.records import delivery, fields, text
from tank.records.entry import Entry
from tank.records.fields import Record
from tank.records.limits import MESSAGE_LIMIT_BYTES, MESSAGE_TOO_LONG
from tank.records.naming import called
from tank.roster import ages, target
from tank.roster.groups import project
from tank.roster.roster import Session

OLDEST_S = 10**9
"""Ages beyond it are shown alike: no calendar goes back without end."""


def find(word: str) -> Session:
    """The one live session that the word names. Raises `NoSuchSessionError`."""
    return target.resolve(word, listing.read().sessions)


def name(entry: Entry) -> str:
    """How a session is called in an answer."""
    return f"{project(entry)[1]} · {called(entry.label, entry.session_id)} ({entry.pid})"


def message_of(argument: str) -> str:
    """An argument as text: bytes that are no UTF-8 become replacement characters. Raises `RefusedError` when too long."""
    data = argument.encode("utf-8", "surrogateescape")
    if len(data) > MESSAGE_LIMIT_BYTES:
        raise RefusedError(MESSAGE_TOO_LONG)
    return data.decode("utf-8", "replace")


def read_message(stream: BinaryIO) -> str:
    """All of standard input, without the line end that `echo` adds."""
    data = stream.read(MESSAGE_LIMIT_BYTES + 2).removesuffix(b"\n")
    return message_of(data.decode("utf-8", "surrogateescape"))


def send(word: str, message: str, *, steer: bool, as_json: bool) -> Iterator[str]:
    """What became of the message. Raises `RefusedError` unless it was delivered or waits for its turn."""
    session = find(word)
    reply = asking.send(session, session.entry.session_id, message, steer=steer)
    if as_json:
        yield listing.as_json(reply)
    became = asking.answer(reply)
    what = text.line(
        delivery.sentence(name(session.entry), became.delivered, became.error or became.note or None)
    )
    if became.error:
        raise RefusedError(what)
    if not as_json:
        yield what


def set_priority(word: str, priority: int | None) -> list[str]:
    session = find(word)
    _data(session, asking.ask(session, {"type": "priority", "priority": priority}))
    shown = "has no priority now" if priority is None else f"is p{priority} now"
    return [f"{name(session.entry)} {shown}."]


def explain(word: str, *, as_json: bool) -> Iterator[str]:
    session = find(word)
    data = _data(session, asking.ask(session, {"type": "explain"}))
    if as_json:
        yield listing.as_json(data)
        return
    status, detail = fields.string(data, "status") or "", fields.string(data, "detail")
    yield text.line(
        f"{name(session.entry)}: {said.WORDS.get(status, status)}{f', {detail}' if detail else ''}"
    )
    yield text.line(f"because {fields.string(data, 'rule') or 'of what it does not say'}")
    for title, parts in (("what would change it", _texts(data, "next")), ("last events", _events(data))):
        if parts:
            yield f"{title}:"
            yield from (f"  {part}" for part in parts)


def _data(session: Session, reply: Record) -> Record:
    if reply["ok"] is not True:
        raise RefusedError(f"{name(session.entry)}: {asking.why(reply)}")
    return fields.mapping(reply, "data") or {}


def _texts(data: Record, field: str) -> list[str]:
    return [text.line(part) for part in fields.items(data, field) if isinstance(part, str)]


def _events(data: Record) -> list[str]:
    """Newest last; of several alike in a row the latest, with their number."""
    shown, now = [], datetime.now(UTC)
    told = [item for item in fields.items(data, "events") if isinstance(item, dict)]
    for event, alike in groupby(told, key=lambda item: text.line(fields.string(item, "event") or "")):
        *before, latest = alike
        age = fields.number(latest, "age")
        ago = "" if age is None else f"{ages.age(now - timedelta(seconds=min(age, OLDEST_S)), now)} ago"
        shown.append(f"{ago:>9}  {event}{f' × {len(before) + 1}' if before else ''}")
    return shown
