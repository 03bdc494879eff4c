from datetime import UTC, datetime
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tank.records import header
from tank.records.header import Sender
from tank.roster import transcript
from tank.roster.branch import Branch
from tank.roster.transcript import Gap, Item, Note, Outcome, Peek, Prompt, Reply, ToolCall

AT = datetime(2026, 7, 1, 10, tzinfo=UTC)


def read(*records: dict[str, Any] | bytes) -> Branch:
    """Records in a chain; bytes stand for a line as it is."""
    lines: list[bytes] = []
    parent = None
    for number, record in enumerate(records):
        if isinstance(record, bytes):
            lines.append(record)
            continue
        base = {
            "type": "message",
            "id": str(number),
            "parentId": parent,
            "timestamp": "2026-07-01T10:00:00.000Z",
        }
        lines.append(orjson.dumps(base | record))
        parent = (base | record)["id"]
    branch = Branch()
    for line in reversed(lines):
        if branch.wants_more:
            branch.before(line, len(line))
    branch.reached_start = True
    return branch


def peek(*records: dict[str, Any] | bytes) -> Peek:
    return transcript.peek(read(*records))


def items(*records: dict[str, Any] | bytes) -> tuple[Item, ...]:
    return peek(*records).items


def user(content: Any) -> dict[str, Any]:
    return {"message": {"role": "user", "content": content}}


def answer(*blocks: dict[str, Any] | str, stop: str = "stop", error: str | None = None) -> dict[str, Any]:
    content = [{"type": "text", "text": block} if isinstance(block, str) else block for block in blocks]
    return {"message": {"role": "assistant", "content": content, "stopReason": stop, "errorMessage": error}}


def call(identity: str, name: str = "bash", **arguments: Any) -> dict[str, Any]:
    return {"type": "toolCall", "id": identity, "name": name, "arguments": arguments}


def result(identity: str, said: str = "", *, failed: bool = False) -> dict[str, Any]:
    content = [{"type": "text", "text": said}]
    return {"message": {"role": "toolResult", "toolCallId": identity, "content": content, "isError": failed}}


def test_prompts_replies_and_tool_calls_come_in_order() -> None:
    found = peek(
        {"message": {"role": "system", "content": "", "sections": {}}},
        user("fix the test"),
        answer(
            {"type": "thinking", "thinking": "hm"},
            "I look.\n",
            call("c1", command="pytest -q"),
            stop="toolUse",
        ),
        result("c1", "1 failed"),
        {"type": "model_change", "provider": "p", "modelId": "m"},
        answer("It fails.\n\nThe cause is a clock.\n---\n"),
    )
    assert found.items == (
        Prompt("fix the test", None, AT),
        Reply("I look.", AT),
        ToolCall("bash", "pytest -q", Outcome.OK, "", AT),
        Reply("It fails.\n\nThe cause is a clock.\n---", AT),
    )
    assert found.closing == "The cause is a clock."


def test_only_the_last_two_prompts_are_shown() -> None:
    found = items(user("one"), answer("1"), user("two"), answer("2"), user("three"))
    assert found == (Prompt("two", None, AT), Reply("2", AT), Prompt("three", None, AT))


def test_a_call_without_a_result_is_open_and_tells_all_its_arguments() -> None:
    edit = call("c1", "edit", path="a.py", edits=[{"old": "x", "new": "y"}], note="a\nb")
    assert items(user("go"), answer(edit, stop="toolUse"))[-1] == ToolCall(
        "edit", "a.py", Outcome.OPEN, 'edits: [{"old":"x","new":"y"}]\nnote: a\nb', AT
    )


def test_a_failed_call_shows_the_last_line_of_its_error() -> None:
    found = items(
        user("go"), answer(call("c1", command="x")), result("c1", "Traceback:\n  boom\n", failed=True)
    )
    assert found[-1] == ToolCall("bash", "x", Outcome.FAILED, "boom", AT)


@pytest.mark.parametrize("then", [user("stop"), answer("went on")])
def test_a_call_that_never_got_a_result_is_not_open_once_the_session_went_on(then: dict[str, Any]) -> None:
    found = items(user("go"), answer(call("c1", command="x")), then)
    assert found[1] == ToolCall("bash", "x", Outcome.FAILED, "no result", AT)


def test_calls_of_an_answer_that_was_stopped_are_not_open() -> None:
    found = items(user("go"), answer(call("c1", command="x"), stop="aborted", error="Operation aborted"))
    assert found[1:] == (
        ToolCall("bash", "x", Outcome.FAILED, "no result", AT),
        Note("aborted", "Operation aborted", AT),
    )


def test_an_answer_that_failed_says_why() -> None:
    found = items(user("go"), answer(stop="error", error="Connection error.: x"))
    assert found[1:] == (Note("failed", "Connection error.: x", AT),)


def test_a_command_of_the_person_is_a_call() -> None:
    done = {"message": {"role": "bashExecution", "command": "ls", "exitCode": 0, "cancelled": False}}
    failed = {"message": {"role": "bashExecution", "command": "ls", "exitCode": 2}}
    cancelled = {"message": {"role": "bashExecution", "command": "ls", "cancelled": True}}
    assert items(done, failed, cancelled) == (
        ToolCall("!", "ls", Outcome.OK, "", AT),
        ToolCall("!", "ls", Outcome.FAILED, "exit 2", AT),
        ToolCall("!", "ls", Outcome.FAILED, "cancelled", AT),
    )


