import time
import unicodedata

import pytest
import wcwidth
from hypothesis import example, given
from hypothesis import strategies as st

from tank.records import text

FAMILY = "👩‍👩‍👧‍👦"
FLAG = "🇩🇪"
KEYCAP = "1️⃣"
HEART = "❤️"
STACK = "e" + "\u0301" * 40

awkward = st.sampled_from(
    [FAMILY, FLAG, KEYCAP, HEART, STACK, "漢", "a", " ", "\t", "\n", "\r\n", "\x1b[2J", "\x1b]52;c;x\x07", "\x9b", "\x00",
     "\u202e", "\u200b", "\u200d", "\ud83d", "\ude00", "\u2028", "\x85", "\u0301", "\ufeff", "\U000e0041", "…", "\u1100"]
)  # fmt: skip
anything = st.lists(awkward | st.characters(), max_size=30).map("".join) | st.text(st.characters())


def is_clean(said: str) -> bool:
    kept = "\u200c\u200d"
    return all(unicodedata.category(c) not in ("Cc", "Cf", "Cs") or c in kept for c in said.replace("\n", ""))


@given(anything)
def test_lines_hold_nothing_that_a_terminal_obeys_and_can_be_written(said: str) -> None:
    found = text.lines(said)
    assert is_clean(found)
    found.encode()
    assert text.lines(found) == found


@given(anything)
def test_a_line_is_one_line_without_blank_runs_or_nothing(said: str) -> None:
    found = text.line(said)
    assert is_clean(found)
    assert "\n" not in found
    assert found == " ".join(found.split())
    assert text.line(found) == found
    assert (found == "") or text.width(found) > 0


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("plain words", "plain words"),
        ("a\r\nb\rc\u2028d\u2029e\x85f\x0bg\x0ch", "a\nb\nc\nd\ne\nf\ng\nh"),
        ("a\tb", "a    b"),
        ("\x1b]52;c;aGk=\x07x\x1b[2J\x9b1m", "]52;c;aGk=x[2J1m"),
        ("left\u202eright\u2066\u200b\ufeff", "leftright"),
        ("half \ud83d pair \ude00", "half \ufffd pair \ufffd"),
        ("whole \ud83d\ude00", "whole 😀"),
        (FAMILY + FLAG + KEYCAP, FAMILY + FLAG + KEYCAP),
    ],
)
def test_what_lines_keep(said: str, found: str) -> None:
    assert text.lines(said) == found


@pytest.mark.parametrize("said", ["", "  \n\t", "\u200b\u200d", "\u0301", "\x1b", "\u202e\ufeff"])
def test_text_that_would_show_nothing_is_no_line(said: str) -> None:
    assert text.line(said) == ""


@given(anything, st.integers(-3, 40))
def test_what_is_cut_fits_and_begins_like_the_whole(said: str, cells: int) -> None:
    clean = text.line(said)
    found = text.cut(clean, cells)
    assert text.width(found) <= max(cells, 0)
    assert is_clean(found)
    kept = text.clusters(found.removesuffix(text.ELLIPSIS))
    assert text.clusters(clean)[: len(kept)] == kept or found == clean


@given(anything)
def test_what_fits_is_not_cut(said: str) -> None:
    clean = text.line(said)
    if all(len(cluster) <= text.CLUSTER_LIMIT for cluster in wcwidth.iter_graphemes(clean)):
        cells = sum(text.width(cluster) for cluster in text.clusters(clean))
        assert text.cut(clean, cells) == clean


@pytest.mark.parametrize(
    ("said", "cells", "found"),
    [
        ("words", 5, "words"),
        ("words", 4, "wor…"),
        ("words", 1, "…"),
        ("words", 0, ""),
        ("words", -2, ""),
        ("漢字漢字", 8, "漢字漢字"),
        ("漢字漢字", 7, "漢字漢…"),
        ("漢字漢字", 6, "漢字…"),
        ("漢字", 1, "…"),
        (FAMILY * 3, 5, FAMILY * 2 + "…"),
        (FAMILY * 3, 4, FAMILY + "…"),
        ("ab" + FLAG, 3, "ab…"),
        (KEYCAP + "x", 2, "…"),
        ("", 5, ""),
    ],
)
def test_cuts_fall_between_clusters_and_show(said: str, cells: int, found: str) -> None:
    assert text.cut(said, cells) == found


def test_a_stack_of_accents_is_held_down() -> None:
    assert len(text.cut("e" + "\u0301" * 100_000, 10)) <= text.CLUSTER_LIMIT + 1
    assert text.clusters(STACK + "x") == [STACK[: text.CLUSTER_LIMIT], "x"]


@given(anything, st.integers(0, 40))
@example("\u200b" * 5000 + "word", 10)
def test_short_is_a_clean_line_that_fits(said: str, cells: int) -> None:
    found = text.short(said, cells)
    assert text.width(found) <= cells
    assert is_clean(found)
    assert "\n" not in found
    assert text.short(found, cells) == found


def test_short_looks_only_at_what_could_be_shown() -> None:
    long = "wörd " * 10_000_000
    started = time.monotonic()
    assert text.short(long, 20) == "wörd wörd wörd wörd…"
    assert time.monotonic() - started < 0.5


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("curl -H 'Authorization: Bearer abc.def' x", "curl -H 'Authorization: Bearer ***' x"),
        ("API_KEY=abc123 run", "API_KEY=*** run"),
        ("deploy --token abc123 now", "deploy --token *** now"),
        ('{"password": "hunter2"}', '{"password": "***"}'),
        ("mysql --password=hunter2", "mysql --password=***"),
        ("secret:x", "secret:***"),
        ("git clone https://you:tok@h.test/a", "git clone https://***@h.test/a"),
        ("git clone https://tok@h.test/a b@c", "git clone https://***@h.test/a b@c"),
        ("pytest tests/test_keys.py -k login", "pytest tests/test_keys.py -k login"),
        ("ls -la", "ls -la"),
    ],
)
def test_secrets_are_masked_and_nothing_else(said: str, found: str) -> None:
    assert text.masked(said) == found


@given(anything)
def test_masking_never_raises_and_is_stable(said: str) -> None:
    assert isinstance(text.masked(text.masked(said)), str)
