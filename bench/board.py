"""What an open board costs: to open it, a key, a change elsewhere, and at rest. A real `tank` on a pty, milliseconds.

A frame is whole when its end was written (DECSET 2026 reset). The sessions are living stand-ins with entries; the one that
changes is a real sidecar. At rest with 50 sessions: CPU of the board, and how often it started git, tmux or rex.
"""

import contextlib
import fcntl
import os
import select
import statistics
import struct
import subprocess
import termios
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from bench.entries import live
from bench.figures import Aim, Figure
from bench.idle import cpu_ms
from bench.processes import PATIENCE_S, StuckError, environment, folder, pss_mb, python
from bench.session import CHUNK_BYTES, Session, sessions

SIZE = (50, 200)
MARK, FRAME = b"\x1b[?1049h", b"\x1b[?2026l"
OPENINGS, KEYS, CHANGES, MANY_CHANGES = 15, 60, 60, 3000
REST_S = 20.0
PHASE_S = 0.0137
"""So that changes come at all moments between two looks of the board."""
PROGRAMS = ("git", "tmux", "rex")


class Board:
    """`tank` on a pty, and when it has written what."""

    def __init__(self, variables: Mapping[str, str]) -> None:
        self._master, slave = os.openpty()
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("HHHH", *SIZE, 0, 0))
        self.started = time.perf_counter()
        self.process = subprocess.Popen(
            python("-m", "tank"),
            stdin=slave,
            stdout=slave,
            stderr=slave,
            cwd="/",
            env={**variables, "TERM": "xterm-256color"},
            start_new_session=True,
        )
        os.close(slave)

    def until(self, wanted: bytes, done: Callable[[], None] | None = None) -> float:
        """Milliseconds until it has written this, since now or since what `done` does; what comes with it is taken too."""
        start, written = time.perf_counter(), b""
        if done:
            done()
        while wanted not in written:
            left = start + PATIENCE_S - time.perf_counter()
            if left <= 0 or not select.select([self._master], [], [], left)[0]:
                raise StuckError(f"the board did not write {wanted!r}, but {written[-400:]!r}")
            written += os.read(self._master, CHUNK_BYTES)
        return (time.perf_counter() - start) * 1000

    def key(self, key: bytes) -> float:
        """Milliseconds from a key to the frame that it made."""
        return self.until(FRAME, lambda: _write(self._master, key))

    def drain(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            if select.select([self._master], [], [], left)[0]:
                os.read(self._master, CHUNK_BYTES)

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self._master)


def _write(descriptor: int, data: bytes) -> None:
    os.write(descriptor, data)


@contextlib.contextmanager
def board(variables: Mapping[str, str]) -> Iterator[Board]:
    one = Board(variables)
    try:
        yield one
    finally:
        one.close()


def measure() -> Iterator[Figure]:
    with folder() as home:
        yield from _opening(home)
    for count in (60, 300):
        with folder() as home, live(_live(home), count):
            yield _keys(home, count)
    with folder() as home:
        yield from _changing(home)
    with folder() as home:
        yield from _resting(home)


def _live(home: Path) -> Path:
    return home / "state" / "pi" / "live"


def _opening(home: Path) -> Iterator[Figure]:
    marks, frames = [], []
    with live(_live(home), 50):
        for _ in range(OPENINGS + 1):
            with board(environment(home)) as one:
                marks.append(one.until(MARK))
                one.until(FRAME)
                frames.append((time.perf_counter() - one.started) * 1000)
    yield Figure("board_mark_ms", tuple(marks[1:]))
    yield Figure("board_open_ms", tuple(frames[1:]), Aim(250))


def _keys(home: Path, count: int) -> Figure:
    with board(environment(home)) as one:
        one.until(FRAME)
        one.drain(1)
        spent = tuple(one.key(b"k" if at % 8 == 7 else b"j") for at in range(KEYS))
    return Figure(f"board_key_{count}_ms", spent, Aim(15))


def _changing(home: Path) -> Iterator[Figure]:
    """A run begins or ends in one of five sessions; the frame that shows it has the status in words."""
    with sessions(home, 5) as made, board(environment(home)) as one:
        one.until(FRAME)
        one.drain(1)
        spent = []
        for at in range(CHANGES):
            changing = made[at % len(made)]
            spent.append(one.until(b"working", lambda: changing.write(changing.begin())))  # noqa: B023
            one.drain(0.3)
            changing.write(changing.end())
            one.drain(0.3 + at * PHASE_S % 0.1)
        before = pss_mb(one.process.pid)
        _change_often(made, one)
        after = pss_mb(one.process.pid)
    yield Figure("change_to_board_ms", tuple(spent))
    yield Figure("change_to_board_p95_ms", (statistics.quantiles(spent, n=20)[-1],), Aim(100))
    yield Figure(f"board_grown_mb_by_{MANY_CHANGES}", (after - before,))


def _change_often(made: list[Session], one: Board) -> None:
    for at in range(MANY_CHANGES // 2):
        changing = made[at % len(made)]
        changing.write(changing.begin())
        one.drain(0.002)
        changing.write(changing.end())
        one.drain(0.002)
    one.drain(1)


def _resting(home: Path) -> Iterator[Figure]:
    counter, bin_ = home / "started", home / "bin"
    bin_.mkdir()
    for program in PROGRAMS:
        fake = bin_ / program
        fake.write_text(f"#!/bin/sh\necho {program} >> {counter}\nexit 1\n")
        fake.chmod(0o755)
    variables = environment(home)
    variables["PATH"] = f"{bin_}:{variables['PATH']}"
    with live(_live(home), 50), board(variables) as one:
        one.until(FRAME)
        one.drain(3)
        counter.write_text("")
        before, start = cpu_ms(one.process.pid), time.monotonic()
        one.drain(REST_S)
        seconds = time.monotonic() - start
        spent, begun = cpu_ms(one.process.pid) - before, len(counter.read_text().splitlines())
        yield Figure("board_idle_cpu_pct", (spent / seconds / 10,), Aim(0.5))
        yield Figure("board_processes_per_min", (begun * 60 / seconds,), Aim(0))
        yield Figure("board_pss_mb", (pss_mb(one.process.pid),))
