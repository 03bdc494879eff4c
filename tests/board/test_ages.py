"""When a shown age changes."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tank.board.ages import lasts, soonest
from tank.roster.ages import age
from tests.board.sample import NOW, ago


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
