"""A real pseudo-terminal with a program in it: what it writes, byte by byte, and what a person does to it."""

import fcntl
import os
import re
import struct
import subprocess
import termios
import threading
import time
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any, Self

from demo.waiting import eventually

ESCAPES = re.compile(rb"\x1b\[[0-9;?]*[a-zA-Z]")


class Terminal:
    """The program leads a session of its own with this terminal, as in a terminal window.

    While `reads` is clear the terminal takes nothing but what its buffer holds.
    """

    def __init__(
        self, argv: Sequence[str], environment: Mapping[str, str], columns: int = 80, rows: int = 24
    ) -> None:
        self.reads = threading.Event()
        self.reads.set()
        self._master, self.slave = os.openpty()
        self.resize(columns, rows)
        self.found = termios.tcgetattr(self.slave)
        self.written = bytearray()
        self.process = subprocess.Popen(
            argv,
            stdin=self.slave,
            stdout=self.slave,
            stderr=self.slave,
            env={**os.environ, **environment},
            start_new_session=True,
            preexec_fn=self._lead,
        )
        self._thread = threading.Thread(target=self._read)
        self._thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Ends what still runs, as closing the window does, then without mercy."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.reads.set()
        os.close(self.slave)
        self._thread.join()
        os.close(self._master)

    def resize(self, columns: int, rows: int) -> None:
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def type(self, keys: str | bytes) -> None:
        os.write(self._master, keys.encode() if isinstance(keys, str) else keys)

    def modes(self) -> list[Any]:
        return termios.tcgetattr(self.slave)

    def mark(self) -> int:
        """Where the output is now, for `text` and `until`."""
        return len(self.written)

    def text(self, since: int = 0) -> str:
        """What was written, without escape sequences."""
        return ESCAPES.sub(b"", bytes(self.written[since:])).decode(errors="replace")

    def until(self, wanted: str | bytes, since: int = 0, timeout_s: float = 10) -> None:
        """Waits until this was written: bytes as they are, text without escape sequences."""
        if isinstance(wanted, bytes):
            written = self.written
            eventually(lambda: wanted in written[since:], timeout_s, lambda: repr(bytes(written[since:])))
        else:
            eventually(lambda: wanted in self.text(since), timeout_s, lambda: repr(self.text(since)))

    def ended(self, timeout_s: float = 10) -> int:
        """The exit code, once the program ended and its last words were read."""
        code = self.process.wait(timeout_s)
        before = -1
        while before != len(self.written):
            before = len(self.written)
            time.sleep(0.05)
        return code

    def _lead(self) -> None:
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)

    def _read(self) -> None:
        while True:
            self.reads.wait()
            try:
                data = os.read(self._master, 65536)
            except OSError:
                return
            if not data:
                return
            self.written += data
