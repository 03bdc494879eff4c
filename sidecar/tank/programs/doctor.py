"""`tank doctor`: looks at every link between a person's Pi and this board, changes nothing, says what to do."""

import os
import re
import shutil
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Literal, NamedTuple

from tank.board import said
from tank.edges import launch, paths, pi, socket_client
from tank.edges.live_directory import LiveDirectory
from tank.errors import RefusedError
from tank.records import text
from tank.roster.roster import Life, Roster, Session
from tank.version import OLDEST_NODE, OLDEST_PI, PROTOCOL, __version__

Verdict = Literal["ok", "warn", "bad"]

ASK_TIMEOUT_S = 10
PING_TIMEOUT_S = 1.5
INSTALL = "run `tank install`"


class Check(NamedTuple):
    """One link. `advice` says what to do about a warning or a fault."""

    name: str
    verdict: Verdict
    found: str
    advice: str | None = None


def examine() -> Iterator[Check]:
    """Each check as soon as it is made."""
    yield Check("tank", "ok", f"{__version__}, protocol {PROTOCOL}, {Path(paths.__file__).parents[1]}")
    yield Check("python", "ok", f"{sys.version.split()[0]}, {sys.executable}")
    yield _pi()
    yield _node()
    yield _extension()
    yield _launch()
    yield _live_directory()
    roster = LiveDirectory().scan()
    yield from _sessions(roster)
    yield from _tmux()
    yield _rex()
    yield _git()


def lines(check: Check) -> Iterator[str]:
    """For a person: what was found, and the advice below it."""
    yield f"{check.verdict:4}  {check.name:14}  {text.line(check.found)}"
    if check.advice:
        yield f"{'':22}→ {text.line(check.advice)}"


def _pi() -> Check:
    try:
        found = pi.find()
    except RefusedError as error:
        return Check(
            "pi", "bad", str(error), f"install it with `{pi.GET_PI}` and Node {_dotted(OLDEST_NODE)} or newer"
        )
    shown = f"{found.version}, {found.command}"
    if found.number < OLDEST_PI:
        return Check("pi", "bad", shown, f"Tank needs {_dotted(OLDEST_PI)}: update it with `{pi.GET_PI}`")
    return Check("pi", "ok", shown)


def _node() -> Check:
    version = _asked("node", "--version")
    needed = f"Pi needs Node {_dotted(OLDEST_NODE)} or newer as `node` on PATH"
    if version is None:
        return Check("node", "bad", "not found", needed)
    number = tuple(map(int, re.findall(r"\d+", version)[:3]))
    old = number < OLDEST_NODE
    return Check(
        "node", "bad" if old else "ok", f"{version}, {shutil.which('node')}", needed if old else None
    )


def _extension() -> Check:
    name, extension = "extension", paths.shipped("pi-extension").absolute()
    if not (extension / "package.json").is_file():
        return Check(name, "bad", f"{extension} is missing", "install pi-tank again")
    try:
        installed = pi.tank_extensions()
    except RefusedError as error:
        return Check(name, "bad", str(error), "mend the file, then run `tank install`")
    others = [folder for folder in installed if folder.resolve() != extension.resolve()]
    if not installed:
        return Check(name, "bad", f"{pi.settings_file()} names no Tank", INSTALL)
    if others:
        shown = "another Tank is installed in Pi: " + ", ".join(map(str, others))
        return Check(name, "warn", shown, f"{INSTALL} to have Pi load {extension} alone")
    return Check(name, "ok", str(extension))


def _launch() -> Check:
    name, python = "launch", launch.python()
    if python is None:
        return Check(name, "bad", f"{launch.file()} names no Python for the extension to start", INSTALL)
    try:
        version = launch.version(python)
    except OSError as error:
        return Check(name, "bad", f"{python} -I -m tank: {error.strerror or error}", INSTALL)
    if version != __version__:
        return Check(name, "warn", f"{python} runs Tank {version}, this is {__version__}", INSTALL)
    return Check(name, "ok", python)


