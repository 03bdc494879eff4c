"""README's generated parts: pictures of the board as it really draws itself, its keys, the status diagram.

`python -m tests.support.readme` writes them; a test fails when they are out of date.
"""

import re
from pathlib import Path

from tank.board.bindings import BINDINGS
from tank.board.keys import Key
from tank.board.state import Event, Size
from tank.board.theme import COLOURS
from tank.board.view.screen import view
from tank.roster.roster import Roster
from tank.session import diagram
from tests.board.sample import CHANGED, SIX, loaded, state
from tests.support import picture

README = Path(__file__).parents[2] / "README.md"
PICTURES = README.parent / "docs"
SIZES = (Size(120, 35), Size(80, 24))
SCENES: dict[str, tuple[Event, ...]] = {"board": (), "peek": (Key("space"), loaded(SIX[0]))}


def pictures() -> dict[str, str]:
    """What each file in `docs/` shows, by its name."""
    return {
        f"{name}-{size.columns}.svg": picture.svg(
            view(state(Roster(SIX), size, *CHANGED, *events), size, COLOURS), size
        )
        for name, events in SCENES.items()
        for size in SIZES
    }


def blocks() -> dict[str, str]:
    """What stands between the two comments of each name."""
    keys = "".join(f"| `{binding.shown}` | {binding.says} |\n" for binding in BINDINGS)
    return {
        "keys": f"| key | what it does |\n|---|---|\n{keys.rstrip()}",
        "diagram": f"```mermaid\n{diagram.mermaid()}\n```",
    }


def written(text: str) -> str:
    """The text with every generated part made anew."""
    for name, block in blocks().items():
        pattern = re.compile(rf"(<!-- {name}: [^\n]*-->\n).*?(<!-- {name} end -->)", re.DOTALL)
        place = pattern.search(text)
        if place is None:
            raise ValueError(f"README has no place for {name}")
        text = f"{text[: place.end(1)]}{block}\n{text[place.start(2) :]}"
    return text


if __name__ == "__main__":
    README.write_text(written(README.read_text()))
    PICTURES.mkdir(exist_ok=True)
    for file, drawn in pictures().items():
        (PICTURES / file).write_text(drawn)
