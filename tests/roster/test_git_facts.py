from hypothesis import given
from hypothesis import strategies as st

from tank.roster import git_facts
from tank.roster.git_facts import Changes, GitFacts

COMMON = b"/home/you/app/.git\n"


def test_remotes_upstream_and_common_directory_are_read() -> None:
    remotes = b"remote.origin.url\ngit@h.test:g/app.git\0remote.a.b.url\n/x\ny\0"
    assert git_facts.parse([COMMON, remotes, b"\n\norigin\n\n"]) == GitFacts(
        {"origin": "git@h.test:g/app.git", "a.b": "/x\ny"}, "origin", "/home/you/app/.git"
    )


def test_of_several_addresses_the_first_counts() -> None:
    found = git_facts.parse([COMMON, b"remote.o.url\none\0remote.o.url\ntwo\0", None])
    assert found == GitFacts({"o": "one"}, None, "/home/you/app/.git")


def test_what_git_could_not_say_is_unknown() -> None:
    assert git_facts.parse([None, b"remote.origin.url\nx\0", b""]) is None
    assert git_facts.parse([COMMON, None, None]) == GitFacts({}, None, "/home/you/app/.git")


def test_an_older_git_s_answer_still_tells_that_there_is_a_repository() -> None:
    assert git_facts.parse([b"--path-format=absolute\n.git\n", None, b"\n"]) == GitFacts({}, None, None)


def test_addresses_are_not_shown_where_facts_are_printed() -> None:
    assert "token" not in repr(GitFacts({"origin": "https://token@h.test/x"}, "origin", "/x/.git"))


answer = st.none() | st.binary(max_size=60) | st.just(b"remote.a.url\nb\0")


@given(st.lists(answer, min_size=3, max_size=3))
def test_no_output_raises(answers: list[bytes | None]) -> None:
    found = git_facts.parse(answers)
    assert (found is None) == (answers[0] is None)


entry = st.tuples(st.sampled_from([b" M", b"??", b"R ", b"C ", b" R", b"UU"]), st.binary(min_size=1))


@given(st.lists(entry), st.integers(1, 7))
def test_each_changed_path_counts_once_whatever_its_name_and_however_it_comes(
    entries: list[tuple[bytes, bytes]], piece: int
) -> None:
    output = b""
    for state, name in entries:
        path = name.replace(b"\0", b"x") + b"\0"
        output += state + b" " + path + (path if set(state) & set(b"RC") else b"")
    changes = Changes()
    for at in range(0, len(output), piece):
        changes.hear(output[at : at + piece])
    assert changes.count == len(entries)
