"""The sidecar: one per interactive Pi session, started by its extension, alive as long as its stdin.

Imports all that it may ever need before it publishes, so that an upgrade can't mix versions, and the least of it.
"""

import os
import signal
import sys
import time
from collections.abc import Mapping
from contextlib import suppress

import orjson

from tank.edges import git, paths, processes, tmux
from tank.edges.commands import Command, Ended
from tank.edges.dial import Dial
from tank.edges.live_directory import LiveDirectory
from tank.edges.log import Log
from tank.edges.loop import Loop, Timer
from tank.edges.outlet import Outlet
from tank.edges.own_entry import OwnEntry
from tank.edges.socket_server import Server
from tank.errors import BadRequestError, TankError
from tank.records import fields, text
from tank.records.fields import Record
from tank.records.framing import Lines
from tank.records.header import Sender
from tank.records.naming import called
from tank.roster import git_facts, project_key, target
from tank.session import effects, requests
from tank.session.brain import Brain
from tank.session.moment import Moment
from tank.session.publication import Place
from tank.terminals import place, tmux_replies
from tank.version import PROTOCOL, __version__

STDIN, STDOUT = 0, 1
CHUNK_BYTES = 64 * 1024
RECORD_LIMIT_BYTES = 512 * 1024
"""A forwarded record with the kept value, which is most of it."""
SEND_S = 7.0
"""Less than the 8 s that the extension waits for a tool's result, more than the 5 s of the other sidecar."""
RETRY_S = 5.0
"""Between two attempts to publish or to listen where that failed."""
ANSWERED = ("deliver", "show", "append")
"""Orders that the extension answers."""


def now() -> Moment:
    return Moment(time.time(), time.monotonic())


