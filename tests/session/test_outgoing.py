import pytest

from tank.session import outgoing
from tank.session.effects import SendOut
from tests.session.driver import Stage, session


def call(stage: Stage, tool: str = "send_to_session", /, **arguments: object) -> None:
    stage.hear("call", id=7, tool=tool, arguments=arguments)


def result(stage: Stage) -> tuple[str, bool]:
    (order,) = stage.ordered("result")
    assert order["id"] == 7
    return order["text"], order["isError"]


def test_a_call_is_taken_and_sent_with_what_this_session_says_of_itself() -> None:
    stage = session(name="alpha")
    stage.do(stage.brain.project_found("/home/you/app", "github.com/you/app", "app", stage.now))
    call(stage, to="tests", message="fix it", mode="steer")
    assert {"type": "taken", "id": 7} in stage.orders
    sender = {"sessionId": "session-one", "label": "alpha", "project": "app"}
    assert stage.wanted(SendOut)[-1] == SendOut(
        7, "tests", {"type": "send", "message": "fix it", "mode": "steer", "from": sender}
    )


def test_a_session_with_no_label_and_project_names_its_id() -> None:
    stage = session(sessionId="0123456789ab")
    call(stage, to="tests", message="fix it")
    request = stage.wanted(SendOut)[-1].request
    assert request["from"] == {"sessionId": "0123456789ab", "label": "01234567", "project": None}
    assert request["mode"] == "follow_up"


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"to": "tests"},
        {"to": "", "message": "x"},
        {"to": "tests", "message": ""},
        {"to": 3, "message": "x"},
        {"to": "tests", "message": ["x"]},
        {"to": "tests", "message": "x", "mode": "now"},
        {"to": "tests", "message": "x", "mode": ["steer"]},
    ],
)
def test_wrong_arguments_send_nothing_and_say_what_is_wanted(arguments: dict[str, object]) -> None:
    stage = session()
    call(stage, **arguments)
    said, failed = result(stage)
    assert failed
    assert "Nothing was sent" in said
    assert not stage.wanted(SendOut)


def test_an_unknown_tool_is_named() -> None:
    stage = session()
    call(stage, "tank_fly\x1b[2J" + "y" * 99)
    said, failed = result(stage)
    assert failed
    assert said.startswith("Tank has no tool tank_fly[2J")
    assert len(said) < 99


def test_a_call_without_a_number_or_arguments_is_answered() -> None:
    stage = session()
    stage.receive({"type": "call", "tool": "send_to_session", "arguments": "x"})
    assert stage.ordered("result")[0]["isError"]


@pytest.mark.parametrize(
    ("reply", "failed", "parts"),
    [
        ({"ok": True, "data": {"delivered": "started"}}, False, ["tests", "started"]),
        ({"ok": True, "data": {"delivered": "shown", "note": "3 came"}}, False, ["shown", "(3 came)"]),
        ({"ok": False, "error": "no: x", "data": {"delivered": "no"}}, True, ["no: x. ", "not delivered"]),
        ({"ok": False, "error": "late", "data": {"delivered": "unknown"}}, True, ["late. ", "unknown"]),
        ({"ok": False, "error": "no session x: 4711 · 01234567"}, True, ["no session x: 4711 · 01234567"]),
        ({"ok": True, "data": {"delivered": "gone"}}, False, ["unknown"]),
        ({"ok": True}, False, ["unknown"]),
        ({"ok": 1, "error": 3, "data": []}, True, ["refused"]),
        ({}, True, ["refused"]),
    ],
)
def test_the_model_is_told_what_the_other_session_answered(
    *,
    reply: dict[str, object],
    failed: bool,
    parts: list[str],
) -> None:
    stage = session()
    stage.do(stage.brain.sent_out(7, "tests", reply))
    said, is_error = result(stage)
    assert is_error is failed
    for part in parts:
        assert part in said


def test_a_result_is_clean_and_bounded() -> None:
    record = outgoing.result(7, "te\x1b]0;sts", {"ok": False, "error": "x" * 99_999})
    assert len(str(record["text"])) == outgoing.RESULT_LIMIT
    record = outgoing.result(7, "te\x1b]0;sts", {"ok": True, "data": {"delivered": "started"}})
    assert "\x1b" not in str(record["text"])


def test_a_call_during_the_first_moments_is_answered() -> None:
    stage = Stage()
    call(stage, to="tests", message="x")
    assert stage.wanted(SendOut)
