"""pi_start_ms and pi_start_alone_ms: from the start of real Pi until its editor is drawn, with the extension and without.

In turn, each on a pty of its own, with the scripted model and no network; drawn is when the footer below the editor has
named the model. A start before compiles what Pi keeps compiled. `pi_start_empty_ms` has an extension that does nothing:
what loading any costs. Skipped where Pi isn't installed (`make setup`). Milliseconds.
"""

import fcntl
import os
import select
import struct
import subprocess
import termios
import time
from collections.abc import Iterator, Sequence

from bench.figures import Aim, Figure, SkippedError
from bench.processes import StuckError
from bench.session import CHUNK_BYTES
from demo import agent_dir
from demo.scripted_model import ScriptedModel
from demo.stage import EXTENSION, PI_BIN, START_S, Stage
from demo.waiting import eventually

RUNS = 11
WARM_UP = 1
FLOORS = ("pi_start_alone_ms", "pi_start_empty_ms")
DRAWN = agent_dir.MODEL.encode()
SIZE = struct.pack("HHHH", 35, 120, 0, 0)


def measure() -> Iterator[Figure]:
    if not (PI_BIN / "pi").exists():
        raise SkippedError(f"Pi is not installed in {PI_BIN}: run `make setup`")
    with_tank, alone, with_empty = [], [], []
    with ScriptedModel() as model, Stage(model.base_url) as stage:
        empty = stage.folder / "empty.ts"
        empty.write_text("export default function () {}\n")
        for _ in range(WARM_UP + RUNS):
            with_tank.append(start(stage, ["pi", "-e", str(EXTENSION)]))
            alone.append(start(stage, ["pi"]))
            with_empty.append(start(stage, ["pi", "-e", str(empty)]))
    yield Figure("pi_start_ms", tuple(with_tank[WARM_UP:]), Aim(1.02, of_floor=True), FLOORS)
    for name, samples in zip(FLOORS, (alone, with_empty), strict=True):
        yield Figure(name, tuple(samples[WARM_UP:]))


def start(stage: Stage, command: Sequence[str]) -> float:
    """Milliseconds until the editor is drawn; Pi has ended when it returns, and so has its sidecar."""
    master, slave = os.openpty()
    fcntl.ioctl(master, termios.TIOCSWINSZ, SIZE)
    begun = time.perf_counter_ns()
    process = subprocess.Popen(
        command,
        stdin=slave,
        stdout=slave,
        stderr=slave,
        cwd=stage.folder / "work",
        env=stage.environment(TERM="xterm-256color"),
        start_new_session=True,
    )
    os.close(slave)
    try:
        until_written(master, DRAWN)
        return (time.perf_counter_ns() - begun) / 1e6
    finally:
        process.kill()
        process.wait()
        os.close(master)
        eventually(lambda: not stage.processes(), message="every process of this start gone")


def until_written(descriptor: int, wanted: bytes) -> None:
    """Until the terminal was sent these bytes. Raises `StuckError`."""
    end, written = time.monotonic() + START_S, b""
    while wanted not in written:
        ready, _, _ = select.select([descriptor], [], [], max(end - time.monotonic(), 0))
        if not ready:
            raise StuckError(f"Pi did not write {wanted!r} within {START_S} s, but {written[-2000:]!r}")
        written += os.read(descriptor, CHUNK_BYTES)
