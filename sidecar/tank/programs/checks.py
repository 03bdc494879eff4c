"""What `tank doctor` says of each link: what was found goes in, a verdict and what to do come out. Looks at nothing itself."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from tank.records.entry import Entry
from tank.roster.marks import runs_older
from tank.roster.roster import Life, Session
from tank.version import OLDEST_NODE, OLDEST_PI, __version__

Verdict = Literal["ok", "warn", "bad"]

INSTALL = "run `tank install`"
RELOAD = "type /reload in it"


class Check(NamedTuple):
    """One link. `advice` says what to do about a warning or a fault."""

    name: str
    verdict: Verdict
    found: str
    advice: str | None = None


def no_pi(why: str, get_pi: str) -> Check:
    return Check("pi", "bad", why, f"install it with `{get_pi}` and Node {_dotted(OLDEST_NODE)} or newer")


def pi(command: str, version: str, number: tuple[int, ...], get_pi: str) -> Check:
    shown = f"{version}, {command}"
    if number < OLDEST_PI:
        return Check("pi", "bad", shown, f"Tank needs {_dotted(OLDEST_PI)}: update it with `{get_pi}`")
    return Check("pi", "ok", shown)


def node(version: str | None, command: str | None) -> Check:
    needed = f"Pi needs Node {_dotted(OLDEST_NODE)} or newer as `node` on PATH"
    if version is None:
        return Check("node", "bad", "not found", needed)
    shown = f"{version}, {command}"
    number = tuple(map(int, re.findall(r"\d+", version)[:3]))
    return Check("node", "bad", shown, needed) if number < OLDEST_NODE else Check("node", "ok", shown)


def extension(own: Path, installed: Sequence[Path], others: Sequence[Path], settings: Path) -> Check:
    """`installed` are the Tanks that Pi's settings name, `others` those among them that aren't this one."""
    name = "extension"
    if not installed:
        return Check(name, "bad", f"{settings} names no Tank", INSTALL)
    if others:
        shown = "another Tank is installed in Pi: " + ", ".join(map(str, others))
        return Check(name, "warn", shown, f"{INSTALL} to have Pi load {own} alone")
    return Check(name, "ok", str(own))


def no_extension(own: Path) -> Check:
    return Check("extension", "bad", f"{own} is missing", "install pi-tank again")


def unread_settings(why: str) -> Check:
    return Check("extension", "bad", why, "mend the file, then run `tank install`")


def launch(python: str, version: str) -> Check:
    if version != __version__:
        return Check("launch", "warn", f"{python} runs Tank {version}, this is {__version__}", INSTALL)
    return Check("launch", "ok", python)


def no_launch(file: Path) -> Check:
    return Check("launch", "bad", f"{file} names no Python for the extension to start", INSTALL)


def failed_launch(python: str, why: str) -> Check:
    return Check("launch", "bad", f"{python} -I -m tank: {why}", INSTALL)


def live_directory(directory: Path, *, is_directory: bool, uid: int, is_ours: bool, mode: int) -> Check:
    name = "live directory"
    if not is_directory:
        return Check(name, "bad", f"{directory} is no directory, or a link to one", "move it away")
    if not is_ours:
        return Check(name, "bad", f"{directory} belongs to uid {uid}", "move it away, or give it to yourself")
    if mode != 0o700:
        return Check(name, "warn", f"{directory} has mode {mode:04o}", f"run `chmod 700 {directory}`")
    return Check(name, "ok", str(directory))


def no_live_directory(directory: Path) -> Check:
    return Check("live directory", "ok", f"{directory}, made by the first session")


def unread_live_directory(directory: Path, why: str) -> Check:
    return Check("live directory", "bad", f"{directory}: {why}", "make it readable to you")


def problem(sentence: str) -> Check:
    """What a scan of the live directory couldn't read."""
    return Check(
        "sessions", "warn", sentence, "other programs' files do no harm; move them away to be rid of this"
    )


def silent(session: Session, log: Path) -> Check | None:
    """A session that can't be asked, and why; None for one that can, and for one elsewhere, of which nothing is known here."""
    entry = session.entry
    if session.life is Life.SUSPENDED:
        advice = "bring it back with `fg` in its terminal"
        return Check("sessions", "warn", f"{_shown(entry)}: suspended", advice)
    if entry.socket is None and session.life is not Life.ELSEWHERE:
        advice = f"if {log} exists, it says why; then {RELOAD}"
        return Check("sessions", "warn", f"{_shown(entry)}: takes no messages", advice)
    return None


def unanswered(session: Session, why: str) -> Check:
    return Check("sessions", "bad", f"{_shown(session.entry)}: {why}", RELOAD)


def sessions(all_of_them: Sequence[Session], faults: int) -> Check | None:
    """Those that run an older Tank, else how many live, if there is nothing else to say of them."""
    older = sum(runs_older(session.entry) for session in all_of_them)
    if older:
        return Check("sessions", "warn", f"{older} run an older Tank", "type /reload in them")
    return None if faults else Check("sessions", "ok", f"{len(all_of_them)} live")


def tmux(version: str | None, focus: str | None, keys: str | None) -> Iterator[Check]:
    """`focus` and `keys` are the values of focus-events and extended-keys, None where no server tells."""
    if version is None:
        yield Check("tmux", "ok", "not installed; only sessions in tmux need it")
        return
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


def rex(command: str | None, *, inside: bool) -> Check:
    if command:
        return Check("rex", "ok", command)
    if inside:
        shown = "this is a Rex terminal and `rex` is not on PATH"
        return Check("rex", "warn", shown, "add Rex's folder to PATH")
    return Check("rex", "ok", "not installed; only sessions in Rex need it")


def git(version: str | None) -> Check:
    if version is None:
        advice = "install git: without it sessions are grouped by directory alone"
        return Check("git", "warn", "not found", advice)
    return Check("git", "ok", version.removeprefix("git version "))


def _shown(entry: Entry) -> str:
    return f"{entry.pid} {entry.label or entry.cwd}"


def _dotted(version: tuple[int, ...]) -> str:
    return ".".join(map(str, version))
