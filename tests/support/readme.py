"""README's generated parts: the board as the real renderer draws it, its keys, the status diagram.

`python -m tests.support.readme` writes them; a test fails when they are out of date.
"""

import re
from pathlib import Path

from tank.board.bindings import BINDINGS
from tank.session import diagram

README = Path(__file__).parents[2] / "README.md"
BOARD = Path(__file__).parents[1] / "board" / "frames" / "120x35-6.txt"


def blocks() -> dict[str, str]:
    """What stands between the two comments of each name."""
    board = re.sub(r"\n{3,}", "\n\n", BOARD.read_text())
    keys = "".join(f"| `{binding.shown}` | {binding.says} |\n" for binding in BINDINGS)
    return {
        "board": f"```text\n{board.rstrip()}\n```",
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
