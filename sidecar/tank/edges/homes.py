"""Where Tank, the meta agent, lives: directories with the marker that the person listed, and those where they declined."""

import os
import stat
from pathlib import Path
from typing import NamedTuple

import orjson

from tank.edges import state_file
from tank.errors import RefusedError

MARKER = ".pi/tank.json"
LIST = "homes.json"
LIMIT_BYTES = 64 * 1024


class Home(NamedTuple):
    """A directory with the marker, by its real path. In one that isn't `listed` the person is to be asked."""

    path: Path
    notes: bool
    listed: bool


class Problem(NamedTuple):
    """A directory that has the marker and can't be a home; `said` is a sentence for the person."""

    said: str


def has_marker(cwd: str | Path) -> bool:
    """Whether something stands in the marker's place: one look, for every session."""
    return os.path.lexists(Path(cwd) / MARKER)


def is_home(cwd: str | Path) -> Home | Problem | None:
    """What a session started in this very directory is; None: an ordinary one, also where the person declined.

    No parent and no variable can make a directory a home: a clone brings the marker, and only the person lists it.
    """
    return _judged(cwd, heeds_no=True)


def could_be_home(cwd: str | Path) -> Home | Problem | None:
    """The same, whatever the person said of it before."""
    return _judged(cwd, heeds_no=False)


def _judged(cwd: str | Path, *, heeds_no: bool) -> Home | Problem | None:
    try:
        data = _marker(cwd)
    except RefusedError as error:
        return Problem(str(error))
    if data is None:
        return None
    path = Path(os.path.realpath(cwd))
    try:
        known = state_file.read(LIST)
        if heeds_no and str(path) in _paths(known, "declined"):
            return None
        return Home(path, _notes(path, data), str(path) in _paths(known, "homes"))
    except RefusedError as error:
        return Problem(str(error))


def listed() -> list[Path]:
    """The homes, the one listed last at the end. Raises `RefusedError`."""
    return [Path(path) for path in _paths(state_file.read(LIST), "homes")]


def add(path: Path) -> None:
    """Lists a directory as a home by its real path, whatever was said of it before. Raises as `state_file.changing` does."""
    _move(path, "homes", "declined")


def decline(path: Path) -> None:
    """Remembers that the person wants no Tank there. Raises as `state_file.changing` does."""
    _move(path, "declined", "homes")


def _move(path: Path, to: str, out_of: str) -> None:
    real = os.path.realpath(path)
    try:
        real.encode()
    except UnicodeEncodeError as error:
        raise RefusedError(f"{path!s} can't be listed: its name is no UTF-8") from error
    with state_file.changing(LIST) as known:
        known[out_of] = [each for each in _paths(known, out_of) if each != real]
        known[to] = [*(each for each in _paths(known, to) if each != real), real]


def _paths(known: dict[str, object], name: str) -> list[str]:
    found = known.get(name, [])
    if not isinstance(found, list) or not all(isinstance(each, str) for each in found):
        raise RefusedError(f"in {LIST}, {name} is no list of paths: repair it, or delete the file")
    return found


def _marker(cwd: str | Path) -> bytes | None:
    """What the marker holds; None without one, and where the directory is gone. Never waits, as for a FIFO."""
    file = Path(cwd) / MARKER
    try:
        if not stat.S_ISREG(file.lstat().st_mode):
            raise RefusedError(f"{file} is no regular file: put a file of your own in its place")
        descriptor = os.open(file, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOFOLLOW)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise RefusedError(f"{file} can't be read: {error.strerror}") from error
    with open(descriptor, "rb") as opened:
        data = opened.read(LIMIT_BYTES + 1)
    if len(data) > LIMIT_BYTES:
        raise RefusedError(f"{file} is over 64 KiB: it says no more than " + '{"notes": true}')
    return data


def _notes(home: Path, data: bytes) -> bool:
    """Whether the marker wants notes, which it does unless it says no."""
    try:
        said = orjson.loads(data)
    except orjson.JSONDecodeError as error:
        raise RefusedError(f"{home / MARKER} is no JSON: {error}") from error
    if not isinstance(said, dict):
        raise RefusedError(f"{home / MARKER} is no JSON object: write " + '{"notes": true}')
    notes = said.get("notes", True)
    if not isinstance(notes, bool):
        raise RefusedError(f"in {home / MARKER}, notes must be true or false")
    return notes
