import orjson
import pytest

from tank.records.live import LiveEntry
from tank.session.brain import HELLO_S, Brain
from tank.session.effects import Leave, Order, Publish
from tank.session.moment import Moment
from tests.session.driver import Stage, hello, session


def test_a_hello_is_welcomed_first_then_published_and_nothing_wakes_the_sidecar_after_it() -> None:
    stage = Stage()
    effects = stage.receive(hello())
    assert effects[0] == Order(
        {"type": "welcome", "id": 1, "tank": "0.1.0", "protocol": 1, "entryTypes": ["session-recap"]}
    )
    assert isinstance(effects[-1], Publish)
    assert stage.brain.next_wake() is None
    assert stage.wait(86_400) == 0


def test_a_record_with_a_number_is_answered() -> None:
    stage = session()
    stage.hear("agent_start", id=9)
    assert {"type": "taken", "id": 9} in stage.orders
    assert len(stage.ordered("taken")) == 1


@pytest.mark.parametrize("record", [{}, {"type": 7}, {"type": None}, {"type": ["hello"]}, {"typ": "hello"}])
def test_a_record_without_a_type_is_nothing(record: dict[str, object]) -> None:
    assert session().receive(record) == []


def test_before_the_first_hello_nothing_is_kept_published_or_offered() -> None:
    stage = Stage()
    assert stage.hear("focus", focused=True) == []
    assert stage.hear("agent_start", id=9) == [Order({"type": "taken", "id": 9})]
    assert stage.brain.wake(stage.now) == []


# Life


def test_an_extension_that_never_says_hello_ends_the_sidecar() -> None:
    brain = Brain(Moment(0.0, 5.0))
    assert brain.next_wake() == 5.0 + HELLO_S
    (effect,) = brain.wake(Moment(0.0, 5.0 + HELLO_S))
    assert isinstance(effect, Leave)


def test_an_extension_that_was_uninstalled_ends_the_sidecar_10_s_after_it_went() -> None:
    stage = session()
    stage.leaves("reload")
    stage.wait(HELLO_S - 0.1)
    assert not stage.wanted(Leave)
    stage.wait(0.1)
    assert stage.wanted(Leave)


def test_a_hello_in_time_keeps_the_sidecar() -> None:
    stage = session()
    stage.leaves("reload")
    stage.wait(HELLO_S - 0.1)
    stage.receive(hello("reload"))
    stage.wait(HELLO_S)
    assert not stage.wanted(Leave)


@pytest.mark.parametrize(
    "request_", [{"type": "ping"}, {"type": "explain"}, {"type": "send", "message": "x"}]
)
def test_a_request_before_the_first_hello_is_refused(request_: dict[str, object]) -> None:
    stage = Stage()
    token = stage.ask(request_)
    assert stage.replies[token]["ok"] is False
    assert "try again" in stage.replies[token]["error"]


# Ping


def test_a_ping_is_answered_with_the_entry_as_it_would_be_published_now() -> None:
    stage = session()
    stage.start()
    stage.tool(argument="pytest")
    stage.wait(0.1)
    data = stage.replies[stage.ask({"type": "ping"})]["data"]
    assert data["activity"] == "bash: pytest"
    assert stage.entry["activity"] is None
    LiveEntry.model_validate_json(orjson.dumps(data))


def test_answers_are_told_apart_by_the_order_they_answer() -> None:
    stage = session()
    priority = stage.ask({"type": "priority", "priority": 1})
    message = stage.send("fix it")
    stage.answer(stage.ordered("deliver")[-1], "failed")
    assert stage.delivered(message) == "no"
    assert priority not in stage.replies
    stage.answer(stage.ordered("append")[-1])
    assert stage.replies[priority]["ok"] is True
    numbers = [order["id"] for order in stage.ordered("append", "deliver")]
    assert len(set(numbers)) == 2
