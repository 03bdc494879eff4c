from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tank.errors import NoSuchSessionError
from tank.records.entry import Entry
from tank.roster import target
from tank.roster.roster import Life, Session

STARTED = datetime(2026, 7, 1, tzinfo=UTC)


def session(pid: int, session_id: str | None = None, **fields: Any) -> Session:
    known: dict[str, Any] = {"v": 1, "cwd": "/", "status": "idle", "started_at": STARTED}
    entry = Entry(pid=pid, session_id=session_id or f"0199aaaa-{pid:04d}-7000", **known | fields)
    return Session(entry, Life.ALIVE, f"/live/{pid}.json", {})


LOGIN = session(11, "0199aaaa-1111-7000", label="fix login", project_name="app")
PARSER = session(22, "0199bbbb-2222-7000", label="port parser", project_name="app", status="working")
SITE = session(33, "0199bbbb-3333-7000", label="fix login", project_name="site")
NAMELESS = session(44, "0199cccc-4444-7000")
ALL = (LOGIN, PARSER, SITE, NAMELESS)


@pytest.mark.parametrize(
    ("word", "found"),
    [
        ("0199aaaa-1111-7000", LOGIN),
        ("22", PARSER),
        ("port parser", PARSER),
        ("port  parser", PARSER),
        ("app/fix login", LOGIN),
        ("site/fix login", SITE),
        ("0199aa", LOGIN),
        ("0199bbbb-3", SITE),
        ("0199cccc", NAMELESS),
    ],
)
def test_a_session_is_named_by_id_pid_label_project_and_label_or_the_beginning_of_its_id(
    word: str, found: Session
) -> None:
    assert target.resolve(word, ALL) is found


@pytest.mark.parametrize(
    "word", ["0199a", "parser", "Port parser", "app", "app/", "/fix login", "None/None", "", " ", "2"]
)
def test_anything_else_names_none_and_lists_all(word: str) -> None:
    with pytest.raises(NoSuchSessionError) as refused:
        target.resolve(word, ALL)
    first, *lines = str(refused.value).split("\n")
    assert first == f"no session is ‘{word.strip()}’; these are open:"
    assert lines == [
        "11 · 0199aaaa-1 · app · fix login · idle",
        "22 · 0199bbbb-2 · app · port parser · working",
        "33 · 0199bbbb-3 · site · fix login · idle",
        "44 · 0199cccc-4 · - · - · idle",
    ]


@pytest.mark.parametrize("word", ["fix login", "0199bb", "0199bbbb"])
def test_a_word_that_names_several_is_refused_with_these(word: str) -> None:
    with pytest.raises(NoSuchSessionError) as refused:
        target.resolve(word, ALL)
    first, *lines = str(refused.value).split("\n")
    assert first == f"‘{word}’ names 2 sessions; use the pid of one:"
    assert {line.split(" · ")[0] for line in lines} == ({"11", "33"} if word == "fix login" else {"22", "33"})


def test_a_session_without_a_project_is_in_none() -> None:
    with pytest.raises(NoSuchSessionError):
        target.resolve("None/solo", [session(1, label="solo")])


def test_without_sessions_nothing_is_listed() -> None:
    with pytest.raises(NoSuchSessionError, match="no session is ‘x’: none is open"):
        target.resolve("x", ())


def test_the_first_rule_that_matches_decides() -> None:
    by_id = session(1, "22")
    by_pid = session(22, label="app/port parser")
    by_label = session(3, label="22")
    assert target.resolve("22", [by_label, by_pid, by_id]) is by_id
    assert target.resolve("22", [by_label, by_pid]) is by_pid
    assert target.resolve("22", [by_label]) is by_label
    assert target.resolve("app/port parser", [PARSER, by_pid]) is by_pid


def test_two_processes_of_one_session_are_told_apart_by_pid() -> None:
    twice = [session(1, "0199aaaa-1", label="build"), session(2, "0199aaaa-1", label="build")]
    for word in ("0199aaaa-1", "build", "0199aa"):
        with pytest.raises(NoSuchSessionError, match="names 2 sessions"):
            target.resolve(word, twice)
    assert target.resolve("2", twice) is twice[1]
    assert target.shown_labels(twice) == ["build · 1", "build · 2"]


