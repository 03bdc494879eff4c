"""What a sidecar asks of others, git, tmux and another session, without ever waiting: the answer comes to a callback."""

import os
import time
from collections.abc import Callable, Mapping

import orjson

from tank.edges import git, tmux
from tank.edges.commands import Command, Ended
from tank.edges.dial import Dial
from tank.edges.live_directory import LiveDirectory
from tank.edges.loop import Loop
from tank.errors import TankError
from tank.records import fields
from tank.records.fields import Record
from tank.records.naming import called
from tank.roster import git_facts, project_key, target
from tank.terminals import tmux_replies

SEND_S = 7.0
"""Less than the 8 s that the extension waits for a tool's result, more than the 5 s of the other sidecar."""

Sent = Callable[[str, Record], None]
"""Gets what the other session is called, and its reply or one in its shape."""


class Errands:
    """Programs that were started and still run are ended by `kill`."""

    def __init__(self, loop: Loop) -> None:
        self._loop = loop
        self._commands: list[Command] = []

    def kill(self) -> None:
        for command in self._commands:
            command.kill()

    def find_project(self, cwd: str, found: Callable[[str, str], None]) -> None:
        """Key and name. Asks git its few questions one after the other; whatever fails, the directory itself is the project."""
        answers: list[bytes | None] = []
        questions = git.commands(cwd)
        deadline = time.monotonic() + git.TIMEOUT_S

        def answered(output: bytes | None) -> None:
            answers.append(output)
            if answers[0] is not None and len(answers) < len(questions):
                ask()
            else:
                found(*project_key.choose(git_facts.parse(answers), cwd))

        def ask() -> None:
            left_s = max(deadline - time.monotonic(), 0.0)
            self._start(questions[len(answers)], git.environment(), left_s, answered)

        ask()

    def ask_pane(self, pane: Record, answered: Callable[[bool | None], None]) -> None:
        """Whether an attached client shows the tmux pane that an entry's `terminal` names."""
        argv = tmux.ask_pane(fields.string(pane, "socket") or "", fields.string(pane, "pane") or "")
        self._start(argv, os.environ, tmux.ASK_S, lambda output: answered(tmux_replies.pane_shown(output)))

    def send(self, word: str, request: Record, sent: Sent) -> None:
        """A request to the session that the word names, meant for this session alone."""
        try:
            session = target.resolve(word, LiveDirectory().scan().sessions)
        except TankError as error:
            sent(word, {"ok": False, "error": str(error)})
            return
        entry = session.entry
        shown = called(entry.label, entry.session_id)

        def refused(why: str, delivered: str) -> None:
            sent(shown, {"ok": False, "error": f"{shown}: {why}", "data": {"delivered": delivered}})

        if why := target.unreachable(session):
            refused(why, "no")
            return

        def done(reply: Record | None, why: str) -> None:
            if reply is None:
                refused(why, "unknown" if dial.connected else "no")
            else:
                sent(shown, reply)

        line = orjson.dumps({**request, "to": {"sessionId": entry.session_id}}) + b"\n"
        dial = Dial(self._loop, entry.socket or "", line, SEND_S, done)

    def _start(self, argv: list[str], environment: Mapping[str, str], timeout_s: float, ended: Ended) -> None:
        self._commands = [command for command in self._commands if command.running]
        self._commands.append(Command(self._loop, argv, environment, timeout_s, ended))
