from dataclasses import fields
from typing import Any

import pytest

from tank.agent import commands
from tank.board.theme import Theme


def test_every_meaning_of_a_colour_has_a_look_in_pi() -> None:
    looks: Any = commands.BOARD["looks"]
    assert list(looks) == [field.name for field in fields(Theme)]


@pytest.mark.parametrize(
    "key",
    [
        commands.HYPER_T,
        *commands.SECOND_KEYS,
        "F9",
        "f12",
        "shift+f1",
        "ctrl+alt+space",
        "alt++",
        "super+PageUp",
    ],
)
def test_keys_that_open_the_board(key: str) -> None:
    assert commands.is_shortcut(key)


@pytest.mark.parametrize(
    "key",
    [
        "t",
        "T",
        "shift+t",
        "enter",
        "shift+up",
        "alt",
        "alt+",
        "alt+alt+t",
        "hyper+t",
        "alt+é",
        "f0",
        "f13",
        " ",
    ],
)
def test_keys_that_type_or_that_pi_does_not_know(key: str) -> None:
    assert not commands.is_shortcut(key)
