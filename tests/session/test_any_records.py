"""Whatever an extension forwards, in whatever order and shape: the brain never raises, and what leaves it is valid."""

from typing import Any, get_args

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tank.records import link
from tank.records.header import Sender
from tank.session.effects import Leave
from tests.session.driver import Json, Stage, facts, hello

KINDS = sorted(
    {
        word
        for model in get_args(get_args(link.Forwarded)[0])
        for word in get_args(model.model_fields["type"].annotation)
    }
)
words = st.sampled_from(
    ["", "x", "fix it", "/new", "a\x1b]0;b\x07\n\u202e", "\u200b", "漢" * 300, "é\u0301" * 2000]
)
texts = words | st.text(max_size=20)
junk = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats(allow_nan=False) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=5,
)
usages = st.fixed_dictionaries(
    {
        "tokens": st.none() | st.integers(0, 9),
        "contextWindow": st.just(9),
        "percent": st.none() | st.floats(0, 100),
    }
)
models = st.none() | st.fixed_dictionaries({"provider": texts, "id": texts})
dialogs = st.fixed_dictionaries({"kind": st.sampled_from(["confirm", "custom"]), "title": st.none() | texts})
endings = st.fixed_dictionaries(
    {"stopReason": st.sampled_from(["stop", "error", "aborted"]), "errorMessage": st.none() | texts}
)
customs = st.fixed_dictionaries({"customType": st.just("session-recap"), "data": junk, "at": junk})
told = st.builds(
    lambda changes: facts(**changes),
    st.fixed_dictionaries(
        {},
        optional={
            "sessionId": st.sampled_from(["session-one", "session-two"]) | junk,
            "cwd": st.sampled_from(["/home/you/app", "/home/you/web"]) | junk,
            "sessionFile": junk,
            "name": st.none() | texts | junk,
            "model": models | junk,
            "context": usages | junk,
            "isIdle": st.booleans() | junk,
            "hasPendingMessages": st.booleans() | junk,
            "dialog": st.none() | dialogs | junk,
            "ended": st.none() | endings | junk,
            "prompts": st.lists(texts, max_size=9) | junk,
            "reply": texts | junk,
            "priority": junk | st.builds(lambda p: {"priority": p}, st.integers(-1, 4)),
            "recap": st.none() | customs | junk,
        },
    ),
)
VALUES: dict[str, st.SearchStrategy[Any]] = {
    "id": st.integers(1, 6),
    "reason": st.sampled_from(
        ["startup", "reload", "new", "resume", "fork", "restart", "quit", "manual", "threshold"]
    ),
    "facts": told,
    "text": texts,
    "source": st.sampled_from(["interactive", "extension"]),
    "stopReason": st.sampled_from(["stop", "error", "aborted"]),
    "errorMessage": st.none() | texts,
    "aborted": st.booleans(),
    "isIdle": st.booleans(),
    "hasPendingMessages": st.booleans(),
    "context": st.none() | usages,
    "role": st.sampled_from(["user", "assistant", "system", "toolResult"]),
    "reply": st.none() | texts,
    "toolCallId": st.sampled_from(["a", "b"]),
    "toolName": texts,
    "argument": st.none() | texts,
    "kind": st.sampled_from(["confirm", "select", "input", "editor", "custom"]),
    "title": st.none() | texts,
    "name": st.none() | texts,
    "model": models,
    "escape": st.booleans(),
    "focused": st.booleans(),
    "entries": st.lists(customs, max_size=2),
    "tool": st.sampled_from(["send_to_session", "x"]),
    "arguments": st.fixed_dictionaries({}, optional={"to": texts, "message": texts, "mode": texts}),
    "outcome": st.sampled_from(["taken", "done", "busy", "expired", "failed"]),
    "error": st.none() | texts,
    "dialog": st.none() | dialogs,
    "kept": st.just("the last one") | junk,
}
MESSAGES = st.fixed_dictionaries(
    {"type": st.just("send"), "message": texts.filter(bool)},
    optional={
        "id": st.sampled_from("ab"),
        "from": st.just({"sessionId": "x"}),
        "mode": st.sampled_from(["follow_up", "steer"]),
    },
)
asked = MESSAGES | st.sampled_from(
    [
        {"type": "ping"},
        {"type": "explain"},
        {"type": "priority", "priority": 2},
        {"type": "priority", "priority": None},
    ]
)


