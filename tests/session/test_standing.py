from tank.session.standing import EVENTS, RECENT
from tests.session.driver import session


def test_the_status_keeps_its_since_while_the_word_stays_the_same() -> None:
    stage = session()
    stage.wait(10)
    stage.start()
    since = stage.entry["statusSince"]
    stage.wait(10)
    stage.end("error", "529")
    stage.start()
    stage.say("assistant")
    assert stage.entry["statusSince"] == since
    stage.end()
    stage.settle()
    assert stage.entry["statusSince"] > since


def test_recent_holds_the_last_changes_with_their_reasons_the_present_one_last() -> None:
    stage = session()
    stage.start()
    stage.wait(1)
    stage.asks(title="Really?")
    stage.answers()
    assert [(change["status"], change["detail"]) for change in stage.entry["recent"]] == [
        ("working", None),
        ("needs-you", "Really?"),
        ("working", None),
    ]
    assert stage.entry["recent"][-1]["at"] == stage.entry["statusSince"]
    for _ in range(RECENT):
        stage.run()
    assert len(stage.entry["recent"]) == RECENT
    assert stage.entry["recent"][-1]["status"] == "idle"


def test_what_changes_nothing_is_no_recent_change() -> None:
    stage = session()
    for focused in (True, False, True):
        stage.focus(focused=focused)
    stage.key()
    stage.answers()
    assert stage.entry["recent"] == []
    assert len(stage.entries) == 1


def test_explain_names_the_rule_what_would_change_it_and_the_events_with_their_age() -> None:
    stage = session()
    stage.start()
    stage.asks(title="Really?")
    stage.wait(2.5)
    explained = stage.replies[stage.ask({"type": "explain"})]["data"]
    assert explained["status"] == "needs-you"
    assert explained["detail"] == "Really?"
    assert explained["rule"] == "a dialog opened in a run"
    assert explained["next"] == [
        "the dialog closed → working",
        "the run finished while the terminal was focused → idle",
        "the run finished while the terminal was unfocused → done",
        "the run was aborted → idle",
    ]
    assert explained["events"] == [
        {"event": event, "age": 2.5}
        for event in ("hello", "before_agent_start", "agent_start", "ui_prompt_start")
    ]


def test_explain_names_the_rule_of_every_way_to_stand() -> None:
    def rule() -> str:
        return str(stage.replies[stage.ask({"type": "explain"})]["data"]["rule"])

    stage = session()
    assert rule() == "the session started"
    stage.run()
    assert rule() == "the run finished while the terminal was focused"
    stage.focus(focused=False)
    stage.run()
    assert rule() == "the run finished while the terminal was unfocused"
    stage.compacts()
    assert rule() == "the person started a compaction"
    stage.compacted()
    assert rule() == "the compaction ended"
    stage.focus(focused=True)
    assert rule() == "the terminal was focused"
    stage.run("aborted", "Operation aborted")
    assert rule() == "the run was aborted"
    stage.run("error", "400")
    assert rule() == "the run failed"
    stage.key()
    assert rule() == "a key was pressed"
    stage.start()
    assert rule() == "a run started"
    stage = stage.restarted()
    assert rule() == "Pi was asked at the start"


def test_explain_shows_no_age_below_zero_after_the_clock_was_set_back() -> None:
    stage = session()
    stage.start()
    explained = stage.brain.course.standing.explain(stage.now.wall - 7200)
    assert {event["age"] for event in explained["events"]} == {0.0}  # type: ignore[attr-defined]


def test_the_events_of_a_long_life_are_bounded() -> None:
    stage = session()
    for _ in range(EVENTS):
        stage.run()
    assert len(stage.replies[stage.ask({"type": "explain"})]["data"]["events"]) == EVENTS


def test_keys_and_answers_are_no_events_of_pi() -> None:
    stage = session()
    stage.key()
    stage.receive({"type": "answer", "id": 9, "outcome": "done"})
    assert [event["event"] for event in stage.replies[stage.ask({"type": "explain"})]["data"]["events"]] == [
        "hello"
    ]
