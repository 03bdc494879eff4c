"""A real sidecar process, and a test in the extension's place at the other ends of its pipes."""

import array
import fcntl
import json
import os
import signal
import socket
import subprocess
import sys
import termios
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from demo.stage import RUN_MARK
from demo.waiting import eventually
from tank.version import PROTOCOL, __version__

Json = dict[str, Any]
FACTS: Json = {
    "sessionId": "0199c0de-0001-7000-8000-000000000000",
    "sessionFile": None,
    "cwd": "/",
    "name": None,
    "model": {"provider": "scripted", "id": "scripted-1"},
    "context": None,
    "isIdle": True,
    "hasPendingMessages": False,
    "dialog": None,
    "prompts": [],
    "reply": None,
    "priority": None,
    "recap": None,
}


NUMBERED = ("hello", "agent_start", "agent_settled", "call", "prepare")
"""Forwarded records that get an answer."""


def after(script: str) -> list[str]:
    """A prefix: a shell that does this first."""
    return ["sh", "-c", f'{script}\nexec "$@"', "sh"]


class Line:
    """A connection to a session's socket."""

    def __init__(self, path: str | Path) -> None:
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.settimeout(10)
        self.socket.connect(str(path))
        self._replies = self.socket.makefile("rb")

    def send(self, *requests: Json | bytes) -> None:
        for each in requests:
            self.socket.sendall((each if isinstance(each, bytes) else json.dumps(each).encode()) + b"\n")

    def reply(self) -> Json:
        """The next one. Fails when there is none within 10 s, or the connection ends before."""
        line = self._replies.readline()
        assert line.endswith(b"\n"), f"no reply but {line!r}"
        found = json.loads(line)
        assert isinstance(found, dict)
        return found

    def ask(self, request: Json | bytes) -> Json:
        self.send(request)
        return self.reply()

    def close(self) -> None:
        self._replies.close()
        self.socket.close()