def test_a_label_of_its_own_is_shown_as_it_is_and_a_session_without_one_as_its_id() -> None:
    assert target.shown_labels([PARSER, NAMELESS]) == ["port parser", "0199cccc"]


def test_namesakes_show_four_characters_of_their_ids_when_these_tell_them_apart() -> None:
    same = [session(1, "0199aaaa-1", label="build"), session(2, "7c3faaaa-2", label="build")]
    assert target.shown_labels(same) == ["build · 0199", "build · 7c3f"]


def test_namesakes_whose_ids_begin_alike_show_more_of_them() -> None:
    assert target.shown_labels(ALL) == ["fix login · 0199a", "port parser", "fix login · 0199b", "0199cccc"]
    like_an_id = [session(1, "7c3faaaa-1", label="0199aaaa"), session(2, "0199aaaa-2")]
    assert target.shown_labels(like_an_id) == ["0199aaaa · 7c3f", "0199aaaa"]
    nameless = [session(1, "0199aaaa-1b"), session(2, "0199aaaa-2c")]
    assert target.shown_labels(nameless) == ["0199aaaa-1", "0199aaaa-2"]


def test_ids_are_shown_as_far_as_tells_all_of_them_apart_and_at_least_eight_characters() -> None:
    assert target.shown_ids([]) == []
    assert target.shown_ids([LOGIN, NAMELESS]) == ["0199aaaa", "0199cccc"]
    assert target.shown_ids([LOGIN, PARSER, SITE]) == ["0199aaaa-1", "0199bbbb-2", "0199bbbb-3"]
    one_session_twice = [session(1, "0199dddd-1"), session(2, "0199dddd-1")]
    assert target.shown_ids(one_session_twice) == ["0199dddd", "0199dddd"]
    with pytest.raises(NoSuchSessionError, match=r"\n22 · 0199bbbb-2 · .*\n33 · 0199bbbb-3 · "):
        target.resolve("0199bb", ALL)


def test_a_message_shows_no_control_characters_of_the_word() -> None:
    with pytest.raises(NoSuchSessionError) as refused:
        target.resolve("\x1b]52;c;x\x07" + "y" * 500, ())
    assert "\x1b" not in str(refused.value)
    assert len(str(refused.value)) < 100


sessions = st.lists(
    st.builds(
        lambda pid, identity, label, project: session(pid, identity, label=label, project_name=project),
        st.integers(1, 10**6),
        st.text("0123ab-", min_size=1, max_size=12),
        st.none() | st.sampled_from(["build", "fix · 01", "0123", "a/b"]),
        st.none() | st.sampled_from(["app", "a"]),
    ),
    max_size=8,
    unique_by=lambda session: session.entry.pid,
)


@given(sessions)
def test_what_is_shown_for_one_is_what_is_shown_among_all(found: list[Session]) -> None:
    assert target.shown_labels(found) == [target.shown_label(each, found) for each in found]


@given(sessions)
def test_shown_ids_tell_sessions_apart(found: list[Session]) -> None:
    shown = target.shown_ids(found)
    assert len(set(shown)) == len({each.entry.session_id for each in found})
    assert all(each.entry.session_id.startswith(part) for each, part in zip(found, shown, strict=True))


@given(sessions)
def test_a_shown_label_with_a_part_of_the_id_names_its_session(found: list[Session]) -> None:
    for each, shown in zip(found, target.shown_labels(found), strict=True):
        if each.entry.label and shown != each.entry.label:
            try:
                assert target.resolve(shown, found) is each
            except NoSuchSessionError:
                others = [other for other in found if other is not each]
                assert any(shown in (o.entry.label, target.shown_label(o, found)) for o in others)


@given(sessions, st.text(max_size=12) | st.integers().map(str))
def test_no_word_raises_anything_but_no_such_session(found: list[Session], word: str) -> None:
    with suppress(NoSuchSessionError):
        assert target.resolve(word, found) in found
