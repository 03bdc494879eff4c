"""What an open board costs: to open it, a key, a change elsewhere, many changes, and at rest. A real `tank` on a pty, milliseconds.

A frame is whole when its end was written (DECSET 2026 reset). The sessions are living stand-ins with entries; the one that
changes is a real sidecar. Busy: 300 sessions of which 20 change five times a second. At rest with 50 sessions: CPU of the
board, and how often it started git, tmux or rex.
"""

import contextlib
import fcntl
import json
import os
import select
import statistics
import struct
import subprocess
import termios
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path

from bench.entries import live
from bench.figures import Aim, Figure
from bench.idle import cpu_ms
from bench.processes import PATIENCE_S, StuckError, environment, folder, pss_mb, python
from bench.session import CHUNK_BYTES, Session, sessions

SIZE = (50, 200)
MARK, FRAME = b"\x1b[?1049h", b"\x1b[?2026l"
OPENINGS, KEYS, CHANGES, MANY_CHANGES = 15, 60, 60, 3000
REST_S = BUSY_S = 20.0
BUSY_KEYS, BUSY_CHANGING, BUSY_PAUSE_S = 40, 20, 0.01
PHASE_S = 0.0137
"""So that changes come at all moments between two looks of the board."""
PROGRAMS = ("git", "tmux", "rex")


class Board:
    """`tank` on a pty, and when it has written what."""

    def __init__(self, variables: Mapping[str, str]) -> None:
        self.master, slave = os.openpty()
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", *SIZE, 0, 0))
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
            if left <= 0 or not select.select([self.master], [], [], left)[0]:
                raise StuckError(f"the board did not write {wanted!r}, but {written[-400:]!r}")
            written += os.read(self.master, CHUNK_BYTES)
        return (time.perf_counter() - start) * 1000

    def key(self, key: bytes) -> float:
        """Milliseconds from a key to the frame that it made."""
        return self.until(FRAME, lambda: _write(self.master, key))

    def drain(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            if select.select([self.master], [], [], left)[0]:
                os.read(self.master, CHUNK_BYTES)

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self.master)


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
    with folder() as home, live(_live(home), 300) as pids:
        yield from _busy(home, pids[:BUSY_CHANGING])
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


def _busy(home: Path, pids: list[int]) -> Iterator[Figure]:
    """A key that opens or closes the help changes the whole screen: its frame is told from those that changes make."""
    with _changed_often(_live(home), pids), board(environment(home)) as one:
        one.until(FRAME)
        one.drain(2)
        before, start = cpu_ms(one.process.pid), time.monotonic()
        one.drain(BUSY_S)
        spent = (cpu_ms(one.process.pid) - before) / (time.monotonic() - start) / 10
        keys = []
        for at in range(BUSY_KEYS):
            key, shown = (b"\x1b[27u", b"next that waits") if at % 2 else (b"?", b"every key")
            keys.append(one.until(shown, lambda: _write(one.master, key)))  # noqa: B023
            one.drain(0.2 + at * PHASE_S % 0.1)
    yield Figure("board_busy_cpu_pct", (spent,))
    yield Figure("board_key_busy_ms", tuple(keys), Aim(100))


@contextlib.contextmanager
def _changed_often(directory: Path, pids: list[int]) -> Iterator[None]:
    """These sessions begin or end a run, one after the other, as their sidecars would publish it."""
    files = [directory / f"{pid}.json" for pid in pids]
    entries = [json.loads(file.read_bytes()) for file in files]
    stop = threading.Event()

    def change() -> None:
        number = 0
        while not stop.wait(BUSY_PAUSE_S):
            turn, at = divmod(number, len(files))
            entries[at]["status"] = "idle" if turn % 2 else "working"
            entries[at]["statusSince"] = datetime.now(UTC).isoformat()
            fresh = files[at].with_name(f".tmp-{files[at].stem}")
            fresh.write_text(json.dumps(entries[at]))
            fresh.rename(files[at])
            number += 1

    thread = threading.Thread(target=change)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


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
