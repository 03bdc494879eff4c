from collections.abc import Mapping
from typing import Any

import orjson
import pytest

from tank.roster import branch
from tank.roster.branch import Branch, Unread


def line(identity: str, parent: str | None, role: str = "assistant", **more: Any) -> bytes:
    message = {"role": role, "content": "x"} | more
    return orjson.dumps({"type": "message", "id": identity, "parentId": parent, "message": message})


def read_back(*lines: bytes) -> Branch:
    found = Branch()
    for each in reversed(lines):
        if not found.wants_more:
            return found
        found.before(each, len(each))
    found.reached_start = True
    return found


def ids(found: Branch) -> list[str | int]:
    return [r.size_bytes if isinstance(r, Unread) else str(r["id"]) for r in found.records]


def test_the_branch_is_the_chain_from_the_last_record_upwards() -> None:
    found = read_back(line("a", None), line("b", "a"), line("other", "a"), line("c", "b"))
    assert ids(found) == ["a", "b", "c"]
    assert found.is_whole


def test_it_wants_no_more_once_two_prompts_are_found() -> None:
    lines = [
        line("a", None, "user"),
        line("b", "a", "user"),
        line("c", "b"),
        line("d", "c", "user"),
        line("e", "d"),
    ]
    found = read_back(*lines)
    assert ids(found) == ["b", "c", "d", "e"]
    assert found.is_whole
    assert not found.wants_more


def test_a_branch_whose_parent_is_missing_is_not_whole() -> None:
    found = read_back(line("x", None), line("b", "gone"), line("c", "b"))
    assert ids(found) == ["b", "c"]
    assert not found.is_whole


def test_a_file_without_records_is_whole_once_its_start_was_reached() -> None:
    header = b'{"type":"session","id":"s","cwd":"/"}'
    assert read_back(header, b"").is_whole
    assert not Branch().is_whole


def test_it_stops_after_as_many_records_as_are_looked_at() -> None:
    lines = [line("0", None, "user"), *(line(str(n), str(n - 1)) for n in range(1, branch.ENTRIES + 5))]
    found = read_back(*lines)
    assert len(found.records) == branch.ENTRIES
    assert not found.is_whole


def test_lines_that_are_no_records_are_marked_together() -> None:
    found = read_back(line("a", None), b"broken", b"{}", b"\0\0\0", line("b", "a"))
    assert ids(found) == ["a", 11, "b"]


@pytest.mark.parametrize("before", [b"\0" * 9000, b'{"type":"message","id":"half","parentId":"a","mess'])
def test_a_record_behind_an_interrupted_write_is_saved(before: bytes) -> None:
    found = read_back(
        line("a", None), before + line("b", "a", content=[{"type": "text", "text": "x"}]), line("c", "b")
    )
    assert ids(found) == ["a", len(before), "b", "c"]


def test_what_stands_before_the_last_prompt_that_is_wanted_is_not_marked() -> None:
    found = read_back(line("a", None), b"\0\0" + line("b", "a", "user"), line("c", "b", "user"))
    assert ids(found) == ["b", "c"]


def test_a_part_of_a_record_is_not_taken_for_one() -> None:
    nested = b'{"type":"message","id":"a" "broken": {"type":"text","id":"n","text":"x"}'
    assert branch.read(nested, len(nested)) == (None, Unread(len(nested)))


def test_the_head_of_a_line_that_is_too_long_tells_where_it_belongs() -> None:
    whole = line("b", "a", "toolResult", toolCallId="c1")
    record, unread = branch.read(PI_LINE[:200], 40_000_000)
    assert record == {
        "type": "message",
        "id": "b",
        "parentId": "a",
        "unread_bytes": 40_000_000,
        "message": {"role": "toolResult", "toolCallId": "call_1"},
    }
    assert unread is None
    assert branch.read(whole[:5], 40_000_000) == (None, Unread(40_000_000))


PI_LINE = (
    b'{"type":"message","id":"b","parentId":"a","timestamp":"2026-07-01T10:00:00.000Z","message":{"role":"toolResult",'
    b'"toolCallId":"call_1","toolName":"read","content":[{"type":"text","text":"' + b"x" * 1000
)


def test_it_goes_on_with_what_is_appended() -> None:
    found = read_back(line("a", None, "user"))
    assert found.after(line("b", "a"), 9)
    assert found.after(b"broken", 6)
    assert found.after(line("c", "b", "user"), 9)
    assert ids(found) == ["a", "b", 6, "c"]


def test_it_forgets_what_came_before_the_last_two_prompts() -> None:
    found = read_back(line("s", None, "system"), line("a", "s", "user"), line("b", "a"))
    for each in (line("c", "b", "user"), line("d", "c"), line("e", "d", "user")):
        assert found.after(each, len(each))
    assert ids(found) == ["c", "d", "e"]


@pytest.mark.parametrize("appended", [line("c", "a"), line("c", None), line("c", "gone")])
def test_a_record_of_another_branch_is_not_taken(appended: bytes) -> None:
    found = read_back(line("a", None), line("b", "a"))
    assert not found.after(appended, len(appended))


def test_only_a_user_message_is_a_prompt() -> None:
    records: list[Mapping[str, object]] = [
        orjson.loads(line("a", None, role)) for role in ("user", "assistant")
    ]
    assert [branch.is_prompt(record) for record in records] == [True, False]
    assert not branch.is_prompt({"type": "custom_message", "id": "a", "message": {"role": "user"}})
    assert not branch.is_prompt(Unread(3))
