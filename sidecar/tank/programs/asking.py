"""One request to one session's socket, and its reply as the programs need it: an answer always comes, if only a refusal."""

import os
from typing import NamedTuple

from tank.edges import socket_client
from tank.errors import NoAnswerError, RefusedError
from tank.records import fields, text
from tank.records.fields import Record
from tank.roster import target
from tank.roster.roster import Session

ID_BYTES = 16


class Answer(NamedTuple):
    """What became of a message: the receiver's word and its note; `error` says why it wasn't taken, or may not have been."""

    delivered: str
    note: str
    error: str


def ask(session: Session, record: Record, timeout_s: float = socket_client.ANSWER_TIMEOUT_S) -> Record:
    """The session's reply; where there is none, a refusal in its place that tells whether the request may have been read."""
    try:
        if why := target.unreachable(session):
            raise RefusedError(why)
        return socket_client.request(session.entry.socket or "", record, timeout_s)
    except RefusedError as error:
        became = "unknown" if isinstance(error, NoAnswerError) else "no"
        return {"ok": False, "error": str(error), "data": {"delivered": became}}


def send(session: Session, session_id: str, message: str, *, steer: bool) -> Record:
    """The reply to a message that is meant for this session alone, not for what its process serves now."""
    return ask(
        session,
        {
            "type": "send",
            "message": message,
            "mode": "steer" if steer else "follow_up",
            "to": {"sessionId": session_id},
            "id": os.urandom(ID_BYTES).hex(),
        },
    )


def answer(reply: Record) -> Answer:
    """What a reply to `send` says."""
    data = fields.mapping(reply, "data") or {}
    delivered, note = fields.string(data, "delivered"), fields.string(data, "note")
    error = "" if reply["ok"] is True else why(reply)
    return Answer(delivered or "no", text.line(note or ""), error)


def why(reply: Record) -> str:
    """Why it refused."""
    return text.line(fields.string(reply, "error") or "it refused and didn't say why")
