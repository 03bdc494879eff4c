"""What becomes of messages, through the brain: every answer, every offer, and what is told when a session goes."""

import itertools

import pytest

from tank.session import requests
from tank.session.effects import Order, Publish, Reply
from tank.session.inbox import EXPIRES_S, HELD_BYTES, HELD_MESSAGES, REPLY_S, RETRY_S
from tests.session.driver import PERSON, WALL, bodies, guarded, hello, last, running, session

# Started


def test_an_idle_session_starts_a_run_on_a_message_and_the_sender_is_told_when_pi_shows_it() -> None:
    stage = session()
    token = stage.send("fix it")
    order = last(stage)
    assert order["text"] == PERSON + "fix it"
    assert order["expiresAt"] == int((WALL + stage.tick + EXPIRES_S) * 1000)
    stage.hear("input", text=order["text"], source="extension")
    stage.answer(order)
    assert stage.delivered(token) is None
    stage.hear("before_agent_start")
    assert stage.delivered(token) is None
    effects = stage.hear("agent_start", id=2)
    assert stage.replies[token] == {"ok": True, "data": {"delivered": "started"}}
    kinds = [type(effect) for effect in effects if not isinstance(effect, Order)]
    assert kinds == [Publish, Reply], "who is told and looks at once must find it working"
    stage.say("user", order["text"])
    stage.end()
    stage.settle()
    stage.wait(60)
    assert bodies(stage) == ["fix it"]


def test_a_run_that_another_extension_holds_up_has_started_all_the_same() -> None:
    stage = session()
    token = stage.send("fix it")
    stage.answer(last(stage))
    stage.hear("before_agent_start")
    stage.wait(REPLY_S)
    assert stage.delivered(token) == "started"


def test_idle_messages_go_one_at_a_time_the_next_after_the_run_began() -> None:
    stage = session()
    tokens = [stage.send(f"{number}") for number in range(3)]
    assert bodies(stage) == ["0"]
    stage.answer(last(stage))
    stage.hear("before_agent_start")
    assert bodies(stage) == ["0"]
    stage.hear("agent_start", id=2)
    assert bodies(stage) == ["0", "1"]
    stage.answer(last(stage), idle=False, pending=True)
    assert bodies(stage) == ["0", "1", "2"]
    stage.answer(last(stage), idle=False, pending=True)
    assert [stage.delivered(token) for token in tokens] == ["started", "queued", "queued"]


def test_a_run_that_ends_before_it_began_frees_the_way() -> None:
    stage = session()
    stage.send("one")
    stage.send("two")
    stage.answer(last(stage))
    stage.hear("before_agent_start")
    stage.settle()
    assert bodies(stage) == ["one", "two"]


def test_a_run_that_begins_and_never_goes_on_frees_the_way_after_5_s() -> None:
    stage = session()
    first = stage.send("one")
    stage.answer(last(stage))
    stage.hear("before_agent_start")
    stage.send("two")
    stage.wait(REPLY_S)
    assert stage.delivered(first) == "started"
    assert bodies(stage) == ["one", "two"]
    assert stage.notices == []


# Queued


@pytest.mark.parametrize("mode", ["follow_up", "steer"])
def test_a_busy_session_queues_a_message_in_pi(mode: str) -> None:
    stage = running()
    token = stage.send("fix it", mode=mode)
    assert last(stage)["mode"] == mode
    stage.answer(last(stage), idle=False, pending=True)
    assert stage.delivered(token) == "queued"
    assert stage.brain.next_wake() is None


@pytest.mark.parametrize("before_the_answer", [True, False])
def test_a_steer_that_pi_takes_at_once_was_delivered(*, before_the_answer: bool) -> None:
    stage = running()
    token = stage.send("fix it", mode="steer")
    order = last(stage)
    if before_the_answer:
        stage.say("user", order["text"])
    stage.answer(order, idle=False, pending=False)
    if not before_the_answer:
        assert stage.delivered(token) is None
        stage.say("user", order["text"])
    assert stage.delivered(token) == "started"
    stage.send("next")
    assert bodies(stage) == ["fix it", "next"]


