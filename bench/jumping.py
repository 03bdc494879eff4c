"""jump_ms: from Enter on the board until tmux shows the other session to the client that pressed it. A real server, milliseconds.

Seen by asking tmux again and again; `jump_floor_ms` is the same with tmux's own switch-client as the act.
"""

import fcntl
import os
import select
import struct
import subprocess
import termios
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import orjson

from bench.figures import Figure
from bench.processes import environment, folder, python, spin
from tank.edges import processes

RUNS, WARM_UP = 12, 1
SIZE = struct.pack("HHHH", 35, 120, 0, 0)


class Server:
    """A private tmux server: `board` runs the board, `there` a stand-in for Pi, and one client shows the first."""

    def __init__(self, home: Path) -> None:
        self._socket = str(home / "tmux")
        self._variables = environment(home)
        there = self("new-session", "-d", "-P", "-F", "#{pane_id} #{pane_pid}", "-s", "there", "sleep 600")
        pane, pid = there.split()
        live = home / "state" / "pi" / "live"
        live.mkdir(parents=True, mode=0o700)
        process = processes.look(int(pid))
        entry = {
            "v": 1,
            "pid": int(pid),
            "processStart": process.start if process else None,
            "sessionId": "01997a3e-5c1d-7b42-9f0e-3d2a6c5b8e71",
            "cwd": "/",
            "status": "needs-you",
            "startedAt": "2026-07-01T10:00:00Z",
            "label": "fix the login test",
            "terminal": {"tmux": {"socket": self._socket, "pane": pane}},
        }
        (live / f"{pid}.json").write_bytes(orjson.dumps(entry))

    def __call__(self, *words: str) -> str:
        command = ["tmux", "-S", self._socket, "-f", "/dev/null", *words]
        return subprocess.run(command, env=self._variables, capture_output=True, text=True, check=True).stdout

    def board(self) -> None:
        """A fresh board in its session: the one before closes once it has jumped."""
        spin(lambda: "board" not in self("list-sessions", "-F", "#{session_name}").split(), "no board")
        self("new-session", "-d", "-s", "board", *python("-m", "tank"))
        spin(lambda: "Space peek" in self("capture-pane", "-p", "-t", "board:"), "the board")

    def shows(self, name: str) -> bool:
        return name in self("list-clients", "-F", "#{session_name}").split()

    def attach(self, stack: ExitStack) -> int:
        """A client on a pty, whose other end it returns."""
        master, slave = os.openpty()
        fcntl.ioctl(master, termios.TIOCSWINSZ, SIZE)
        command = ["tmux", "-S", self._socket, "attach-session", "-t", "board"]
        client = subprocess.Popen(
            command,
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env={**self._variables, "TERM": "xterm-256color"},
        )
        os.close(slave)
        reader = threading.Thread(target=_drain, args=(master,), daemon=True)
        reader.start()
        stack.callback(client.wait)
        stack.callback(client.terminate)
        spin(lambda: self.shows("board"), "a client")
        return master


def _drain(master: int) -> None:
    try:
        while select.select([master], [], [])[0] and os.read(master, 65536):
            pass
    except OSError:
        return


def measure() -> Iterator[Figure]:
    jumps, floors = [], []
    with folder() as home, ExitStack() as stack:
        server = Server(home)
        stack.callback(lambda: server("kill-server"))
        server.board()
        master = server.attach(stack)
        for _ in range(WARM_UP + RUNS):
            jumps.append(_until(server, "there", lambda: os.write(master, b"\r")))
            server.board()
            floors.append(_until(server, "board", lambda: server("switch-client", "-t", "board")))
    yield Figure("jump_ms", tuple(jumps[WARM_UP:]), None, ("jump_floor_ms",))
    yield Figure("jump_floor_ms", tuple(floors[WARM_UP:]))


def _until(server: Server, name: str, act: Callable[[], object]) -> float:
    start = time.perf_counter()
    act()
    spin(lambda: server.shows(name), f"the client at {name}")
    return (time.perf_counter() - start) * 1000
