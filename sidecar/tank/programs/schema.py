"""Writes `schema/`: the JSON Schemas of the records, and what the extension registers in Pi."""

import json
import sys
from pathlib import Path

from tank.agent import commands, tools
from tank.records import schema


def texts() -> dict[str, str]:
    """What each file in `schema/` says, by its name."""
    described = {"tools": tools.TOOLS, "homeTools": tools.HOME_TOOLS, "board": commands.BOARD}
    documents = {**schema.documents(), "tools": described}
    return {
        f"{name}.json": json.dumps(made, indent=2, ensure_ascii=False) + "\n"
        for name, made in documents.items()
    }


def main(folder: Path) -> None:
    for name, text in texts().items():
        (folder / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
