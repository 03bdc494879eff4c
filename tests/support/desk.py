"""The command line next to stand-in sessions: a private home, and whatever programs a test puts on PATH."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from demo.stage import PI_BIN, RUN_MARK
from demo.waiting import eventually
from tests.support.stand_in import Session

Ran = subprocess.CompletedProcess[str]


class Desk:
    """Where a person works: a home with a live directory, stand-in sessions, and the command line."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "home"
        self.home.mkdir()
        self.bin = folder / "bin"
        self.bin.mkdir()
        self.live = self.home / ".local/state/pi/live"
        self.sessions: list[Session] = []
        kept = (RUN_MARK, "LANG")
        self.environment = {name: os.environ[name] for name in kept if name in os.environ}
        self.environment |= {"HOME": str(self.home), "PATH": f"{self.bin}:/usr/bin:/bin", "LC_ALL": "C.UTF-8"}

    def session(self, **fields: Any) -> Session:
        self.sessions.append(Session(self.live, **fields))
        return self.sessions[-1]

    def command(self, *arguments: str) -> list[str]:
        return [sys.executable, "-I", "-m", "tank", *arguments]

    def tank(self, *arguments: str, cwd: Path | None = None, text: str = "", **environment: str) -> Ran:
        return subprocess.run(
            self.command(*arguments),
            input=text,
            cwd=cwd or self.home,
            env=self.environment | environment,
            capture_output=True,
            encoding="utf-8",
            timeout=30,
            check=False,
        )

    def waiting(self, *arguments: str) -> subprocess.Popen[str]:
        """A command that goes on, once it has read the live directory: readers delete dead entries."""
        dead = self.live / "999999999.json"
        entry = {"v": 1, "pid": 999999999, "sessionId": "dead", "cwd": "/", "status": "idle"}
        dead.write_text(json.dumps(entry | {"startedAt": "2026-07-01T10:00:00Z"}))
        process = self._start(*arguments)
        eventually(lambda: not dead.exists())
        return process

    def _start(self, *arguments: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            self.command(*arguments),
            cwd=self.home,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )

    def with_pi(self) -> None:
        """Real Pi is on PATH from now on."""
        self.environment |= {"PATH": f"{self.bin}:{PI_BIN}:/usr/bin:/bin", "PI_OFFLINE": "1"}

    def fake(self, name: str, script: str) -> Path:
        """A program first on PATH: a shell script's body."""
        path = self.bin / name
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)
        return path
