"""`tank home`: a directory for Tank, the meta agent, made from the starter and listed as his."""

import os
import shlex
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tank.edges import homes, paths
from tank.edges.home_repository import MISSING, Repository
from tank.edges.homes import Problem
from tank.errors import RefusedError
from tank.records import text

TIMEOUT_S = 20.0
"""For the repository and its first commit: a slow disk may take its time."""


def make(path: Path) -> list[str]:
    """What was done, a line each. Raises `RefusedError` and `OSError`: then nothing was made."""
    path = Path(os.path.abspath(path))  # noqa: PTH100 - .. goes, links stay
    _refuse_unless_shown(path)
    found = homes.could_be_home(path)
    if isinstance(found, Problem):
        raise RefusedError(found.said)
    if found:
        return _settled(path, is_listed=found.listed)
    if shutil.which("git") is None:
        raise RefusedError(f"{MISSING}; nothing was made")
    _refuse_unless_free(path)
    with _made(path):
        _copy_starter(path)
        knew_name = Repository(Path(os.path.realpath(path)), TIMEOUT_S).start()
        homes.add(path)
    anonymous = "" if knew_name else ", made as Tank <tank@localhost>: git knows no name and address of yours"
    return [
        f"{path} is Tank's home now.",
        f"It is a git repository with one commit{anonymous}.",
        _next(path),
    ]


def how_to_start() -> tuple[str, str]:
    """Why nobody can go to Tank now, and the command that helps. Blocks on the homes' disks."""
    try:
        there = [path for path in homes.listed() if os.path.isdir(path)]  # noqa: PTH112 - never raises
    except RefusedError as error:
        return text.line(str(error)), ""
    if not there:
        return "Tank has no home yet: y copies the command that makes one", "tank home ~/tank"
    return (
        "Tank isn't running: y copies the command that starts him",
        f"cd -- {shlex.quote(str(there[-1]))} && pi",
    )


def _settled(path: Path, *, is_listed: bool) -> list[str]:
    """A directory that has the marker, such as a clone: it needs the person's word alone, also where they said No before."""
    told = [f"{path} is Tank's home already."]
    if not is_listed:
        homes.add(path)
        told = [
            f"{path} has the marker, and is Tank's home now; nothing in it was changed.",
            "A session that is open there takes it up with /reload.",
        ]
    if not os.path.lexists(path / ".git"):
        told.append("It is no git repository: run `git init` there, or no note can be written.")
    return [*told, _next(path)]


def _next(path: Path) -> str:
    return f"Next: cd {shlex.quote(str(path))} && pi"


def _refuse_unless_shown(path: Path) -> None:
    named = str(path)
    if "\n" in named or text.lines(named) != named:
        raise RefusedError("the path has characters that can't be shown: choose another")


def _refuse_unless_free(path: Path) -> None:
    if path.is_dir():
        if any(path.iterdir()):
            raise RefusedError(f"{path} isn't empty: name a new directory, or an empty one")
    elif os.path.lexists(path):
        raise RefusedError(f"{path} is no directory: name a new one, or an empty one")
    elif not path.parent.is_dir():
        raise RefusedError(f"{path.parent} is no directory: make it first")


@contextmanager
def _made(path: Path) -> Iterator[None]:
    """The directory, private when it's new. What fails inside takes all that was made in it along."""
    is_new = not path.exists()
    if is_new:
        path.mkdir(0o700)
    try:
        yield
    except BaseException:
        for made in path.iterdir():
            if made.is_dir() and not made.is_symlink():
                shutil.rmtree(made, ignore_errors=True)
            else:
                made.unlink(missing_ok=True)
        if is_new:
            with suppress(OSError):
                path.rmdir()
        raise


def _copy_starter(path: Path) -> None:
    """Contents alone: the modes of an installation are nobody's choice."""
    starter = paths.shipped("tank-home")
    if not (starter / homes.MARKER).is_file():
        raise RefusedError(f"{starter} is incomplete: install Tank again")
    for source in sorted(starter.rglob("*")):
        target = path / source.relative_to(starter)
        if source.is_dir():
            target.mkdir(exist_ok=True)
        else:
            shutil.copyfile(source, target)
