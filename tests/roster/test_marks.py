"""What is odd about a session."""

from tank.roster.marks import marks, runs_older
from tank.roster.roster import Life
from tank.session import guard
from tests.board.sample import NOW, ago, session


def test_marks_name_what_is_odd_the_gravest_first() -> None:
    odd = session(1, Life.SUSPENDED, newer=True, messages_since_input=5, socket=None, tank="0.0.1")
    assert marks(odd, NOW, twice=True) == [
        "open twice",
        "suspended",
        "newer Tank",
        "guard: 2 not run",
        "can't get messages",
        "older Tank",
    ]


def test_an_ordinary_session_has_no_marks() -> None:
    assert marks(session(1, messages_since_input=3), NOW, twice=False) == []


def test_a_session_that_works_and_was_long_not_heard_of_is_silent() -> None:
    quiet = session(1, status="working", updated_at=ago(minutes=12))
    assert marks(quiet, NOW, twice=False) == ["silent 12m"]
    for heard in (
        session(1, status="working", updated_at=ago(minutes=9)),
        session(1, status="working"),
        session(1, status="needs-you", updated_at=ago(hours=9)),
        session(1, Life.SUSPENDED, status="working", updated_at=ago(hours=9)),
    ):
        assert not any("silent" in mark for mark in marks(heard, NOW, twice=False))


def test_a_session_elsewhere_is_marked_as_such_alone() -> None:
    assert marks(session(1, Life.ELSEWHERE, socket=None), NOW, twice=False) == ["elsewhere"]


def test_they_count_shown_messages_as_the_guard_does() -> None:
    for count in range(1, 9):
        found = marks(session(1, messages_since_input=count), NOW, twice=False)
        assert any("guard" in mark for mark in found) is not guard.lets_pass(count - 1)


def test_only_a_lower_version_is_older() -> None:
    older = [runs_older(session(1, tank=version).entry) for version in ("0.0.9", "0.1.0", "0.10.0", "1.0")]
    assert older == [True, False, False, False]
    assert not any(runs_older(session(1, tank=version).entry) for version in (None, "", "dev", "0.0.9rc1"))
