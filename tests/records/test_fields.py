from typing import Any

import pytest

from tank.records import fields

VALUES: list[Any] = ["", "x", 0, 5, -1, 1.5, 0.0, True, False, None, [], [1], {}, {"a": 1}]


def accepted(read: Any) -> list[Any]:
    """The values that a reader returns as they are."""
    return [value for value in VALUES if read({"name": value}, "name") is value and value is not None]


def test_a_string_is_a_string() -> None:
    assert accepted(fields.string) == ["", "x"]


def test_an_integer_is_no_boolean_and_no_fraction() -> None:
    assert [(value, type(value)) for value in accepted(fields.integer)] == [(0, int), (5, int), (-1, int)]


def test_a_number_is_an_integer_or_a_fraction() -> None:
    assert [type(value) for value in accepted(fields.number)] == [int, int, int, float, float]


def test_a_mapping_and_a_list_are_taken_as_they_are() -> None:
    assert accepted(fields.mapping) == [{}, {"a": 1}]
    assert accepted(fields.items) == [[], [1]]


def test_only_true_is_true() -> None:
    assert [value for value in VALUES if fields.boolean({"name": value}, "name")] == [True]


@pytest.mark.parametrize(
    ("read", "absent"),
    [
        (fields.string, None),
        (fields.integer, None),
        (fields.number, None),
        (fields.mapping, None),
        (fields.items, []),
        (fields.boolean, False),
    ],
)
def test_what_is_missing_or_odd_is_absent(read: Any, absent: Any) -> None:
    assert read({}, "name") == absent
    assert read({"name": object()}, "name") == absent
