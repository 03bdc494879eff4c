"""When uncommitted changes are counted, and what of it a project's header says."""

from dataclasses import replace
from datetime import datetime

from tank.board import changes
from tank.board.keys import Key
from tank.board.state import ChangesCounted, Checkout, CountChanges, Effect, Locate, Rostered, Size, State
from tank.board.update import update
from tank.roster.roster import Roster, Session
from tests.board.sample import NOW, ago, session, state

APP, OTHER = session(1, cwd="/app"), session(2, cwd="/app/deep")
FAR = tuple(
    session(100 + number, cwd=f"/far/{number}", project_key=f"far/{number:02}", project_name=f"z{number:02}")
    for number in range(40)
)


def rostered(found: State, *sessions: Session) -> tuple[State, tuple[Effect, ...]]:
    after, effects = update(found, Rostered(Roster(sessions), frozenset(), NOW))
    return after, tuple(effect for effect in effects if not isinstance(effect, Locate))


def on(of: Session, status: str) -> Session:
    return of._replace(entry=replace(of.entry, status=status))


def test_on_opening_each_directory_on_screen_is_counted_once() -> None:
    found, asked = rostered(State(NOW, Size(80, 24)), APP, OTHER, session(3, cwd="/app"))
    assert asked == (CountChanges("/app"), CountChanges("/app/deep"))
    assert rostered(found, APP, OTHER)[1] == ()


def test_a_project_out_of_sight_is_counted_when_it_comes_into_sight() -> None:
    found, asked = rostered(State(NOW, Size(80, 24)), *FAR)
    assert 0 < len(asked) < 20
    assert CountChanges("/far/39") not in asked
    assert CountChanges("/far/39") in update(found, Key("G"))[1]


def test_a_second_after_a_run_came_to_rest_its_directory_is_counted_anew() -> None:
    found, _ = rostered(State(NOW, Size(80, 24)), on(APP, "working"), OTHER)
    busy, asked = rostered(found, on(APP, "needs-you"), OTHER)
    assert asked == ()
    assert rostered(busy, on(APP, "done"), OTHER)[1] == (CountChanges("/app", changes.SETTLED_S),)


def test_a_run_that_fell_between_two_looks_is_counted_too() -> None:
    def since(of: Session, moment: datetime) -> Session:
        return of._replace(entry=replace(of.entry, status_since=moment))

    found, _ = rostered(State(NOW, Size(80, 24)), since(APP, ago(minutes=9)), OTHER)
    asked = rostered(found, since(APP, ago(seconds=1)), OTHER)[1]
    assert asked == (CountChanges("/app", changes.SETTLED_S),)


def test_r_counts_anew() -> None:
    found, _ = rostered(State(NOW, Size(80, 24)), APP)
    assert CountChanges("/app") in update(found, Key("r"))[1]


def counted(found: State, **checkouts: Checkout | None) -> tuple[int, int]:
    for cwd, checkout in checkouts.items():
        found, _ = update(found, ChangesCounted(f"/{cwd.replace('_', '/')}", checkout))
    return changes.count(found, found.listed.groups[0])


def test_a_checkout_counts_once_whatever_directories_its_sessions_are_in() -> None:
    found = state(Roster((APP, OTHER)), Size(80, 24))
    assert counted(found, app=Checkout("/app", 3), app_deep=Checkout("/app", 3)) == (3, 1)


def test_two_checkouts_of_a_project_add_up() -> None:
    found = state(Roster((APP, OTHER)), Size(80, 24))
    assert counted(found, app=Checkout("/app", 3), app_deep=Checkout("/app/deep", 2)) == (5, 2)


def test_what_could_not_be_told_counts_as_nothing() -> None:
    found = state(Roster((APP, OTHER)), Size(80, 24))
    assert counted(found) == (0, 0)
    assert counted(found, app=None, app_deep=Checkout("/app/deep", 2)) == (2, 1)
