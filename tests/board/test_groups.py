"""The filter of the list."""

from typing import Any

import pytest

from tank.board.groups import listed, matches
from tank.roster.roster import Life, Roster, Session
from tests.board.sample import ROSTERS, session


def in_project(name: str, pid: int, **fields: Any) -> Session:
    return session(pid, project_key=f"github.com/you/{name}", project_name=name, **fields)


def test_a_filter_moves_no_project() -> None:
    urgent, other = in_project("site", 1, priority=0, label="urgent"), in_project("site", 2, label="calm")
    found = listed(Roster((urgent, other, in_project("app", 3, label="calm"))), "calm").groups
    assert [(group.name, group.priority, len(group.sessions)) for group in found] == [
        ("site", 0, 1),
        ("app", None, 1),
    ]


FULL = session(
    7,
    Life.SUSPENDED,
    label="Fix the LOGIN test",
    status="needs-you",
    status_detail="Allow bash?",
    priority=2,
    model="openai/gpt",
    recap="half done",
)


@pytest.mark.parametrize(
    "words",
    [
        *(
            "",
            "login",
            "LOGIN fix",
            "app",
            "github.com/you",
            "needs",
            "needs-you",
            "needs you",
            "p2",
            "allow",
        ),
        *("gpt", "half", "suspended", FULL.entry.session_id[:8], "  login   p2 "),
    ],
)
def test_every_word_of_the_filter_has_to_fit(words: str) -> None:
    assert matches(FULL, words)


@pytest.mark.parametrize("words", ["login nowhere", "p0", "idle", "working", "done", "elsewhere"])
def test_a_word_that_does_not_fit_hides_the_session(words: str) -> None:
    assert not matches(FULL, words)


def test_a_status_word_means_the_status_and_not_the_text() -> None:
    assert not matches(session(1, label="the working copy", status="idle"), "working")


def test_a_session_with_only_what_is_required_can_be_found() -> None:
    assert matches(session(1, label=None, project_key=None, project_name=None), "/home/you")


def test_sixty_sessions_are_all_in_their_groups() -> None:
    assert sum(len(group.sessions) for group in listed(ROSTERS[60], "").groups) == 60
