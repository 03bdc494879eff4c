"""What is said about a session."""

from typing import Any

from tank.board import said
from tank.roster.roster import Life, Roster
from tank.session import guard
from tests.board.sample import NOW, ago, session


def test_a_session_without_a_project_goes_by_its_directory() -> None:
    bare = session(1, project_key=None, project_name=None, cwd="/home/you/work/app/").entry
    assert said.project(bare) == ("/home/you/work/app/", "app")
    assert said.project(session(1, project_key=None, project_name=None, cwd="/").entry) == ("/", "/")


def test_the_reason_comes_before_the_activity_and_the_activity_before_what_came_of_it() -> None:
    known: dict[str, Any] = {
        "status_detail": "Delete?",
        "activity": "bash: ls",
        "recap": "so far",
        "last_reply": "Done.",
    }
    while known:
        assert said.why(session(1, **known).entry) == next(iter(known.values()))
        del known[next(iter(known))]
    assert said.why(session(1).entry) == ""


def test_marks_name_what_is_odd_the_gravest_first() -> None:
    odd = session(1, Life.SUSPENDED, newer=True, messages_since_input=5, socket=None, tank="0.0.1")
    assert said.marks(odd, NOW, twice=True) == [
        "open twice",
        "suspended",
        "newer Tank",
        "guard: 2 not run",
        "can't get messages",
        "older Tank",
    ]


def test_an_ordinary_session_has_no_marks() -> None:
    assert said.marks(session(1, messages_since_input=3), NOW, twice=False) == []


def test_a_session_that_works_and_was_long_not_heard_of_is_silent() -> None:
    quiet = session(1, status="working", updated_at=ago(minutes=12))
    assert said.marks(quiet, NOW, twice=False) == ["silent 12m"]
    for heard in (
        session(1, status="working", updated_at=ago(minutes=9)),
        session(1, status="working"),
        session(1, status="needs-you", updated_at=ago(hours=9)),
        session(1, Life.SUSPENDED, status="working", updated_at=ago(hours=9)),
    ):
        assert not any("silent" in mark for mark in said.marks(heard, NOW, twice=False))


def test_a_run_that_failed_asks_nothing() -> None:
    assert said.asks(session(1, status="needs-you", status_detail="Allow bash?").entry)
    assert not said.asks(session(1, status="needs-you", status_detail="failed: 529").entry)
    assert not said.asks(session(1, status="working").entry)


def test_a_session_elsewhere_is_marked_as_such_alone() -> None:
    assert said.marks(session(1, Life.ELSEWHERE, socket=None), NOW, twice=False) == ["elsewhere"]


def test_the_board_counts_shown_messages_as_the_guard_does() -> None:
    for count in range(1, 9):
        marks = said.marks(session(1, messages_since_input=count), NOW, twice=False)
        assert any("guard" in mark for mark in marks) is not guard.lets_pass(count - 1)


def test_only_a_lower_version_is_older() -> None:
    older = [
        said.runs_older(session(1, tank=version).entry) for version in ("0.0.9", "0.1.0", "0.10.0", "1.0")
    ]
    assert older == [True, False, False, False]
    assert not any(
        said.runs_older(session(1, tank=version).entry) for version in (None, "", "dev", "0.0.9rc1")
    )


def test_the_title_counts_older_tanks_and_repeats_what_could_not_be_read() -> None:
    sessions = (session(1, tank="0.0.1"), session(2, tank="0.0.2"), session(3))
    assert said.notes(Roster(sessions, ("1 file skipped",))) == [
        "2 run an older Tank: /reload",
        "1 file skipped",
    ]
    assert said.notes(Roster(sessions[:1])) == ["1 runs an older Tank: /reload"]
