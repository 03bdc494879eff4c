"""What survives what: the table of the design, cell by cell."""

from collections.abc import Callable
from typing import NamedTuple

import pytest

from tests.session.driver import Json, Stage, hello, session

ONE = {
    "name": "alpha",
    "prompts": ["fix it"],
    "priority": {"priority": 1},
    "recap": {"customType": "session-recap", "data": "half way", "at": None},
}
OTHER = {
    "sessionId": "session-two",
    "name": "beta",
    "prompts": ["write it"],
    "priority": {"priority": 3},
    "recap": {"customType": "session-recap", "data": "nearly done", "at": None},
}
COPY = {**ONE, "sessionId": "session-two", "name": "alpha copy"}
EMPTY = {"sessionId": "session-two"}


def before() -> Stage:
    """A session that failed, with all there is to survive: two messages counted, one of them held."""
    stage = session(**ONE)
    stage.run("error", "400: bad request")
    stage.wait(60)
    stage.send("first")
    stage.answer(stage.ordered("deliver")[-1], "failed")
    stage.send("held one")
    stage.answer(stage.ordered("deliver")[-1], "busy")
    stage.send("held two")
    return stage


def shut_down(reason: str, told: Json) -> Callable[[Stage], Stage]:
    """The extension's next copy says hello to the same sidecar."""

    def act(stage: Stage) -> Stage:
        stage.leaves(reason)
        stage.wait(0.05)
        stage.receive(hello(reason, kept=stage.kept, **told))
        return stage

    return act


def quit_and_resume(stage: Stage) -> Stage:
    stage.leaves("quit")
    return Stage(said=hello("startup", **ONE), tick=stage.tick + 60)


def kill(stage: Stage) -> Stage:
    return stage.restarted(**ONE)


class Row(NamedTuple):
    """What is there afterwards. `status` is the status with its detail, `held` what waits and what is told as lost."""

    act: Callable[[Stage], Stage]
    status: tuple[str, str | None]
    label: str | None
    priority: int | None
    recap: str | None
    messages: int
    held: str


FAILED, IDLE = ("needs-you", "failed: 400: bad request"), ("idle", None)
TABLE = {
    "/reload": Row(shut_down("reload", ONE), IDLE, "alpha", 1, "half way", 2, "waits"),
    "/new": Row(shut_down("new", EMPTY), IDLE, None, None, None, 2, "told"),
    "/resume": Row(shut_down("resume", OTHER), IDLE, "beta", 3, "nearly done", 2, "told"),
    "/resume of the same": Row(shut_down("resume", ONE), IDLE, "alpha", 1, "half way", 2, "told"),
    "/fork": Row(shut_down("fork", COPY), IDLE, "alpha copy", 1, "half way", 2, "told"),
    "quit, then resume": Row(quit_and_resume, IDLE, "alpha", 1, "half way", 0, "gone"),
    "sidecar killed": Row(kill, FAILED, "alpha", 1, "half way", 2, "waits"),
}
CELLS = ["status", "label", "priority", "recap", "guard count", "held messages"]


@pytest.mark.parametrize("cell", CELLS)
@pytest.mark.parametrize("what", TABLE)
def test_what_survives_what(what: str, cell: str) -> None:
    row = TABLE[what]
    stage = row.act(before())
    entry = stage.entry
    if cell == "status":
        assert (entry["status"], entry["statusDetail"]) == row.status
    elif cell == "label":
        assert entry["label"] == row.label
    elif cell == "priority":
        assert entry["priority"] == row.priority
    elif cell == "recap":
        assert (entry["recap"] or {}).get("text") == row.recap
    elif cell == "guard count":
        assert entry["messagesSinceInput"] == row.messages
    else:
        told = [notice.splitlines()[-1] for notice in stage.notices]
        assert told == (["held one", "held two"] if row.held == "told" else [])
        assert delivered(stage) == (["held one", "held two"] if row.held == "waits" else [])


def delivered(stage: Stage) -> list[str]:
    """What an idle Pi gets from now on, each message running to its end."""
    seen: list[str] = []
    orders = [order for order in stage.ordered("deliver") if order["id"] == out(stage)]
    while orders:
        stage.answer(orders[0])
        stage.start(orders[0]["text"])
        seen.append(orders[0]["text"].splitlines()[-1])
        stage.end()
        stage.settle()
        orders = [order for order in stage.ordered("deliver") if order["id"] == out(stage)]
    stage.wait(60)
    return seen


