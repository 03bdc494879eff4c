"""The board as golden frames. `python -m tests.board.test_frames` draws them anew: look at each before it is committed."""

from pathlib import Path

import pytest

from tank.board.keys import Key, Pasted
from tank.board.state import Event, Size
from tank.board.theme import PLAIN
from tank.board.view.screen import view
from tests.board.sample import CHANGED, ROSTERS, SIX, loaded, state

FRAMES = Path(__file__).parents[1] / "frames"
SIZES = (Size(200, 50), Size(120, 35), Size(80, 24), Size(40, 15), Size(20, 10))
SCENES: dict[str, tuple[int, tuple[Event, ...]]] = {
    "empty": (0, ()),
    "unreadable": (-1, ()),
    "1": (1, ()),
    "6": (6, CHANGED),
    "60": (60, ()),
    "60-middle": (60, (Key("G"), *[Key("k")] * 20)),
    "peek": (6, (*CHANGED, Key("space"), loaded(SIX[0]))),
    "help": (6, (Key("?"),)),
    "filter": (6, (Key("/"), *map(Key, "site"), Key("space"), *map(Key, "need"))),
    "filtered": (60, (Key("/"), *map(Key, "working"), Key("enter"))),
    "priority": (6, (Key("p"),)),
    "copy": (6, (Key("y"),)),
    "message": (6, (Key("m"), Pasted("the fixture is slow:\nshall I make it a session one?"))),
}


def drawn(scene: str, size: Size) -> str:
    sessions, events = SCENES[scene]
    shown = state(ROSTERS[sessions], size, *events, twice=frozenset({SIX[2].file}))
    return "".join(f"{line}\n" for line in view(shown, size, PLAIN))


def frame(scene: str, size: Size) -> Path:
    return FRAMES / f"{size.columns}x{size.rows}-{scene}.txt"


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size.columns}x{size.rows}")
@pytest.mark.parametrize("scene", SCENES)
def test_the_board_looks_as_its_frame(scene: str, size: Size) -> None:
    assert drawn(scene, size) == frame(scene, size).read_text()


if __name__ == "__main__":
    for each in SCENES:
        for screen in SIZES:
            frame(each, screen).write_text(drawn(each, screen))
