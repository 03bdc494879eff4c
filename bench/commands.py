"""list_command_ms: a whole `tank list` with 10 living sessions, from its start to its end.

Floor (`python_start_ms`), in turn with it: the same interpreter started for nothing. Milliseconds.
"""

import subprocess
from collections.abc import Iterator
from pathlib import Path

from bench.entries import live
from bench.figures import Figure
from bench.processes import environment, folder, python
from bench.publish import timed

RUNS = 21
WARM_UP = 2
SESSIONS = 10


def measure() -> Iterator[Figure]:
    listed, bare = [], []
    with folder() as home, live(home / "state" / "pi" / "live", SESSIONS):
        for _ in range(WARM_UP + RUNS):
            listed.append(timed(lambda: run(home, "-m", "tank", "list", lines=SESSIONS)))
            bare.append(timed(lambda: run(home, "-c", "pass", lines=0)))
    yield Figure("list_command_ms", tuple(listed[WARM_UP:]), None, ("python_start_ms",))
    yield Figure("python_start_ms", tuple(bare[WARM_UP:]))


def run(home: Path, *arguments: str, lines: int) -> None:
    done = subprocess.run(
        python(*arguments), env=environment(home), cwd="/", stdout=subprocess.PIPE, check=True
    )
    assert done.stdout.count(b"\n") == lines  # noqa: S101 - else something else was measured
