"""Messages that come for this session: their header, their place under the guard, and refusals."""

from tank.records import header
from tank.records.header import Sender
from tank.records.limits import RUNNING_MESSAGES
from tank.session import guard
from tank.session.effects import Reply
from tank.session.message import Message
from tank.session.requests import Send

GUARDED = f"{RUNNING_MESSAGES} messages came since its person last typed; the next typed prompt lets messages run again"


def message(request: Send, sender: Sender | None, token: int, count: int) -> Message:
    """The message with the header that Tank writes; without a verified sender the request's own word counts as such."""
    if sender is None and request.from_session:
        sender = Sender(request.said_project or "?", request.said_label or "?", verified=False)
    guarded = not guard.lets_pass(count)
    return Message(
        text=header.compose(sender, request.message),
        mode=request.mode,
        guarded=guarded,
        tokens=[token],
        key=request.id,
        note=GUARDED if guarded else None,
    )


def refusal(token: int, error: str) -> Reply:
    """A message that was never taken in."""
    return Reply(token, {"ok": False, "error": error, "data": {"delivered": "no"}})
