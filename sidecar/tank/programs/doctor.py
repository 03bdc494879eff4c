"""`tank doctor`: looks at every link between a person's Pi and this board, changes nothing, says what to do."""

import sys
from collections.abc import Iterator
from pathlib import Path

from tank.edges import examination, launch, paths, pi, socket_client
from tank.edges.live_directory import LiveDirectory
from tank.errors import RefusedError
from tank.programs import checks
from tank.programs.checks import Check
from tank.records import text
from tank.roster.roster import Life, Session
from tank.version import PROTOCOL, __version__

PING_TIMEOUT_S = 1.5


def examine() -> Iterator[Check]:
    """Each check as soon as it is made."""
    yield Check("tank", "ok", f"{__version__}, protocol {PROTOCOL}, {Path(paths.__file__).parents[1]}")
    yield Check("python", "ok", f"{sys.version.split()[0]}, {sys.executable}")
    yield _pi()
    yield checks.node(examination.first_line("node", "--version"), examination.command("node"))
    yield _extension()
    yield _launch()
    yield _live_directory()
    yield from _sessions()
    yield from _tmux()
    yield checks.rex(examination.command("rex"), inside=examination.in_rex())
    yield checks.git(examination.first_line("git", "--version"))


def lines(check: Check) -> Iterator[str]:
    """For a person: what was found, and the advice below it."""
    yield f"{check.verdict:4}  {check.name:14}  {text.line(check.found)}"
    if check.advice:
        yield f"{'':22}→ {text.line(check.advice)}"


def _pi() -> Check:
    try:
        found = pi.find()
    except RefusedError as error:
        return checks.no_pi(str(error), pi.GET_PI)
    return checks.pi(found.command, found.version, found.number, pi.GET_PI)


def _extension() -> Check:
    own = paths.shipped("pi-extension").absolute()
    if not (own / "package.json").is_file():
        return checks.no_extension(own)
    try:
        installed = pi.tank_extensions()
    except RefusedError as error:
        return checks.unread_settings(str(error))
    others = [folder for folder in installed if folder.resolve() != own.resolve()]
    return checks.extension(own, installed, others, pi.settings_file())


def _launch() -> Check:
    python = launch.python()
    if python is None:
        return checks.no_launch(launch.file())
    try:
        return checks.launch(python, launch.version(python))
    except OSError as error:
        return checks.failed_launch(python, error.strerror or str(error))


def _live_directory() -> Check:
    directory = paths.live_directory()
    try:
        found = examination.folder(directory)
    except OSError as error:
        return checks.unread_live_directory(directory, error.strerror or str(error))
    if found is None:
        return checks.no_live_directory(directory)
    return checks.live_directory(directory, **found._asdict(), is_ours=found.is_ours)


def _sessions() -> Iterator[Check]:
    roster, faults = LiveDirectory().scan(), 0
    yield from map(checks.problem, roster.problems)
    for session in roster.sessions:
        if check := _session(session):
            faults += 1
            yield check
    if check := checks.sessions(roster.sessions, faults):
        yield check


def _session(session: Session) -> Check | None:
    if check := checks.silent(session, paths.log(session.entry.pid)):
        return check
    if session.life is Life.ELSEWHERE:
        return None
    try:
        reply = socket_client.request(session.entry.socket or "", {"type": "ping"}, PING_TIMEOUT_S)
    except RefusedError as error:
        return checks.unanswered(session, str(error))
    return None if reply["ok"] else checks.unanswered(session, str(reply.get("error")))


def _tmux() -> Iterator[Check]:
    version = examination.first_line("tmux", "-V")
    if version is None:
        return checks.tmux(None, None, None)
    focus = examination.first_line("tmux", "show-options", "-gqv", "focus-events")
    keys = examination.first_line("tmux", "show-options", "-sqv", "extended-keys")
    return checks.tmux(version, focus, keys)
