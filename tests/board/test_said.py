"""What is said about a session."""

from typing import Any

from tank.board import said
from tank.roster.roster import Roster
from tests.board.sample import session


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


def test_a_run_that_failed_asks_nothing() -> None:
    assert said.asks(session(1, status="needs-you", status_detail="Allow bash?").entry)
    assert not said.asks(session(1, status="needs-you", status_detail="failed: 529").entry)
    assert not said.asks(session(1, status="working").entry)


def test_the_title_counts_older_tanks_and_repeats_what_could_not_be_read() -> None:
    sessions = (session(1, tank="0.0.1"), session(2, tank="0.0.2"), session(3))
    assert said.notes(Roster(sessions, ("1 file skipped",))) == [
        "2 run an older Tank: /reload",
        "1 file skipped",
    ]
    assert said.notes(Roster(sessions[:1])) == ["1 runs an older Tank: /reload"]
