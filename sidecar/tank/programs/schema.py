"""Writes `schema/`: the JSON Schemas of the records, and what the extension registers in Pi."""

import json
import sys
from pathlib import Path

from tank.agent import commands, tools
from tank.records import schema


def texts() -> dict[str, str]:
    """What each file in `schema/` says, by its name."""
    documents = {**schema.documents(), "tools": {"tools": list(tools.TOOLS), "board": commands.BOARD}}
    return {
        f"{name}.json": json.dumps(made, indent=2, ensure_ascii=False) + "\n"
        for name, made in documents.items()
    }


def main(folder: Path) -> None:
    for name, text in texts().items():
        (folder / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
