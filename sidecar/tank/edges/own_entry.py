"""A sidecar's own entry in the live directory: always whole, never in the place of another host's living one."""

import errno
import os
import time
from contextlib import suppress
from pathlib import Path

from tank.edges import entry_file, paths, processes
from tank.edges.entry_file import Read
from tank.records.identity import Host
from tank.roster import verdict
from tank.roster.verdict import Where

CREATING = os.O_WRONLY | os.O_CLOEXEC | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW


class OwnEntry:
    """The entry of the Pi process `pid`, written and removed by this process."""

    def __init__(self, pid: int, directory: Path | None = None, host: Host | None = None) -> None:
        self.directory = directory or paths.live_directory()
        self.pid = pid
        self._host = host or processes.host()
        self._names = entry_file.paths_of(self.directory, pid, self._host)
        self._path: Path | None = None
        self._inode: int | None = None

    def clear(self) -> None:
        """Removes what stands under this pid, before a new sidecar binds: a predecessor's entry and socket.

        Makes the directory. Raises `RefusedError` when it isn't ours, and `OSError`.
        """
        paths.private_directory(self.directory)
        for path in self._names:
            found = entry_file.read(path)
            if found and self._is_ours(found):
                entry_file.take(path, self.pid, self._is_ours)
        for socket in (self.directory / f"{self.pid}.sock", *paths.sockets(self.pid)):
            self.clear_socket(socket)

    def clear_socket(self, path: Path) -> None:
        """Removes a dead socket where one is to be bound; one that another host's entry names may live there, and stays."""
        if path.parent != self.directory or path.name not in self._claimed():
            entry_file.remove_dead_socket(path)

    def publish(self, data: bytes) -> None:
        """Replaces the entry by these bytes, as a whole or not at all, mode 0600 from the first instant.

        Makes the directory anew when it was deleted. Raises `OSError`, as for a full or read-only disk, and `RefusedError`.
        """
        try:
            self._publish(data)
        except FileNotFoundError:
            paths.private_directory(self.directory)
            self._publish(data)

    def remove(self) -> None:
        """Removes the entry while it names this process as its sidecar."""
        if self._path is None:
            return
        found = entry_file.read(self._path)
        if found and _names_us(found):
            entry_file.take(self._path, self.pid, _names_us)

    def _publish(self, data: bytes) -> None:
        temporary = self.directory / f".tmp-{self.pid}-{os.urandom(4).hex()}"
        descriptor = os.open(temporary, CREATING, 0o600)
        try:
            try:
                os.fchmod(descriptor, 0o600)
                inode = os.fstat(descriptor).st_ino
                rest = memoryview(data)
                while rest:
                    rest = rest[os.write(descriptor, rest) :]
            finally:
                os.close(descriptor)
            self._path = self._place(temporary)
        except BaseException:
            with suppress(OSError):
                temporary.unlink()
            raise
        self._inode = inode

    def _place(self, temporary: Path) -> Path:
        """Gives the written file its name: the one it had while that still is ours, else the first one that is free."""
        if self._path and self._stands(self._path):
            return temporary.rename(self._path)
        for path in self._names:
            try:
                entry_file.place_new(temporary, path)
            except FileExistsError:
                if self._is_taken(path):
                    continue
                temporary.rename(path)
            return path
        raise FileExistsError(
            errno.EEXIST, "living sessions hold every name for this pid", str(self._names[0])
        )

    def _stands(self, path: Path) -> bool:
        try:
            return path.lstat().st_ino == self._inode
        except FileNotFoundError:
            return False

    def _is_taken(self, path: Path) -> bool:
        """Whether a living entry of another host stands there."""
        found = entry_file.read(path)
        return found is not None and found.entry is not None and not self._is_ours(found)

    def _is_ours(self, found: Read) -> bool:
        """Whether an entry under this pid is of this host, so of a predecessor, or is nobody's any more."""
        if found.entry is None:
            return False
        here = verdict.where(found.entry.host, self._host) is Where.HERE
        return here or entry_file.is_gone(found, self._host, self.directory, time.time())

    def _claimed(self) -> set[str]:
        """Names of sockets in this directory that entries of other hosts hold: from here nobody seems to listen."""
        claimed = set()
        for path in self.directory.glob(f"{self.pid}*.json"):
            found = entry_file.read(path)
            if found and found.entry and found.entry.socket and not self._is_ours(found):
                claimed.add(Path(found.entry.socket).name)
        return claimed


def _names_us(found: Read) -> bool:
    return found.entry is not None and found.entry.sidecar_pid == os.getpid()
