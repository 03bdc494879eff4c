"""How long something has lasted."""

from datetime import datetime, timedelta

import pytest

from tank.roster.ages import age
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