@st.composite
def records(draw: st.DrawFn, *, whole: bool) -> Json:
    """A forwarded record; one that isn't whole lacks fields, has others, or has wrong values in them."""
    kind = draw(st.sampled_from(KINDS))
    model = next(
        model
        for model in get_args(get_args(link.Forwarded)[0])
        if kind in get_args(model.model_fields["type"].annotation)
    )
    record: Json = {"type": kind}
    for name, field in model.model_fields.items():
        if name == "type" or (not whole and draw(st.integers(0, 5)) == 0):
            continue
        alias = field.alias or name
        values = VALUES.get(alias, junk)
        record[alias] = draw(values if whole or draw(st.integers(0, 3)) else junk)
    if not whole and draw(st.integers(0, 9)) == 0:
        record |= draw(st.dictionaries(st.sampled_from(["type", *VALUES]), junk, max_size=2))
    return record


def steps(*, whole: bool) -> st.SearchStrategy[list[tuple[str, Any]]]:
    return st.lists(
        st.tuples(st.just("record"), records(whole=whole))
        | st.tuples(st.just("record"), records(whole=whole))
        | st.tuples(st.just("record"), records(whole=whole))
        | st.tuples(st.just("request"), asked)
        | st.tuples(st.just("wait"), st.sampled_from([0.0, 0.1, 0.25, 1.0, 4.9, 600.0]))
        | st.tuples(st.just("project"), texts)
        | st.tuples(st.just("pane"), st.none() | st.booleans())
        | st.tuples(st.just("sent"), junk)
        | st.tuples(st.just("kill"), told),
        max_size=25,
    )


def session_id(stage: Stage) -> str:
    return stage.brain.profile.session_id or "session-one"


def play(stage: Stage, acts: list[tuple[str, Any]]) -> Stage:
    for act, value in acts:
        if act == "record":
            line = orjson.dumps(value)
            record = orjson.loads(line)
            if record.get("kept") == "the last one":
                record["kept"] = stage.kept if stage.ordered("keep") else None
            stage.receive(record)
        elif act == "request":
            stage.ask(value, Sender("app", "tests", verified=True) if stage.tick % 2 else None)
        elif act == "wait":
            stage.wait(value)
            if stage.wanted(Leave):
                stage = Stage(tick=stage.tick, said=hello())
        elif act == "project":
            stage.do(stage.brain.project_found("/home/you/app", value, value, stage.now))
        elif act == "pane":
            stage.do(stage.brain.pane_asked(stage.now, shown=value))
        elif act == "sent":
            stage.do(stage.brain.sent_out(7, "x", value if isinstance(value, dict) else {}))
        elif stage.ordered("keep"):
            again = Stage(tick=stage.tick)
            again.receive(hello("restart", kept=stage.kept) | {"facts": orjson.loads(orjson.dumps(value))})
            stage = again
    return stage


@settings(max_examples=300, deadline=None)
@given(greeted=st.booleans(), tmux=st.booleans(), acts=steps(whole=False))
def test_no_records_make_the_brain_raise_or_say_what_the_contracts_do_not_allow(
    *,
    greeted: bool,
    tmux: bool,
    acts: list[tuple[str, Any]],
) -> None:
    play(Stage(tmux=tmux, said=hello() if greeted else None), acts)


@settings(max_examples=300, deadline=None)
@given(tmux=st.booleans(), acts=steps(whole=True))
def test_after_any_records_nothing_is_stuck(*, tmux: bool, acts: list[tuple[str, Any]]) -> None:
    stage = play(Stage(tmux=tmux, said=hello()), acts)
    stage.receive(hello("restart", sessionId=session_id(stage)))
    stage.start()
    stage.asks()
    stage.end()
    stage.settle()
    stage.wait(1.5)
    assert stage.brain.course.standing.status in ("idle", "done")
    stage.focus(focused=True)
    assert stage.brain.course.standing.status == "idle"
    for _ in range(40):
        stage.wait(6)
        offer = stage.brain.inbox.offer
        if offer and not offer.sent:
            stage.answer({"id": offer.id})
            stage.start()
            stage.end()
            stage.settle()
    stage.wait(6)
    assert stage.brain.next_wake() is None
    assert set(range(1, stage._token + 1)) == set(stage.replies)


@settings(max_examples=100, deadline=None)
@given(steps(whole=True))
def test_what_is_kept_after_any_records_brings_the_same_session_back(acts: list[tuple[str, Any]]) -> None:
    stage = play(Stage(said=hello()), acts)
    stage.leaves("reload")
    stage.receive(hello("reload", sessionId=session_id(stage)))
    again = stage.restarted(sessionId=session_id(stage))
    shown = (
        "status",
        "statusDetail",
        "statusSince",
        "recent",
        "messagesSinceInput",
        "startedAt",
        "sessionId",
    )
    assert {name: again.entry[name] for name in shown} == {name: stage.entry[name] for name in shown}
    assert again.brain._memory() == stage.brain._memory()


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_record_with_nothing_in_it_is_harmless(kind: str) -> None:
    stage = Stage(said=hello())
    stage.receive({"type": kind})
    stage.wait(5)
    assert stage.status in ("idle", "working")