def test_a_message_with_the_text_of_a_queued_one_is_another() -> None:
    stage = running()
    stage.send("again")
    stage.answer(last(stage), idle=False, pending=True)
    token = stage.send("again")
    stage.say("user", last(stage)["text"])
    assert stage.delivered(token) is None
    stage.answer(last(stage), idle=False, pending=True)
    assert stage.delivered(token) == "queued"
    assert len(stage.brain.inbox.queued) == 1


# Held


def test_a_message_that_pi_would_lose_is_held_offered_again_and_delivered_once() -> None:
    stage = session()
    stage.compacts()
    token = stage.send("fix it")
    stage.answer(last(stage), "busy", idle=False)
    assert stage.replies[token] == {"ok": True, "data": {"delivered": "held"}}
    stage.compacted()
    stage.answer(last(stage), "busy", idle=False)
    stage.wait(RETRY_S)
    stage.answer(last(stage))
    stage.start(last(stage)["text"])
    stage.end()
    stage.settle()
    stage.wait(60)
    assert bodies(stage) == ["fix it"] * 3
    assert stage.brain.inbox.waiting == []


def test_held_messages_keep_their_order_also_when_pi_turns_idle_in_between() -> None:
    stage = session()
    stage.compacts()
    tokens = [stage.send("one"), stage.send("two")]
    stage.answer(last(stage), "busy", idle=False)
    tokens.append(stage.send("three"))
    assert [stage.delivered(token) for token in tokens] == ["held"] * 3
    assert bodies(stage) == ["one"]
    stage.compacted()
    stage.answer(last(stage))
    stage.start(last(stage)["text"])
    for _ in range(2):
        stage.answer(last(stage), idle=False, pending=True)
    assert bodies(stage) == ["one", "one", "two", "three"]


def test_a_held_message_is_offered_on_each_event_and_every_250_ms_only() -> None:
    stage = session()
    stage.send("fix it")
    for _ in range(40):
        stage.answer(last(stage), "busy")
        stage.wait(RETRY_S)
    assert len(bodies(stage)) == 41
    stage.answer(last(stage), "busy")
    stage.hear("session_before_tree")
    assert len(bodies(stage)) == 42
    stage.answer(last(stage), "busy")
    for _ in range(10):
        stage.key()
        stage.focus(focused=True)
        stage.ask({"type": "ping"})
        stage.ask({"type": "explain"})
    assert len(bodies(stage)) == 42


def test_a_client_that_keeps_asking_does_not_put_off_a_held_message() -> None:
    stage = session()
    stage.send("fix it")
    stage.answer(last(stage), "busy")
    for _ in range(10):
        stage.wait(0.05)
        stage.ask({"type": "ping"})
    assert len(bodies(stage)) == 2


def test_between_two_copies_of_the_extension_nothing_is_offered_and_every_message_is_held() -> None:
    stage = session()
    stage.leaves("reload")
    token = stage.send("fix it")
    assert stage.delivered(token) == "held"
    assert stage.wait(9) == 0
    assert bodies(stage) == []
    stage.receive(hello("reload", kept=stage.kept))
    assert bodies(stage) == ["fix it"]


def test_messages_that_wait_as_the_extension_goes_are_held_at_once() -> None:
    stage = session()
    tokens = [stage.send("one"), stage.send("two")]
    stage.leaves("reload")
    assert [stage.delivered(token) for token in tokens] == [None, "held"]
    stage.answer(last(stage), "busy")
    assert stage.delivered(tokens[0]) == "held"
    stage.receive(hello("reload", kept=stage.kept))
    assert bodies(stage) == ["one", "one"]


def test_16_messages_are_held_and_the_next_is_refused() -> None:
    stage = session()
    stage.leaves("reload")
    for number in range(HELD_MESSAGES):
        stage.types()
        assert stage.delivered(stage.send(f"{number}")) == "held"
    token = stage.send("one too many")
    assert stage.delivered(token) == "no"
    assert "16 messages or 256 KiB" in stage.replies[token]["error"]
    assert stage.entry["messagesSinceInput"] == 1
    stage.receive(hello("reload", kept=stage.kept))
    for number in range(HELD_MESSAGES):
        assert bodies(stage)[-1] == f"{number}"
        stage.answer(last(stage))
        stage.start()
        stage.end()
        stage.settle()


