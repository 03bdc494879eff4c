import orjson
import pytest

from tank.errors import NoAnswerError
from tank.records.reply import LIMIT_BYTES, ReplyReader
from tank.records.socket import REPLY
from tests.session.driver import session


@pytest.mark.parametrize("first", range(1, 28))
def test_a_reply_is_whole_with_its_end_of_line_however_it_comes(first: int) -> None:
    line, reader = b'{"ok":false,"error":"busy"}', ReplyReader()
    assert reader.feed(line[:first]) is None
    assert reader.feed(line[first:] + b"\nmore") == {"ok": False, "error": "busy"}


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (b"", "^the session closed the connection without an answer$"),
        (b"hello\n", "^the answer is not JSON: "),
        (b"[]\n", '^the answer is not an object with "ok": another program listens there$'),
        (b'{"ok":1}\n', '^the answer is not an object with "ok"'),
        (b"{}\n", '^the answer is not an object with "ok"'),
        (b"x" * (LIMIT_BYTES + 1), "^the answer is over 64 KiB$"),
    ],
)
def test_what_is_no_reply_says_why(line: bytes, why: str) -> None:
    with pytest.raises(NoAnswerError, match=why):
        ReplyReader().feed(line)


def test_the_longest_replies_of_a_session_fit() -> None:
    stage = session(name="é" * 9999, cwd="/" + "é" * 9999, reply="é" * 9999)
    for _ in range(99):
        stage.hear("session_before_compact", reason="threshold")
    for kind in ("ping", "explain"):
        line = orjson.dumps(stage.replies[stage.ask({"type": kind})]) + b"\n"
        REPLY.validate_json(line)
        assert len(line) < LIMIT_BYTES / 3
        assert ReplyReader().feed(line)
