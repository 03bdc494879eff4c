import orjson
import pytest

from tank.records.live import LiveEntry
from tank.session.brain import APPENDS, HELLO_S, PANE_S, Brain, Moment
from tank.session.effects import AskPane, Leave, Order, Publish, Reply
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


# Focus and keys


def test_a_session_counts_as_focused_before_the_first_report() -> None:
    stage = session()
    stage.run()
    assert stage.statuses == ["idle", "working", "idle"]


def test_done_is_shown_when_nobody_looked_and_cleared_by_a_look() -> None:
    stage = session()
    stage.focus(focused=False)
    stage.run()
    assert stage.status == "done"
    stage.focus(focused=False)
    assert stage.status == "done"
    stage.focus(focused=True)
    assert stage.status == "idle"
    stage.run()
    assert stage.status == "idle"


@pytest.mark.parametrize("status", ["done", "needs-you"])
def test_a_key_is_asked_for_once_when_it_matters_and_clears_the_status(status: str) -> None:
    stage = session()
    assert not stage.ordered("watch_key")
    stage.focus(focused=False)
    stage.run(*(("error", "400") if status == "needs-you" else ("stop",)))
    stage.hear("model_select", model=None)
    stage.wait(60)
    assert (stage.status, len(stage.ordered("watch_key"))) == (status, 1)
    stage.key()
    assert stage.status == "idle"
    stage.wait(60)
    assert len(stage.ordered("watch_key")) == 1


def test_a_failed_run_is_not_cleared_by_focus() -> None:
    stage = session()
    stage.focus(focused=False)
    stage.run("error", "400")
    stage.focus(focused=True)
    assert stage.status == "needs-you"


def test_a_new_copy_of_the_extension_is_asked_for_the_key_again() -> None:
    stage = session()
    stage.focus(focused=False)
    stage.run()
    asked = len(stage.ordered("watch_key"))
    assert asked == len(stage.restarted().ordered("watch_key")) == 1


# tmux


def test_in_tmux_without_reports_the_pane_is_asked_for_once_when_a_run_ends_well() -> None:
    stage = Stage(tmux=True, said=hello())
    stage.run()
    assert len(stage.wanted(AskPane)) == 1
    assert stage.status == "working"
    stage.do(stage.brain.pane_asked(stage.now, shown=False))
    assert stage.status == "done"
    stage.do(stage.brain.pane_asked(stage.now, shown=True))
    assert stage.status == "done"


@pytest.mark.parametrize("shown", [True, None])
def test_a_pane_that_is_shown_or_of_which_tmux_says_nothing_counts_as_seen(*, shown: bool | None) -> None:
    stage = Stage(tmux=True, said=hello())
    stage.run()
    stage.do(stage.brain.pane_asked(stage.now, shown=shown))
    assert stage.status == "idle"


def test_a_tmux_that_never_answers_leaves_nothing_stuck() -> None:
    stage = Stage(tmux=True, said=hello())
    stage.run()
    stage.wait(PANE_S - 0.1)
    assert stage.status == "working"
    stage.wait(0.1)
    assert stage.status == "idle"
    assert stage.brain.next_wake() is None


def test_a_focus_report_that_comes_before_tmux_answers_counts_more() -> None:
    stage = Stage(tmux=True, said=hello())
    stage.run()
    stage.focus(focused=True)
    stage.do(stage.brain.pane_asked(stage.now, shown=False))
    assert stage.status == "idle"
    stage = Stage(tmux=True, said=hello())
    stage.run()
    stage.focus(focused=False)
    stage.wait(PANE_S)
    assert stage.status == "done"


def test_a_run_that_begins_before_tmux_answers_is_the_same_span_of_work() -> None:
    stage = Stage(tmux=True, said=hello())
    stage.run()
    stage.start()
    stage.do(stage.brain.pane_asked(stage.now, shown=False))
    stage.wait(PANE_S)
    assert stage.statuses == ["idle", "working"]


@pytest.mark.parametrize(("reason", "error"), [("error", "400"), ("aborted", "Operation aborted")])
def test_tmux_is_not_asked_about_a_run_that_did_not_finish(reason: str, error: str) -> None:
    stage = Stage(tmux=True, said=hello())
    stage.run(reason, error)
    assert not stage.wanted(AskPane)


@pytest.mark.parametrize("focused", [True, False])
def test_tmux_is_not_asked_once_the_terminal_has_reported_that_it_lost_the_focus(*, focused: bool) -> None:
    stage = Stage(tmux=True, said=hello())
    stage.focus(focused=False)
    stage.focus(focused=focused)
    stage.run()
    assert not stage.wanted(AskPane)
    assert stage.status == ("idle" if focused else "done")


def test_the_focus_that_tmux_tells_at_an_attach_answers_no_later_question() -> None:
    stage = Stage(tmux=True, said=hello())
    stage.focus(focused=True)
    stage.run()
    assert len(stage.wanted(AskPane)) == 1
    stage.do(stage.brain.pane_asked(stage.now, shown=False))
    assert stage.status == "done"


# Priority


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