@pytest.mark.parametrize(("character", "count"), [("x", 15), ("\n", 7), ("\x1b", 2)])
def test_256_kib_are_held_counted_as_they_are_kept(character: str, count: int) -> None:
    stage = session()
    stage.leaves("reload")
    words: list[str | None] = []
    while len(words) < HELD_MESSAGES and words[-1:] != ["no"]:
        words.append(stage.delivered(stage.send(character * 16_384)))
    assert words.count("held") + words.count("shown") == count
    assert words[-1] == "no"
    assert HELD_BYTES == 256 * 1024


# Shown


def test_a_guarded_message_is_shown_at_once_in_an_idle_session() -> None:
    stage = guarded(session())
    token = stage.send("fix it")
    assert last(stage)["type"] == "show"
    assert stage.delivered(token) is None
    stage.answer(last(stage))
    assert stage.delivered(token) == "shown"
    assert "typed" in stage.replies[token]["data"]["note"]
    stage.wait(60)
    assert bodies(stage) == ["fix it"]


def test_a_guarded_message_waits_for_the_end_of_the_run_and_costs_nothing_till_then() -> None:
    stage = guarded(running())
    token = stage.send("fix it")
    assert stage.delivered(token) == "shown"
    stage.tool()
    stage.tool_ends()
    assert stage.brain.next_wake() is None or stage.wait(1) <= 1
    assert stage.wait(3600) == 0
    assert bodies(stage) == []
    stage.end()
    stage.settle()
    assert last(stage)["type"] == "show"
    stage.answer(last(stage), "busy")
    stage.wait(RETRY_S)
    stage.answer(last(stage))
    stage.wait(60)
    assert bodies(stage) == ["fix it"] * 2


def test_a_guarded_message_behind_one_that_is_just_starting_is_answered_at_once() -> None:
    stage = session()
    stage.brain.count = 2
    first, second = stage.send("runs"), stage.send("is shown")
    assert stage.delivered(second) == "shown"
    stage.answer(last(stage))
    stage.start(last(stage)["text"])
    assert stage.delivered(first) == "started"
    assert bodies(stage) == ["runs"]
    stage.end()
    stage.settle()
    assert bodies(stage) == ["runs", "is shown"]


def test_a_message_after_a_typed_prompt_overtakes_a_guarded_one_that_waits_for_the_runs_end() -> None:
    stage = guarded(running())
    stage.send("is shown")
    stage.types()
    token = stage.send("runs")
    assert last(stage)["type"] == "deliver"
    stage.answer(last(stage), idle=False, pending=True)
    assert stage.delivered(token) == "queued"


def test_a_message_to_be_shown_to_a_suspended_pi_is_ordered_once_and_its_sender_told_that_it_is_unknown() -> (
    None
):
    stage = guarded(session())
    token = stage.send("fix it")
    assert stage.wait(3600) <= 2
    assert stage.delivered(token) == "unknown"
    assert stage.answered_at[token] - 1000.0 == REPLY_S
    assert bodies(stage) == ["fix it"]
    stage.answer(last(stage))
    stage.wait(60)
    assert bodies(stage) == ["fix it"]


def test_a_message_that_could_not_be_shown_after_all_is_told_to_the_person() -> None:
    stage = guarded(session())
    token = stage.send("fix it")
    stage.wait(60)
    assert stage.delivered(token) == "unknown"
    stage.answer(last(stage), "failed")
    assert len(stage.notices) == 1
    assert stage.brain.count == 4


# Refused, unknown


@pytest.mark.parametrize("error", ["No API key", None])
def test_what_pi_refuses_is_not_delivered_and_says_why(error: str | None) -> None:
    stage = session()
    token = stage.send("fix it")
    stage.receive({"type": "answer", "id": last(stage)["id"], "outcome": "failed", "error": error})
    assert stage.delivered(token) == "no"
    assert stage.replies[token]["error"] == f"Pi refused the message: {error or 'no reason given'}"
    stage.wait(60)
    assert bodies(stage) == ["fix it"]


def test_a_held_message_that_pi_refuses_is_shown_to_the_person() -> None:
    stage = session()
    stage.send("fix\x1b[2J it")
    stage.answer(last(stage), "busy")
    stage.wait(RETRY_S)
    stage.answer(last(stage), "failed")
    assert stage.notices == [
        f"Tank: Not delivered (Pi refused the message: no reason given): {PERSON}fix[2J it"
    ]


