import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tank.edges.transcripts import LIMIT_BYTES, LINE_LIMIT_BYTES, Transcript
from tank.roster.transcript import Gap, Item, Outcome, Peek, Prompt, Reply, ToolCall

HEADER = b'{"type":"session","version":3,"id":"s","timestamp":"2026-07-01T10:00:00.000Z","cwd":"/"}\n'
KINDS = ("user", "assistant", "call", "toolResult", "label")


def line(identity: int, parent: int | None, kind: str = "assistant", said: str | None = None) -> bytes:
    """A record with the names in the order in which Pi writes them."""
    begin: dict[str, Any] = {
        "type": "label" if kind == "label" else "message",
        "id": f"{identity:08x}",
        "parentId": None if parent is None else f"{parent:08x}",
        "timestamp": "2026-07-01T10:00:00.000Z",
    }
    said = f"{kind} {identity}" if said is None else said
    message: dict[str, Any] = {"role": kind, "content": [{"type": "text", "text": said}]}
    if kind == "call":
        call = {"type": "toolCall", "id": f"c{identity}", "name": "bash", "arguments": {"command": said}}
        message = {"role": "assistant", "content": [call]}
    if kind == "toolResult":
        message = {"role": kind, "toolCallId": f"c{parent}"} | message
    return orjson.dumps(begin | {"message": message}) + b"\n"


def chain(*kinds: str) -> bytes:
    return HEADER + b"".join(line(n, n - 1 if n else None, kind) for n, kind in enumerate(kinds))


def said(found: Peek) -> list[str]:
    return [item.argument if isinstance(item, ToolCall) else item.text for item in found.items]


needs_proc = pytest.mark.skipif(sys.platform != "linux", reason="reads its memory in /proc")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "session.jsonl"


def append(file: Path, data: bytes) -> None:
    with file.open("ab") as opened:
        opened.write(data)


def test_the_file_comes_with_the_first_prompt(file: Path) -> None:
    transcript = Transcript(file)
    assert not transcript.changed()
    with pytest.raises(FileNotFoundError):
        transcript.peek()
    file.write_bytes(chain("user"))
    assert transcript.changed()
    assert said(transcript.peek()) == ["user 0"]
    assert not transcript.changed()


def test_half_a_record_appears_once_when_it_is_whole(file: Path) -> None:
    file.write_bytes(chain("user"))
    transcript = Transcript(file)
    whole = line(1, 0)
    for cut in (whole[:40], whole[40:-1]):
        append(file, cut)
        assert said(transcript.peek()) == (["user 0"] if cut == whole[:40] else ["user 0", "assistant 1"])
    append(file, b"\n" + line(2, 1))
    for _ in range(2):
        assert said(transcript.peek()) == ["user 0", "assistant 1", "assistant 2"]
    assert said(Transcript(file).peek()) == ["user 0", "assistant 1", "assistant 2"]


def test_a_result_that_comes_later_closes_its_call(file: Path) -> None:
    file.write_bytes(chain("user", "call"))
    transcript = Transcript(file)
    outcomes = []
    for added in (b"", line(2, 1, "toolResult")):
        append(file, added)
        outcomes += [item.outcome for item in transcript.peek().items if isinstance(item, ToolCall)]
    assert outcomes == [Outcome.OPEN, Outcome.OK]


def test_only_what_was_added_is_read_while_it_grows(file: Path) -> None:
    """What was read before is broken in place, all but its end: whoever read it again would see that."""
    old = chain("user", *["assistant"] * 2000)
    file.write_bytes(old)
    transcript = Transcript(file)
    before = transcript.peek()
    with file.open("r+b") as opened:
        opened.write(b"x" * (len(old) - 200))
    append(file, line(2001, 2000))
    assert transcript.peek().items == (*before.items, Reply("assistant 2001", before.items[-1].at))  # type: ignore[union-attr]


@pytest.mark.parametrize("other", [chain("user", "user"), chain("user"), chain(*["user"] * 9), b""])
def test_a_file_that_was_replaced_or_cut_is_read_anew(file: Path, tmp_path: Path, other: bytes) -> None:
    for in_place in (True, False):
        file.write_bytes(chain("user", "assistant", "assistant"))
        transcript = Transcript(file)
        transcript.peek()
        if in_place:
            file.write_bytes(other)
        else:
            (tmp_path / "new").write_bytes(other)
            (tmp_path / "new").rename(file)
        assert transcript.changed()
        assert transcript.peek() == Transcript(file).peek()
        assert not any("assistant" in text for text in said(transcript.peek()))


