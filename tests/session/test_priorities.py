import pytest

from tank.session.effects import Publish, Reply
from tank.session.priorities import APPENDS
from tests.session.driver import session


def test_a_priority_is_appended_published_when_pi_has_it_and_only_then_answered() -> None:
    stage = session()
    token = stage.ask({"type": "priority", "priority": 0})
    (order,) = stage.ordered("append")
    assert (order["customType"], order["data"]) == ("tank-priority", {"priority": 0})
    assert token not in stage.replies
    assert stage.entry["priority"] is None
    effects = stage.receive({"type": "answer", "id": order["id"], "outcome": "done"})
    assert [type(effect) for effect in effects] == [Publish, Reply]
    assert stage.entry["priority"] == 0
    assert stage.replies[token] == {"ok": True, "data": {"priority": 0}}
    token = stage.ask({"type": "priority", "priority": None})
    stage.answer(stage.ordered("append")[-1])
    assert stage.entry["priority"] is None


@pytest.mark.parametrize(("outcome", "why"), [("busy", "busy changing; try again"), ("failed", "no reason")])
def test_a_priority_that_pi_does_not_store_is_not_published(outcome: str, why: str) -> None:
    stage = session(priority={"priority": 2})
    token = stage.ask({"type": "priority", "priority": 0})
    error = why if outcome == "failed" else None
    order = stage.ordered("append")[-1]
    stage.receive({"type": "answer", "id": order["id"], "outcome": outcome, "error": error})
    assert stage.replies[token]["ok"] is False
    assert why in stage.replies[token]["error"]
    assert stage.entry["priority"] == 2


def test_a_priority_that_a_suspended_pi_stores_later_is_published_then() -> None:
    stage = session()
    token = stage.ask({"type": "priority", "priority": 0})
    stage.wait(60)
    assert stage.replies[token]["ok"] is False
    assert stage.answered_at[token] == 1005.0
    assert stage.brain.next_wake() is None
    stage.answer(stage.ordered("append")[-1])
    assert stage.entry["priority"] == 0


def test_priorities_that_a_suspended_pi_does_not_read_do_not_pile_up() -> None:
    stage = session()
    for _ in range(10 * APPENDS):
        stage.ask({"type": "priority", "priority": 0})
        stage.wait(6)
    assert len(stage.ordered("append")) == APPENDS
    assert len(stage.replies) == 10 * APPENDS
