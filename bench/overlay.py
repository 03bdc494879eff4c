"""From the key to the board over real Pi, on a pty: its first mark, which Pi's extension draws, and its first whole frame.

The sessions on the board are living stand-ins. `overlay_closed_ms` is from the key that closes it until Pi shows its own
screen again. Skipped where Pi isn't installed (`make setup`). Milliseconds.
"""

import fcntl
import os
import subprocess
import termios
import time
from collections.abc import Iterator

from bench.entries import live
from bench.figures import Aim, Figure, SkippedError
from bench.pi_start import DRAWN, SIZE, until_written
from demo.scripted_model import ScriptedModel
from demo.stage import EXTENSION, PI_BIN, Stage

OPENINGS = 12
SESSIONS = 50
HYPER_T = b"\x1b[116;16u"
MARK, WHOLE = b"Tank", b"? keys"
PAUSE_S = 0.3
"""A key that comes sooner again counts as held."""


def measure() -> Iterator[Figure]:
    if not (PI_BIN / "pi").exists():
        raise SkippedError(f"Pi is not installed in {PI_BIN}: run `make setup`")
    marks, frames, closings = [], [], []
    with ScriptedModel() as model, Stage(model.base_url) as stage, live(stage.live, SESSIONS):
        master, process = _pi(stage)
        try:
            until_written(master, DRAWN)
            time.sleep(1)  # shortcuts are there a moment after the editor
            for _ in range(OPENINGS + 1):
                start = time.perf_counter()
                os.write(master, HYPER_T)
                until_written(master, MARK)
                marks.append((time.perf_counter() - start) * 1000)
                until_written(master, WHOLE)
                frames.append((time.perf_counter() - start) * 1000)
                time.sleep(PAUSE_S)
                start = time.perf_counter()
                os.write(master, HYPER_T)
                until_written(master, DRAWN)
                closings.append((time.perf_counter() - start) * 1000)
                time.sleep(PAUSE_S)
        finally:
            process.kill()
            process.wait()
            os.close(master)
    yield Figure("overlay_mark_ms", tuple(marks[1:]), Aim(50))
    yield Figure("overlay_open_ms", tuple(frames[1:]), Aim(250))
    yield Figure("overlay_closed_ms", tuple(closings[1:]))


def _pi(stage: Stage) -> tuple[int, subprocess.Popen[bytes]]:
    master, slave = os.openpty()
    fcntl.ioctl(master, termios.TIOCSWINSZ, SIZE)
    process = subprocess.Popen(
        ["pi", "-e", str(EXTENSION)],
        stdin=slave,
        stdout=slave,
        stderr=slave,
        cwd=stage.folder / "work",
        env=stage.environment(TERM="xterm-256color"),
        start_new_session=True,
    )
    os.close(slave)
    return master, process
