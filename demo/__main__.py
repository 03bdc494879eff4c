"""`make demo`: Tank's main job with no account. Real Pi sessions in a private tmux server, and the board on top.

In a terminal the board runs until it is closed; without one it is printed once. Nothing is left behind.
"""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, NoReturn

from demo.scripted_model import ScriptedModel
from demo.stage import EXTENSION, Stage, Terminal
from demo.waiting import NeverError, eventually
from tank.records import entry as entries
from tank.records import header
from tank.records.entry import Entry, JunkError

GATE = Path(__file__).with_name("permission_gate.ts")
TANK = (sys.executable, "-I", "-m", "tank")
START_S = 60
"""Six sessions at once on a slow machine whose first Pi compiles the extension."""


class Part(NamedTuple):
    """One session: the first line of its prompt is its label, the rest is the scripted model's part."""

    name: str
    project: str
    prompt: str
    status: str


REPOSITORIES = {"app": "git@github.com:you/app.git", "site": "https://github.com/you/site.git"}
WRITER = "write the release notes"
PARTS = (
    Part("parser", "app", "port the parser to bytes\nslow 3600", "working"),
    Part("login", "app", 'fix the flaky login test\ncall bash {"command":"rm -rf build"}', "needs-you"),
    Part(
        "landing",
        "site",
        "make the landing page fast\nsay All images are lazy now: 0.9 s on slow phones.",
        "idle",
    ),
    Part(
        "images", "site", "move images to the new bucket\nstatus 400 The bucket refuses this key", "needs-you"
    ),
    Part("notes", "site", f"{WRITER}\nsay The notes for 2.4 are in CHANGELOG.md.", "done"),
)
BACK = {
    "status": "on",
    "status-left": "",
    "status-right": "C-b d: back to the board ",
    "window-status-format": "",
}
"""Options of tmux for a person who went to a session with Enter."""
MESSAGE = "The parser is ported: please add it to the notes."
SENDER = Part(
    "release",
    "app",
    f'plan the release\ncall send_to_session {{"to":"{WRITER}","message":"{MESSAGE}"}} ; say The writer knows.',
    "done",
)


def main() -> int:
    for program in ("tmux", "git"):
        if not shutil.which(program):
            sys.stderr.write(f"make demo needs {program}: install it and try again\n")
            return 1
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _leave)
    try:
        with ScriptedModel() as model, Stage(model.base_url) as stage:
            _play(stage, model)
    except KeyboardInterrupt:
        return 130
    except NeverError as error:
        sys.stderr.write(f"the demo did not get far enough: {error}\n")
        return 1
    return 0


def _leave(number: int, _frame: object) -> NoReturn:
    """The context managers clean up."""
    raise SystemExit(128 + number)


def _play(stage: Stage, model: ScriptedModel) -> None:
    interactive = sys.stdin.isatty() and sys.stdout.isatty()
    if interactive:
        print("Starting real Pi sessions with a scripted model …", flush=True)
    for project, remote in REPOSITORIES.items():
        _clone(stage, project, remote)
    terminals = {part.name: _start(stage, part) for part in PARTS}
    pids = {name: terminal.pid for name, terminal in terminals.items()}
    _reach(stage, pids, {part.name: "done" if part.status == "idle" else part.status for part in PARTS})
    for part in PARTS:
        if part.status == "idle":
            terminals[part.name].press("Left")
    _tank(stage, "priority", str(pids["login"]), "0")
    pids[SENDER.name] = _start(stage, SENDER).pid
    _reach(stage, pids, {part.name: part.status for part in (*PARTS, SENDER)})
    message = eventually(lambda: _delivered(model), START_S, "the message in its session")
    _reach(stage, pids, {"notes": "done"})
    if interactive:
        for option, value in BACK.items():
            stage.server.cmd("set-option", "-g", option, value)
        subprocess.run(TANK, env=_for_the_terminal(stage), check=False)
        return
    print(_tank(stage), end="")
    print(f"\nDelivered to “{WRITER}”:\n\n{message}")


def _clone(stage: Stage, project: str, remote: str) -> None:
    folder = stage.folder / "work" / project
    for command in (
        ["git", "init", "-q", str(folder)],
        ["git", "-C", str(folder), "remote", "add", "origin", remote],
    ):
        subprocess.run(command, env=stage.environment(), check=True)
    (folder / "README.md").write_text(f"# {project}\n")


def _start(stage: Stage, part: Part) -> Terminal:
    folder = stage.folder / "work" / part.project
    return stage.start_pi(part.name, part.prompt, extensions=[EXTENSION, GATE], cwd=folder, kind=Terminal)


def _entry(stage: Stage, pid: int) -> Entry | None:
    try:
        return entries.parse((stage.live / f"{pid}.json").read_bytes())[0]
    except (FileNotFoundError, JunkError):
        return None


def _reach(stage: Stage, pids: Mapping[str, int], wanted: Mapping[str, str]) -> None:
    """Wait until these sessions have these statuses."""

    def missing() -> dict[str, str]:
        found = {name: _entry(stage, pids[name]) for name in wanted}
        return {
            name: status for name, status in wanted.items() if not (e := found[name]) or e.status != status
        }

    eventually(lambda: not missing(), START_S, lambda: f"sessions in these statuses: {missing()}")


def _delivered(model: ScriptedModel) -> str | None:
    """The message as it reached the receiver's model."""
    return next((request.prompt for request in model.asked(MESSAGE) if header.begins(request.prompt)), None)


def _tank(stage: Stage, *arguments: str) -> str:
    """Tank's command line as a person on this stage would use it; what it prints."""
    command: Sequence[str] = (*TANK, *arguments)
    done = subprocess.run(
        command,
        env=stage.environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return done.stdout


def _for_the_terminal(stage: Stage) -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("TERM", "COLORTERM", "NO_COLOR") if name in os.environ}
    return stage.environment(**kept)


if __name__ == "__main__":
    raise SystemExit(main())