def test_what_the_extension_read_too_late_is_not_delivered() -> None:
    stage = session()
    token = stage.send("fix it")
    stage.answer(last(stage), "expired")
    assert stage.delivered(token) == "no"
    assert stage.wait(60) == 0
    assert bodies(stage) == ["fix it"]


def test_what_nobody_read_within_5_s_is_not_delivered() -> None:
    stage = session()
    token = stage.send("fix it")
    stage.wait(REPLY_S - 0.01)
    assert stage.delivered(token) is None
    stage.wait(0.01)
    assert stage.delivered(token) == "no"
    assert "suspended or hangs" in stage.replies[token]["error"]
    stage.answer(last(stage), "expired")
    assert stage.wait(60) == 0
    assert bodies(stage) == ["fix it"]
    assert EXPIRES_S < REPLY_S


def test_what_pi_took_and_nothing_confirmed_within_5_s_is_unknown() -> None:
    stage = session()
    token = stage.send("fix it")
    stage.wait(1)
    stage.hear("input", text=last(stage)["text"], source="extension")
    stage.answer(last(stage))
    stage.wait(REPLY_S)
    assert stage.delivered(token) == "unknown"
    assert stage.answered_at[token] - 1000.0 == REPLY_S
    assert stage.wait(60) == 0
    assert bodies(stage) == ["fix it"]


def test_every_sender_has_an_answer_within_5_s_also_behind_one_that_nothing_confirms() -> None:
    stage = session()
    sent: dict[int, float] = {}
    for number in range(6):
        stage.types()
        sent[stage.send(f"{number}")] = stage.tick
        for order in stage.ordered("deliver")[-1:]:
            stage.answer(order)
        stage.wait(1.7)
    stage.wait(60)
    for token, at in sent.items():
        assert stage.answered_at[token] - at <= REPLY_S


def test_a_message_that_was_offered_late_is_held_when_its_sender_has_waited_5_s() -> None:
    stage = session()
    first = stage.send("one")
    stage.wait(2)
    second = stage.send("two")
    stage.wait(10)
    assert [stage.delivered(first), stage.delivered(second)] == ["no", "held"]
    assert stage.answered_at[second] - 1002.0 == REPLY_S


def test_a_held_message_that_a_suspended_pi_does_not_read_is_ordered_again_only_once_the_order_has_expired() -> (
    None
):
    stage = session()
    stage.send("fix it")
    stage.answer(last(stage), "busy")
    woken = stage.wait(60)
    orders = stage.ordered("deliver")
    assert len(orders) <= 1 + 60 / REPLY_S
    assert woken <= 2 * len(orders)
    gaps = {b["expiresAt"] - a["expiresAt"] for a, b in itertools.pairwise(orders[1:])}
    assert min(gaps) >= EXPIRES_S * 1000
    for order in orders[:-1]:
        stage.answer(order, "expired")
    assert len(stage.ordered("deliver")) == len(orders)


def test_a_held_message_that_the_extension_reads_too_late_is_offered_again_but_not_at_once() -> None:
    stage = session()
    stage.send("fix it")
    stage.answer(last(stage), "busy")
    stage.wait(RETRY_S)
    for offers in range(2, 6):
        assert len(bodies(stage)) == offers
        stage.answer(last(stage), "expired")
        stage.wait(RETRY_S / 2)
        assert len(bodies(stage)) == offers
        stage.wait(RETRY_S / 2)
    assert stage.replies[1]["data"] == {"delivered": "held"}


def test_a_held_message_that_nothing_confirms_is_shown_to_the_person() -> None:
    stage = session()
    stage.send("fix it")
    stage.answer(last(stage), "busy")
    stage.wait(RETRY_S)
    stage.answer(last(stage))
    stage.wait(60)
    assert stage.notices == [f"Tank: A held message may not have arrived: {PERSON}fix it"]
    assert len(bodies(stage)) == 2


