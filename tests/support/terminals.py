"""A private tmux server with panes that show nothing, and clients on ptys."""

import os
from pathlib import Path

import libtmux

from demo.waiting import eventually
from tests.support.client import Client


class Terminals:
    """A private tmux server with two windows; the first has two panes, `here` among them."""

    def __init__(self, folder: Path) -> None:
        self.server = libtmux.Server(socket_path=str(folder / "tmux"), config_file="/dev/null")
        self.path = str(folder / "tmux")
        self.here = self._run(
            "new-session", "-d", "-P", "-F", "#{pane_id}", "-x", "80", "-y", "20", "sleep 600"
        )
        self.beside = self._run("split-window", "-d", "-P", "-F", "#{pane_id}", "sleep 600")
        self.other = self._run("new-window", "-d", "-P", "-F", "#{window_id}", "sleep 600")
        self.pid = int(self._run("display-message", "-p", "#{pid}"))
        self.clients: list[Client] = []

    def _run(self, *words: str) -> str:
        done = self.server.cmd(*words)
        assert not done.stderr, done.stderr
        return done.stdout[0] if done.stdout else ""

    def attach(self, session: str = "0") -> None:
        """A client on a pty of its own."""
        environment = {"PATH": os.environ["PATH"], "TERM": "xterm"}
        command = ["tmux", "-S", self.path, "attach-session", "-t", session]
        self.clients.append(Client(command, environment, (80, 20)))
        eventually(lambda: self._run("list-clients", "-t", session))

    def act(self, *words: str) -> None:
        """A command of tmux that must succeed."""
        self._run(*words)

    def environment(self) -> dict[str, str]:
        """What tmux tells the programs in the pane `here`."""
        return {"TMUX": f"{self.path},{self.pid},0", "TMUX_PANE": self.here}

    def close(self) -> None:
        self.server.kill()
        for client in self.clients:
            client.close()
