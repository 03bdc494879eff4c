"""idle_wakeups_per_min and idle_cpu_ms_per_min: what sidecars at rest cost.

Some that have seen a run, each with a client connected to its socket, are left alone for a while. A wakeup is a
voluntary context switch; CPU time is the scheduler's, exact to nanoseconds, where the kernel tells it, else utime and
stime. Both a minute.
"""

import contextlib
import os
import socket
import time
from collections.abc import Iterator
from pathlib import Path

from bench.figures import Aim, Figure
from bench.processes import folder
from bench.session import sessions

SIDECARS = 5
WINDOW_S = 20.0


def measure() -> Iterator[Figure]:
    with folder() as home, sessions(home, SIDECARS) as made, contextlib.ExitStack() as stack:
        for one in made:
            client = stack.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM))
            client.connect(str(one.socket))
            client.sendall(b'{"type":"ping"}\n')
            client.recv(1)
            one.run()
        before = [(wakeups(one.sidecar), cpu_ms(one.sidecar)) for one in made]
        start = time.monotonic()
        time.sleep(WINDOW_S)
        minutes = (time.monotonic() - start) / 60
        after = [(wakeups(one.sidecar), cpu_ms(one.sidecar)) for one in made]
    for place, name in enumerate(("idle_wakeups_per_min", "idle_cpu_ms_per_min")):
        spent = [(b[place] - a[place]) / minutes for a, b in zip(before, after, strict=True)]
        yield Figure(name, tuple(spent), Aim(0))


def wakeups(pid: int) -> float:
    """How often the process has slept so far."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return float(next(line for line in lines if line.startswith("voluntary_ctxt_switches:")).split()[1])


def cpu_ms(pid: int) -> float:
    """CPU time of the process so far, in milliseconds."""
    try:
        return int(Path(f"/proc/{pid}/schedstat").read_text().split()[0]) / 1e6
    except FileNotFoundError:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) * 1000 / os.sysconf("SC_CLK_TCK")
