import pytest
from hypothesis import given
from hypothesis import strategies as st

from tank.records.framing import Lines

LIMIT = 8


def given_back(lines: Lines) -> list[bytes | None]:
    found = []
    while True:
        try:
            found.append(lines.next())
        except LookupError:
            return found


@given(
    st.lists(
        st.binary(max_size=12)
        | st.sampled_from([b"\n", b"\n\n\n", b"a", b"a\n", b"0123456\n", b"01234567\n", b"012345678"])
    )
)
def test_any_stream_cut_anywhere_gives_its_lines_and_a_none_for_each_long_one(chunks: list[bytes]) -> None:
    lines, found = Lines(LIMIT), []
    for chunk in chunks:
        lines.feed(chunk)
        found += given_back(lines)
        assert lines.held <= LIMIT
    *whole, rest = b"".join(chunks).split(b"\n")
    expected = [line if len(line) <= LIMIT else None for line in whole]
    assert found == expected + ([None] if len(rest) > LIMIT else [])


@given(st.lists(st.binary(max_size=12), max_size=6))
def test_many_lines_may_be_fed_before_one_is_taken(chunks: list[bytes]) -> None:
    lines = Lines(LIMIT)
    for chunk in chunks:
        lines.feed(chunk + b"\n")
    whole = b"".join(chunk + b"\n" for chunk in chunks).split(b"\n")[:-1]
    assert given_back(lines) == [line if len(line) <= LIMIT else None for line in whole]


def test_only_lf_ends_a_line() -> None:
    lines = Lines(100)
    lines.feed("a\r\nb\u2028c\x85d\x0be\0\n".encode())
    assert given_back(lines) == [b"a\r", "b\u2028c\x85d\x0be\0".encode()]


def test_a_line_without_end_costs_no_memory_and_is_counted() -> None:
    lines = Lines(LIMIT)
    for _ in range(100):
        lines.feed(b"x" * 1000)
        given_back(lines)
    assert lines.held == 0
    assert lines.skipped == 100_000
    lines.feed(b"\nshort\n")
    assert given_back(lines) == [b"short"]
    assert lines.skipped == 0


def test_a_long_line_that_ends_is_no_skipping() -> None:
    lines = Lines(LIMIT)
    lines.feed(b"x" * 1000 + b"\ny\n")
    assert given_back(lines) == [None, b"y"]
    assert lines.skipped == 0


def test_nothing_complete_is_an_error_of_look_up() -> None:
    with pytest.raises(LookupError):
        Lines(LIMIT).next()
