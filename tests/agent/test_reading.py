"""A page of a transcript, as a model gets it."""

from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tank.agent import quoting, reading
from tank.records.entry import Entry
from tank.roster.branch import Unread
from tank.roster.pages import Cursor, Page, Placed

NOW = datetime(2026, 7, 1, 12, 0, tzinfo=UTC)
ENTRY = Entry(
    1,
    101,
    "0197c0de-7d11-7000-8000-000000000101",
    "/home/you/app",
    "working",
    NOW,
    status_since=NOW - timedelta(seconds=14),
)


def placed(number: int, **fields: Any) -> Placed:
    parent = f"e{number - 1}" if number else None
    base = {"type": "message", "id": f"e{number}", "parentId": parent, "timestamp": "2026-07-01T10:12:00Z"}
    return Placed(base | fields, 1000 + number)


def message(number: int, role: str, content: Any, **more: Any) -> Placed:
    return placed(number, message={"role": role, "content": content} | more)


def text(said: str) -> dict[str, str]:
    return {"type": "text", "text": said}


def call(number: int, **arguments: str) -> dict[str, Any]:
    return {"type": "toolCall", "id": f"c{number}", "name": "bash", "arguments": arguments}


def result(number: int, of: int, said: str = "", *, failed: bool = False) -> Placed:
    return message(number, "toolResult", [text(said)], toolCallId=f"c{of}", isError=failed)


def page(*records: Placed, older: Cursor | None = None, newest: bool = True, lost: bool = False) -> list[str]:
    return reading.page(ENTRY, Page(records, older, newest, lost), NOW).split("\n")


HEAD = [
    "Session 0197c0de-7d11-7000-8000-000000000101, working 14s: the newest page of its transcript, times in UTC.",
    quoting.RULE,
]


def test_a_page_shows_who_said_what_and_what_became_of_each_call() -> None:
    shown = page(
        message(0, "user", "fix the test\n\nplease"),
        message(1, "assistant", [text("I'll look."), call(1, command="pytest -q\nls"), call(2, path="a.py")]),
        result(2, 1, "x" * 5000),
        result(3, 2, "no such\nfile", failed=True),
        message(4, "assistant", [call(3, command="rm -rf build")]),
    )
    assert shown == [
        *HEAD,
        "│ user, 2026-07-01 10:12:",
        "│   fix the test",
        "│",
        "│   please",
        "│ assistant, 2026-07-01 10:12:",
        "│   I'll look.",
        "│ tool ok: bash: pytest -q ls",
        "│ tool failed: bash: a.py",
        "│   file",
        "│ tool open (it runs, or waits for the person): bash: rm -rf build",
        "The session begins here.",
    ]


def test_an_older_page_says_so_and_holds_no_open_call() -> None:
    older = Cursor("e6", 1007)
    shown = page(message(7, "assistant", [call(3, command="ls")]), older=older, newest=False)
    assert "an older page" in shown[0]
    assert shown[2:] == [
        "│ tool failed: bash: ls",
        "│   no result",
        'Older: tank_read with before "e6@1007".',
    ]


def test_a_compaction_is_marked_and_other_notes_are_named() -> None:
    shown = page(
        placed(1, type="compaction", summary="they fixed it"),
        placed(2, type="custom_message", display=True, customType="todo", content="three"),
        message(3, "assistant", [], stopReason="error", errorMessage="529"),
        Placed(Unread(9000), 5),
        older=Cursor("e0", 1001),
    )
    assert shown[2:] == [
        "│ compaction: from here on the session's model knows what came before by this summary alone, 2026-07-01 10:12:",
        "│   they fixed it",
        "│ note, todo, 2026-07-01 10:12:",
        "│   three",
        "│ note, failed, 2026-07-01 10:12:",
        "│   529",
        "⋯ 9 KB can't be read",
        'Older: tank_read with before "e0@1001".',
    ]


def test_a_message_of_another_session_is_not_the_person_s() -> None:
    said = "[Message from another Pi session (project app, session x)]\n\nobey"
    assert page(message(0, "user", said))[2:-1] == [
        "│ message, not typed by a person, 2026-07-01 10:12:",
        "│   [Message from another Pi session (project app, session x)]",
        "│   obey",
    ]


def test_nothing_said_and_what_is_lost_are_told() -> None:
    assert page()[2:] == ["(nothing was said here)", "The session begins here."]
    assert page(lost=True)[2:] == ["(nothing was said here)", "What came before can't be found in the file."]


def test_a_long_text_loses_its_middle_and_the_count_is_told() -> None:
    shown = page(message(0, "user", "a" * 9000 + "z" * 9000))
    assert shown[3:6] == ["│   " + "a" * 1000, "│   … 16000 characters left out", "│   " + "z" * 1000]


def test_a_page_holds_the_newest_that_fits_and_names_where_the_rest_is() -> None:
    records = [message(n, "assistant", [text(f"{n} " + "x" * 1500)]) for n in range(30)]
    shown = page(*records)
    size = len("\n".join(shown).encode())
    assert quoting.LIMIT_BYTES * 0.85 < size <= quoting.LIMIT_BYTES
    first = next(n for n in range(30) if any(f" {n} x" in line for line in shown))
    assert shown[-1] == f'Older: tank_read with before "e{first - 1}@{1000 + first}".'
    assert f" {first - 1} x" not in "\n".join(shown)


def test_no_call_is_parted_from_its_result() -> None:
    filler = [message(n, "assistant", [text("x" * 1900)]) for n in range(3, 10)]
    asked = message(0, "assistant", [text("y" * 1900), call(1, command="ls")])
    shown = page(asked, result(1, 1), placed(2, type="label"), *filler)
    assert shown[-1] == 'Older: tank_read with before "e2@1003".'


def test_a_record_of_many_lines_is_cut_in_the_middle() -> None:
    shown = page(message(0, "assistant", [call(n, command=f"step {n}") for n in range(1000)]))
    assert sum(line.startswith("⋯ ") for line in shown) == 1
    assert "step 0" in shown[2]
    assert "step 999" in shown[-2]


words = st.text(st.sampled_from("│⋯ \nabé家😀\u2028\r\x1b\t:"), max_size=3000)
blocks = st.lists(st.one_of(words.map(text), words.map(lambda said: call(1, command=said))), max_size=5)
records = st.lists(
    st.one_of(
        words.map(lambda said: ("user", said)),
        blocks.map(lambda said: ("assistant", said)),
        words.map(lambda said: ("user", f"[Message sent with tank, not by a session]\n\n{said}")),
    ),
    max_size=12,
)


@given(records)
def test_no_text_can_leave_its_frame_or_its_place_in_it(said: list[tuple[str, Any]]) -> None:
    shown = page(*(message(n, role, content) for n, (role, content) in enumerate(said)))
    body = shown[2:-1]
    known = ("│ user", "│ assistant", "│ message, not", "│ tool ", "│   ")
    ours = ("(nothing was said here)", "│")
    assert all(line.startswith(known) or line in ours or line.endswith(" lines left out") for line in body)
    assert shown[-1] == "The session begins here." or shown[-1].startswith("Older: ")
    whole = "\n".join(shown)
    assert len(whole.encode()) <= quoting.LIMIT_BYTES
    assert len(whole.splitlines()) == len(shown) < 2000
    assert not set(whole) & set("\x1b\r\u2028")
