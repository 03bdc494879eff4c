"""What a terminal emulator makes of written bytes: tmux, with its own opinion of how wide characters are."""

import os
import shlex
import subprocess
from pathlib import Path
from types import TracebackType
from typing import Self

from demo.waiting import eventually


class Emulator:
    """A pane on a private server that got these bytes and nothing else."""

    def __init__(self, folder: Path, written: bytes, columns: int, rows: int) -> None:
        recorded, shown = folder / "written", folder / "shown"
        recorded.write_bytes(written)
        self._socket, self._columns = folder / "emulator", columns
        replay = f"stty raw -echo; cat {shlex.quote(str(recorded))}; touch {shlex.quote(str(shown))}; exec sleep 60"
        self._run("new-session", "-d", "-x", str(columns), "-y", str(rows), replay)
        self._run("set-option", "-g", "status", "off")
        self._run("resize-window", "-x", str(columns), "-y", str(rows))
        eventually(shown.exists)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._run("kill-server")

    def columns_of(self, marks: str) -> list[list[int]]:
        """For each line the columns, counted from 0, in which one of these narrow characters stands.

        The pane is cut narrower cell by cell: what is lost then stood in that cell.
        """
        found: list[list[int]] = [[] for _ in self._lines(self._columns)]
        wider = self._lines(self._columns)
        for columns in reversed(range(1, self._columns)):
            lines = self._lines(columns)
            for at, (line, before) in enumerate(zip(lines, wider, strict=True)):
                if before[-1:] and before[-1] in marks and line == before[:-1]:
                    found[at].insert(0, columns)
            wider = lines
        return found

    def _lines(self, columns: int) -> list[str]:
        """Blanks at their ends included."""
        shown = self._run("resize-window", "-x", str(columns), ";", "capture-pane", "-p", "-N")
        return shown.removesuffix("\n").split("\n")

    def _run(self, *words: str) -> str:
        command = ["tmux", "-u", "-S", str(self._socket), "-f", "/dev/null", *words]
        environment = os.environ | {"TERM": "xterm-256color"}
        return subprocess.run(
            command, env=environment, capture_output=True, check=True, encoding="utf-8"
        ).stdout
