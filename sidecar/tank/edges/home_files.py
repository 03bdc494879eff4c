"""A home's notes: read for the prompt, and written so that no text of the person's is ever lost.

What the model replaces is what it was shown: a text's `revision` goes out with it and comes back with the new one.
"""

import hashlib
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from tank.edges.home_repository import TIMEOUT_S, Repository
from tank.errors import RefusedError
from tank.records.limits import NOTES_LIMIT

LIMIT_BYTES = 64 * 1024
READING = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOFOLLOW
ENTERING = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_DIRECTORY
CREATING = os.O_WRONLY | os.O_CLOEXEC | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
KEEPING = "Keep {} as the person left it"


class Shown(NamedTuple):
    """What the prompt gets: `text`, empty where nothing can be read; `problem` says what is wrong, empty when nothing is.

    `revision` is None when the text isn't the whole file.
    """

    text: str
    problem: str
    revision: str | None


class Written(NamedTuple):
    """The file has the text, in one commit. `kept`: a commit before it holds what the person hadn't committed."""

    revision: str
    kept: bool


class Unchanged(NamedTuple):
    """The file says this already."""

    revision: str


class Changed(NamedTuple):
    """Nothing was written over: the file says what the model wasn't shown."""

    text: str
    revision: str


class _Place(NamedTuple):
    """A file by its folder's descriptor: no link can lead out of the home between two steps."""

    folder: int
    name: str
    path: Path


def revision(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def read(home: Path, file: str, limit: int = NOTES_LIMIT) -> Shown:
    """Never raises: a home without readable notes still is one."""
    try:
        with _place(home, file) as place:
            found = _text(place)
    except (RefusedError, OSError) as error:
        return Shown("", _sentence(file, error), None)
    if found is None:
        return Shown("", f"{file} is missing", None)
    if len(found) > limit:
        said = f"{file} has {len(found)} characters, and only the first {limit} are shown: shorten it"
        return Shown(found[:limit], said, None)
    return Shown(found, "", revision(found))


def write(
    home: Path, file: str, text: str, message: str, seen: str | None, timeout_s: float = TIMEOUT_S
) -> Written | Unchanged | Changed:
    """Replaces a file, in one commit of its own. Blocks, `timeout_s` at most. Raises `RefusedError`: then it is as it was.

    `seen`: the revision that the model was shown last, None when it was shown none. The folder is made when it's missing.
    """
    repository = Repository(home, timeout_s)
    repository.refuse_unless_free()
    try:
        with _place(home, file, make=True) as place:
            return _write(repository, place, file, text, message, seen)
    except OSError as error:
        raise RefusedError(_sentence(file, error)) from error


def _write(
    repository: Repository, place: _Place, file: str, text: str, message: str, seen: str | None
) -> Written | Unchanged | Changed:
    before = _text(place)
    if before == text:
        return Unchanged(revision(text))
    if before is not None and revision(before) != seen:
        return Changed(before, revision(before))
    kept = before is not None and repository.differs(file)
    if kept:
        repository.commit(file, KEEPING.format(file))
    now = _text(place)
    if now is not None and now != before:
        return Changed(now, revision(now))
    _replace(place, text)
    try:
        repository.commit(file, message)
    except RefusedError:
        _put_back(place, text, before)
        repository.unstage(file)
        raise
    after = _text(place)
    if after is not None and after != text:
        return Changed(after, revision(after))
    return Written(revision(text), kept)


@contextmanager
def _place(home: Path, file: str, *, make: bool = False) -> Iterator[_Place]:
    """Raises `RefusedError` where the way there leaves the home, and `OSError`."""
    *folders, name = file.split("/")
    if not name or {"", ".", "..", ".git"} & {*folders, name}:
        raise RefusedError(f"{file} is no file of the home")
    descriptor, path = os.open(home, ENTERING), home
    try:
        for folder in folders:
            path /= folder
            if make:
                with suppress(FileExistsError):
                    os.mkdir(folder, dir_fd=descriptor)
            _refuse_link(path, folder, descriptor)
            inner = os.open(folder, ENTERING, dir_fd=descriptor)
            os.close(descriptor)
            descriptor = inner
        yield _Place(descriptor, name, path / name)
    finally:
        os.close(descriptor)


def _refuse_link(path: Path, name: str, folder: int) -> None:
    if stat.S_ISLNK(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
        raise RefusedError(f"{path} is a symbolic link: put what it names in its place")


def _text(place: _Place) -> str | None:
    """What the file says; None when there is none. Raises `RefusedError` for what is no file of text, and `OSError`."""
    try:
        _refuse_link(place.path, place.name, place.folder)
        descriptor = os.open(place.name, READING, dir_fd=place.folder)
    except FileNotFoundError:
        return None
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise RefusedError(f"{place.path} is no regular file: move it away")
        data = os.read(descriptor, LIMIT_BYTES + 1)
    finally:
        os.close(descriptor)
    if len(data) > LIMIT_BYTES:
        raise RefusedError(f"{place.path} is over 64 KiB: shorten it by hand")
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise RefusedError(
            f"{place.path} is no UTF-8 from byte {error.start} on: repair it by hand"
        ) from error


def _replace(place: _Place, text: str) -> None:
    """As a whole or not at all; the mode stays."""
    temporary = f".tmp-{os.getpid()}-{place.name}"
    with suppress(FileNotFoundError):
        os.unlink(temporary, dir_fd=place.folder)
    try:
        descriptor = os.open(temporary, CREATING, 0o666, dir_fd=place.folder)
        with open(descriptor, "wb") as out:
            with suppress(FileNotFoundError):
                os.fchmod(descriptor, stat.S_IMODE(os.stat(place.name, dir_fd=place.folder).st_mode))
            out.write(text.encode())
        os.rename(temporary, place.name, src_dir_fd=place.folder, dst_dir_fd=place.folder)
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(temporary, dir_fd=place.folder)
        raise


def _put_back(place: _Place, text: str, before: str | None) -> None:
    """Takes back what was written, unless the person has written since."""
    if _text(place) != text:
        return
    if before is None:
        os.unlink(place.name, dir_fd=place.folder)
    else:
        _replace(place, before)


def _sentence(file: str, error: Exception) -> str:
    if isinstance(error, FileNotFoundError):
        return f"{file} is missing"
    return f"{file}: {error.strerror}" if isinstance(error, OSError) and error.strerror else str(error)
