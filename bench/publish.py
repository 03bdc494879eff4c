"""publish_ms: from the write of an event's line into the sidecar's stdin until its new entry is visible.

Runs begin and end in turn, so each event changes the status. Visible: the entry's name leads to another inode, looked
at without a pause. Its floors are measured in turn with it, the order changing: the bare write and rename of an entry's
bytes in this process until the calls return, each over a file that was written long before, since a rename waits for
the disk to have the file it replaces (`publish_floor_ms`); and the same done by a Python process that does nothing else,
woken by the same line through a pipe and seen in the same way (`publish_pipe_floor_ms`). Milliseconds.
"""

import itertools
import os
import time
from collections.abc import Callable, Iterator

from bench.figures import Aim, Figure
from bench.least import replace
from bench.processes import Piped, folder, least, running, sleeps, spin
from bench.session import Session, session

RUNS = 402
WARM_UP = 18
OLD_FILES = 60
FLOORS = ("publish_floor_ms", "publish_pipe_floor_ms")


def measure() -> Iterator[Figure]:
    published, bare, piped = [], [], []
    with folder() as home, session(home) as one:
        for _ in range(WARM_UP):
            one.run()
        data = one.entry.read_bytes()
        old = [str(home / f"{number}.json") for number in range(OLD_FILES)]
        piped_file, source = str(home / "piped.json"), str(home / "source")
        for path in (*old, piped_file, source):
            replace(path, data)
        bare_files = itertools.cycle(old)
        with running(least("publish", piped_file, source)) as process:
            steps: list[Callable[[bytes], None]] = [
                lambda line: published.append(publish(one, line)),
                lambda _: bare.append(timed(lambda: replace(next(bare_files), data))),
                lambda line: piped.append(pipe(process, piped_file, line)),
            ]
            for turn in range(WARM_UP + RUNS):
                line = one.end() if turn % 2 else one.begin()
                for place in range(len(steps)):
                    steps[(turn + place) % len(steps)](line)
    yield Figure("publish_ms", tuple(published[WARM_UP:]), Aim(3, of_floor=True), FLOORS)
    for name, samples in zip(FLOORS, (bare, piped), strict=True):
        yield Figure(name, tuple(samples[WARM_UP:]))


def publish(one: Session, line: bytes) -> float:
    """The sidecar's way from one line to its entry; begins and ends with a sidecar at rest."""
    took = until_replaced(str(one.entry), one.write, line)
    one.order("keep")
    one.rest()
    return took


def pipe(process: Piped, path: str, line: bytes) -> float:
    """The same way through the floor's process, from rest to rest."""
    took = until_replaced(path, lambda line: os.write(process.stdin, line), line)
    spin(lambda: sleeps(process.pid), "the floor's process at rest")
    return took


def timed(act: Callable[[], object]) -> float:
    """Milliseconds that it takes."""
    start = time.perf_counter_ns()
    act()
    return (time.perf_counter_ns() - start) / 1e6


def until_replaced(path: str, write: Callable[[bytes], object], line: bytes) -> float:
    """Milliseconds from the write of the line until the path leads to another file."""
    inode = os.stat(path).st_ino  # noqa: PTH116 - the look itself must cost little
    start = time.perf_counter_ns()
    write(line)
    spin(lambda: os.stat(path).st_ino != inode, f"a new {path}")  # noqa: PTH116
    return (time.perf_counter_ns() - start) / 1e6
