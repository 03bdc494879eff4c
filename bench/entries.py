"""Entries as sidecars publish them, each of a process that lives: what readers list, parse and verify."""

import contextlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.processes import stand_ins
from tank.edges import paths, processes

EXAMPLE = Path(__file__).parents[1] / "schema" / "examples" / "live-entry" / "full.json"


@contextlib.contextmanager
def live(directory: Path, count: int) -> Iterator[list[int]]:
    """So many living sessions in the directory, reported by this process; yields their pids."""
    paths.private_directory(directory)
    example: dict[str, Any] = json.loads(EXAMPLE.read_bytes())
    with stand_ins(count) as pids:
        for pid in pids:
            process = processes.look(pid)
            entry = {
                **example,
                "pid": pid,
                "processStart": process.start if process else None,
                "host": processes.host()._asdict(),
                "sidecarPid": os.getpid(),
                "sessionId": f"01997a3e-5c1d-7b42-9f0e-{pid:012x}",
                "socket": str(directory / f"{pid}.sock"),
                "label": f"fix the flaky login test {pid}",
            }
            (directory / f"{pid}.json").write_text(json.dumps(entry))
        yield pids
