"""A private tmux server as a person sets it up, with programs in its panes and terminals attached to it."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import psutil

from demo.waiting import eventually
from tank.edges import processes
from tank.edges.tmux import Own
from tank.terminals.tmux_replies import VISIT
from tests.support.client import Client

CONFIG = """
set -g base-index 1
set -g pane-base-index 1
set -g renumber-windows on
set -g mouse on
set -g prefix C-a
set -g status-interval 0
set -g assume-paste-time 0
"""
PROGRAM = "sh -c 'sleep 600; exec cat'"
"""A shell with a child: the child is what a session's process is. When it ends the shell lives on, and echoes what is typed."""
UNBOUND = b"\x01\x1b"
"""The prefix and a key that does nothing: the client was used, and nothing reached a pane."""


class Program(NamedTuple):
    """The child in a pane, as a session publishes itself."""

    pane: str
    pid: int
    start: str | None


class Attached(NamedTuple):
    name: str
    client: Client


class Tmux:
    """`select` is how the server is named on the command line: `-S path` or `-L name`."""

    def __init__(self, folder: Path, *select: str, config: str = CONFIG) -> None:
        self.environment = {"PATH": os.environ["PATH"], "TERM": "xterm", "TMUX_TMPDIR": str(folder)}
        self._select = select or ("-S", str(folder / "socket"))
        self._configured = folder / "tmux.conf"
        self._configured.write_text(config)
        self._clients: list[Client] = []
        self.socket = ""

    def run(self, *words: str) -> str:
        """A command of tmux that must succeed."""
        command = ["tmux", "-u", *self._select, "-f", str(self._configured), *words]
        ran = subprocess.run(command, env=self.environment, capture_output=True, text=True, check=False)
        assert ran.returncode == 0, ran.stderr
        return ran.stdout.removesuffix("\n")

    def session(self, name: str, folder: str = "/") -> Program:
        """A new session with one pane."""
        made = ("new-session", "-d", "-P", "-F", "#{pane_id}", "-x", "80", "-y", "20", "-s", name)
        pane = self.run(*made, "-c", folder.replace("#", "##"), PROGRAM)
        self.socket = self.run("display-message", "-p", "#{socket_path}")
        return self.program(pane)

    def window(self, beside: Program) -> Program:
        """A new window in the session of this one, not selected."""
        where = self.run("display-message", "-p", "-t", beside.pane, "#{session_id}:")
        return self.program(self.run("new-window", "-d", "-P", "-F", "#{pane_id}", "-t", where, PROGRAM))

    def split(self, beside: Program) -> Program:
        """A new pane in the window of this one, not selected."""
        return self.program(
            self.run("split-window", "-d", "-P", "-F", "#{pane_id}", "-t", beside.pane, PROGRAM)
        )

    def program(self, pane: str) -> Program:
        shell = int(self.run("display-message", "-p", "-t", pane, "#{pane_pid}"))

        def child() -> psutil.Process | None:
            found = psutil.Process(shell).children(recursive=True)
            return found[-1] if found and found[-1].name() == "sleep" else None

        process = eventually(child)
        looked = processes.look(process.pid)
        return Program(pane, process.pid, looked.start if looked else None)

    def own(self, program: Program) -> Own:
        return Own(self.socket, program.pid)

    def attach(self, to: Program, *options: str) -> Attached:
        """A terminal of its own, attached to the session of this program."""
        session = self.run("display-message", "-p", "-t", to.pane, "#{session_id}")
        return self.enter(["tmux", *self._select, "attach-session", *options, "-t", session])

    def enter(self, command: list[str]) -> Attached:
        """A terminal in which a command is run that attaches it."""
        before = set(self.shown())
        client = Client(command, self.environment, (80, 20))
        self._clients.append(client)
        (name,) = eventually(lambda: set(self.shown()) - before, message=lambda: client.output.decode())
        return Attached(name, client)

    def shown(self) -> dict[str, str]:
        """By client: the pane it shows, and the session in which it does."""
        lines = self.run("list-clients", "-F", "#{client_name} #{pane_id} #{session_name}").splitlines()
        return dict(line.split(" ", 1) for line in lines)

    def sessions(self) -> list[str]:
        return self.run("list-sessions", "-F", "#{session_name}").splitlines()

    @contextmanager
    def only(self, *moving: str) -> Iterator[None]:
        """Whatever happens inside: only these clients move, nothing is typed anywhere, and every option stays."""
        before = self._everything(moving)
        yield
        assert self._everything(moving) == before

    def end(self) -> None:
        """The server ends, with all that runs in it."""
        running = int(self.run("display-message", "-p", "#{pid}"))
        self.run("kill-server")
        eventually(lambda: not psutil.pid_exists(running))

    def close(self) -> None:
        for client in self._clients:
            client.close()
        subprocess.run(
            ["tmux", *self._select, "kill-server"], env=self.environment, capture_output=True, check=False
        )

    def _everything(self, moving: tuple[str, ...]) -> list[str]:
        found = [f"{name} {where}" for name, where in self.shown().items() if name not in moving]
        panes = sorted(set(self.run("list-panes", "-a", "-F", "#{pane_id}").splitlines()))
        found += [f"{pane}: {self.run('capture-pane', '-p', '-t', pane).strip()}" for pane in panes]
        found += [self.run("show-options", level) for level in ("-s", "-g", "-gw")]
        ids = self.run("list-sessions", "-F", "#{session_id} #{session_name}").splitlines()
        for number, name in (line.split(" ", 1) for line in ids):
            options, hooks = (self.run(show, "-t", number) for show in ("show-options", "show-hooks"))
            if VISIT not in options:
                found.append(f"{name}: {options} {hooks}")
        return found