def test_a_file_that_was_written_anew_with_more_is_read_anew(file: Path) -> None:
    file.write_bytes(HEADER + line(0, None, "user", "old prompt") + line(1, 0, said="old answer"))
    transcript = Transcript(file)
    transcript.peek()
    file.write_bytes(
        HEADER + line(0, None, "user", "new prompt") + line(1, 0, said="new answer") + line(2, 1)
    )
    assert said(transcript.peek()) == ["new prompt", "new answer", "assistant 2"]


def test_another_file_that_ends_alike_is_read_anew(file: Path, tmp_path: Path) -> None:
    file.write_bytes(HEADER + line(0, None, "user", "old prompt") + line(1, 0))
    transcript = Transcript(file)
    transcript.peek()
    (tmp_path / "new").write_bytes(HEADER + line(0, None, "user", "new prompt") + line(1, 0) + line(2, 1))
    (tmp_path / "new").rename(file)
    assert said(transcript.peek()) == ["new prompt", "assistant 1", "assistant 2"]


def test_a_session_that_moves_to_another_branch_shows_that_branch(file: Path) -> None:
    file.write_bytes(chain("user", "assistant", "assistant"))
    transcript = Transcript(file)
    transcript.peek()
    append(file, line(7, 0, said="elsewhere"))
    assert said(transcript.peek()) == ["user 0", "elsewhere"]


def test_lines_end_at_line_feeds_only(file: Path) -> None:
    odd = "a\u2028b\u2029c\x85d\x0be"
    file.write_bytes(HEADER + line(0, None, "user", odd) + line(1, 0))
    assert len(Transcript(file).peek().items) == 2


def test_nuls_in_the_middle_are_marked_and_hide_nothing(file: Path) -> None:
    file.write_bytes(HEADER + line(0, None, "user") + b"\0" * 9000 + line(1, 0) + line(2, 1))
    assert said(Transcript(file).peek()) == ["user 0", "9 KB can't be read", "assistant 1", "assistant 2"]


def test_what_is_no_regular_file_is_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    for path in (tmp_path / "fifo", tmp_path):
        with pytest.raises(OSError, match=r"regular file|directory"):
            Transcript(path).peek()
        assert not Transcript(tmp_path / "gone").changed()


@needs_proc
def test_a_record_of_forty_megabytes_is_passed_over_and_marked(file: Path) -> None:
    with file.open("wb") as opened:
        opened.write(HEADER + line(0, None, "user") + line(1, 0, "call"))
        opened.write(line(2, 1, "toolResult", "x" * 40_000_000))
        opened.write(line(3, 2, "user") + line(4, 3))
    started = time.monotonic()
    found = Transcript(file).peek()
    assert time.monotonic() - started < 1
    assert said(found) == ["user 0", "call 1", "a record of 38 MB not shown", "user 3", "assistant 4"]
    assert [item.outcome for item in found.items if isinstance(item, ToolCall)] == [Outcome.OK]
    assert peeked_in_a_process_of_its_own(file)[1] < 60_000_000


def test_a_long_record_of_another_branch_is_passed_over_without_a_word(file: Path) -> None:
    file.write_bytes(
        HEADER + line(0, None, "user") + line(1, 0, said="x" * (LINE_LIMIT_BYTES + 1)) + line(2, 0)
    )
    assert said(Transcript(file).peek()) == ["user 0", "assistant 2"]


