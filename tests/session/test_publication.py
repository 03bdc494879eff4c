from datetime import UTC, datetime

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tank.records import entry, text
from tank.records.live import LiveEntry
from tank.session import publication
from tests.session.driver import Stage, facts, hello, place, session


def test_an_entry_has_every_field_of_the_contract_and_no_other() -> None:
    names = {field.alias for field in LiveEntry.model_fields.values()}
    assert set(session().entry) == names


def test_an_entry_reads_back_as_it_was_written() -> None:
    stage = session(
        name="alpha",
        context={"tokens": 143_000, "contextWindow": 200_000, "percent": 71.54},
        reply="Done.\n\nAll pass.\n",
        priority={"priority": 1},
        recap={"customType": "session-recap", "data": "half way", "at": "2026-07-01T10:09:00.000Z"},
    )
    stage.do(stage.brain.project_found("/home/you/app", "github.com/you/app", "app", stage.now))
    stage.start()
    stage.asks(title="Really?")
    found, _ = entry.parse(orjson.dumps(stage.entry))
    assert (found.v, found.pid, found.session_id, found.cwd) == (1, 4711, "session-one", "/home/you/app")
    assert (found.label, found.project_key, found.project_name) == ("alpha", "github.com/you/app", "app")
    assert (found.status, found.status_detail, found.priority) == ("needs-you", "Really?", 1)
    assert (found.recap, found.last_reply) == ("half way", "All pass.")
    assert found.recap_at == datetime(2026, 7, 1, 10, 9, tzinfo=UTC)
    assert (found.context_tokens, found.context_window, found.context_percent) == (143_000, 200_000, 71.5)
    assert (found.model, found.socket) == ("scripted/scripted-1", "/live/4711.sock")
    assert found.started_at == found.status_since == found.updated_at
    assert [change.status for change in found.recent] == ["working", "needs-you"]


def test_there_is_no_entry_before_the_session_and_its_place_are_known() -> None:
    assert Stage().brain.entry(Stage().now) == {}
    stage = session()
    stage.brain.place = None
    assert stage.brain.entry(stage.now) == {}


def test_without_a_socket_the_entry_says_so() -> None:
    stage = Stage()
    stage.brain.socket = None
    stage.receive(hello())
    assert stage.entry["socket"] is None


# What Pi doesn't know


@pytest.mark.parametrize(
    "usage",
    [
        None,
        {"tokens": 0, "contextWindow": 200_000, "percent": 0},
        {"tokens": None, "contextWindow": 200_000, "percent": None},
        {"tokens": 5, "contextWindow": 200_000, "percent": None},
        {"tokens": 5, "percent": 1.0},
        {"tokens": "5", "contextWindow": 1, "percent": 1},
        {"tokens": True, "contextWindow": 1, "percent": 1},
        {},
    ],
)
def test_a_context_that_pi_does_not_know_is_null(usage: dict[str, object] | None) -> None:
    assert publication.context(usage) is None


def test_a_context_is_forgotten_when_pi_stops_knowing_it() -> None:
    stage = session(context={"tokens": 100, "contextWindow": 1000, "percent": 10})
    assert stage.entry["context"] == {"tokens": 100, "window": 1000, "percent": 10.0}
    stage.compacts()
    stage.hear(
        "session_compact", reason="manual", context={"tokens": None, "contextWindow": 1000, "percent": None}
    )
    assert stage.entry["context"] is None


@pytest.mark.parametrize(
    ("model", "shown"),
    [
        ({"provider": "anthropic", "id": "opus-5-5"}, "anthropic/opus-5-5"),
        ({"provider": "unknown", "id": "unknown"}, None),
        ({"provider": "unknown", "id": "x"}, "unknown/x"),
        ({"provider": "a\x1b", "id": "b\nc"}, "a/b c"),
        ({"provider": "", "id": "x"}, None),
        ({"provider": "a"}, None),
        ({"provider": 1, "id": 2}, None),
        (None, None),
    ],
)
def test_a_model_is_its_provider_and_id_unless_pi_has_none(
    model: dict[str, object] | None, shown: str | None
) -> None:
    assert publication.model(model) == shown


# Recap, reply, priority


@pytest.mark.parametrize(
    "data",
    [
        "half way",
        " half\n way ",
        {"text": "half way"},
        {"content": "half way", "x": 1},
        {"recap": "half way", "text": 3},
        {"summary": "half way"},
        {"text": "half way", "summary": "another"},
    ],
)
def test_a_recap_is_found_whatever_the_shape_of_its_data(data: object) -> None:
    assert publication.recap({"customType": "session-recap", "data": data}) == {
        "text": "half way",
        "at": None,
    }


@pytest.mark.parametrize(
    "data",
    [
        None,
        "",
        " \n",
        "\u200b",
        7,
        [],
        ["half way"],
        {},
        {"text": ""},
        {"text": ["half way"]},
        {"other": "x"},
    ],
)
def test_a_recap_that_says_nothing_is_none(data: object) -> None:
    assert publication.recap({"customType": "session-recap", "data": data}) is None


