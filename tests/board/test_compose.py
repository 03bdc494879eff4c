"""What keys do to a text that is being written."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tank.board import compose
from tank.board.compose import Text, pasted, typed


def written(found: Text, *keys: str) -> Text:
    for key in keys:
        after = typed(found, key)
        assert after is not None
        found = after
    return found


@pytest.mark.parametrize(
    ("keys", "before", "after"),
    [
        ((*"ab", "space", "c"), "ab c", ""),
        ((*"ab", "left", "x"), "ax", "b"),
        ((*"ab", "home", "x"), "x", "ab"),
        ((*"ab", "left", "end", "x"), "abx", ""),
        ((*"ab", "left", "left", "left", "right"), "a", "b"),
        ((*"abc", "left", "backspace"), "a", "c"),
        ((*"abc", "home", "delete"), "", "bc"),
        ((*"one", "space", *"two", "ctrl+w"), "one ", ""),
        ((*"one", "space", "space", "ctrl+w"), "", ""),
        ((*"ab", "alt+enter", *"cd", "ctrl+u"), "ab\n", ""),
        ((*"ab", "alt+enter", *"cd", "home", "ctrl+k"), "ab\n", ""),
        ((*"ab", "alt+enter", *"cd", "home", "backspace"), "ab", "cd"),
        ((*"ab", "shift+enter", "c", "ctrl+a", "left", "ctrl+a"), "", "ab\nc"),
        ((*"ab", "home", "alt+enter", "left", "ctrl+e", "x"), "x", "\nab"),
    ],
)
def test_keys_edit_around_the_cursor(keys: tuple[str, ...], before: str, after: str) -> None:
    assert written(Text(), *keys) == Text(before, after)


@pytest.mark.parametrize("key", ["f1", "tab", "ctrl+x", "pageup", "alt+x", "up"])
def test_a_key_that_edits_nothing_is_not_taken(key: str) -> None:
    assert typed(Text("a"), key) is None


def test_a_family_is_one_step_and_one_deletion() -> None:
    family = "👨‍👩‍👧‍👦"
    assert written(Text(f"a{family}"), "left") == Text("a", family)
    assert written(Text(f"a{family}"), "backspace") == Text("a")
    assert written(Text("", f"{family}b"), "delete") == Text("", "b")


def test_pasted_text_keeps_its_lines_and_loses_what_a_terminal_obeys() -> None:
    assert pasted(Text("a", "d"), "b\x1b[2J\r\nc\x9b") == Text("ab[2J\nc", "d")


@given(
    st.text(max_size=12),
    st.lists(st.sampled_from([*compose.EDITS, "x", "space", "alt+enter", "家"]), max_size=20),
)
def test_moving_loses_nothing_and_deleting_adds_nothing(start: str, keys: list[str]) -> None:
    found = pasted(Text(), start)
    for key in keys:
        after = written(found, key)
        if key in ("left", "right", "home", "end", "ctrl+a", "ctrl+e"):
            assert after.whole == found.whole
        elif key in compose.EDITS:
            assert len(after.whole) <= len(found.whole)
        else:
            assert len(after.whole) == len(found.whole) + 1
        found = after
