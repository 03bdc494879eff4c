"""What `tank doctor` looks at outside: asks and looks, changes nothing."""

import os
import shutil
import stat
from pathlib import Path
from typing import NamedTuple

from tank.edges import children
from tank.edges.children import End
from tank.records import text

ASK_TIMEOUT_S = 10.0
LIMIT_BYTES = 64 * 1024


class Folder(NamedTuple):
    """A directory as it stands, links not followed."""

    is_directory: bool
    uid: int
    mode: int

    @property
    def is_ours(self) -> bool:
        return self.uid == os.geteuid()


def command(name: str) -> str | None:
    """The program of this name on PATH."""
    return shutil.which(name)


def first_line(*command: str) -> str | None:
    """Of what a program says; None when it isn't there or fails."""
    ran = children.run([command], os.environ, ASK_TIMEOUT_S, LIMIT_BYTES)[0]
    if ran.end is not End.EXITED or ran.code:
        return None
    return text.line(ran.output.decode(errors="replace").partition("\n")[0])


def folder(path: Path) -> Folder | None:
    """None when there is none. Raises `OSError` when it can't be looked at."""
    try:
        found = path.lstat()
    except FileNotFoundError:
        return None
    return Folder(stat.S_ISDIR(found.st_mode), found.st_uid, stat.S_IMODE(found.st_mode))


def in_rex() -> bool:
    """Whether this terminal is Rex's."""
    return os.environ.get("TERM_PROGRAM") == "rex"
