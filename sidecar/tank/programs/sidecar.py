"""The sidecar: one per interactive Pi session, started by its extension, alive as long as its stdin.

Imports all that it may ever need before it publishes, so that an upgrade can't mix versions, and the least of it.
"""

import os
import signal
import sys
from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import orjson

from tank.edges import homes
from tank.edges.inlet import Inlet
from tank.edges.log import Log
from tank.edges.loop import Loop
from tank.edges.outlet import Outlet
from tank.errors import BadRequestError
from tank.programs import presence
from tank.programs.clock import now
from tank.programs.errands import Errands
from tank.programs.presence import Presence
from tank.records import fields
from tank.records.entry import TANK
from tank.records.fields import Record
from tank.session import effects, requests
from tank.session.brain import Brain

if TYPE_CHECKING:
    from tank.programs.household import Household

STDIN, STDOUT = 0, 1
RECORD_LIMIT_BYTES = 512 * 1024
"""A forwarded record with the kept value, which is most of it."""
ANSWERED = ("deliver", "show", "append")
"""Orders that the extension answers."""


class Sidecar:
    """Wires one brain to the extension's pipes, to its presence, and to what it asks of others."""

    def __init__(self, log: Log) -> None:
        self.log = log
        self.loop = Loop()
        self.brain = Brain(now())
        self.outlet = Outlet(self.loop, os.dup(STDOUT), self._drained)
        self.latest_keep: Record | None = None
        self.presence = Presence(self.loop, log, self.brain, self._asked, self._warn)
        self.errands = Errands(self.loop)
        self.household: Household | None = None
        self.loop.idle = self.brain.next_wake
        self.loop.woken = lambda: self.do(self.brain.wake(now()))

    def run(self) -> None:
        """Until end of file on stdin, or until the brain leaves; leaves no file behind."""
        Inlet(self.loop, STDIN, RECORD_LIMIT_BYTES, self._hear, self.loop.stop)
        try:
            self.loop.run()
        finally:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            self.errands.kill()
            self.presence.leave()

    def do(self, wanted: list[effects.Effect]) -> None:
        """Carry out what the brain wants, in order."""
        for effect in wanted:
            match effect:
                case effects.Order(record):
                    self._order(record)
                case effects.Publish(entry):
                    self.presence.publish(entry)
                case effects.Reply(token, record):
                    self._reply(token, record)
                case effects.FindProject(cwd):
                    self._find_project(cwd)
                case effects.AskPane():
                    self._ask_pane()
                case effects.SendOut(call, word, request):
                    self._send_out(call, word, request)
                case effects.Leave():
                    self.loop.stop()

    # The extension

    def _hear(self, line: bytes | None) -> None:
        if line is None:
            self.log.warn("a forwarded record was too long and was skipped")
            return
        try:
            record = orjson.loads(line)
        except orjson.JSONDecodeError as error:
            self.log.warn(f"a forwarded record is not JSON: {error}")
            return
        if not isinstance(record, dict) or fields.string(record, "type") is None:
            self.log.warn("a forwarded record is not an object with a type")
            return
        if record.get("type") == "hello":
            self._greet(record)
        elif self.household and self.household.hear(record):
            return
        self.do(self.brain.receive(record, now()))
        if record.get("type") == "hello" and self.household:
            self.household.greet()

    def _greet(self, record: Record) -> None:
        """All that this session may need is loaded before it is published."""
        if self.household is None and homes.has_marker(_fact(record, "cwd")):
            from tank.programs.household import Household

            self.household = Household(self.loop, self._order, self._moved_in, lambda: datetime.now(UTC))
        pid = fields.integer(record, "pid") or os.getppid()
        if self.household:
            at_home = self.household.enter(_fact(record, "sessionId"), _fact(record, "cwd"), pid)
            self.brain.role = TANK if at_home else None
        if self.brain.place is None:
            self.presence.settle(pid)

    def _order(self, record: Record) -> None:
        """While Pi reads nothing, what would lie in the pipe past its time is busy, and of keep only the last counts."""
        kind = record.get("type")
        if self.outlet.backlog and kind in ANSWERED:
            answer = {"type": "answer", "id": record["id"], "outcome": "busy"}
            if kind == "append":
                answer |= {"outcome": "failed", "error": "it reads nothing: it is suspended or hangs"}
            self.loop.later(0, lambda: self.do(self.brain.receive(answer, now())))
        elif self.outlet.backlog and kind == "keep":
            self.latest_keep = record
        else:
            self.outlet.write(orjson.dumps(record) + b"\n")

    def _drained(self) -> None:
        record, self.latest_keep = self.latest_keep, None
        if record is not None:
            self.outlet.write(orjson.dumps(record) + b"\n")

    def _warn(self, said: str) -> None:
        self._order({"type": "notify", "text": said, "level": "warning"})

    def _moved_in(self) -> None:
        self.do(self.brain.role_found(TANK, now()))

    # Who asks this session

    def _asked(self, token: int, line: bytes | None, peer: tuple[int, int]) -> None:
        try:
            if line is None:
                raise BadRequestError(
                    "the request is over 1 MiB: write it to a file and send the file's path"
                )
            request = requests.parse(line)
        except BadRequestError as error:
            self._reply(token, {"ok": False, "error": str(error)})
            return
        sender = presence.sender(peer) if isinstance(request, requests.Send) else None
        self.do(self.brain.request(token, request, sender, now()))

    def _reply(self, token: int, record: Record) -> None:
        self.presence.server.reply(token, orjson.dumps(record))

    # Whom this session asks

    def _find_project(self, cwd: str) -> None:
        def found(key: str, name: str) -> None:
            self.do(self.brain.project_found(cwd, key, name, now()))

        self.errands.find_project(cwd, found)

    def _ask_pane(self) -> None:
        pane = fields.mapping(self.brain.place.terminal if self.brain.place else {}, "tmux") or {}
        self.errands.ask_pane(pane, lambda shown: self.do(self.brain.pane_asked(now(), shown=shown)))

    def _send_out(self, call: int, word: str, request: Record) -> None:
        self.errands.send(
            word, request, lambda shown, reply: self.do(self.brain.sent_out(call, shown, reply))
        )


def _fact(hello: Record, name: str) -> str:
    return fields.string(fields.mapping(hello, "facts") or {}, name) or ""


def main() -> None:
    """Serve the Pi session that holds the other ends of stdin and stdout."""
    log = Log(os.getppid())
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    sys.stderr = log
    with suppress(SystemExit):
        Sidecar(log).run()
    log.remove()
