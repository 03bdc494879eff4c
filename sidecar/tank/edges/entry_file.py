"""One file of the live directory: read without ever blocking, judged, and taken away when it is dead.

A file is deleted only after it was taken out of sight and judged again: its pid may just have been used anew.
"""

import os
import socket
import stat
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from tank.edges import paths, processes
from tank.records.entry import Entry, JunkError, parse
from tank.records.identity import Host
from tank.roster import verdict
from tank.roster.roster import Life
from tank.roster.verdict import Absent, Where

LIMIT_BYTES = 64 * 1024
OPENING = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOFOLLOW


class Read(NamedTuple):
    """What a file held; `entry` is None when it's junk. `key` differs once the file was replaced or written to."""

    key: tuple[int, int, int]
    entry: Entry | None
    raw: dict[str, object]

    @property
    def modified_s(self) -> float:
        return self.key[0] / 1e9


def paths_of(directory: Path, pid: int, host: Host) -> tuple[Path, Path]:
    """Where a sidecar of this host publishes its session, best first: the second while another host's holds the first."""
    return directory / f"{pid}.json", directory / f"{pid}-{host.digest()}.json"


def key_of(found: os.stat_result) -> tuple[int, int, int]:
    return found.st_mtime_ns, found.st_size, found.st_ino


def read(path: str | Path) -> Read | None:
    """The file now, None when there is none. Only a regular file is opened; whatever else stands there is junk."""
    try:
        found = os.lstat(path)
        if not stat.S_ISREG(found.st_mode):
            return Read(key_of(found), None, {})
        descriptor = os.open(path, OPENING)
    except FileNotFoundError:
        return None
    except OSError:
        return Read((0, 0, 0), None, {})
    try:
        found = os.fstat(descriptor)
        data = os.read(descriptor, LIMIT_BYTES + 1) if stat.S_ISREG(found.st_mode) else b""
    except OSError:
        return Read((0, 0, 0), None, {})
    finally:
        os.close(descriptor)
    try:
        entry, raw = parse(data) if len(data) <= LIMIT_BYTES else (None, {})
    except JunkError:
        entry, raw = None, {}
    return Read(key_of(found), entry, raw)


def judge(found: Read, entry: Entry, host: Host, folder: Path, now_s: float) -> Life | Absent:
    """The verdict on a file's entry, from what the system shows at this moment."""
    place = verdict.where(entry.host, host)
    if place is Where.HERE:
        reported = entry.sidecar_pid is None or processes.exists(entry.sidecar_pid)
        return verdict.here(entry, processes.look(entry.pid), reported=reported)
    accepts = _accepts(entry, folder) if place is Where.BESIDE else None
    unchanged_s = verdict.unchanged(entry, found.modified_s, now_s)
    return verdict.afar(place, accepts=accepts, unchanged_s=unchanged_s)


def is_gone(found: Read, host: Host, folder: Path, now_s: float) -> bool:
    """Whether the file's entry is dead or expired."""
    entry = found.entry
    return entry is not None and judge(found, entry, host, folder, now_s) in (Absent.DEAD, Absent.EXPIRED)


def take(path: Path, pid: int, condemned: Callable[[Read], bool]) -> Entry | None:
    """Deletes an entry, and returns it, if it is still condemned once it's out of sight; else puts it back."""
    grave = path.with_name(f".dead-{pid}-{os.getpid()}")
    try:
        path.rename(grave)
    except OSError:
        return None
    found = read(grave)
    taken = found.entry if found and condemned(found) else None
    if found and taken is None:
        with suppress(OSError):
            place_new(grave, path)
    with suppress(OSError):
        grave.unlink()
    return taken


def place_new(source: Path, target: Path) -> None:
    """Gives a file its name unless the name is taken: `FileExistsError`. Where links can't be made, a moment lies between."""
    try:
        os.link(source, target)
    except FileExistsError:
        raise
    except OSError:
        if os.path.lexists(target):
            raise FileExistsError(target) from None
        source.rename(target)
    else:
        source.unlink()


def remove_dead_socket(path: Path) -> None:
    """Removes a socket of ours that nobody listens on; anything else stays."""
    try:
        before = path.lstat()
        if stat.S_ISSOCK(before.st_mode) and before.st_uid == os.geteuid() and _connects(str(path)) is False:
            after = path.lstat()
            if (after.st_ino, after.st_dev) == (before.st_ino, before.st_dev):
                path.unlink()
    except OSError:
        return


def _accepts(entry: Entry, folder: Path) -> bool | None:
    """Whether a session of another pid namespace takes connections, at its path or, seen through another mount, in our directory."""
    if entry.socket is None:
        return None
    path = Path(entry.socket)
    answers = [_connects(entry.socket), _connects(str(folder / path.name))]
    if True in answers:
        return True
    # A fallback directory may be another one there than here.
    return None if answers[0] is None and path.parent.name.startswith(paths.FALLBACK) else False


def _connects(path: str) -> bool | None:
    """True when somebody listens, False when nobody does, None when that can't be tried."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(0)
        try:
            probe.connect(path)
        except BlockingIOError:
            return True
        except ConnectionRefusedError:
            return False
        except (OSError, ValueError):
            return None
    return True
