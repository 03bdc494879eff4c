"""Real Pi for tests: a stage that starts it, and a session as a test sees it from outside."""

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import psutil

from demo import agent_dir
from demo.stage import EXTENSION, PI_BIN, Stage, Terminal
from demo.waiting import NeverError, eventually
from tank.records import entry as entries
from tank.records.entry import Entry, JunkError
from tests.support.client import Client

EXTENSIONS = Path(__file__).parent / "extensions"
DIALOGS = EXTENSIONS / "dialogs.ts"
RECAP = EXTENSIONS / "recap.ts"
SLOW = EXTENSIONS / "slow.ts"
SWALLOW = EXTENSIONS / "swallow.ts"
CANCEL_COMPACTION = EXTENSIONS / "cancel_compaction.ts"

Json = dict[str, Any]


class PiSession(Terminal):
    """One interactive Pi in its own tmux session."""

    @property
    def entry_file(self) -> Path:
        return self.stage.live / f"{self.pid}.json"

    def record(self) -> Json | None:
        """The live entry as it lies in the file; None while there is none."""
        try:
            found = json.loads(self.entry_file.read_bytes())
        except FileNotFoundError:
            return None
        assert isinstance(found, dict)
        return found

    def entry(self) -> Entry | None:
        """The live entry as readers see it. Fails when there is one that can't be read: writes are atomic."""
        try:
            return entries.parse(self.entry_file.read_bytes())[0]
        except FileNotFoundError:
            return None
        except JunkError as error:
            raise AssertionError(f"{self.entry_file} is junk: {error}") from error

    def published(self) -> Entry:
        """The live entry, waited for."""
        return eventually(self.entry, 15, lambda: f"{self.name}: a live entry\n{self.screen()}")

    def status(self) -> str | None:
        entry = self.entry()
        return entry.status if entry else None

    def wait_status(self, status: str, detail: str | None = None, timeout: float = 15) -> Entry:
        """The entry, once it has this status and, if given, this detail."""

        def reached() -> Entry | None:
            entry = self.entry()
            fits = entry and entry.status == status and detail in (None, entry.status_detail)
            return entry if fits else None

        try:
            return eventually(reached, timeout)
        except NeverError as error:
            raise NeverError(
                f"{self.name}: no status {status}, {detail}: {self.record()}\n{self.screen()}"
            ) from error

    def changes(self) -> list[str]:
        """The changes of status that the entry tells of, oldest first."""
        entry = self.entry()
        return [change.status for change in entry.recent] if entry else []

    def wait_runs(self, count: int) -> None:
        """Wait until so many runs began and the last is over; counts as far back as the entry's changes go."""
        self.wait_until(
            lambda: self.changes().count("working") == count and self.status() != "working",
            f"{count} runs over",
        )

    def transcript(self) -> list[Json]:
        """Every complete record of the session's file, header first; empty while Pi hasn't written it."""
        entry = self.entry()
        if not entry or not entry.session_file:
            return []
        return read_transcript(Path(entry.session_file))

    def said(self, role: str = "user") -> list[str]:
        """The texts of one role in the transcript, in file order."""
        return said(self.transcript(), role)

    def sidecars(self) -> list[psutil.Process]:
        """Pi's children that run Tank's sidecar."""
        found = []
        for child in psutil.Process(self.pid).children():
            try:
                if "sidecar" in child.cmdline()[1:]:
                    found.append(child)
            except psutil.Error:
                continue
        return found

    def quit(self) -> None:
        self.submit("/quit")
        self.wait_gone()


def read_transcript(file: Path) -> list[Json]:
    if not file.exists():
        return []
    return [json.loads(line) for line in file.read_bytes().split(b"\n")[:-1] if line]


def said(records: Sequence[Json], role: str = "user") -> list[str]:
    texts = []
    for record in records:
        message = record.get("message", {})
        if record["type"] == "message" and message["role"] == role:
            content = message["content"]
            parts = [content] if isinstance(content, str) else [p.get("text", "") for p in content]
            texts.append("\n".join(part for part in parts if part))
    return texts


