"""Entries made by hand: the JSON that a program writes, and functions run as another user."""

import os
import pickle
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import orjson

from tank.edges import processes

Value = TypeVar("Value")
NOBODY = 65534


def here() -> dict[str, Any]:
    return processes.host()._asdict()


def record(pid: int, **fields: Any) -> dict[str, Any]:
    """A whole entry of this host; a field given as `...` is left out."""
    process = processes.look(pid)
    whole: dict[str, Any] = {
        "v": 1,
        "tank": "0.1.0",
        "protocol": 1,
        "pid": pid,
        "processStart": process.start if process else None,
        "host": here(),
        "sidecarPid": os.getpid(),
        "socket": None,
        "sessionId": f"0199aaaa-{pid:04d}-7000-8000-000000000000",
        "cwd": "/home/you/app",
        "status": "idle",
        "startedAt": "2026-07-01T10:00:00Z",
    }
    return {name: value for name, value in (whole | fields).items() if value is not ...}


def write(folder: Path, name: str, entry: dict[str, Any] | bytes) -> Path:
    """As another program might: not atomically."""
    folder.mkdir(mode=0o700, exist_ok=True)
    path = folder / name
    path.write_bytes(entry if isinstance(entry, bytes) else orjson.dumps(entry))
    return path


def as_ordinary_user(ask: Callable[[], Value]) -> Value:
    """What `ask` returns in a child process that is not root."""
    reading, writing = os.pipe()
    with warnings.catch_warnings():
        # The child calls nothing that a thread of the parent could have locked.
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        try:
            os.close(reading)
            if os.geteuid() == 0:
                os.setgroups([])
                os.setgid(NOBODY)
                os.setuid(NOBODY)
            os.write(writing, pickle.dumps(ask()))
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as answer:
        data = answer.read()
    os.waitpid(child, 0)
    return pickle.loads(data)  # type: ignore[no-any-return] # noqa: S301 - our own child wrote it
