"""How long something has lasted."""

from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tank.board.ages import age, lasts, soonest
from tests.board.sample import NOW, ago


@pytest.mark.parametrize(
    ("since", "shown"),
    [
        (ago(seconds=0), "0s"),
        (ago(seconds=14.9), "14s"),
        (ago(seconds=59.9), "59s"),
        (ago(seconds=60), "1m"),
        (ago(minutes=59, seconds=59), "59m"),
        (ago(hours=3), "3h"),
        (ago(hours=23, minutes=59), "23h"),
        (ago(days=5), "5d"),
        (ago(days=20_000), "999d"),
        (None, ""),
    ],
)
def test_an_age_is_told_in_its_largest_unit(since: datetime | None, shown: str) -> None:
    assert age(since, NOW) == shown


def test_what_begins_in_the_future_is_new() -> None:
    assert age(NOW + timedelta(hours=1), NOW) == "0s"


def test_a_clock_set_back_makes_nothing_negative() -> None:
    assert age(ago(hours=1), NOW - timedelta(hours=2)) == "0s"


@given(st.integers(-100_000_000, 400_000_000), st.integers(0, 999_999))
def test_an_age_says_the_same_until_its_time_has_come(seconds: int, micro: int) -> None:
    since = NOW - timedelta(seconds=seconds, microseconds=micro)
    left = lasts(since, NOW)
    assert left > 0
    assert age(since, NOW + timedelta(seconds=left - 0.001)) == age(since, NOW)
    if seconds < 999 * 86_400:
        assert age(since, NOW + timedelta(seconds=left + 0.001)) != age(since, NOW)


def test_the_board_wakes_for_the_age_that_changes_first() -> None:
    assert soonest([ago(hours=3), ago(seconds=14.25), None], NOW, 5) == pytest.approx(0.75)
    assert soonest([None], NOW, 5) == 5
