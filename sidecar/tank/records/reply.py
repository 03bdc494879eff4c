"""One reply of a message socket, cut out of the bytes as they come. What is none raises `NoAnswerError`."""

import orjson

from tank.errors import NoAnswerError
from tank.records.framing import Lines

LIMIT_BYTES = 64 * 1024
"""An entry and an explanation, the longest replies, take less than a third of it."""


class ReplyReader:
    """What follows the first line is nobody's reply."""

    def __init__(self) -> None:
        self._lines = Lines(LIMIT_BYTES)

    def feed(self, data: bytes) -> dict[str, object] | None:
        """The reply once its line is whole: an object whose `ok` is true or false. No bytes mean that the session hung up."""
        if not data:
            raise NoAnswerError("the session closed the connection without an answer")
        self._lines.feed(data)
        try:
            line = self._lines.next()
        except LookupError:
            return None
        if line is None:
            raise NoAnswerError(f"the answer is over {LIMIT_BYTES >> 10} KiB")
        try:
            reply = orjson.loads(line)
        except orjson.JSONDecodeError as error:
            raise NoAnswerError(f"the answer is not JSON: {error}") from error
        if not isinstance(reply, dict) or not isinstance(reply.get("ok"), bool):
            raise NoAnswerError('the answer is not an object with "ok": another program listens there')
        return reply
