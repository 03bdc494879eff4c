"""The directory of live entries as a reader sees it. Who reads also deletes what is dead."""

import os
import stat
import time
from contextlib import suppress
from pathlib import Path

from tank.edges import entry_file, paths, processes
from tank.edges.entry_file import Read
from tank.errors import RefusedError
from tank.roster.roster import Life, Roster, Session, living
from tank.roster.verdict import Absent

SETTLED_S = 0.05
"""A file that changed less than this before it was read may change again within one tick of the file system's clock."""
TICK_S = 0.02
"""Longer than such a tick."""
LEFTOVERS = (".dead-", ".tmp-")
LEFTOVER_S = 60.0


class LiveDirectory:
    """A reader's view. Remembers what unchanged files hold, never whether a process lives."""

    def __init__(self, directory: Path | None = None, leftover_s: float = LEFTOVER_S) -> None:
        self.directory = directory or paths.live_directory()
        self._leftover_s = leftover_s
        self._host = processes.host()
        self._known: dict[str, Read] = {}
        self._state_at_scan: tuple[int, int] | None = None
        self.settled = True
        """Whether `changed` is sure to see what happened since the last scan: nothing had within a tick before it."""

    def changed(self) -> bool:
        """Whether a file came, went or was replaced since just before the last scan: one stat, made for polling.

        Two changes within one tick of the file system's clock look like one: while not `settled` scan again 20 ms later.
        """
        return self._state() != self._state_at_scan

    def scan(self) -> Roster:
        """Reads what changed, judges every entry anew, deletes the dead and old leftovers."""
        self._state_at_scan = self._state()
        self.settled = not self._state_at_scan or abs(time.time() - self._state_at_scan[0] / 1e9) > TICK_S
        try:
            paths.secure(self.directory)
            with os.scandir(self.directory) as listing:
                files = list(listing)
        except FileNotFoundError:
            return Roster()
        except RefusedError as error:
            return Roster(problems=(str(error),))
        except OSError as error:
            return Roster(problems=(f"cannot read {self.directory}: {error.strerror}",))
        return self._roster(files, time.time())

    def sessions_of(self, pid: int) -> list[Session]:
        """The living sessions under one pid, this host's among them: a look at their files alone, which deletes nothing."""
        now_s = time.time()
        found = []
        for path in entry_file.paths_of(self.directory, pid, self._host):
            held = entry_file.read(path)
            if held and held.entry and held.entry.pid == pid:
                life = entry_file.judge(held, held.entry, self._host, self.directory, now_s)
                if isinstance(life, Life):
                    found.append(living(held.entry, life, str(path), held.raw))
        return found

    def _roster(self, files: list[os.DirEntry[str]], now_s: float) -> Roster:
        known: dict[str, Read] = {}
        sessions: list[Session] = []
        junk = 0
        for file in files:
            if file.name.startswith(LEFTOVERS):
                self._sweep(file, now_s)
            elif file.name.endswith(".json") and not file.name.startswith("."):
                found = self._read(file)
                if found is None:
                    continue
                if found.modified_s < now_s - SETTLED_S:
                    known[file.name] = found
                if found.entry is None:
                    junk += 1
                elif session := self._session(file, found, now_s):
                    sessions.append(session)
        self._known = known
        sessions.sort(key=lambda session: (session.entry.started_at, session.entry.pid))
        said = f"{junk} {'file' if junk == 1 else 'files'} in the live directory could not be read"
        return Roster(tuple(sessions), (said,) if junk else ())

    def _read(self, file: os.DirEntry[str]) -> Read | None:
        known = self._known.get(file.name)
        try:
            if known and known.key == entry_file.key_of(file.stat(follow_symlinks=False)):
                return known
        except OSError:
            return None
        return entry_file.read(file.path)

    def _session(self, file: os.DirEntry[str], found: Read, now_s: float) -> Session | None:
        """The session that lives; the file of a dead one goes, and so does its socket."""
        entry = found.entry
        if entry is None:
            return None
        life = entry_file.judge(found, entry, self._host, self.directory, now_s)
        if isinstance(life, Life):
            return living(entry, life, file.path, found.raw)
        if life is not Absent.HIDDEN:
            self._bury(Path(file.path), entry.pid)
        return None

    def _bury(self, path: Path, pid: int) -> None:
        dead = entry_file.take(
            path, pid, lambda found: entry_file.is_gone(found, self._host, self.directory, time.time())
        )
        if dead and dead.socket:
            derived = (self.directory / f"{dead.pid}.sock", *paths.sockets(dead.pid))
            if Path(dead.socket) in derived:
                entry_file.remove_dead_socket(Path(dead.socket))

    def _sweep(self, file: os.DirEntry[str], now_s: float) -> None:
        """Removes what an interrupted writer or reader left. Renaming a file changes only the time of its inode."""
        with suppress(OSError):
            found = file.stat(follow_symlinks=False)
            if stat.S_ISREG(found.st_mode) and now_s - found.st_ctime > self._leftover_s:
                Path(file.path).unlink()

    def _state(self) -> tuple[int, int] | None:
        try:
            found = os.stat(self.directory)  # noqa: PTH116 - ten times a second
        except OSError:
            return None
        return found.st_mtime_ns, found.st_ino