@pytest.mark.parametrize("outcome", ["taken", "done", "busy", "expired", "failed"])
def test_an_answer_to_another_order_or_a_second_answer_changes_nothing(outcome: str) -> None:
    stage = session()
    token = stage.send("fix it")
    order = last(stage)
    stage.answer({"id": order["id"] + 7}, outcome)
    assert stage.delivered(token) is None
    stage.answer(order)
    stage.answer(order, outcome)
    assert stage.delivered(token) is None
    stage.start(order["text"])
    stage.answer(order, outcome)
    assert stage.delivered(token) == "started"
    assert bodies(stage) == ["fix it"]


# What a session leaves behind


def test_a_queue_that_a_new_session_drops_is_told_as_undelivered() -> None:
    stage = running()
    for body in ("one", "two"):
        stage.send(body)
        stage.answer(last(stage), idle=False, pending=True)
    stage.say("user", stage.ordered("deliver")[0]["text"])
    stage.end("aborted", "Operation aborted")
    stage.settle(aborted=True, pending=True)
    stage.leaves("new")
    stage.receive(hello("new", sessionId="session-two"))
    assert stage.notices == [f"Tank: Not delivered before the session changed: {PERSON}two"]


def test_a_queue_that_an_abort_puts_into_the_editor_is_not_told() -> None:
    stage = running()
    stage.send("one")
    stage.answer(last(stage), idle=False, pending=True)
    stage.end("aborted", "Operation aborted")
    stage.settle(aborted=True, pending=False)
    stage.leaves("new")
    stage.receive(hello("new", sessionId="session-two"))
    assert stage.notices == []


def test_a_queue_that_was_read_in_the_run_is_not_told() -> None:
    stage = running()
    stage.send("x" * 9999)
    stage.answer(last(stage), idle=False, pending=True)
    stage.say("user", last(stage)["text"][:512])
    stage.leaves("new")
    stage.receive(hello("new", sessionId="session-two"))
    assert stage.notices == []


def test_what_waits_or_is_on_its_way_as_another_session_comes_is_refused_or_told() -> None:
    stage = session()
    held = stage.send("held")
    stage.answer(last(stage), "busy")
    stage.wait(RETRY_S)
    stage.answer(last(stage))
    waiting = stage.send("waiting")
    stage.receive(hello("new", sessionId="session-two"))
    assert [stage.delivered(held), stage.delivered(waiting)] == ["held", "no"]
    assert [said.splitlines()[-1] for said in stage.notices] == ["held", "waiting"]
    stage.wait(60)
    assert bodies(stage) == ["held", "held"]
    assert stage.brain.count == 1


def test_a_run_that_began_on_a_message_is_not_told_as_lost() -> None:
    stage = session()
    stage.send("fix it")
    stage.answer(last(stage))
    stage.hear("before_agent_start")
    stage.receive(hello("new", sessionId="session-two"))
    assert stage.notices == []


# At rest


@pytest.mark.parametrize(
    ("outcome", "idle", "pending"),
    [("done", True, False), ("done", False, True), ("expired", True, False), ("failed", True, False)],
)
def test_once_all_is_said_nothing_wakes_the_sidecar(*, outcome: str, idle: bool, pending: bool) -> None:
    stage = session() if idle else running()
    stage.send("fix it")
    stage.answer(last(stage), outcome, idle=idle, pending=pending)
    if outcome == "done" and idle:
        stage.start()
    stage.end()
    stage.settle()
    stage.wait(1)
    assert stage.brain.next_wake() is None


# What others do to Pi meanwhile


def test_a_message_taken_by_a_pi_that_hangs_in_others_handlers_is_unknown_and_counts() -> None:
    stage = session()
    token = stage.send("fix it")
    order = last(stage)
    stage.answer(order, "taken")
    stage.wait(REPLY_S)
    assert stage.delivered(token) == "unknown"
    assert stage.entry["messagesSinceInput"] == 1
    stage.wait(60)
    assert bodies(stage) == ["fix it"]


def test_who_is_told_that_a_message_is_held_is_told_after_that_is_kept_and_shown() -> None:
    stage = session()
    stage.send("one")
    stage.answer(last(stage), "busy")
    told = stage.brain.request(99, requests.parse(b'{"type":"send","message":"two"}'), None, stage.now)
    kinds = [e.record["type"] if isinstance(e, Order) else type(e).__name__ for e in told]
    assert kinds[-3:] == ["keep", "Publish", "Reply"]
