"""Groups and their order."""

from typing import Any

from tank.roster.groups import grouped, project
from tank.roster.roster import Session
from tests.board.sample import ago, session


def in_project(name: str, pid: int, **fields: Any) -> Session:
    return session(pid, project_key=f"github.com/you/{name}", project_name=name, **fields)


def names(*sessions: Session) -> list[str]:
    return [group.name for group in grouped(sessions)]


def test_a_session_without_a_project_goes_by_its_directory() -> None:
    bare = session(1, project_key=None, project_name=None, cwd="/home/you/work/app/").entry
    assert project(bare) == ("/home/you/work/app/", "app")
    assert project(session(1, project_key=None, project_name=None, cwd="/").entry) == ("/", "/")


def test_projects_are_in_the_order_of_their_names() -> None:
    assert names(in_project("site", 1), in_project("app", 2), in_project("Lib", 3)) == ["app", "Lib", "site"]


def test_two_projects_of_one_name_stay_two() -> None:
    twins = (
        session(1, project_key="b/app"),
        session(2, project_key="a/app"),
        session(3, project_key="a/app"),
    )
    found = grouped(twins)
    assert [(group.key, len(group.sessions)) for group in found] == [("a/app", 2), ("b/app", 1)]


def test_a_p0_lifts_its_project_to_the_front_and_nothing_else_does() -> None:
    busy = in_project("lib", 2, priority=1, status="needs-you")
    assert names(in_project("app", 1), busy, in_project("site", 3)) == ["app", "lib", "site"]
    assert names(in_project("app", 1), busy, in_project("site", 3, priority=0)) == ["site", "app", "lib"]


def test_inside_a_project_the_first_started_comes_first_whatever_it_does() -> None:
    late = session(1, started_at=ago(minutes=1), status="needs-you", priority=0)
    early, twin = session(9, started_at=ago(hours=1)), session(8, started_at=ago(hours=1))
    (group,) = grouped((late, early, twin))
    assert [each.entry.pid for each in group.sessions] == [8, 9, 1]


def test_a_project_shows_its_most_urgent_priority() -> None:
    (group,) = grouped((session(1, priority=2), session(2, priority=1), session(3)))
    assert group.priority == 1
    (plain,) = grouped((session(1),))
    assert plain.priority is None