def _live_directory() -> Check:
    name, directory = "live directory", paths.live_directory()
    try:
        found = directory.lstat()
    except FileNotFoundError:
        return Check(name, "ok", f"{directory}, made by the first session")
    except OSError as error:
        return Check(name, "bad", f"{directory}: {error.strerror}", "make it readable to you")
    mode = stat.S_IMODE(found.st_mode)
    if not stat.S_ISDIR(found.st_mode):
        return Check(name, "bad", f"{directory} is no directory, or a link to one", "move it away")
    if found.st_uid != os.geteuid():
        return Check(
            name, "bad", f"{directory} belongs to uid {found.st_uid}", "move it away, or give it to yourself"
        )
    if mode != 0o700:
        return Check(name, "warn", f"{directory} has mode {mode:04o}", f"run `chmod 700 {directory}`")
    return Check(name, "ok", str(directory))


def _sessions(roster: Roster) -> Iterator[Check]:
    name = "sessions"
    for problem in roster.problems:
        yield Check(
            name, "warn", problem, "other programs' files do no harm; move them away to be rid of this"
        )
    silent = 0
    for session in roster.sessions:
        if (check := _socket(session)) is not None:
            silent += 1
            yield check
    older = sum(said.runs_older(session.entry) for session in roster.sessions)
    if older:
        yield Check(name, "warn", f"{older} run an older Tank", "type /reload in them")
    if not silent and not older:
        yield Check(name, "ok", f"{len(roster.sessions)} live")


def _socket(session: Session) -> Check | None:
    """A session that takes no messages; None for one that does, and for one elsewhere, which can't be asked."""
    entry, life = session.entry, session.life
    shown = f"{entry.pid} {entry.label or entry.cwd}"
    if life is Life.ELSEWHERE:
        return None
    if life is Life.SUSPENDED:
        return Check("sessions", "warn", f"{shown}: suspended", "bring it back with `fg` in its terminal")
    if entry.socket is None:
        advice = f"if {paths.log(entry.pid)} exists, it says why; then type /reload in it"
        return Check("sessions", "warn", f"{shown}: takes no messages", advice)
    try:
        reply = socket_client.request(entry.socket, {"type": "ping"}, PING_TIMEOUT_S)
    except RefusedError as error:
        return Check("sessions", "bad", f"{shown}: {error}", "type /reload in it")
    if reply["ok"] is not True:
        return Check("sessions", "bad", f"{shown}: {reply.get('error')}", "type /reload in it")
    return None


def _tmux() -> Iterator[Check]:
    version = _asked("tmux", "-V")
    if version is None:
        yield Check("tmux", "ok", "not installed; only sessions in tmux need it")
        return
    focus = _asked("tmux", "show-options", "-gqv", "focus-events")
    keys = _asked("tmux", "show-options", "-sqv", "extended-keys")
    if focus is None:
        yield Check("tmux", "ok", f"{version}; no server runs, so its options are unknown")
        return
    if focus != "on":
        advice = "put `set -g focus-events on` into ~/.tmux.conf: without it a look at a pane is noticed only by a key"
        yield Check("tmux", "warn", f"focus-events is {focus}", advice)
    if keys == "off":
        advice = "put `set -s extended-keys on` into ~/.tmux.conf, or modified keys don't reach Pi"
        yield Check("tmux", "warn", f"extended-keys is {keys}", advice)
    if focus == "on" and keys != "off":
        yield Check("tmux", "ok", f"{version}; focus-events on, extended-keys {keys or 'unknown'}")


def _rex() -> Check:
    command = shutil.which("rex")
    if command:
        return Check("rex", "ok", command)
    if os.environ.get("TERM_PROGRAM") == "rex":
        return Check(
            "rex", "warn", "this is a Rex terminal and `rex` is not on PATH", "add Rex's folder to PATH"
        )
    return Check("rex", "ok", "not installed; only sessions in Rex need it")


def _git() -> Check:
    version = _asked("git", "--version")
    if version is None:
        return Check(
            "git", "warn", "not found", "install git: without it sessions are grouped by directory alone"
        )
    return Check("git", "ok", version.removeprefix("git version "))


def _asked(*command: str) -> str | None:
    """The first line that a program says; None when it isn't there or fails."""
    try:
        ran = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=ASK_TIMEOUT_S,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return text.line(ran.stdout.partition("\n")[0]) if ran.returncode == 0 else None


def _dotted(version: tuple[int, ...]) -> str:
    return ".".join(map(str, version))
