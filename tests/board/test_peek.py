"""What the open peek says."""

from dataclasses import replace
from typing import Any

from tank.board.keys import Key
from tank.board.peek import shown
from tank.board.state import PeekLoaded, Size, State
from tank.board.theme import PLAIN
from tank.board.update import update
from tank.board.view.screen import view
from tank.roster.roster import Life, Roster
from tank.roster.transcript import Outcome, Peek, Prompt, Reply, ToolCall
from tests.board.sample import PEEK, SIX, loaded, session, state


def peeking(peek: Peek | None, columns: int = 80, rows: int = 40, **fields: Any) -> State:
    of = session(1, **fields)
    return state(Roster((of,)), Size(columns, rows), Key("space"), loaded(of, peek))


def texts(found: State, rows: int = 30) -> tuple[list[str], list[str]]:
    question, body = shown(found, found.roster.sessions[0], found.size.columns, rows)
    return [line.text for line in question], [line.text for line in body]


def test_a_waiting_session_shows_its_question_first_with_what_the_tool_is_about_to_do() -> None:
    question, body = texts(peeking(PEEK, status="needs-you", status_detail="Allow bash?"))
    assert question == [
        " ● needs you · Allow bash?",
        "   ▷ bash: rm -rf build && make",
        "     timeout: 600",
        "     description: build from nothing",
        "",
    ]
    assert not any("rm -rf build" in line for line in body)


def test_a_session_that_works_shows_its_open_call_where_it_stands() -> None:
    question, body = texts(peeking(PEEK, status="working"))
    assert question == []
    assert body[-3] == "   ◐ bash: rm -rf build && make"


def test_a_question_too_long_for_its_place_is_whole_in_the_body() -> None:
    call = ToolCall("write", "a.py", Outcome.OPEN, "\n".join(f"line {n}" for n in range(50)), None)
    question, body = texts(peeking(Peek((call,)), status="needs-you"), rows=12)
    assert question[7].strip() == "…"
    assert question[8:] == [""]
    assert sum("line " in line for line in body) == 50


def test_prompts_replies_and_calls_are_told_apart() -> None:
    _, body = texts(peeking(PEEK, columns=100))
    assert "   ⋯ earlier not shown" in body
    assert " › run the login tests until one fails" in body
    assert "   ✓ bash: pytest tests/login -q" in body
    assert "   ✗ bash: pytest -p random tests/login" in body
    assert "     1 failed, 30 passed" in body
    assert " [Message from another Pi session (project site, session write the release notes)]" in body


def test_what_is_odd_about_the_session_is_said_in_the_peek() -> None:
    of = session(1, Life.SUSPENDED, socket=None)
    found = state(Roster((of,)), Size(80, 40), Key("space"), twice=frozenset({of.file}))
    assert texts(found)[0] == [" ! open twice · suspended · can't get messages"]


def test_a_transcript_that_is_not_there_yet_is_no_error() -> None:
    assert texts(peeking(None))[1] == [" no prompt yet"]
    assert texts(peeking(Peek()))[1] == [" no prompt yet"]


def test_a_transcript_that_is_being_read_is_not_called_empty() -> None:
    assert texts(state(Roster((session(1),)), Size(80, 40), Key("space")))[1] == [" reading…"]


def test_a_transcript_that_cannot_be_read_says_why() -> None:
    of = session(1)
    failed = PeekLoaded(of.entry.session_id, of.entry.session_file, None, "permission denied")
    found = state(Roster((of,)), Size(80, 40), Key("space"), failed)
    assert texts(found)[1] == [" the transcript can't be read: permission denied"]


def test_the_pane_shows_the_end_and_scrolls_back_from_there() -> None:
    replies = tuple(Reply(f"reply {number}", None) for number in range(60))
    found = peeking(Peek((Prompt("go", None, None), *replies)), rows=24)
    assert any("reply 59" in line for line in view(found, found.size, PLAIN))
    assert found.peeked
    back = replace(found, peeked=replace(found.peeked, back=10))
    lines = view(back, back.size, PLAIN)
    assert not any("reply 59" in line for line in lines)
    assert any("reply 49" in line for line in lines)
    assert any("10 lines below" in line for line in lines)


def test_a_pane_that_is_scrolled_back_keeps_its_place_while_the_session_goes_on() -> None:
    replies = tuple(Reply(f"reply {number}", None) for number in range(60))
    found = peeking(Peek(replies[:50]), rows=24)
    (of,) = found.roster.sessions
    scrolled, _ = update(found, Key("pageup"))
    later, _ = update(scrolled, loaded(of, Peek(replies)))
    shown_before = [line for line in view(scrolled, scrolled.size, PLAIN) if "reply" in line]
    assert [line for line in view(later, later.size, PLAIN) if "reply" in line] == shown_before
    assert any(
        "reply 59" in line for line in view(update(found, loaded(of, Peek(replies)))[0], found.size, PLAIN)
    )


def test_a_pane_grown_larger_than_its_text_shows_it_from_the_beginning() -> None:
    found = peeking(Peek((Prompt("go", None, None), Reply("went", None))), rows=40)
    assert found.peeked
    far = replace(found, peeked=replace(found.peeked, back=1000))
    assert any("› go" in line for line in view(far, far.size, PLAIN))


def test_the_rule_above_the_peek_names_the_session() -> None:
    found = state(Roster(SIX), Size(120, 35), Key("space"), loaded(SIX[0]))
    rule = next(line for line in view(found, found.size, PLAIN) if line.startswith("─"))
    assert "fix the flaky login test · app · anthropic/opus-5-5" in rule


def test_a_question_elsewhere_says_where_it_is_answered() -> None:
    asks: dict[str, Any] = {"status": "needs-you", "status_detail": "Allow bash?", "tty": "/dev/pts/7"}
    assert "   answer it on /dev/pts/7" in texts(peeking(PEEK, **asks))[0]
    failed = texts(peeking(PEEK, **(asks | {"status_detail": "failed: 529"})))[0]
    assert not any("answer it" in line for line in failed)
