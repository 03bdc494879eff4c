"""Quoted text, and how much of it."""

from hypothesis import given
from hypothesis import strategies as st

from tank.agent import quoting


@given(st.text(st.sampled_from("│a \n\r\u2028\u2029\x85\v\f\x1b\u202e家"), max_size=40))
def test_quoted_text_stays_behind_its_mark_on_one_line(said: str) -> None:
    shown = quoting.quoted(said, 20)
    assert shown.startswith("│ ")
    assert len(shown.splitlines()) == 1
    assert not set(shown) & set("\x1b\u202e")


def test_lines_that_fit_are_all_kept() -> None:
    lines = ["x" * 50] * 10
    assert quoting.middle_cut(lines, quoting.size(lines)) == lines
    assert quoting.middle_cut([], 0) == []


@given(
    st.lists(st.text(max_size=300).map(lambda said: said.replace("\n", "")), max_size=60),
    st.integers(60, 3000),
)
def test_lines_that_do_not_fit_lose_their_middle_and_say_how_many(lines: list[str], limit: int) -> None:
    kept = quoting.middle_cut(lines, limit)
    assert quoting.size(kept) <= limit
    if kept != lines:
        (said,) = [line for line in kept if line.endswith(" lines left out") and line not in lines]
        place = kept.index(said)
        tail = kept[place + 1 :]
        assert kept[:place] == lines[:place]
        assert tail == lines[len(lines) - len(tail) :]
        assert said == f"⋯ {len(lines) - len(kept) + 1} lines left out"


def test_empty_lines_count_so_that_they_can_not_be_many() -> None:
    assert quoting.size([""] * 2000) > quoting.LIMIT_BYTES
    assert quoting.size(["é" * 20]) == 41