class Lab(Stage):
    """A stage whose sessions have Tank; closing it fails the test that left a process behind."""

    def pi(
        self,
        name: str,
        *arguments: str,
        extensions: Sequence[Path] = (),
        tank: bool = True,
        ready: bool = True,
        cwd: Path | None = None,
        environment: Mapping[str, str] | None = None,
        size: tuple[int, int] = (120, 35),
    ) -> PiSession:
        """Start Pi with Tank and these extensions; with `ready=False` don't wait for its editor."""
        session = self.start_pi(
            name,
            *arguments,
            extensions=[*([EXTENSION] if tank else []), *extensions],
            cwd=cwd,
            environment=environment,
            size=size,
            kind=PiSession,
        )
        if ready:
            session.ready()
        return session

    def watched(
        self, name: str, *arguments: str, extensions: Sequence[Path] = ()
    ) -> tuple[PiSession, Client]:
        """The same in a terminal that a person looks at: a focused client is attached."""
        session = self.pi(name, *arguments, extensions=extensions)
        return session, self.attach(name)

    def pi_in_a_shell(self, name: str, cwd: Path | None = None) -> PiSession:
        """Pi started from an interactive shell: it can be stopped, where tmux would let its own child go on at once."""
        shell = self.open(name, ["bash", "--norc", "-i"], cwd=cwd, kind=Terminal)
        shell.submit(f"pi -e {EXTENSION}")
        shell.ready()
        (pid,) = [child.pid for child in psutil.Process(shell.pid).children()]
        return PiSession(self, name, shell.pane, pid)

    def attach(self, name: str, *, reports: bool = True, size: tuple[int, int] = (120, 35)) -> Client:
        """A terminal of its own that shows the tmux session `name`; tmux reports its focus to Pi, or doesn't."""
        self.server.cmd("set-option", "-g", "focus-events", "on" if reports else "off")
        command = ["tmux", "-S", str(self.folder / "tmux"), "attach-session", "-t", f"={name}"]
        client = Client(command, self.environment(TERM="xterm-256color"), size)
        self._clients.append(client)
        return client

    def use_model(self, base_url: str) -> None:
        """Another server for the sessions that start from now on."""
        agent_dir.write(self.agent_dir, base_url)

    def settings(self, **settings: object) -> None:
        """Pi's settings for the sessions that start from now on; those not named keep their values."""
        file = self.agent_dir / "settings.json"
        file.write_text(json.dumps(json.loads(file.read_text()) | settings))

    def folder_in_work(self, name: str) -> Path:
        path = self.folder / "work" / name
        path.mkdir(parents=True, exist_ok=True)
        return path

    def repository(self, name: str, remote: str) -> Path:
        """An empty clone in the work folder."""
        path = self.folder_in_work(name)
        for arguments in (["init", "-q"], ["remote", "add", "origin", remote]):
            assert self.run("git", *arguments, cwd=path).returncode == 0
        return path

    def run(
        self,
        *command: str,
        cwd: Path | None = None,
        timeout: float = 20,
        environment: Mapping[str, str] | None = None,
    ) -> subprocess.CompletedProcess[str]:
        """Run a program in the stage's environment; its exit code is the caller's business."""
        return subprocess.run(
            command,
            cwd=cwd or self.folder / "work",
            env=self.environment(**(environment or {})),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )

    def tank(self, *arguments: str, timeout: float = 20) -> subprocess.CompletedProcess[str]:
        """Tank's command line, as a person would run it next to the sessions."""
        return self.run(sys.executable, "-I", "-m", "tank", *arguments, timeout=timeout)

    def fake(self, name: str, script: str) -> Path:
        """A fake program, first on PATH: a shell script's body."""
        path = self.bin / name
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)
        return path

    def __init__(self, base_url: str, **settings: object) -> None:
        super().__init__(base_url, **settings)
        self._clients: list[Client] = []

    def detach(self) -> None:
        """Close every attached terminal."""
        for client in self._clients:
            client.close()
        self._clients.clear()

    def close(self) -> list[str]:
        self.detach()
        return super().close()


def pi_run(lab: Lab, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Pi without a terminal (print, JSON, RPC), with Tank loaded."""
    return lab.run(str(PI_BIN / "pi"), "-e", str(EXTENSION), *arguments, timeout=30, environment=variables)


def files_in(directory: Path) -> list[str]:
    return sorted(path.name for path in directory.iterdir()) if directory.exists() else []