@pytest.mark.parametrize(
    "sender", [None, Sender("app", "fix", verified=True), Sender("app", "fix", verified=False)]
)
def test_a_message_that_tank_delivered_shows_its_header_apart(sender: Sender | None) -> None:
    first = header.compose(sender, "x").split("\n")[0]
    assert items(user(header.compose(sender, "look at\nthis"))) == (Prompt("look at\nthis", first, AT),)


def test_a_skill_reads_as_it_was_typed() -> None:
    said = '<skill name="review" location="/x">\nReferences are relative to /x.\n\nLong.\n</skill>\n\nthe last commit'
    assert items(user([{"type": "text", "text": said}])) == (
        Prompt("/skill:review the last commit", None, AT),
    )
    assert items(user('<skill name="a" location="/x">\nLong.\n</skill>')) == (Prompt("/skill:a ", None, AT),)


def test_images_are_named_and_missing_content_is_empty() -> None:
    blocks = [{"type": "text", "text": "see"}, {"type": "image", "data": "AAAA", "mimeType": "image/png"}]
    assert items(user(blocks), user(None)) == (Prompt("see\n[image]", None, AT), Prompt("", None, AT))


def test_summaries_and_messages_that_are_shown_are_notes() -> None:
    assert items(
        {"type": "compaction", "summary": "so far"},
        {"type": "branch_summary", "summary": "tried"},
        {"type": "custom_message", "customType": "tank-message", "content": "hello", "display": True},
        {"type": "custom_message", "customType": "x", "content": "hidden", "display": False},
        {"type": "custom", "customType": "session-recap", "data": "x"},
    ) == (
        Note("compaction", "so far", AT),
        Note("branch summary", "tried", AT),
        Note("tank-message", "hello", AT),
    )


def test_what_is_missing_is_marked() -> None:
    assert items(user("a"), b"\0" * 9000, answer("b")) == (
        Prompt("a", None, AT),
        Gap("9 KB can't be read"),
        Reply("b", AT),
    )
    assert items({"id": "a", "parentId": "gone"} | user("a"))[0] == Gap("earlier not shown")
    assert items(b"broken", {"parentId": "gone"} | answer("a")) == (Gap("earlier not shown"), Reply("a", AT))


def test_long_texts_lose_their_middle() -> None:
    found = items(user("a" * 20_000 + "\n" + "z" * 20_000))[0]
    assert isinstance(found, Prompt)
    assert len(found.text) < transcript.TEXT_LIMIT + 40
    assert found.text.startswith("aaa")
    assert "\n… 23617 characters left out\n" in found.text
    assert found.text.endswith("zzz")


def test_without_an_answer_nothing_closes() -> None:
    assert peek(user("x")).closing is None
    assert peek(user("x"), answer("---\n```")).closing is None
    assert peek() == Peek((), None)


def test_the_last_reply_is_whole_and_as_it_was_written() -> None:
    long = "\ta\n" * 20_000
    found = read(
        user("x"), answer("old"), answer(call("c"), long, " \n", "the end"), result("c", "no"), user("y")
    )
    assert transcript.last_reply(found) == f"{long}\n\nthe end"
    assert transcript.last_reply(read(user("x"), answer("it"), answer(call("c")), b"broken")) == "it"


def test_where_no_reply_was_read_none_is_the_last() -> None:
    assert transcript.last_reply(read()) is None
    assert (
        transcript.last_reply(read(user("x"), answer(" "), {"message": {"role": "assistant", "content": 7}}))
        is None
    )
    assert (
        transcript.last_reply(read(user("x"), answer("old"), {"unread_bytes": 9_000_000} | answer())) is None
    )


HOSTILE = "\x1b]52;c;x\x07\x9b2J\u202e\u200b\r\n\x00ok\ud800\x85end"


def texts(found: Peek) -> list[str]:
    said = [
        getattr(item, name, None)
        for item in found.items
        for name in ("text", "header", "name", "argument", "detail", "kind")
    ]
    return [text for text in said if isinstance(text, str)]


def test_all_text_is_clean() -> None:
    hostile = HOSTILE.replace("\ud800", "\ufffd")
    found = peek(
        user(header.PERSON + hostile),
        user(hostile),
        answer(hostile, call("c", hostile, command=hostile, other=hostile), call("d", "x", command=hostile)),
        result("d", hostile, failed=True),
        {"type": "custom_message", "customType": hostile, "content": hostile, "display": True},
        {"type": "compaction", "summary": hostile},
        {"message": {"role": "bashExecution", "command": hostile, "exitCode": 1}},
        answer(stop="error", error=hostile),
    )
    assert len(found.items) == 9
    for text in texts(found):
        assert not set(text) & set("\x1b\x07\x9b\u202e\u200b\r\x00\x85"), text


NAMES = [
    "role",
    "content",
    "type",
    "text",
    "id",
    "arguments",
    "command",
    "name",
    "isError",
    "toolCallId",
    "stopReason",
]
json = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=4),
    max_leaves=12,
)
role = st.sampled_from(["user", "assistant", "toolResult", "bashExecution", "system", "odd", None, 3])
kind = st.sampled_from(["message", "custom_message", "compaction", "branch_summary", "label", "odd"])
odd = st.fixed_dictionaries(
    {"type": kind},
    optional={
        "message": json | st.fixed_dictionaries({"role": role, "content": json, "stopReason": json}),
        "summary": json,
        "display": json,
        "content": json,
        "timestamp": json,
        "customType": json,
    },
)


@given(st.lists(odd | st.binary(max_size=9).map(lambda data: data.replace(b"\n", b"")), max_size=6))
def test_nothing_that_a_file_holds_raises(records: list[dict[str, Any] | bytes]) -> None:
    assert isinstance(peek(*records), Peek)
