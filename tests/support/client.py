"""A terminal as a person has one: a program on a pty of its own, whose focus a test sets."""

import contextlib
import fcntl
import os
import signal
import struct
import subprocess
import termios
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path


class Client:
    """Runs the command until `close()`; `output` is every byte it wrote."""

    def __init__(
        self,
        command: Sequence[str],
        environment: Mapping[str, str],
        size: tuple[int, int],
        cwd: Path | None = None,
    ) -> None:
        self._master, slave = os.openpty()
        self.resize(*size)
        self.output = bytearray()
        self.process = subprocess.Popen(
            command,
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env=dict(environment),
            cwd=cwd,
            start_new_session=True,
        )
        os.close(slave)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def resize(self, columns: int, rows: int) -> None:
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def write(self, data: bytes) -> None:
        """What the terminal sends: keys, reports."""
        os.write(self._master, data)

    def focus(self) -> None:
        """The report of a terminal that gains the focus."""
        self.write(b"\x1b[I")

    def blur(self) -> None:
        """The report of a terminal that loses it."""
        self.write(b"\x1b[O")

    def close(self) -> None:
        """As a terminal that is closed: the program gets a hang-up."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGHUP)
            try:
                self.process.wait(5)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self._reader.join(5)
        with contextlib.suppress(OSError):
            os.close(self._master)

    def _read(self) -> None:
        with contextlib.suppress(OSError):
            while data := os.read(self._master, 65536):
                self.output += data
