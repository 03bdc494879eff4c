"""Requests are checked with plain code; here it is held equal to the models of the contract."""

from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from tank.errors import BadRequestError
from tank.records import socket
from tank.records.limits import MESSAGE_LIMIT_BYTES
from tank.session import requests

KEYS = [
    "type",
    "message",
    "mode",
    "from",
    "to",
    "id",
    "priority",
    "sessionId",
    "label",
    "project",
    "session_id",
    "x",
]
WORDS = [
    "send",
    "priority",
    "ping",
    "explain",
    "follow_up",
    "steer",
    "",
    "x",
    "y" * 128,
    "y" * 129,
    "é" * 128,
]

plain = (
    st.none()
    | st.booleans()
    | st.integers(-2, 5)
    | st.sampled_from([0.0, 1.0, 2**53, -(2**63)])
    | st.sampled_from(WORDS)
    | st.text(max_size=5)
)
anything = st.recursive(
    plain,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=4),
    max_leaves=8,
)
party = st.fixed_dictionaries(
    {"sessionId": st.text(max_size=5) | plain},
    optional={"label": st.text(max_size=5) | plain, "project": plain, "x": anything},
)
nearly = st.fixed_dictionaries(
    {"type": st.sampled_from(["send", "send", "send", "priority", "ping", "explain", "x"])},
    optional={
        "message": st.text(max_size=5) | plain,
        "mode": st.sampled_from(["follow_up", "steer"]) | plain,
        "from": party | anything,
        "to": party | anything,
        "id": st.text(max_size=5) | plain,
        "priority": st.integers(-1, 4) | plain,
        "x": anything,
    },
)


def by_model(line: bytes) -> requests.Request | None:
    """What the contract reads; on the wire a field has one name."""
    try:
        model = socket.REQUEST.validate_json(line, by_alias=True, by_name=False)
    except ValidationError:
        return None
    match model:
        case socket.Send(message=message, mode=mode, from_=sender, to=receiver, id=key):
            return requests.Send(
                message=message,
                mode=mode,
                said_label=(sender.label or sender.session_id[:8]) if sender else None,
                said_project=sender.project if sender else None,
                from_session=sender is not None,
                to=receiver.session_id if receiver else None,
                id=key,
            )
        case socket.SetPriority(priority=priority):
            return requests.SetPriority(priority)
        case socket.Ping():
            return requests.Ping()
        case socket.Explain():
            return requests.Explain()


def by_code(line: bytes) -> requests.Request | None:
    try:
        return requests.parse(line)
    except BadRequestError:
        return None


@given(nearly | anything)
def test_code_and_model_accept_the_same_requests_with_the_same_values(request_: Any) -> None:
    line = orjson.dumps(request_)
    assert by_code(line) == by_model(line)


@given(st.binary() | st.text().map(str.encode))
def test_code_and_model_read_the_same_bytes(line: bytes) -> None:
    assert by_code(line) == by_model(line)


def test_the_limit_of_a_message_is_checked_by_code_alone_and_in_bytes() -> None:
    fits = "é" * (MESSAGE_LIMIT_BYTES // 2)
    assert by_code(orjson.dumps({"type": "send", "message": fits}))
    with pytest.raises(BadRequestError, match=r"over 16 KiB: write it to a file and send the file's path"):
        requests.parse(orjson.dumps({"type": "send", "message": fits + "x"}))


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b"", "not JSON"),
        (b"{", "not JSON"),
        (b"\xff", "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b'{"type":"send","message":"\\ud800"}', "not JSON"),
        (b"[]", "not a JSON object"),
        (b"null", "not a JSON object"),
        (b"{}", "unknown type None"),
        (b'{"type":["send"]}', "unknown type"),
        (b'{"type":"stop"}', "unknown type 'stop': use send, priority, ping or explain"),
        (b'{"type":"send"}', "message must be a text that is not empty"),
        (b'{"type":"send","message":""}', "message must be"),
        (b'{"type":"send","message":"x","mode":"now"}', "unknown mode 'now': use follow_up or steer"),
        (b'{"type":"send","message":"x","mode":null}', "unknown mode None"),
        (b'{"type":"send","message":"x","from":"me"}', "from must be an object"),
        (b'{"type":"send","message":"x","from":{"sessionId":"a","label":1}}', "from.label must be"),
        (b'{"type":"send","message":"x","to":{}}', "to must be an object"),
        (b'{"type":"send","message":"x","id":""}', "id must be a text of 1 to 128 characters"),
        (b'{"type":"send","message":"x","id":7}', "id must be"),
        (b'{"type":"priority"}', "priority must be 0, 1, 2, 3 or null"),
        (b'{"type":"priority","priority":true}', "priority must be"),
        (b'{"type":"priority","priority":4}', "priority must be"),
    ],
)
def test_an_error_says_what_is_wrong(line: bytes, said: str) -> None:
    with pytest.raises(BadRequestError) as error:
        requests.parse(line)
    assert said in str(error.value)


def test_an_error_repeats_no_long_text() -> None:
    with pytest.raises(BadRequestError) as error:
        requests.parse(orjson.dumps({"type": "x" * 9999}))
    assert len(str(error.value)) < 120


@pytest.mark.parametrize(
    "request_",
    [
        *({"type": "priority", "priority": number} for number in range(-1, 5)),
        *({"type": "send", "message": "x", "id": "é" * length} for length in (0, 1, 128, 129)),
    ],
)
def test_code_and_model_agree_at_the_limits(request_: dict[str, object]) -> None:
    line = orjson.dumps(request_)
    assert by_code(line) == by_model(line)


def test_what_may_be_left_out_is_left_out() -> None:
    assert requests.parse(b'{"type":"send","message":"x"}') == requests.Send(
        message="x",
        mode="follow_up",
        said_label=None,
        said_project=None,
        from_session=False,
        to=None,
        id=None,
    )
    assert requests.parse(b'{"type":"priority","priority":null}') == requests.SetPriority(None)
