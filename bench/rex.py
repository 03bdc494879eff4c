"""rex_refresh_ms: read a Rex server of 10 sessions with 10 tabs each, through a `rex` that is a Python script.

The floor, in turn with it: one bare call of that script, which costs far more than a call of a compiled `rex`. So the ratio
is what counts: 11 calls, 4 at once, against one. Milliseconds.
"""

import contextlib
import os
import subprocess
from collections.abc import Iterator, Mapping

from bench.figures import Aim, Figure
from bench.processes import folder
from bench.publish import timed
from tank.edges import rex
from tests.support.fake_rex import FakeRex, session, tiled, window

SESSIONS, TABS = 10, 10
RUNS, WARM_UP = 15, 2


def measure() -> Iterator[Figure]:
    refresh, call = [], []
    with folder() as home:
        fake = FakeRex(home, *map(_session, range(SESSIONS)))
        argv = [str(fake.command), "-S", fake.server, "--autostart=false", "whoami"]
        blocks = [f"block:{number}.{tab}" for number in range(SESSIONS) for tab in range(TABS)]
        with _variables({"REX_BIN_DIR": str(fake.bin)}):
            for _ in range(WARM_UP + RUNS):
                refresh.append(timed(lambda: rex.snapshot(fake.server, blocks)))
                call.append(
                    timed(
                        lambda: subprocess.run(
                            argv, stdin=subprocess.DEVNULL, check=True, capture_output=True
                        )
                    )
                )
    yield Figure("rex_call_ms", tuple(call[WARM_UP:]))
    yield Figure("rex_refresh_ms", tuple(refresh[WARM_UP:]), Aim(11, of_floor=True), ("rex_call_ms",))


def _session(number: int) -> dict[str, object]:
    tabs = (
        window(f"window:{number}.{tab}", f"tab {tab}", tiled(f"block:{number}.{tab}")) for tab in range(TABS)
    )
    return session(f"session:{number}", f"work {number}", *tabs)


@contextlib.contextmanager
def _variables(wanted: Mapping[str, str]) -> Iterator[None]:
    """In this process's own environment."""
    before = dict(os.environ)
    os.environ.update(wanted)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)