def out(stage: Stage) -> int | None:
    """Id of the order that is with the extension."""
    offer = stage.brain.inbox.offer
    return offer.id if offer else None


def test_a_killed_sidecar_keeps_its_times_and_a_reload_starts_the_status_over() -> None:
    stage = before()
    since, recent, started = (stage.entry[name] for name in ("statusSince", "recent", "startedAt"))
    killed = kill(stage)
    assert [killed.entry[name] for name in ("statusSince", "recent", "startedAt")] == [since, recent, started]
    killed.wait(5)
    reloaded = shut_down("reload", ONE)(killed)
    assert reloaded.entry["statusSince"] > since
    assert reloaded.entry["startedAt"] == started


@pytest.mark.parametrize("reason", ["reload", "new", "resume", "fork"])
def test_nothing_of_an_old_run_is_in_the_next_one(reason: str) -> None:
    stage = session()
    stage.start()
    stage.tool(name="review")
    stage.leaves(reason)
    stage.wait(1)
    stage.receive(hello(reason))
    assert stage.entry["recent"] == [] or reason == "reload"
    assert stage.entry["statusSince"] == stage.entry["updatedAt"]
    stage.start()
    assert stage.entry["activity"] is None
    stage.asks("custom", None)
    assert stage.status == "working"


@pytest.mark.parametrize("reason", ["reload", "new", "resume", "fork"])
def test_a_session_that_was_idle_starts_its_status_over(reason: str) -> None:
    stage = session()
    before = stage.entry["statusSince"]
    stage.leaves(reason)
    stage.wait(1)
    stage.receive(hello(reason))
    assert stage.entry["statusSince"] > before


@pytest.mark.parametrize("reason", ["reload", "new", "resume", "fork"])
def test_the_entry_shows_no_gap(reason: str) -> None:
    stage = before()
    stage.leaves(reason)
    assert stage.brain.entry(stage.now)["sessionId"] == "session-one"
    assert not stage.others[1:]
    stage.receive(hello(reason, **ONE))
    assert stage.brain.next_wake() is None or stage.brain.inbox.offer


@pytest.mark.parametrize(
    ("status", "detail"),
    [("idle", None), ("working", None), ("needs-you", "Really?"), ("done", None), ("compacting", None)],
)
def test_a_killed_sidecar_comes_back_true(status: str, detail: str | None) -> None:
    stage = session()
    facts: Json = {"isIdle": True}
    if status == "done":
        stage.focus(focused=False)
        stage.run()
    elif status == "compacting":
        stage.compacts()
        status, facts = "working", {"isIdle": False}
    elif status != "idle":
        stage.start()
        facts = {"isIdle": False}
        if status == "needs-you":
            stage.asks(title="Really?")
            facts["dialog"] = {"kind": "confirm", "title": "Really?"}
    since, recent = stage.entry["statusSince"], stage.entry["recent"]
    stage.wait(60)
    again = stage.restarted(**facts)
    assert again.statuses == [status]
    assert (again.entry["statusDetail"], again.entry["statusSince"]) == (detail, since)
    assert again.entry["recent"] == recent


@pytest.mark.parametrize("kind", ["confirm", "custom"])
def test_a_question_that_was_open_is_still_one(kind: str) -> None:
    stage = session()
    stage.start()
    stage.tool(name="review")
    stage.asks(kind, "Really?")
    again = stage.restarted(isIdle=False, dialog={"kind": kind, "title": "Really?"})
    assert again.statuses == ["needs-you"]
    assert again.entry["statusDetail"] == stage.entry["statusDetail"]
    again.answers(kind)
    assert again.status == "working"


def test_a_question_that_opened_while_no_sidecar_heard_is_shown_with_its_title() -> None:
    stage = session()
    stage.start()
    again = stage.restarted(isIdle=False, dialog={"kind": "confirm", "title": "Re\x1b[2Jally?"})
    assert (again.status, again.entry["statusDetail"]) == ("needs-you", "Re[2Jally?")


