import pytest

from tank.records import text
from tank.terminals import rex
from tank.terminals.rex import RexPlace, RexSession, Snapshot
from tank.terminals.rex_replies import Block, Failure, View, Window


def tab(window_id: str, *blocks: str | Block, label: str | None = None) -> Window:
    return Window(window_id, label, tuple(b if isinstance(b, Block) else Block(b) for b in blocks))


TWO = Snapshot(
    (
        RexSession("session:1", "work", (tab("w1", "b1", "b2", label="tests"), tab("w2", "b3")), ("b9",)),
        RexSession("session:2", "play", (tab("w3", Block("b4", floats=True)),)),
    )
)


def test_a_block_is_placed_by_its_session_its_tab_and_its_turn_in_the_tab() -> None:
    assert rex.place(TWO, "b2") == RexPlace("session:1", "work", "w1", "tests", (0, 0, 1))
    assert rex.place(TWO, "b3") == RexPlace("session:1", "work", "w2", None, (0, 1, 0))
    assert rex.place(TWO, "b4") == RexPlace("session:2", "play", "w3", None, (1, 0, 0))


def test_a_detached_block_belongs_to_its_session_after_all_tabs_and_to_no_tab() -> None:
    assert rex.place(TWO, "b9") == RexPlace("session:1", "work", None, None, (0, 2, 0))


def test_a_block_that_is_gone_or_in_two_places_has_none() -> None:
    assert rex.place(TWO, "b5") is None
    twice = Snapshot((*TWO.sessions, RexSession("session:3", "more", (tab("w9", "b1"),))))
    assert rex.place(twice, "b1") is None
    assert rex.unsettled(twice, ["b1", "b3", "b5", "b9"]) == {"b1", "b5"}


@pytest.mark.parametrize(
    ("ids", "labels", "shown"),
    [
        (["session:abcd1", "session:abcd2"], ["work", "work"], ["work · abcd1", "work · abcd2"]),
        (["session:abcdef", "session:ghijkl"], ["work", "work"], ["work · abcd", "work · ghij"]),
        (["session:abcdef", "session:ghijkl"], ["work", ""], ["work", "Rex"]),
        (["abcdef", "ghijkl"], ["", ""], ["Rex · abcd", "Rex · ghij"]),
    ],
)
def test_sessions_of_one_label_are_told_apart(ids: list[str], labels: list[str], shown: list[str]) -> None:
    sessions = [
        RexSession(session_id, label, (tab(f"w{session_id}", f"b{session_id}"),))
        for session_id, label in zip(ids, labels, strict=True)
    ]
    places = [rex.place(Snapshot(tuple(sessions)), f"b{session_id}") for session_id in ids]
    assert [place and place.session_label for place in places] == shown


def test_a_block_beside_one_shown_enlarged_is_known_from_the_list_and_comes_last() -> None:
    view = View(1, (tab("w1", "b2"), tab("w2", "b3")))
    listing = {"b1": "w1", "b2": "w1", "b3": "w2", "b4": None, "b5": "a tab that is gone"}
    found = rex.session("session:1", "work", view, listing)
    assert found == RexSession("session:1", "work", (tab("w1", "b2", "b1"), tab("w2", "b3")), ("b4",))


def test_the_first_block_with_a_session_titles_its_tab() -> None:
    assert rex.titling(TWO, {"b2", "b1", "b4", "b9"}) == {"w1": "b1", "w3": "b4"}
    assert rex.titling(TWO, {"b2"}) == {"w1": "b2"}


@pytest.mark.parametrize(
    ("current", "last", "wanted", "set_to"),
    [
        (None, None, "p1 · a", "p1 · a"),
        (None, "a", "b", "b"),
        ("a", "a", "b", "b"),
        ("a", "a", "a", None),
        ("a", None, "a", None),
        ("mine", None, "a", None),
        ("mine", "a", "b", None),
        (None, None, "", None),
        ("a", "a", "", None),
    ],
)
def test_a_title_changes_only_where_rex_or_tank_set_the_last_one(
    current: str | None, last: str | None, wanted: str, set_to: str | None
) -> None:
    assert rex.title(current, last, wanted) == set_to


def test_a_title_is_the_label_after_the_priority_in_one_short_clean_line() -> None:
    assert rex.title_words("fix the login test", 1) == "p1 · fix the login test"
    assert rex.title_words("fix the login test", None) == "fix the login test"
    long = rex.title_words("字\n" * 500 + "\x1b[2J", 0)
    assert text.width(long) <= 60
    assert long.isprintable()
    assert long.endswith("…")


def test_both_spellings_of_a_server_are_one() -> None:
    spelled = "unix:///Users/you/Library/Application%20Support/rex/server.sock"
    assert rex.endpoint("unix:///Users/you/Library/Application Support/rex/server.sock") == spelled
    assert rex.endpoint(f" {spelled}\n") == spelled


@pytest.mark.parametrize("why", Failure)
def test_each_refusal_says_why_and_what_to_do(why: Failure) -> None:
    said = rex.refusal(why, "unix:///s.sock", "/opt/rex", "")
    assert ": " in said
    assert "None" not in said


def test_rex_s_own_words_are_quoted() -> None:
    assert "‘too large’" in rex.refusal(Failure.OTHER, "unix:///s.sock", "/opt/rex", "too large")


def test_only_one_app_on_this_machine_is_told_to_show_a_tab() -> None:
    assert rex.only_app(["client:1"]) == ""
    assert "no Rex app" in rex.only_app([])
    assert "2 Rex apps" in rex.only_app(["client:1", "client:2"])
    assert rex.local_app("unix") == ""
    assert "another machine" in rex.local_app("tailnet")
    assert "which machine" in rex.local_app("")
