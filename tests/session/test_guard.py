"""The loop guard, through the brain: which messages run, which are shown, and what resets the count."""

import pytest

from tank.records import header
from tank.records.header import Sender
from tank.records.limits import RUNNING_MESSAGES
from tests.session.driver import Stage, hello, session

SHOWN_NOTE = "3 messages came since its person last typed; the next typed prompt lets messages run again"


def run_on(stage: Stage, token: int) -> None:
    """Pi takes the message that was offered last and runs on it to the end."""
    order = stage.ordered("deliver")[-1]
    stage.answer(order)
    stage.start(order["text"])
    assert stage.delivered(token) == "started"
    stage.end()
    stage.settle()


def full(stage: Stage, sender: Sender | None = None) -> Stage:
    """A session that got as many messages as run."""
    for count in range(RUNNING_MESSAGES):
        run_on(stage, stage.ask({"type": "send", "message": f"message {count}"}, sender))
    return stage


def is_shown(stage: Stage) -> bool:
    """Whether one more message is only shown, and its sender told so."""
    token = stage.send("one more")
    order = stage.ordered("deliver", "show")[-1]
    stage.answer(order)
    if order["type"] == "deliver":
        return False
    assert stage.replies[token] == {"ok": True, "data": {"delivered": "shown", "note": SHOWN_NOTE}}
    return True


def test_the_fourth_message_is_shown_and_the_entry_says_how_many_came() -> None:
    stage = full(session())
    assert stage.entry["messagesSinceInput"] == 3
    assert is_shown(stage)
    assert stage.entry["messagesSinceInput"] == 4
    assert is_shown(stage)


def test_the_extensions_own_input_of_a_message_does_not_reset() -> None:
    stage = session()
    for count in range(RUNNING_MESSAGES):
        token = stage.send(f"message {count}")
        stage.hear("input", text=stage.ordered("deliver")[-1]["text"], source="extension")
        run_on(stage, token)
    assert is_shown(stage)


@pytest.mark.parametrize(
    "between", ["reload", "killed", "compaction", "rename", "new", "resume", "fork", "model"]
)
def test_nothing_but_a_typed_prompt_resets(between: str) -> None:
    stage = full(session())
    if between == "reload":
        stage.leaves("reload")
        stage.receive(hello("reload", kept=stage.kept))
    elif between == "killed":
        stage = stage.restarted()
    elif between == "compaction":
        stage.compacts()
        stage.compacted()
    elif between == "rename":
        stage.hear("session_info_changed", name="alpha")
    elif between == "model":
        stage.hear("model_select", model=None)
    else:
        stage.leaves(between)
        stage.receive(hello(between, sessionId="session-two"))
    stage.ask({"type": "ping"})
    stage.key()
    stage.focus(focused=True)
    assert is_shown(stage)


def test_a_ring_of_three_sessions_that_pass_on_what_they_get_stops_by_itself() -> None:
    ring = [Stage(said=hello(sessionId=f"session-{name}")) for name in "abc"]
    runs = [0, 0, 0]
    at, word = 0, "pass it on"
    for _ in range(100):
        stage = ring[at]
        token = stage.ask({"type": "send", "message": word}, Sender("app", "the one before", verified=True))
        if stage.ordered("show"):
            break
        run_on(stage, token)
        runs[at] += 1
        at = (at + 1) % 3
    assert runs == [3, 3, 3]


def test_a_session_that_writes_to_itself_stops() -> None:
    stage = session()
    itself = Sender("app", "itself", verified=True)
    full(stage, itself)
    assert is_shown(stage)


def test_it_counts_over_all_senders() -> None:
    stage = session()
    senders = [Sender("app", "one", verified=True), Sender("web", "two", verified=False), None]
    for sender in senders:
        run_on(stage, stage.ask({"type": "send", "message": "hello"}, sender))
    assert is_shown(stage)


@pytest.mark.parametrize(
    "typed", ["go on", "/skill:review it", "/template x", "/unknown", "[Message to me", " "]
)
@pytest.mark.parametrize("behavior", [None, "steer", "followUp"])
def test_a_typed_prompt_resets(typed: str, behavior: str | None) -> None:
    stage = full(session())
    stage.hear("input", text=typed, source="interactive", streamingBehavior=behavior)
    assert stage.entry["messagesSinceInput"] == 0
    assert not is_shown(stage)


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("extension", "go on"),
        ("rpc", "go on"),
        ("interactive", header.compose(Sender("app", "tests", verified=True), "put back by Esc")),
        ("interactive", header.compose(Sender("app", "tests", verified=False), "put back")),
        ("interactive", "\n" + header.compose(None, "put back") + "\n\nand a draft"),
    ],
)
def test_what_no_person_typed_does_not_reset(source: str, said: str) -> None:
    stage = full(session())
    stage.hear("input", text=said, source=source)
    assert is_shown(stage)


def test_a_message_that_was_not_delivered_does_not_count() -> None:
    stage = session()
    token = stage.send("hello")
    stage.answer(stage.ordered("deliver")[-1], "failed")
    assert stage.delivered(token) == "no"
    assert stage.entry["messagesSinceInput"] == 0
    full(stage)
    assert is_shown(stage)


@pytest.mark.parametrize(
    "request_",
    [
        {"type": "send", "message": "x", "to": {"sessionId": "session-two"}},
        {"type": "priority", "priority": 1},
        {"type": "ping"},
    ],
)
def test_what_is_no_message_for_this_session_does_not_count(request_: dict[str, object]) -> None:
    stage = session()
    stage.ask(request_)
    assert stage.brain.count == 0


def test_a_message_from_before_a_typed_prompt_that_is_refused_after_it_lets_no_other_one_run() -> None:
    stage = session()
    early = stage.send("early")
    stage.types()
    for _ in range(RUNNING_MESSAGES):
        stage.send("later")
    stage.wait(5)
    assert stage.delivered(early) == "no"
    assert stage.brain.count == RUNNING_MESSAGES
