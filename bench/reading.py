"""read_N_first_ms and read_N_ms: list, parse and verify N entries of processes that live; first and repeated.

First: a new `LiveDirectory`. Repeated: its second scan, which finds every file unchanged and looks at every process
anew. The floor (`read_N_floor_ms`), in turn with them: the bare system calls of the repeated read, which are one
listing, and for each entry one stat of its file and one read of its process. Milliseconds.
"""

import os
import time
from collections.abc import Iterator
from pathlib import Path

from bench.entries import live
from bench.figures import Aim, Figure
from bench.processes import folder
from bench.publish import timed
from tank.edges.live_directory import SETTLED_S, LiveDirectory

RUNS = {10: 100, 100: 40, 1000: 15}
WARM_UP = 2
AIMS = {100: Aim(3), 1000: Aim(15)}


def measure() -> Iterator[Figure]:
    for count in RUNS:
        yield from read(count)


def read(count: int) -> Iterator[Figure]:
    first, repeated, bare = [], [], []
    with folder() as home, live(home / "live", count) as pids:
        time.sleep(SETTLED_S)  # entries younger than this are never remembered
        for _ in range(WARM_UP + RUNS[count]):
            directory = LiveDirectory(home / "live")
            first.append(timed(directory.scan))
            repeated.append(timed(directory.scan))
            bare.append(timed(lambda: system_calls(home / "live", pids)))
        assert len(directory.scan().sessions) == count  # noqa: S101 - else something else was measured
    floor = f"read_{count}_floor_ms"
    yield Figure(f"read_{count}_first_ms", tuple(first[WARM_UP:]), None, (floor,))
    yield Figure(f"read_{count}_ms", tuple(repeated[WARM_UP:]), AIMS.get(count), (floor,))
    yield Figure(floor, tuple(bare[WARM_UP:]))


def system_calls(directory: Path, pids: list[int]) -> None:
    with os.scandir(directory) as listing:
        for file in listing:
            file.stat(follow_symlinks=False)
    for pid in pids:
        descriptor = os.open(f"/proc/{pid}/stat", os.O_RDONLY | os.O_CLOEXEC)
        os.read(descriptor, 4096)
        os.close(descriptor)
