"""Processes that a measurement starts: each is ended by its id when the measurement is over."""

import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

LEAST = Path(__file__).with_name("least.py")
SLEEPING = "S"
PATIENCE_S = 5.0


class Piped(NamedTuple):
    """A process, and this one's ends of its stdin and stdout."""

    pid: int
    stdin: int
    stdout: int


class StuckError(Exception):
    """What was awaited didn't come."""


@contextlib.contextmanager
def folder() -> Iterator[Path]:
    """A private folder, gone afterwards. All files of a measurement and of its floors lie in it: on one file system."""
    made = Path(tempfile.mkdtemp(prefix="tank-bench-")).resolve()
    try:
        yield made
    finally:
        shutil.rmtree(made, ignore_errors=True)


def environment(home: Path) -> dict[str, str]:
    """Nothing of the caller's own Pi, terminal or settings, and no place outside the folder."""
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "LANG": "C.UTF-8",
        "HOME": str(home),
        "XDG_STATE_HOME": str(home / "state"),
        "XDG_CONFIG_HOME": str(home / "config"),
        "XDG_RUNTIME_DIR": str(home / "run"),
    }


@contextlib.contextmanager
def running(argv: Sequence[str], variables: Mapping[str, str] | None = None) -> Iterator[Piped]:
    """A process that is killed afterwards, however it ends."""
    with subprocess.Popen(
        argv,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd="/",
        env=variables,
        start_new_session=True,
        bufsize=0,
    ) as process:
        try:
            assert process.stdin and process.stdout  # noqa: S101, PT018 - pipes, as asked
            yield Piped(process.pid, process.stdin.fileno(), process.stdout.fileno())
        finally:
            process.kill()


@contextlib.contextmanager
def stand_ins(count: int) -> Iterator[list[int]]:
    """So many processes that sleep, as Pi processes that entries can name."""
    started: list[int] = []
    program = shutil.which("sleep") or "/bin/sleep"
    try:
        started.extend(os.posix_spawn(program, ["sleep", "600"], {}) for _ in range(count))
        yield started
    finally:
        for pid in started:
            os.kill(pid, 9)
        for pid in started:
            os.waitpid(pid, 0)


def python(*arguments: str) -> list[str]:
    """This interpreter as Tank is started: nothing of the environment or the folder changes what it imports."""
    return [sys.executable, "-I", *arguments]


def least(*arguments: str) -> list[str]:
    return python(str(LEAST), *arguments)


def spin(look: Callable[[], bool], what: str) -> None:
    """Look again and again without a pause, as nothing else sees a change within microseconds. Raises `StuckError`."""
    end = time.monotonic() + PATIENCE_S
    while not look():
        if time.monotonic() > end:
            raise StuckError(f"not within {PATIENCE_S:g} s: {what}")


def sleeps(pid: int) -> bool:
    """Whether the process waits for something, as one at rest does."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == SLEEPING


def pss_mb(pid: int) -> float:
    """The memory that is a process's own with its share of what it shares, in 2^20 bytes."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024