def test_no_more_than_its_limit_is_read(file: Path) -> None:
    with file.open("wb") as opened:
        opened.write(HEADER + line(0, None, "user"))
        for number in range(1, 60):
            opened.write(
                line(number, number - 1, said=f"{number} {'x' * LINE_LIMIT_BYTES}"[: LIMIT_BYTES // 20])
            )
    found = Transcript(file).peek()
    assert found.items[0] == Gap("earlier not shown")
    assert 19 <= len(found.items) <= 23


def test_a_file_that_is_one_long_line_ends_the_reading(file: Path) -> None:
    with file.open("wb") as opened:
        opened.truncate(50_000_000_000)
    started = time.monotonic()
    found = Transcript(file).peek()
    assert time.monotonic() - started < 2
    assert found.items == (Gap("earlier not shown"),)


@needs_proc
def test_a_transcript_of_a_gigabyte_costs_little_memory(file: Path) -> None:
    """A sparse file, which reads as one line of NULs, with a session at its end."""
    with file.open("wb") as opened:
        opened.seek(1_000_000_000)
        opened.write(b"\n" + chain("user", "assistant", "user", "assistant"))
    count, peak_bytes = peeked_in_a_process_of_its_own(file)
    assert count == 4
    assert peak_bytes < 60_000_000


def peeked_in_a_process_of_its_own(file: Path) -> tuple[int, int]:
    """How many items a peek has, and the most memory that the process ever held."""
    told = subprocess.run([sys.executable, "-c", PEEKING, file], capture_output=True, text=True, check=True)
    count, peak_kib = map(int, told.stdout.split())
    return count, peak_kib * 1024


PEEKING = """
import re, sys
from pathlib import Path
from tank.edges.transcripts import Transcript
print(len(Transcript(Path(sys.argv[1])).peek().items))
print(re.search(r"VmHWM:\\s+(\\d+) kB", Path("/proc/self/status").read_text())[1])
"""


# The same as reading the whole file


@st.composite
def files(draw: st.DrawFn) -> bytes:
    """A session file: a tree of records in the order of their writing, with lines between that are none."""
    data = [HEADER] if draw(st.booleans()) else []
    for number in range(draw(st.integers(0, 12))):
        parents = st.integers(0, number - 1) if number and draw(st.integers(0, 9)) else st.none()
        usual = number > 0 and draw(st.integers(0, 3)) > 0
        parent = number - 1 if usual else draw(parents)
        text = draw(st.sampled_from([None, "é\u2028\n", "x" * 300, "y" * 1500]))
        data.append(draw(bad) if not draw(st.integers(0, 7)) else b"")
        data.append(line(number, parent, draw(st.sampled_from(KINDS)), text))
    whole = b"".join(data)
    return whole if draw(st.booleans()) else whole[: draw(st.integers(0, len(whole)))]


bad = st.sampled_from(
    [b"\n", b"\0" * 50, b"\0" * 50 + b"\n", b'{"type":"message","id":"h","par', b"[]\n", b"{}\n", b"5\n"]
)
LONG = 1500
"""Lines longer than this are passed over in these tests."""


def reference(data: bytes) -> list[Item]:
    """The last two prompts and what followed, from the whole file at once."""
    *lines, last = data.split(b"\n")
    records: list[dict[str, Any]] = []
    for text in [*lines, last]:
        for start in range(len(text)):
            if (
                start == 0
                or text[start:].startswith(b'{"type":"message"')
                or text[start:].startswith(b'{"type":"label"')
            ):
                try:
                    record = orjson.loads(text[start:])
                except orjson.JSONDecodeError:
                    continue
                is_whole = text is not last or (start == 0 and len(text) <= LONG)
                if isinstance(record, dict) and "parentId" in record and is_whole:
                    records.append(record | {"long": len(text) > LONG})
                break
    by_id = {record["id"]: record for record in records}
    branch: list[dict[str, Any]] = []
    current = records[-1] if records else None
    while current and sum(is_user(each) for each in branch) < 2:
        branch.insert(0, current)
        current = by_id.get(current["parentId"])
    results = {each["message"]["toolCallId"] for each in branch if each["message"]["role"] == "toolResult"}
    spoken = [each for each in branch if each["message"]["role"] in ("user", "assistant")]
    return [item for each in branch for item in shown(each, results, each is spoken[-1] if spoken else False)]


def is_user(record: dict[str, Any]) -> bool:
    return bool(record["type"] == "message" and record["message"]["role"] == "user")


def shown(record: dict[str, Any], results: set[str], last: bool) -> Iterator[Any]:  # noqa: FBT001
    if record["long"]:
        yield "long"
        return
    role = record["message"]["role"]
    for block in record["message"]["content"]:
        if block["type"] == "toolCall":
            yield (block["id"] in results, last and block["id"] not in results)
        elif role in ("user", "assistant") and record["type"] == "message":
            yield (role, block["text"].replace("\u2028", "\n").strip("\n"))


def summary(found: Peek) -> list[Any]:
    """The items as the reference shows them, without marks of what can't be read."""
    told: list[Any] = []
    for item in found.items:
        if isinstance(item, ToolCall):
            told.append((item.outcome is Outcome.OK, item.outcome is Outcome.OPEN))
        elif isinstance(item, Gap):
            told += ["long"] if "record" in item.text else []
        else:
            told.append(("user" if isinstance(item, Prompt) else "assistant", item.text))
    return told


@settings(deadline=None, max_examples=200)
@given(files(), st.sampled_from([3, 17, 64, 1000]), st.data())
def test_reading_backwards_and_following_show_what_the_whole_file_says(
    data: bytes, block_bytes: int, draw: st.DataObject
) -> None:
    cuts = sorted(draw.draw(st.lists(st.integers(0, len(data)), max_size=4)))
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "session.jsonl"
        file.touch()
        following = Transcript(file, block_bytes, LONG)
        for start, end in zip([0, *cuts], [*cuts, len(data)], strict=True):
            append(file, data[start:end])
            fresh = Transcript(file, block_bytes, LONG).peek()
            assert following.peek() == fresh
            assert summary(fresh) == reference(data[:end])
