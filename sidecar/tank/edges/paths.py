"""Where Tank's files are, one function each, and how a directory that only its user may enter is made."""

import os
import stat
import sys
from contextlib import suppress
from pathlib import Path

from tank.errors import RefusedError

SOCKET_PATH_BYTES = 107 if sys.platform == "linux" else 103
"""The longest path of a unix socket, without the NUL that ends it."""
FALLBACK = "pi-live"
"""How the directories begin that hold sockets when the live directory can't."""


def home() -> Path:
    """$HOME when it is absolute, else what the password database says."""
    named = Path(os.environ.get("HOME", ""))
    if named.is_absolute():
        return named
    import pwd

    try:
        return Path(pwd.getpwuid(os.getuid()).pw_dir)
    except KeyError as error:
        raise RefusedError("your home directory is unknown: set HOME to an absolute path") from error


def _base(variable: str, default: str) -> Path:
    named = Path(os.environ.get(variable, ""))
    return named if named.is_absolute() else home() / default


def state_home() -> Path:
    """$XDG_STATE_HOME when it is absolute: a relative one would mean another place in every directory."""
    return _base("XDG_STATE_HOME", ".local/state")


def live_directory() -> Path:
    """Where sessions publish themselves."""
    return state_home() / "pi" / "live"


def tank_state() -> Path:
    """What Tank itself keeps: logs, homes, kept cards."""
    return state_home() / "pi" / "tank"


def config_directory() -> Path:
    return _base("XDG_CONFIG_HOME", ".config") / "pi-tank"


def log(pid: int) -> Path:
    return tank_state() / "log" / f"{pid}.log"


def sockets(pid: int) -> list[Path]:
    """Where the sidecar of this Pi process may listen, best first: paths that the system can bind and an entry can name."""
    name = f"{pid}.sock"
    runtime = Path(os.environ.get("XDG_RUNTIME_DIR", ""))
    folders = [live_directory()]
    if runtime.is_absolute():
        folders.append(runtime / FALLBACK)
    folders.append(Path(f"/tmp/{FALLBACK}-{os.getuid()}"))  # noqa: S108 - private_directory checks whose it is
    return [folder / name for folder in folders if _serves(folder / name)]


def _serves(path: Path) -> bool:
    try:
        str(path).encode()
    except UnicodeEncodeError:
        return False
    return len(os.fsencode(path)) <= SOCKET_PATH_BYTES


def shipped(name: str) -> Path:
    """A folder that comes with Tank: inside the installed package, else in the checkout."""
    package = Path(__file__).parents[1]
    installed = package / "data" / name
    return installed if installed.is_dir() else package.parents[1] / name


def private_directory(path: Path) -> None:
    """Makes the directory and its missing parents, 0700 whatever the umask. Raises as `secure` does, and `OSError`."""
    missing = [folder for folder in (path, *path.parents) if not os.path.lexists(folder)]
    for folder in reversed(missing):
        with suppress(FileExistsError):
            folder.mkdir(0o700)
            folder.chmod(0o700)
    secure(path)


def secure(path: Path) -> None:
    """Sees to it that only its user may enter a directory that exists.

    Raises `RefusedError` when it is a symbolic link, no directory or another user's: somebody else may have laid it there.
    """
    found = path.lstat()
    if stat.S_ISLNK(found.st_mode):
        raise RefusedError(f"{path} is a symbolic link: put a directory of your own in its place")
    if not stat.S_ISDIR(found.st_mode):
        raise RefusedError(f"{path} is not a directory: move it away")
    if found.st_uid != os.geteuid():
        raise RefusedError(f"{path} belongs to another user (uid {found.st_uid}): move it away or chown it")
    if stat.S_IMODE(found.st_mode) != 0o700:
        path.chmod(0o700)