def test_a_question_that_closed_while_no_sidecar_heard_is_gone() -> None:
    stage = session()
    stage.start()
    stage.asks()
    assert stage.restarted(isIdle=False).status == "working"
    assert stage.restarted(isIdle=True).status == "idle"


def test_a_persons_dialog_over_an_idle_session_is_still_their_own() -> None:
    stage = session()
    stage.asks()
    assert stage.restarted(dialog={"kind": "confirm", "title": "Really?"}).statuses == ["idle"]


@pytest.mark.parametrize("idle", [True, False])
def test_a_run_that_ends_after_a_restart_leaves_nothing_stuck(*, idle: bool) -> None:
    for begin in (Stage.start, Stage.compacts):
        stage = session()
        begin(stage)
        again = stage.restarted(isIdle=idle)
        again.end()
        again.settle()
        assert again.status == "idle"
        assert again.brain.next_wake() is None


def test_a_compaction_that_began_and_ends_around_a_restart_leaves_nothing_stuck() -> None:
    stage = session()
    again = stage.restarted(isIdle=False)
    assert again.status == "working"
    again.compacted()
    assert again.status == "idle"
    for _ in range(4):
        again.send("x")
        again.answer(again.orders[-2] if again.orders[-1]["type"] == "keep" else again.orders[-1])
        again.start()
        again.end()
        again.settle()
    assert again.ordered("show")


def test_what_pi_had_queued_is_known_after_a_restart_while_it_lies_there() -> None:
    stage = session()
    stage.start()
    stage.send("queued")
    stage.answer(stage.ordered("deliver")[-1], idle=False, pending=True)
    busy = stage.restarted(isIdle=False, hasPendingMessages=True)
    busy.leaves("new")
    busy.receive(hello("new", sessionId="session-two"))
    assert [notice.splitlines()[-1] for notice in busy.notices] == ["queued"]
    past = stage.restarted()
    past.receive(hello("new", sessionId="session-two"))
    assert past.notices == []


def test_a_session_replaced_while_no_sidecar_lived_is_another_one() -> None:
    again = Stage(said=hello("restart", kept=before().kept, **OTHER))
    assert (again.status, again.entry["label"], again.entry["messagesSinceInput"]) == ("idle", "beta", 2)
    assert [notice.splitlines()[-1] for notice in again.notices] == ["held one", "held two"]


def test_an_imported_file_with_the_same_id_is_another_session() -> None:
    stage = before()
    stage.leaves("resume")
    stage.receive(
        hello("resume", sessionFile="/home/you/.pi/imported.jsonl", **OTHER | {"sessionId": "session-one"})
    )
    assert (stage.status, stage.entry["label"]) == ("idle", "beta")
    assert len(stage.notices) == 2


# What happened while no sidecar listened


def ending(reason: str, error: str | None = None) -> dict[str, str | None]:
    return {"stopReason": reason, "errorMessage": error}


@pytest.mark.parametrize(
    ("reason", "error", "status"),
    [
        ("error", "Connection error.", "needs-you"),
        ("stop", None, "done"),
        ("aborted", "Operation aborted", "idle"),
    ],
)
def test_a_run_that_ended_unheard_ends_as_it_did(reason: str, error: str | None, status: str) -> None:
    stage = session()
    stage.focus(focused=False)
    stage.start()
    again = stage.restarted(ended=ending(reason, error))
    assert again.status == status
    assert again.entry["statusDetail"] == (f"failed: {error}" if status == "needs-you" else None)


def test_a_message_that_was_out_with_no_answer_is_not_offered_again() -> None:
    stage = session()
    stage.send("fix it")
    assert stage.ordered("deliver")
    again = stage.restarted()
    again.wait(60)
    assert not again.ordered("deliver")


def test_a_repeat_gets_its_first_answer_from_the_next_sidecar_too() -> None:
    stage = session()
    token = stage.send("fix it", id="one")
    stage.answer(stage.ordered("deliver")[-1])
    stage.start()
    assert stage.delivered(token) == "started"
    again = stage.restarted()
    assert again.delivered(again.send("fix it", id="one")) == "started"
    assert not again.ordered("deliver")
