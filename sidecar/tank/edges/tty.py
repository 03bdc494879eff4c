"""The terminal, owned for a while: raw keys in, lines out, and everything as it was at every end that can be caught."""

import errno
import os
import re
import select
import signal
import termios
from collections.abc import Sequence
from contextlib import suppress
from types import FrameType, TracebackType
from typing import Any, Self

from tank.records import text

ENTER = "\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[?2004h\x1b[0m\x1b[2J"
"""Alternate screen, no cursor, no wrapping, marked pastes, empty."""
BEGIN, END = "\x1b[?2026h", "\x1b[?2026l"
"""Around a frame: terminals that know it show the whole at once, the others ignore it."""
LEAVE = END + "\x1b[0m\x1b[999;1H\x1b[2K\x1b[?2004l\x1b[?7h\x1b[?25h\x1b[?1049l"
"""To the last row first: where there is no alternate screen the shell goes on below what was drawn."""

LOOK = re.compile(r"(\x1b\[[0-9;:]*m)")
CERTAIN = re.compile(
    r"[\x1b -~\xa1-\xac\xae-\u02ff\u2010-\u2027\u2030-\u205e\u2190-\u2193\u2500-\u25d7\u2713]*"
)
"""Lines in which every terminal gives each character one cell, so far as it goes by Unicode."""

JOINER = "\u200d"

READ_BYTES = 64 * 1024
RESTORE_S = 1.0
"""How long a terminal that takes no more bytes may hold up the end."""
ENDINGS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
NEWS = (signal.SIGWINCH, signal.SIGCONT, signal.SIGTSTP)
INPUT, CONTROL, LOCAL, CHARACTERS = 0, 2, 3, 6
"""Places in what `termios.tcgetattr` gives."""


def usable() -> bool:
    """Whether standard input and output are a terminal that can be drawn on."""
    return os.isatty(0) and os.isatty(1) and os.environ.get("TERM", "") not in ("", "dumb")


def changes(before: Sequence[str], after: Sequence[str]) -> str:
    """What to write so that a screen that shows `before` shows `after`: only the lines that differ."""
    written = [
        f"\x1b[{row};1H\x1b[2K{anchored(line)}"
        for row, line in enumerate(after, 1)
        if row > len(before) or before[row - 1] != line
    ]
    written += [f"\x1b[{row};1H\x1b[2K" for row in range(len(after) + 1, len(before) + 1)]
    return BEGIN + "".join(written) + END if written else ""


def anchored(line: str) -> str:
    """The line with its columns named where terminals differ in how wide they draw what stands before.

    A joiner that joins nothing goes: tmux joins whatever is written next to it, be it in another line.
    """
    if CERTAIN.fullmatch(line):
        return line
    written: list[str] = []
    column, is_certain = 1, True
    for at, part in enumerate(LOOK.split(line)):
        if at % 2:
            written.append(part)
            continue
        for cluster in text.clusters(part):
            cells = text.width(cluster)
            was_certain, is_certain = is_certain, cells == len(cluster) == 1
            if is_certain and not was_certain:
                written.append(f"\x1b[{column}G")
            written.append(cluster.rstrip(JOINER))
            column += cells
    return "".join(written)