class Sidecar:
    """Wires one brain to its pipes, its socket and its entry."""

    def __init__(self, log: Log) -> None:
        self.log = log
        self.loop = Loop()
        self.brain = Brain(now())
        self.lines = Lines(RECORD_LIMIT_BYTES)
        self.outlet = Outlet(self.loop, os.dup(STDOUT), self._drained)
        self.latest_keep: Record | None = None
        self.server = Server(self.loop, self._asked)
        self.own: OwnEntry | None = None
        self.failing = False
        self.retry: Timer | None = None
        self.listen_at = 0.0
        self.commands: list[Command] = []
        self.loop.idle = self.brain.next_wake
        self.loop.woken = lambda: self.do(self.brain.wake(now()))

    def run(self) -> None:
        """Until end of file on stdin, or until the brain leaves; leaves no file behind."""
        os.set_blocking(STDIN, False)
        self.loop.watch(STDIN, self._read)
        try:
            self.loop.run()
        finally:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            for command in self.commands:
                command.kill()
            self.server.unlisten()
            if self.own is not None:
                self.own.remove()

    def do(self, wanted: list[effects.Effect]) -> None:
        """Carry out what the brain wants, in order."""
        for effect in wanted:
            match effect:
                case effects.Order(record):
                    self._order(record)
                case effects.Publish(entry):
                    self._publish(entry)
                case effects.Reply(token, record):
                    self.server.reply(token, orjson.dumps(record))
                case effects.FindProject(cwd):
                    self._find_project(cwd)
                case effects.AskPane():
                    self._ask_pane()
                case effects.SendOut(call, word, request):
                    self._send_out(call, word, request)
                case effects.Leave():
                    self.loop.stop()

    # The extension

    def _read(self) -> None:
        try:
            data = os.read(STDIN, CHUNK_BYTES)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self.loop.stop()
            return
        self.lines.feed(data)
        while True:
            try:
                line = self.lines.next()
            except LookupError:
                return
            if line is None:
                self.log.warn("a forwarded record was too long and was skipped")
            else:
                self._hear(line)

    def _hear(self, line: bytes) -> None:
        try:
            record = orjson.loads(line)
        except orjson.JSONDecodeError as error:
            self.log.warn(f"a forwarded record is not JSON: {error}")
            return
        if not isinstance(record, dict) or fields.string(record, "type") is None:
            self.log.warn("a forwarded record is not an object with a type")
            return
        if record.get("type") == "hello" and self.brain.place is None:
            self._settle_in(fields.integer(record, "pid") or os.getppid())
        self.do(self.brain.receive(record, now()))

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

    # The entry and the socket

    def _settle_in(self, pid: int) -> None:
        """Find out where this session runs, and listen: once, at the first hello."""
        process = processes.look(pid)
        where = place.of_environment(os.environ)
        self.brain.place = Place(
            tank=__version__,
            protocol=PROTOCOL,
            pid=pid,
            process_start=process.start if process else None,
            host=processes.host()._asdict(),
            sidecar_pid=os.getpid(),
            terminal={
                "program": where.program,
                "tty": processes.tty_of(pid),
                "tmux": dict(zip(("socket", "pane"), where.tmux, strict=True)) if where.tmux else None,
                "rexServer": where.rex_server,
            },
            terminal_id=where.rex_block,
        )
        try:
            self._claim(pid)
        except (OSError, TankError) as error:
            self.log.warn(f"cannot take the place of pid {pid}: {error}")

    def _claim(self, pid: int) -> OwnEntry:
        """Take this pid's place in the live directory from what stands there, and listen. Raises OSError and TankError."""
        own = OwnEntry(pid)
        own.clear()
        self.own = own
        self._listen(own)
        return own

    def _listen(self, own: OwnEntry) -> None:
        """At the first path that can be had; without any the session takes no messages and its entry says so."""
        self.brain.socket = None
        for path in paths.sockets(own.pid):
            try:
                paths.private_directory(path.parent)
                own.clear_socket(path)
                self.server.listen(path)
            except (OSError, TankError) as error:
                self.log.warn(f"cannot listen at {path}: {error}")
            else:
                self.brain.socket = str(path)
                return
        self.listen_at = time.monotonic() + RETRY_S

    def _publish(self, entry: Record) -> None:
        if self.brain.place is None:
            return
        try:
            own = self.own or self._claim(self.brain.place.pid)
            if not self.server.stands() and time.monotonic() >= self.listen_at:
                self._listen(own)
            if entry["socket"] != self.brain.socket:
                entry = self.brain.entry(now())
            own.publish(orjson.dumps(entry))
        except (OSError, TankError) as error:
            self._publish_failed(error)
        else:
            self.failing = False

    def _publish_failed(self, error: Exception) -> None:
        if not self.failing:
            self.failing = True
            why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
            where = f" in {paths.live_directory()}" if isinstance(error, OSError) else ""
            said = text.line(f"Tank can't publish this session{where}: {why}. It tries again by itself.")
            self.log.warn(said)
            self._order({"type": "notify", "text": said, "level": "warning"})
        if self.retry is None:
            self.retry = self.loop.later(RETRY_S, self._publish_again)

    def _publish_again(self) -> None:
        self.retry = None
        if self.failing:
            self._publish(self.brain.entry(now()))

    # Other programs

    def _find_project(self, cwd: str) -> None:
        """Ask git its few questions one after the other; whatever fails, the directory itself is the project."""
        answers: list[bytes | None] = []
        questions = git.commands(cwd)
        deadline = time.monotonic() + git.TIMEOUT_S

        def answered(output: bytes | None) -> None:
            answers.append(output)
            if answers[0] is not None and len(answers) < len(questions):
                ask()
                return
            key, name = project_key.choose(git_facts.parse(answers), cwd)
            self.do(self.brain.project_found(cwd, key, name, now()))

        def ask() -> None:
            left_s = max(deadline - time.monotonic(), 0.0)
            self._start(questions[len(answers)], git.environment(), left_s, answered)

        ask()

    def _ask_pane(self) -> None:
        pane = fields.mapping(self.brain.place.terminal if self.brain.place else {}, "tmux") or {}
        argv = tmux.ask_pane(fields.string(pane, "socket") or "", fields.string(pane, "pane") or "")

        def answered(output: bytes | None) -> None:
            self.do(self.brain.pane_asked(now(), shown=tmux_replies.pane_shown(output)))

        self._start(argv, os.environ, tmux.ASK_S, answered)

    def _start(self, argv: list[str], environment: Mapping[str, str], timeout_s: float, ended: Ended) -> None:
        self.commands = [command for command in self.commands if command.running]
        self.commands.append(Command(self.loop, argv, environment, timeout_s, ended))

    # Messages

    def _asked(self, token: int, line: bytes | None, peer: tuple[int, int]) -> None:
        try:
            if line is None:
                raise BadRequestError(
                    "the request is over 1 MiB: write it to a file and send the file's path"
                )
            request = requests.parse(line)
        except BadRequestError as error:
            self.server.reply(token, orjson.dumps({"ok": False, "error": str(error)}))
            return
        sender = self._verified(peer) if isinstance(request, requests.Send) else None
        self.do(self.brain.request(token, request, sender, now()))

    def _verified(self, peer: tuple[int, int]) -> Sender | None:
        """The session whose sidecar the peer is, by the kernel's word and the living entries."""
        uid, pid = peer
        process = processes.look(pid)
        if uid != os.getuid() or process is None:
            return None
        for session in LiveDirectory().sessions_of(process.parent):
            entry = session.entry
            if entry.sidecar_pid == pid:
                return Sender(entry.project_name or "?", called(entry.label, entry.session_id), verified=True)
        return None

    def _send_out(self, call: int, word: str, request: Record) -> None:
        try:
            session = target.resolve(word, LiveDirectory().scan().sessions)
        except TankError as error:
            self._sent_out(call, word, {"ok": False, "error": str(error)})
            return
        entry = session.entry
        shown = called(entry.label, entry.session_id)
        if refusal := target.unreachable(session):
            refused = {"ok": False, "error": f"{shown}: {refusal}", "data": {"delivered": "no"}}
            self._sent_out(call, shown, refused)
            return
        line = orjson.dumps({**request, "to": {"sessionId": entry.session_id}}) + b"\n"

        def done(reply: Record | None, why: str) -> None:
            if reply is None:
                delivered = "unknown" if dial.connected else "no"
                reply = {"ok": False, "error": f"{shown}: {why}", "data": {"delivered": delivered}}
            self._sent_out(call, shown, reply)

        dial = Dial(self.loop, entry.socket or "", line, SEND_S, done)

    def _sent_out(self, call: int, shown: str, reply: Record) -> None:
        self.do(self.brain.sent_out(call, shown, reply))


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
