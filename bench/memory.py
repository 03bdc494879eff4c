"""sidecar_pss_mb: mean PSS of 20 sidecars at rest, each with a Pi process of its own, after a run. In 2^20 bytes.

This process runs the same Python and so takes a share of its pages as one more sidecar would. Floors, afterwards and
measured alike: 20 bare Pythons (`python_pss_mb`), and 20 with nothing but the modules that a sidecar can't do without
(`imports_pss_mb`).
"""

import contextlib
import os
from collections.abc import Iterator

from bench.figures import Aim, Figure
from bench.processes import folder, pss_mb, python, running
from bench.session import sessions

COUNT = 20
READY = b"r"
FLOORS = {"imports_pss_mb": "import orjson, os, selectors, sys", "python_pss_mb": "import os, sys"}


def measure() -> Iterator[Figure]:
    with folder() as home, sessions(home, COUNT) as made:
        for one in made:
            one.run()
        yield Figure(
            "sidecar_pss_mb",
            tuple(pss_mb(one.sidecar) for one in made),
            Aim(12),
            tuple(FLOORS),
            is_mean=True,
        )
    for name, imports in FLOORS.items():
        yield Figure(name, tuple(of_pythons(imports)), is_mean=True)


def of_pythons(imports: str) -> list[float]:
    """PSS of as many Python processes that have imported these modules and wait."""
    code = f"{imports}; os.write(1, {READY!r}); sys.stdin.read()"
    with contextlib.ExitStack() as stack:
        started = [stack.enter_context(running(python("-c", code))) for _ in range(COUNT)]
        for process in started:
            os.read(process.stdout, len(READY))
        return [pss_mb(process.pid) for process in started]