class Conversation:
    """One sidecar with a process that stands for Pi. What the sidecar orders is read only by the methods that say so.

    `environment` adds variables, or takes those away that are None; `prefix` is a program that becomes the sidecar.
    """

    def __init__(
        self,
        folder: Path,
        *,
        pid: int | None = None,
        environment: Mapping[str, str | None] | None = None,
        prefix: Sequence[str] = (),
        python: Sequence[str] = ("-m", "tank", "sidecar"),
    ) -> None:
        self.folder = folder
        variables: dict[str, str | None] = {
            "PATH": "/usr/bin:/bin",
            "HOME": str(folder / "home"),
            "XDG_STATE_HOME": str(folder / "state"),
            "XDG_RUNTIME_DIR": str(folder / "run"),
            RUN_MARK: os.environ.get(RUN_MARK),
            **(environment or {}),
        }
        self.environment = {name: value for name, value in variables.items() if value is not None}
        for name in ("home", "run"):
            (folder / name).mkdir(mode=0o700, exist_ok=True)
        self._pi = subprocess.Popen(["/bin/sleep", "600"], env=self.environment) if pid is None else None
        self.pid = self._pi.pid if self._pi else pid or 0
        self._command = [*prefix, sys.executable, "-I", *python]
        self._lines: list[Line] = []
        self._next_id = 1
        self._pipes: list[socket.socket] = []
        self.orders: list[Json] = []
        self.stderr = (folder / "stderr").open("a+b")
        self.start()

    def start(self) -> None:
        """Another sidecar for the same Pi; the one before must have ended."""
        self._input, read = socket.socketpair()
        self._output, written = socket.socketpair()
        self._output.settimeout(0)
        self._pipes += [self._input, self._output]
        self._partial = bytearray()
        self.orders.clear()
        self.process = subprocess.Popen(
            self._command,
            stdin=read.fileno(),
            stdout=written.fileno(),
            stderr=self.stderr,
            env=self.environment,
            cwd="/",
            start_new_session=True,
        )
        read.close()
        written.close()

    # As the extension

    def send(self, *records: Json | bytes) -> None:
        for each in records:
            data = each if isinstance(each, bytes) else json.dumps(each).encode()
            self._input.sendall(data + b"\n")

    def event(self, kind: str, **fields: Any) -> None:
        """A forwarded record; those that are answered get an id."""
        self._next_id += 1
        answered = {"id": self._next_id} if kind in NUMBERED else {}
        self.send({"type": kind, **answered, **fields})

    def call(self, tool: str, **arguments: object) -> Json:
        """What the model is told of a call of one of Tank's tools."""
        return self.result(self.begin(tool, **arguments))

    def begin(self, tool: str, **arguments: object) -> int:
        """The id of a call that is taken."""
        self.event("call", tool=tool, arguments=arguments)
        self.order("taken", id=self._next_id)
        return self._next_id

    def result(self, call: int) -> Json:
        return self.order("result", id=call)

    def notes(self) -> str | None:
        """The section of notes that a run is about to start with."""
        self.event("prepare")
        text = self.order("notes", id=self._next_id)["text"]
        assert text is None or isinstance(text, str)
        return text

    def hello(self, reason: str = "startup", *, kept: object = None, **facts: object) -> Json:
        """Says hello with these facts; returns the welcome."""
        self.event(
            "hello",
            tank=__version__,
            protocol=PROTOCOL,
            pid=self.pid,
            reason=reason,
            facts=FACTS | facts,
            kept=kept,
        )
        return self.order("welcome", id=self._next_id)

    def run(self) -> None:
        """A run starts."""
        self.event("before_agent_start")
        self.event("agent_start")

    def settle(self, *, aborted: bool = False) -> None:
        """The run that started ends well."""
        self.event("agent_end", stopReason="aborted" if aborted else "stop", errorMessage=None)
        self.event("agent_settled", aborted=aborted, isIdle=True, hasPendingMessages=False, context=None)

    def answer(self, order: Json, outcome: str = "done", *, idle: bool = True, pending: bool = False) -> None:
        said = {"outcome": outcome, "isIdle": idle, "hasPendingMessages": pending}
        self.event("answer", id=order["id"], **said)

    def read(self) -> list[Json]:
        """Every order so far."""
        try:
            while data := self._output.recv(1 << 20):
                self._partial += data
        except (BlockingIOError, ConnectionResetError):
            pass
        *lines, rest = bytes(self._partial).split(b"\n")
        self._partial[:] = rest
        self.orders += [json.loads(line) for line in lines]
        return self.orders

    def order(self, kind: str, **fields: object) -> Json:
        """The next order of this kind with these fields, waited for. Each is given once."""

        def look() -> Json | None:
            for order in self.read():
                if order["type"] == kind and fields.items() <= order.items():
                    self.orders.remove(order)
                    return order
            return None

        found = eventually(look, message=lambda: f"order {kind} {fields} among {self.orders}; {self.log()}")
        assert found is not None
        return found

    def buffered(self) -> int:
        """Bytes that the sidecar has written and that haven't been read."""
        waiting = array.array("i", [0])
        fcntl.ioctl(self._output, termios.FIONREAD, waiting)
        return waiting[0]

    def kept(self) -> Any:
        """The value of the last keep order so far."""
        return [order["value"] for order in self.read() if order["type"] == "keep"][-1]

    # As anybody

    @property
    def live(self) -> Path:
        return self.folder / "state" / "pi" / "live"

    @property
    def entry_file(self) -> Path:
        return self.live / f"{self.pid}.json"

    @property
    def socket_file(self) -> Path:
        return self.live / f"{self.pid}.sock"

    def entry(self) -> Json | None:
        """The entry as it lies in the file. Fails when it isn't whole."""
        try:
            found = json.loads(self.entry_file.read_bytes())
        except FileNotFoundError:
            return None
        assert isinstance(found, dict)
        return found

    def published(self, **fields: object) -> Json:
        """The entry, once it has these values."""

        def look() -> Json | None:
            entry = self.entry()
            return entry if entry is not None and fields.items() <= entry.items() else None

        found = eventually(look, message=lambda: f"an entry with {fields}: {self.entry()}; {self.log()}")
        assert found is not None
        return found

    def line(self, path: str | Path | None = None) -> Line:
        """A connection to its socket, closed with the conversation."""
        self._lines.append(Line(path or self.socket_file))
        return self._lines[-1]

    def ask(self, request: Json | bytes) -> Json:
        """One request on a connection of its own."""
        return self.line().ask(request)

    def log(self) -> str:
        file = self.folder / "state" / "pi" / "tank" / "log" / f"{os.getpid()}.log"
        return file.read_text() if file.exists() else "no log"

    def memory_kib(self) -> int:
        """What the process has resident. Linux."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.split("VmRSS:")[1].split()[0])

    def switches(self) -> int:
        """How often it went to sleep of its own will: each time it had been woken. Linux."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.split("\nvoluntary_ctxt_switches:")[1].split()[0])

    # The end

    def hang_up(self) -> None:
        """As when Pi ends: the sidecar reads the end of its input."""
        self._input.close()

    def wait(self, timeout: float = 10) -> int:
        """The exit status, once it has ended."""
        status: int = self.process.wait(timeout)
        return status

    def leave(self) -> None:
        """Hangs up and expects a clean end: nothing is left, nothing was said."""
        self.hang_up()
        assert self.wait() == 0, self.log()
        assert not self.entry_file.exists()
        assert not self.socket_file.exists()
        assert self.log() == "no log"

    def signal(self, number: int) -> None:
        os.kill(self.process.pid, number)

    def kill(self) -> None:
        """As `kill -9`; what it had ordered can still be read."""
        self.signal(signal.SIGKILL)
        self.wait()

    def close(self) -> None:
        """Whatever happened: no process, no descriptor stays. Fails when the sidecar wrote past its log."""
        if self.process.poll() is None:
            self.kill()
        for line in self._lines:
            line.close()
        for pipe in self._pipes:
            pipe.close()
        if self._pi:
            self._pi.kill()
            self._pi.wait()
        self.stderr.seek(0)
        said = self.stderr.read()
        self.stderr.close()
        assert said == b"", said.decode()
