"""A transcript paged backwards."""

import os
import tempfile
import time
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tank.edges import pages
from tank.edges.transcripts import LINE_LIMIT_BYTES
from tank.roster.branch import Unread
from tank.roster.pages import Cursor, Page
from tests.edges.test_transcripts import HEADER, append, chain, files, line


def ids(page: Page) -> list[Any]:
    return [r.size_bytes if isinstance(r, Unread) else int(str(r["id"]), 16) for r, _ in page.records]


def all_pages(path: Path, *sizes: int) -> list[Page]:
    """The newest first, to the beginning of the branch."""
    found = [pages.read(path, None, *sizes)]
    while found[-1].older:
        found.append(pages.read(path, found[-1].older, *sizes))
        assert len(found) < 1000
    return found


def in_order(found: list[Page]) -> list[Any]:
    return [each for page in reversed(found) for each in ids(page)]


def placed(found: list[Page]) -> list[tuple[int, int]]:
    """Each record's id and where its line begins."""
    return [
        (number, start) for page in found for number, (_, start) in zip(ids(page), page.records, strict=True)
    ]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "session.jsonl"


LONG = "x" * 1500


def test_a_short_session_is_one_page(file: Path) -> None:
    file.write_bytes(chain("user", "assistant"))
    (page,) = all_pages(file)
    assert (ids(page), page.newest, page.lost) == ([0, 1], True, False)


def test_pages_follow_one_another_to_the_beginning_and_miss_nothing(file: Path) -> None:
    lines = [line(n, n - 1 if n else None, "user" if n % 3 == 0 else "assistant", LONG) for n in range(60)]
    whole = HEADER + b"".join(lines)
    file.write_bytes(whole)
    found = all_pages(file)
    assert 4 <= len(found) <= 7
    assert in_order(found) == list(range(60))
    assert [page.newest for page in found] == [True, *[False] * (len(found) - 1)]
    assert not any(page.lost for page in found)
    assert all(whole[start:].startswith(lines[number]) for number, start in placed(found))


def test_only_the_current_branch_is_paged(file: Path) -> None:
    lines = [line(0, None, "user", LONG)]
    for n in range(1, 40):
        lines += [line(n, n - 1, said=LONG), line(1000 + n, n - 1, said=LONG)]
    file.write_bytes(HEADER + b"".join(lines) + line(99, 39))
    assert in_order(all_pages(file)) == [*range(40), 99]


def test_what_is_appended_meanwhile_moves_no_older_page(file: Path) -> None:
    file.write_bytes(HEADER + b"".join(line(n, n - 1 if n else None, said=LONG) for n in range(40)))
    newest = pages.read(file)
    before = pages.read(file, newest.older)
    append(file, line(40, 39) + line(41, 5))
    assert pages.read(file, newest.older) == before
    assert ids(pages.read(file))[-2:] == [5, 41]


def test_a_file_that_was_written_anew_loses_the_place(file: Path) -> None:
    file.write_bytes(chain("user", "assistant"))
    for cursor in (Cursor("00000001", 10**9), Cursor("gone", len(chain("user")))):
        page = pages.read(file, cursor)
        assert (page.records, page.older, page.lost) == ((), None, True)


def test_a_parent_that_is_missing_is_said_to_be(file: Path) -> None:
    file.write_bytes(HEADER + line(7, 5) + line(8, 7))
    page = pages.read(file)
    assert (ids(page), page.older, page.lost) == ([7, 8], None, True)


def test_an_empty_file_holds_nothing(file: Path) -> None:
    for data in (b"", HEADER):
        file.write_bytes(data)
        assert pages.read(file) == Page((), None, newest=True)


def test_the_half_of_a_record_is_not_shown(file: Path) -> None:
    file.write_bytes(chain("user") + line(1, 0)[:40])
    assert ids(pages.read(file)) == [0]
    file.write_bytes(chain("user") + line(1, 0)[:-1])
    assert ids(pages.read(file)) == [0, 1]


def test_what_can_not_be_read_is_marked_in_its_place(file: Path) -> None:
    file.write_bytes(HEADER + line(0, None, "user") + b"\0" * 9000 + b"\nbroken\n" + line(1, 0))
    assert ids(pages.read(file)) == [0, 9006, 1]


def test_another_branch_of_many_megabytes_is_crossed_in_several_calls(file: Path) -> None:
    with file.open("wb") as out:
        out.write(HEADER + line(0, None, "user"))
        for n in range(1, 21):
            out.write(line(n, n - 1, said="x" * 1_000_000))
        out.write(line(99, 0))
    found = all_pages(file)
    assert in_order(found) == [0, 99]
    assert len(found) == 3
    assert not any(page.lost for page in found)


def test_a_file_that_is_one_long_line_ends_the_reading(file: Path) -> None:
    with file.open("wb") as out:
        out.truncate(50_000_000_000)
    started = time.monotonic()
    page = pages.read(file)
    assert time.monotonic() - started < 2
    assert page.older is None
    assert page.lost


def test_what_is_no_regular_file_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    with pytest.raises(OSError, match="regular file"):
        pages.read(tmp_path / "fifo")


def test_a_page_deep_in_a_large_file_is_as_quick_as_the_newest(file: Path) -> None:
    with file.open("wb") as out:
        out.write(HEADER)
        for n in range(60_000):
            out.write(line(n, n - 1 if n else None, said=LONG))
        middle = Cursor(f"{30_000:08x}", out.tell() * 30_001 // 60_000 + 200_000)
    started = time.monotonic()
    assert ids(pages.read(file, middle))[-1] == 30_000
    assert time.monotonic() - started < 0.2


def branch_of(data: bytes) -> list[int]:
    """The ids of the current branch, from the whole file at once."""
    records: list[dict[str, Any]] = []
    for each in data.split(b"\n"):
        start = each.find(b'{"type":"', 1)
        for text in (each, each[start:] if start > 0 else b""):
            try:
                record = orjson.loads(text)
            except orjson.JSONDecodeError:
                continue
            if isinstance(record, dict) and "parentId" in record:
                records.append(record)
                break
    by_id = {record["id"]: record for record in records}
    found: list[int] = []
    current = records[-1] if records else None
    while current:
        found.insert(0, int(current["id"], 16))
        current = by_id.get(current["parentId"])
    return found


@settings(deadline=None, max_examples=200)
@given(files(), st.sampled_from([3, 17, 64, 1000]), st.sampled_from([200, 20_000]))
def test_all_pages_together_are_the_branch_of_the_whole_file(
    data: bytes, block_bytes: int, weight: int
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "session.jsonl"
        file.write_bytes(data)
        found = all_pages(file, block_bytes, LINE_LIMIT_BYTES, weight)
        shown = [
            record["id"]
            for page in reversed(found)
            for record, _ in page.records
            if not isinstance(record, Unread)
        ]
        assert [int(str(each), 16) for each in shown] == branch_of(data)