class Tty:
    """A context: inside it the terminal is ours. Signals that end a program leave it as `SystemExit(128 + number)`."""

    def __init__(self, incoming: int = 0, outgoing: int = 1) -> None:
        self.incoming, self.outgoing = incoming, outgoing
        self._found = termios.tcgetattr(incoming)
        self._handlers: dict[signal.Signals, Any] = {}
        self._arrived: set[signal.Signals] = set()
        self._shown: list[str] = []
        self._woken, self._waker = -1, -1
        self._entered = False
        self._closing = False

    def __enter__(self) -> Self:
        self._woken, self._waker = os.pipe()
        os.set_blocking(self._woken, False)
        os.set_blocking(self._waker, False)
        try:
            for ending in ENDINGS:
                self._handlers[ending] = signal.signal(ending, self._end)
            for each in NEWS:
                self._handlers[each] = signal.signal(each, self._note)
            self._take()
        except BaseException:
            self._close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close()

    @property
    def woken(self) -> int:
        """Readable when there is news or `wake` was called; `news` empties it."""
        return self._woken

    def wake(self) -> None:
        """Makes `woken` readable, from any thread."""
        with suppress(OSError):
            os.write(self._waker, b"\0")

    def news(self) -> set[signal.Signals]:
        """Which of the signals in `NEWS` came since the last call."""
        with suppress(BlockingIOError):
            while os.read(self._woken, READ_BYTES):
                pass
        arrived, self._arrived = self._arrived, set()
        return arrived

    def size(self) -> tuple[int, int]:
        """Columns and rows; 80 by 24 where the terminal doesn't say."""
        with suppress(OSError):
            columns, rows = os.get_terminal_size(self.outgoing)
            if columns > 0 and rows > 0:
                return columns, rows
        return 80, 24

    def read(self) -> bytes | None:
        """What was typed; empty when the terminal is gone, None when nothing was."""
        try:
            return os.read(self.incoming, READ_BYTES)
        except BlockingIOError:
            return None
        except OSError as error:
            if error.errno == errno.EIO:
                return b""
            raise

    def draw(self, lines: Sequence[str]) -> None:
        """Shows these lines from the top; writes only those that changed. The caller sees to it that they fit."""
        self._write(changes(self._shown, lines))
        self._shown = list(lines)

    def say(self, sequence: str) -> None:
        """Writes a control sequence that moves nothing."""
        self._write(sequence)

    def forget(self) -> None:
        """What the screen shows is unknown: the next `draw` writes every line."""
        self._shown = []

    def retake(self) -> None:
        """Takes the terminal again after others may have had it. One that is gone is told by the next `read`."""
        with suppress(termios.error):
            self._take()

    def suspend(self, *, group: bool) -> None:
        """Gives the terminal back and stops, the whole process group as Ctrl-Z does or this process alone; returns on `fg`."""
        self._give_back()
        ours = signal.signal(signal.SIGTSTP, signal.SIG_DFL)
        os.kill(0 if group else os.getpid(), signal.SIGTSTP)
        signal.signal(signal.SIGTSTP, ours)
        self._arrived.discard(signal.SIGCONT)
        self.retake()

    def hand_over(self, argv: Sequence[str]) -> int:
        """Gives the terminal to a program until that ends; its exit code. While the program is stopped, so are we.

        Raises `OSError` when it can't be started. A signal that ends us ends it.
        """
        self._give_back()
        try:
            # Python ignores SIGPIPE, and what is ignored stays so in a program that is started.
            child = os.posix_spawnp(argv[0], list(argv), os.environ, setsigdef=[signal.SIGPIPE])
            try:
                return self._wait(child)
            except BaseException:
                with suppress(ProcessLookupError, ChildProcessError):
                    os.kill(child, signal.SIGTERM)
                    os.waitpid(child, 0)
                raise
        finally:
            self.retake()

    def _wait(self, child: int) -> int:
        while True:
            _, status = os.waitpid(child, os.WUNTRACED)
            if not os.WIFSTOPPED(status):
                return os.waitstatus_to_exitcode(status)
            os.kill(os.getpid(), signal.SIGSTOP)
            os.kill(child, signal.SIGCONT)

    def _take(self) -> None:
        """Modes first: they stop a process in the background before it writes over another's screen."""
        raw = [*self._found[:CHARACTERS], list(self._found[CHARACTERS])]
        raw[INPUT] &= ~(termios.BRKINT | termios.ICRNL | termios.INPCK | termios.ISTRIP | termios.IXON)
        raw[LOCAL] &= ~(termios.ECHO | termios.ICANON | termios.IEXTEN | termios.ISIG)
        raw[CONTROL] = raw[CONTROL] & ~(termios.CSIZE | termios.PARENB) | termios.CS8
        raw[CHARACTERS][termios.VMIN], raw[CHARACTERS][termios.VTIME] = 1, 0
        termios.tcsetattr(self.incoming, termios.TCSADRAIN, raw)
        self._shown = []
        self._entered = True
        self._write(ENTER)

    def _give_back(self) -> None:
        entered, self._entered = self._entered, False
        with suppress(OSError):
            if entered and select.select([], [self.outgoing], [], RESTORE_S)[1]:
                self._write(LEAVE)
        with suppress(termios.error):
            if self._is_in_front():
                termios.tcsetattr(self.incoming, termios.TCSANOW, self._found)

    def _is_in_front(self) -> bool:
        """Not while a shell has another job in front: then the modes are that one's, and changing them would stop us."""
        try:
            return os.tcgetpgrp(self.incoming) == os.getpgrp()
        except OSError:
            return True  # no shell has this terminal for its jobs

    def _close(self) -> None:
        self._closing = True
        self._give_back()
        for number, handler in self._handlers.items():
            signal.signal(number, handler)
        os.close(self._woken)
        os.close(self._waker)

    def _write(self, text: str) -> None:
        data = text.encode(errors="replace")
        while data:
            try:
                data = data[os.write(self.outgoing, data) :]
            except BlockingIOError:
                select.select([], [self.outgoing], [])
            except OSError as error:
                if error.errno != errno.EIO:
                    raise
                return  # the terminal is gone, as the next `read` tells

    def _note(self, number: int, _frame: FrameType | None) -> None:
        self._arrived.add(signal.Signals(number))
        self.wake()

    def _end(self, number: int, _frame: FrameType | None) -> None:
        """Gives back here already: on its way out the exception may come upon an end that has begun."""
        if not self._closing:
            self._closing = True
            self._give_back()
            raise SystemExit(128 + number)
