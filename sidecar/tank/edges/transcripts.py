"""A session file read from its end, and followed as it grows. Never reads a whole file, never blocks, splits on LF only."""

import errno
import os
import stat
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from tank.roster import branch, transcript
from tank.roster.branch import Branch
from tank.roster.roster import Life, Roster, Session
from tank.roster.transcript import Peek

BLOCK_BYTES = 64 * 1024
LIMIT_BYTES = 8 * 1024 * 1024
"""How much is read backwards, lines that are too long not counted."""
LINE_LIMIT_BYTES = 4 * 1024 * 1024
"""A longer line is passed over; its first bytes tell where it belongs."""
PASSED_LIMIT_BYTES = 64 * 1024 * 1024
"""How much of lines that are too long is passed over before the reading ends."""
MARK_BYTES = 64
"""What was read last is compared with this much of itself: a file written anew can be longer than before."""


def path_of(session: Session) -> Path | None:
    """Where the session's transcript is to be found on this machine; None where the entry names no usable place."""
    named = os.path.expanduser(session.entry.session_file or "")  # noqa: PTH111 - never raises, whatever is named
    usable = session.life is not Life.ELSEWHERE and named.startswith("/") and "\0" not in named
    return Path(named) if usable else None


def shared(roster: Roster) -> frozenset[str]:
    """Entries (`Session.file`) whose transcript is, links resolved, another one's too."""
    found = ((each.file, path_of(each)) for each in roster.sessions)
    paths = {file: os.path.realpath(path) for file, path in found if path}
    count = Counter(paths.values())
    return frozenset(file for file, path in paths.items() if count[path] > 1)


class State(NamedTuple):
    """What tells one content of a file from another."""

    device: int
    inode: int
    size: int
    modified_ns: int


class Transcript:
    """One session file. The first `peek` reads from the end; later ones read only what was added."""

    def __init__(
        self, path: Path, block_bytes: int = BLOCK_BYTES, line_limit_bytes: int = LINE_LIMIT_BYTES
    ) -> None:
        self.path = path
        self._block_bytes = block_bytes
        self._line_limit_bytes = line_limit_bytes
        self._seen: State | None = None
        self._held: State | None = None
        self._first_end = 0
        self._end = 0
        self._mark = b""
        self._branch = Branch()
        self._peek = Peek()

    def changed(self) -> bool:
        """Whether the file is another than at the last peek: one stat, made for polling."""
        return self._look() != self._seen

    def peek(self) -> Peek:
        """The end of the transcript now. Raises `OSError`: the file comes with the session's first prompt."""
        self._seen = self._look()
        with opened(self.path) as (descriptor, found):
            if _state(found) != self._held:
                self._read(descriptor, _state(found))
                self._peek = transcript.peek(self._branch)
        return self._peek

    def last_reply(self) -> str | None:
        """The newest answer's text now, whole: `peek` shortens a long one. Raises as `peek` does."""
        self.peek()
        return transcript.last_reply(self._branch)

    def _look(self) -> State | None:
        try:
            return _state(self.path.stat())
        except OSError:
            return None

    def _read(self, descriptor: int, now: State) -> None:
        is_same = self._held is not None and self._held[:2] == now[:2]
        grew = is_same and now.size <= self._first_end + LIMIT_BYTES
        self._held = None
        if not (grew and self._is_marked(descriptor) and self._read_on(descriptor, now.size)):
            self._first_end = now.size
            self._read_back(descriptor, now.size)
        start = max(self._end - MARK_BYTES, 0)
        self._mark = os.pread(descriptor, self._end - start, start)
        self._held = now

    def _is_marked(self, descriptor: int) -> bool:
        """Whether what stands before the end of the last reading still is what stood there; not so once the file is shorter."""
        return os.pread(descriptor, len(self._mark), self._end - len(self._mark)) == self._mark

    def _read_on(self, descriptor: int, size: int) -> bool:
        """Takes the lines added since. False when they don't continue the branch that was read."""
        added = os.pread(descriptor, size - self._end, self._end)
        *lines, rest = added.split(b"\n")
        self._end += len(added) - len(rest)
        if branch.is_record(self._shortened(rest)):
            lines.append(rest)
            self._end += len(rest)
        return all(self._branch.after(self._shortened(line), len(line)) for line in lines)

    def _shortened(self, line: bytes) -> bytes:
        return shortened(line, self._line_limit_bytes)

    def _read_back(self, descriptor: int, size: int) -> None:
        """Takes lines from the end until the branch wants no more, a limit is reached, or the file begins."""
        self._branch, self._end = Branch(), size
        left, passable = LIMIT_BYTES, PASSED_LIMIT_BYTES
        is_last = True
        for line, size_bytes in lines_back(descriptor, size, self._block_bytes, self._line_limit_bytes):
            if is_last and not branch.is_record(line):
                self._end -= size_bytes
            else:
                self._branch.before(line, size_bytes)
            is_last = False
            if len(line) == size_bytes:
                left -= size_bytes
            else:
                passable -= size_bytes
            if left <= 0 or passable <= 0 or not self._branch.wants_more:
                return
        self._branch.reached_start = True


@contextmanager
def opened(path: Path) -> Iterator[tuple[int, os.stat_result]]:
    """A regular file and what it is, without ever waiting. Raises `OSError`."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    try:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            raise OSError(errno.EINVAL, "not a regular file", str(path))
        yield descriptor, found
    finally:
        os.close(descriptor)


def lines_back(
    descriptor: int, end: int, block_bytes: int = BLOCK_BYTES, line_limit_bytes: int = LINE_LIMIT_BYTES
) -> Iterator[tuple[bytes, int]]:
    """Lines with their sizes, from what follows the last LF before `end` backwards; of one that is too long only the beginning."""
    parts: list[bytes] = []
    size_bytes = 0

    def whole(first: bytes) -> tuple[bytes, int]:
        """The line from its parts, the last one of them read first."""
        return shortened(b"".join((first, *reversed(parts))), line_limit_bytes), size_bytes + len(first)

    while end > 0 and size_bytes <= PASSED_LIMIT_BYTES:
        start = max(end - block_bytes, 0)
        lines = os.pread(descriptor, end - start, start).split(b"\n")
        end = start
        while len(lines) > 1:
            yield whole(lines.pop())
            parts, size_bytes = [], 0
        parts.append(lines[0])
        size_bytes += len(lines[0])
        if size_bytes > line_limit_bytes:
            parts = parts[-1 - branch.HEAD_BYTES // block_bytes :]
    yield whole(b"")


def shortened(line: bytes, limit_bytes: int = LINE_LIMIT_BYTES) -> bytes:
    """Of a line that is too long to be read, its head."""
    return line if len(line) <= limit_bytes else line[: branch.HEAD_BYTES]


def _state(found: os.stat_result) -> State:
    return State(found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns)
