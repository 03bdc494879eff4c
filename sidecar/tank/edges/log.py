"""A sidecar's log: warnings and tracebacks, never prompts, messages or environment. Made with its first line."""

import io
import os
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from tank.edges import paths, processes
from tank.errors import TankError

LIMIT_BYTES = 256 * 1024
DROPPED = b"(earlier lines were dropped)\n"
WRITING = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW


class Log(io.TextIOBase):
    """Takes the place of `sys.stderr`. Never raises: where nothing can be written, nothing is."""

    def __init__(self, pid: int) -> None:
        super().__init__()
        self._pid = pid

    @property
    def path(self) -> Path:
        """Raises `RefusedError` where the home directory is unknown."""
        return paths.log(self._pid)

    def warn(self, said: str) -> None:
        """One line with the time."""
        self.write(f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ} {said}\n")

    def write(self, said: str) -> int:
        data = said.encode("utf-8", "backslashreplace")[-LIMIT_BYTES + len(DROPPED) :]
        with suppress(OSError, TankError):
            paths.private_directory(self.path.parent)
            descriptor = os.open(self.path, WRITING, 0o600)
            try:
                if os.fstat(descriptor).st_size + len(data) > LIMIT_BYTES:
                    os.ftruncate(descriptor, 0)
                    os.write(descriptor, DROPPED)
                os.write(descriptor, data)
            finally:
                os.close(descriptor)
        return len(said)

    def remove(self) -> None:
        """At a clean end: this log, and those of processes that are gone and were not ended cleanly."""
        with suppress(OSError, TankError):
            self.path.unlink(missing_ok=True)
            for other in self.path.parent.glob("*.log"):
                if other.stem.isdecimal() and not processes.exists(int(other.stem)):
                    other.unlink(missing_ok=True)
