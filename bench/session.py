"""A real sidecar of a stand-in Pi process; the measurement plays the extension on its pipes."""

import contextlib
import json
import os
import select
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.figures import SkippedError
from bench.processes import (
    PATIENCE_S,
    Piped,
    StuckError,
    environment,
    python,
    running,
    sleeps,
    spin,
    stand_ins,
)
from tank.version import PROTOCOL, __version__

Record = dict[str, Any]
CHUNK_BYTES = 64 * 1024
CONTEXT = {"tokens": 143_000, "contextWindow": 200_000, "percent": 71.5}


class Session:
    """Published and at rest once it is made by `session` or `sessions`."""

    def __init__(self, home: Path, pi: int, sidecar: Piped) -> None:
        self.live = home / "state" / "pi" / "live"
        self.entry = self.live / f"{pi}.json"
        self.socket = self.live / f"{pi}.sock"
        self.pi = pi
        self.sidecar = sidecar.pid
        self._stdin, self._stdout = sidecar.stdin, sidecar.stdout
        self._unread = b""
        self._cwd = home / "app"
        self._number = 1

    def write(self, line: bytes) -> None:
        os.write(self._stdin, line)

    def tell(self, *records: Record) -> None:
        self.write(b"".join(map(as_line, records)))

    def order(self, kind: str) -> Record:
        """The next order of this type; others before it are passed over. Raises `StuckError`."""
        end = time.monotonic() + PATIENCE_S
        while True:
            while b"\n" in self._unread:
                line, _, self._unread = self._unread.partition(b"\n")
                record: Record = json.loads(line)
                if record["type"] == kind:
                    return record
            ready, _, _ = select.select([self._stdout], [], [], max(end - time.monotonic(), 0))
            data = os.read(self._stdout, CHUNK_BYTES) if ready else b""
            if not data:
                raise StuckError(f"the sidecar {'ended' if ready else 'gave no order of type ' + kind}")
            self._unread += data

    def number(self) -> int:
        """An id for the next record that wants to be answered."""
        self._number += 1
        return self._number

    def begin(self) -> bytes:
        """The line that starts a run."""
        return as_line({"type": "agent_start", "id": self.number()})

    def end(self) -> bytes:
        """The line that ends it."""
        facts = {"aborted": False, "isIdle": True, "hasPendingMessages": False, "context": CONTEXT}
        return as_line({"type": "agent_settled", "id": self.number(), **facts})

    def run(self) -> None:
        """A whole run with a tool and an answer, until the sidecar is at rest again."""
        started = {"type": "tool_execution_start", "toolCallId": "1", "toolName": "bash", "argument": "ls -l"}
        ended = {"type": "tool_execution_end", "toolCallId": "1"}
        reply = {"type": "message_end", "reply": "The third test passes too.", "context": CONTEXT}
        self.write(self.begin())
        self.tell(started, ended, {"type": "agent_end", "stopReason": "stop"}, reply)
        self.write(self.end())
        for _ in range(2):
            self.order("taken")
        spin(lambda: self.published().get("lastReply") == reply["reply"], "the end of a run in the entry")
        self.rest()

    def rest(self) -> None:
        """Until the sidecar sleeps."""
        spin(lambda: sleeps(self.sidecar), "a sidecar at rest")

    def published(self) -> Record:
        """The entry; empty before there is one."""
        try:
            found: Record = json.loads(self.entry.read_bytes())
        except FileNotFoundError:
            return {}
        return found

    def greet(self) -> None:
        """Say hello as a copy of the extension does; the sidecar then finds out about the project."""
        facts: Record = {
            "sessionId": f"01997a3e-5c1d-7b42-9f0e-{self.pi:012x}",
            "sessionFile": str(self._cwd / "session.jsonl"),
            "cwd": str(self._cwd),
            "name": None,
            "model": {"provider": "anthropic", "id": "opus-5-5"},
            "context": CONTEXT,
            "isIdle": True,
            "hasPendingMessages": False,
            "dialog": None,
            "prompts": ["fix the flaky login test"],
            "reply": "Two of three tests pass; the third needs a fixture.",
            "priority": {"priority": 1},
            "recap": None,
        }
        versions = {"tank": __version__, "protocol": PROTOCOL}
        hello = {"type": "hello", "id": 1, **versions, "pid": self.pi, "reason": "startup"}
        self.tell({**hello, "facts": facts, "kept": None})
        self.order("welcome")

    def settle_in(self) -> None:
        """Until the entry is complete."""
        spin(lambda: bool(self.published().get("project")), "an entry with its project")
        self.rest()


def as_line(record: Record) -> bytes:
    return json.dumps(record, separators=(",", ":")).encode() + b"\n"


@contextlib.contextmanager
def sessions(home: Path, count: int) -> Iterator[list[Session]]:
    """So many sidecars, each of its own stand-in for Pi, published under the folder and at rest."""
    if not Path("/proc/self/stat").exists():
        raise SkippedError("only /proc tells when a sidecar is at rest, and what it uses")
    (home / "app").mkdir()
    with contextlib.ExitStack() as stack:
        made = []
        for pi in stack.enter_context(stand_ins(count)):
            argv = python("-m", "tank", "sidecar")
            made.append(Session(home, pi, stack.enter_context(running(argv, environment(home)))))
        for session in made:
            session.greet()
        for session in made:
            session.settle_in()
        yield made


@contextlib.contextmanager
def session(home: Path) -> Iterator[Session]:
    with sessions(home, 1) as [one]:
        yield one
