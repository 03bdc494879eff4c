import shlex
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tank.errors import TerminalError
from tank.terminals.tmux import Way, entering, pane_of, showing, way
from tank.terminals.tmux_replies import Client, Pane


def pane(
    number: int,
    pid: int,
    window: int = 0,
    session: int = 0,
    name: str = "s",
    *,
    dead: bool = False,
    active: bool = True,
) -> Pane:
    return Pane(f"%{number}", pid, dead, active, f"@{window}", f"${session}", visit=False, session_name=name)


def client(
    name: str,
    session: int,
    window: int,
    pane: int,
    *,
    own_pane: bool = False,
    keyless: bool = False,
    ends: bool = False,
) -> Client:
    return Client(name, f"${session}", f"@{window}", f"%{pane}", own_pane, keyless, ends)


@pytest.mark.parametrize(
    ("panes", "ancestors", "found"),
    [
        ([pane(1, 10), pane(2, 20)], [30, 20, 10], "%2"),
        ([pane(1, 10)], [10], "%1"),
        ([pane(1, 10), pane(1, 10, session=2)], [11, 10], "%1"),
        ([pane(1, 10)], [11, 12], None),
        ([pane(1, 10)], [], None),
        ([], [10], None),
        ([pane(1, 10, dead=True)], [10], None),
        ([pane(1, 10, dead=True), pane(2, 10)], [10], "%2"),
        ([pane(1, 20, dead=True), pane(2, 10)], [20, 10], "%2"),
        ([pane(1, 10), pane(2, 10)], [10], None),
        ([pane(1, 20), pane(2, 20), pane(3, 10)], [20, 10], None),
    ],
)
def test_a_process_is_in_the_pane_of_its_nearest_ancestor_if_that_is_one(
    panes: Sequence[Pane], ancestors: list[int], found: str | None
) -> None:
    chosen = pane_of(panes, ancestors)
    assert (chosen.pane if chosen else None) == found


@pytest.mark.parametrize(
    ("seen", "can"),
    [
        (client("a", 0, 0, 1), True),
        (client("a", 7, 0, 1), True),
        (client("a", 0, 0, 2), False),
        (client("a", 0, 0, 2, own_pane=True), True),
        (client("a", 0, 1, 1, own_pane=True), False),
        (client("a", 0, 0, 1, keyless=True), False),
    ],
)
def test_a_key_comes_from_a_client_that_has_the_pane_selected_or_may_have(seen: Client, *, can: bool) -> None:
    assert showing([seen], pane(1, 10)) == ([seen] if can else [])


HERE = pane(1, 10, window=1, session=1, name="here")
GOAL = pane(2, 20, window=2, session=2, name="there")
MINE = client("mine", 1, 1, 1)


@pytest.mark.parametrize(
    ("others", "name"),
    [
        ([], None),
        ([client("o", 1, 1, 1)], None),
        ([client("o", 2, 2, 2)], None),
        ([client("o", 2, 3, 9)], "there-1"),
        ([client("o", 2, 2, 2), client("p", 2, 3, 9, keyless=True)], "there-1"),
    ],
)
def test_a_session_is_made_for_the_visit_where_another_client_would_be_moved(
    others: list[Client], name: str | None
) -> None:
    for mine in (MINE, None):
        clients = [MINE, *others] if mine else others
        assert way([HERE, GOAL], clients, GOAL, mine) == Way(GOAL, name)


def test_of_the_sessions_that_hold_the_pane_one_is_entered_that_moves_nobody() -> None:
    away = client("o", 2, 3, 9)
    free, own = GOAL._replace(session="$3"), GOAL._replace(session="$1")
    assert way([HERE, GOAL, free], [MINE, away], GOAL, MINE) == Way(free)
    assert way([HERE, GOAL, free, own], [MINE, away], GOAL, MINE) == Way(own)
    assert way([HERE, GOAL, free, own], [MINE, client("o", 1, 9, 9)], GOAL, MINE) == Way(GOAL)
    assert way([HERE, GOAL, free], [client("o", 2, 2, 2)], GOAL, None) == Way(free)


def test_a_window_that_another_client_shows_keeps_its_selected_pane() -> None:
    hidden = GOAL._replace(active=False)
    assert way([HERE, hidden], [MINE, client("o", 2, 3, 9)], hidden, MINE) == Way(hidden, "there-1")
    for session in (1, 2, 7):
        with pytest.raises(TerminalError, match="another pane selected"):
            way([HERE, hidden], [MINE, client("o", session, 2, 9)], hidden, MINE)


def test_a_session_that_ends_when_it_is_left_is_left_only_to_others() -> None:
    mine = MINE._replace(ends=True)
    with pytest.raises(TerminalError, match="destroy-unattached"):
        way([HERE, GOAL], [mine], GOAL, mine)
    with pytest.raises(TerminalError, match="destroy-unattached"):
        way([HERE, GOAL], [mine, client("o", 2, 3, 9)], GOAL, mine)
    assert way([HERE, GOAL], [mine, client("o", 1, 1, 1)], GOAL, mine) == Way(GOAL)
    inside = GOAL._replace(session="$1")
    assert way([HERE, inside], [mine], inside, mine) == Way(inside)
    assert way([HERE, inside], [mine, client("o", 1, 1, 1)], inside, mine) == Way(inside, "there-1")


@pytest.mark.parametrize(
    ("near", "taken", "name"),
    [
        ("work", [], "work-1"),
        ("work", ["work-1", "work-3"], "work-2"),
        ("日本", [], "tank-1"),
        ("a.b #(x) {y} $0", [], "a-b-x-y-0-1"),
        ("-t", [], "t-1"),
        ("x" * 99, [], "x" * 30 + "-1"),
    ],
)
def test_a_session_made_for_a_visit_has_a_free_name_that_tmux_takes_as_it_is(
    near: str, taken: list[str], name: str
) -> None:
    goal = GOAL._replace(session_name=near)
    panes = [goal, *(pane(50 + n, 500 + n, 50 + n, 50 + n, each) for n, each in enumerate(taken))]
    assert way(panes, [client("o", 2, 3, 9)], goal, None).name == name


@given(st.text(), st.text())
def test_whatever_a_folder_is_called_it_is_one_word_without_formats(near: str, folder: str) -> None:
    chosen = way([GOAL._replace(session_name=near)], [client("o", 2, 3, 9)], GOAL, None)
    command = entering(chosen, ["attach-session"], folder)
    assert command[:4] == ["if-shell", "-F", "-t", "$2:@2.%2"]
    words = shlex.split(command[5])
    assert words[words.index("-t") - 1] == (folder.replace("#", "##") if folder else chosen.name)


def test_a_pane_is_held_by_a_session_that_lasts_rather_than_by_one_made_for_a_visit() -> None:
    visit = GOAL._replace(session="$3", visit=True, session_name="a-1")
    assert pane_of([visit, GOAL], [20]) == GOAL
    assert way([visit, GOAL], [], GOAL, None) == Way(GOAL, None, ("$3",))
    assert way([visit], [], visit, None) == Way(visit)
    both = [client("o", 2, 9, 9), client("p", 3, 8, 8)]
    assert way([visit, GOAL], both, GOAL, None) == Way(GOAL, "there-1")
    assert way([visit, GOAL], [client("o", 2, 9, 9)], GOAL, None) == Way(visit)
