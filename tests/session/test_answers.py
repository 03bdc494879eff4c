"""What senders are told when they ask again, through the brain."""

from tank.session.answers import REMEMBERED, REPEAT_S
from tank.session.inbox import REPLY_S
from tests.session.driver import bodies, guarded, last, running, session


def test_a_repeated_id_gets_the_first_answer_and_delivers_nothing() -> None:
    stage = running()
    first = stage.send("fix it", id="a")
    stage.answer(last(stage), idle=False, pending=True)
    stage.wait(REPEAT_S - 1)
    again = stage.send("something else", id="a")
    assert stage.replies[again] == stage.replies[first]
    assert bodies(stage) == ["fix it"]
    assert stage.brain.count == 1
    stage.wait(1)
    stage.send("fix it", id="a")
    assert bodies(stage) == ["fix it"] * 2


def test_a_repeat_while_the_first_is_on_its_way_gets_the_same_answer_once_there_is_one() -> None:
    stage = session()
    tokens = [stage.send("fix it", id="a") for _ in range(3)]
    stage.answer(last(stage))
    tokens.append(stage.send("fix it", id="a"))
    stage.start()
    assert [stage.delivered(token) for token in tokens] == ["started"] * 4
    assert bodies(stage) == ["fix it"]


def test_a_refusal_is_an_answer_that_is_repeated_too() -> None:
    stage = session()
    first = stage.send("fix it", id="a")
    stage.answer(last(stage), "failed")
    assert stage.replies[stage.send("fix it", id="a")] == stage.replies[first]


def test_a_repeat_of_a_message_that_was_held_for_long_is_answered() -> None:
    stage = session()
    stage.leaves("reload")
    stage.send("fix it", id="a")
    stage.brain.inbox.answers.given.clear()
    stage.wait(REPLY_S)
    token = stage.send("fix it", id="a")
    stage.wait(0)
    assert stage.delivered(token) == "held"


def test_messages_of_other_ids_or_none_are_others() -> None:
    stage = running()
    for key in ({"id": "a"}, {"id": "b"}, {}, {}):
        stage.types()
        stage.send("fix it", **key)
        stage.answer(last(stage), idle=False, pending=True)
    assert bodies(stage) == ["fix it"] * 4


def test_a_client_that_floods_ids_costs_bounded_memory() -> None:
    stage = guarded(session())
    for number in range(2 * REMEMBERED):
        stage.send("x", id=f"{number}")
        stage.answer(last(stage))
    assert len(stage.brain.inbox.answers.given) == REMEMBERED
    assert stage.delivered(stage.send("x", id=f"{2 * REMEMBERED - 1}")) == "shown"