@pytest.mark.parametrize(
    ("at", "shown"),
    [
        ("2026-07-01T10:09:00.000Z", "2026-07-01T10:09:00.000Z"),
        ("2026-07-01T12:09:00+02:00", "2026-07-01T10:09:00.000Z"),
        ("20260701T100900Z", "2026-07-01T10:09:00.000Z"),
        ("2026-07-01T10:09:00", None),
        ("2026-07-01", None),
        ("0001-01-01T00:00:00+23:59", None),
        ("9999-12-31T23:59:59-23:59", None),
        ("yesterday", None),
        ("", None),
        (1_700_000_000, None),
        (None, None),
    ],
)
def test_a_recaps_time_is_written_in_the_entrys_own_form_or_not_at_all(at: object, shown: str | None) -> None:
    assert publication.recap({"data": "x", "at": at}) == {"text": "x", "at": shown}


def test_the_latest_recap_is_published_at_once_with_the_session_idle() -> None:
    stage = session()
    recaps = [{"customType": "session-recap", "data": f"{n}", "at": None} for n in range(3)]
    stage.hear("entries", entries=[*recaps, {"customType": "another", "data": "x", "at": None}])
    assert stage.entry["recap"] == {"text": "2", "at": None}


@pytest.mark.parametrize(
    ("reply", "line"),
    [
        ("Done.", "Done."),
        ("First.\n\nTwo of three pass.\n\n", "Two of three pass."),
        ("Look:\n```\nmake test\n```\n", "make test"),
        ("Done.\n\n---\n***\n", "Done."),
        ("a\r\nb\u2028c\r", "c"),
        ("\x1b[1mbold\x1b[0m \u202eevil", "[1mbold[0m evil"),
        ("終わり。\n👍", "終わり。"),
        ("…", None),
        ("", None),
        (None, None),
    ],
)
def test_the_last_reply_is_the_closing_line_that_says_something(reply: str | None, line: str | None) -> None:
    assert publication.closing(reply) == line


def test_an_answer_of_tool_calls_alone_leaves_the_last_reply() -> None:
    stage = session(reply="All pass.")
    stage.start()
    stage.hear("message_end", reply=None)
    stage.wait(1)
    assert stage.entry["lastReply"] == "All pass."


@pytest.mark.parametrize(
    ("data", "priority"),
    [
        ({"priority": 0}, 0),
        ({"priority": 3, "x": 1}, 3),
        ({"priority": None}, None),
        ({"priority": 4}, None),
        ({"priority": -1}, None),
        ({"priority": True}, None),
        ({"priority": 1.0}, None),
        ({"priority": "1"}, None),
        ({}, None),
        (1, None),
        ([], None),
        (None, None),
    ],
)
def test_a_priority_is_0_to_3_or_none(data: object, priority: int | None) -> None:
    assert publication.priority(data) == priority


# How large


LONG = [
    "x" * 4096,
    "漢" * 4096,
    "👨‍👩‍👧‍👦" * 585,
    "नि" * 2048,
    "e" + "\u0301" * 4095,
    ("a" + "\u0301" * 15) * 256,
]
"""As long as what the extension forwards at most."""


def crowded(said: str, path: str) -> Stage:
    """A session all of whose texts are as long as they can be."""
    stage = session(
        sessionId="s" * 64,
        cwd=path,
        sessionFile=path,
        name=said,
        reply=said[:1024],
        recap={"customType": "session-recap", "data": said, "at": None},
        model={"provider": said, "id": said},
    )
    stage.do(stage.brain.project_found(path, text.short(said, 300), said, stage.now))
    stage.start()
    stage.tool(argument=said)
    for _ in range(5):
        stage.asks(title=said)
        stage.answers()
    stage.asks(title=said)
    return stage


@pytest.mark.parametrize("said", LONG, ids=["ascii", "wide", "family", "hindi", "one stack", "stacks"])
def test_an_entry_is_under_16_kib_whatever_its_texts(said: str) -> None:
    stage = crowded(said, "/home/you/app")
    assert stage.status == "needs-you"
    assert stage.entry["label"]


@pytest.mark.parametrize("said", LONG[:2], ids=["ascii", "wide"])
def test_long_text_as_people_write_it_is_all_there_beside_the_longest_paths(said: str) -> None:
    stage = crowded(said[: len(said) // 2], "/" + "p" * 2000)
    assert stage.entry["recap"]
    assert stage.entry["recent"]
    assert stage.entry["sessionFile"] == stage.entry["cwd"] == "/" + "p" * 2000


@pytest.mark.parametrize("path", ["/" + "\x01" * 4095, "/" + "🦀" * 4095])
def test_an_entry_is_under_16_kib_whatever_its_paths(path: str) -> None:
    stage = crowded("x" * 4096, path)
    assert stage.entry["cwd"] == path[: publication.REQUIRED_POINTS]
    assert stage.entry["sessionFile"] is None
    assert stage.status == "needs-you"


@given(
    st.dictionaries(
        st.sampled_from(["cwd", "sessionFile", "label", "recap", "terminal", "sessionId"]),
        st.text(min_size=1).map(lambda s: (s * 4096)[:4096]),
    )
)
def test_fitting_leaves_a_small_entry_alone_and_makes_any_other_small(texts: dict[str, object]) -> None:
    whole = place().published() | facts() | texts
    fitted = publication.fitted(whole)
    assert len(orjson.dumps(fitted)) < publication.LIMIT_BYTES
    assert fitted == whole or len(orjson.dumps(whole)) >= publication.LIMIT_BYTES
