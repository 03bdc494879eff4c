"""`python -m bench [NAME…]`: measures all or the named things, prints one table and writes `bench/latest.json`.

Whether an aim is met doesn't change the exit code: figures depend on the machine and on what else it does. It is 1 when
something couldn't be measured that should have been.
"""

import json
import os
import platform
import signal
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import click

from bench import (
    agent,
    board,
    commands,
    idle,
    jumping,
    memory,
    overlay,
    peeking,
    pi_start,
    publish,
    reading,
    rex,
    sending,
)
from bench.figures import Figure, SkippedError, named, table
from bench.processes import StuckError
from tank.version import __version__

PARTS: dict[str, Callable[[], Iterator[Figure]]] = {
    "publish": publish.measure,
    "idle": idle.measure,
    "memory": memory.measure,
    "reading": reading.measure,
    "sending": sending.measure,
    "peeking": peeking.measure,
    "agent": agent.measure,
    "commands": commands.measure,
    "board": board.measure,
    "overlay": overlay.measure,
    "jumping": jumping.measure,
    "rex": rex.measure,
    "pi_start": pi_start.measure,
}
LATEST = Path(__file__).with_name("latest.json")


def machine() -> dict[str, object]:
    """What the figures depend on. The load at the start says whether the machine was at rest."""
    return {
        "tank": __version__,
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.release()}",
        "cores": os.cpu_count(),
        "load": round(os.getloadavg()[0], 2),
    }


@click.command()
@click.argument("names", nargs=-1, metavar="[NAME]...", type=click.Choice(tuple(PARTS)))
def main(names: tuple[str, ...]) -> None:
    """Measure Tank: publish, idle, memory, reading, sending, peeking, agent, commands, board, overlay, jumping, rex, pi_start; all of them without a NAME."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # what was started is ended then too
    figures: list[Figure] = []
    skipped: dict[str, str] = {}
    failed: dict[str, str] = {}
    here, started = machine(), datetime.now(UTC)
    for name in names or PARTS:
        print(f"{name} …", file=sys.stderr, flush=True)
        try:
            figures += PARTS[name]()
        except SkippedError as error:
            skipped[name] = str(error)
        except StuckError as error:
            failed[name] = str(error)
    for line in table(figures):
        print(line)
    for name, why in skipped.items():
        print(f"{name} was skipped: {why}")
    for name, why in failed.items():
        print(f"{name} failed: {why}")
    known = named(figures)
    latest = {
        "at": started.isoformat(timespec="seconds"),
        "machine": here,
        "figures": [figure.record(known) for figure in figures],
        "skipped": skipped,
        "failed": failed,
    }
    LATEST.write_text(json.dumps(latest, indent=1, ensure_ascii=False) + "\n")
    sys.exit(bool(failed))


main()
