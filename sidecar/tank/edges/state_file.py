"""A JSON object among Tank's own files, shared by all its programs: read whole, changed under a lock, written atomically, 0600."""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import orjson

from tank.edges import paths
from tank.errors import RefusedError

LOCK_S = 2.0
LOOK_S = 0.01


def read(name: str) -> dict[str, object]:
    """Empty when there is none. Raises `RefusedError` when there is one that can't be read: it may be repaired by hand."""
    file = paths.tank_state() / name
    try:
        found = orjson.loads(file.read_bytes())
    except FileNotFoundError:
        return {}
    except orjson.JSONDecodeError as error:
        raise RefusedError(f"{file} is no JSON ({error}): repair it, or delete it") from error
    except OSError as error:
        raise RefusedError(f"{file} can't be read: {error.strerror}") from error
    if not isinstance(found, dict):
        raise RefusedError(f"{file} is no JSON object: repair it, or delete it")
    return found


@contextmanager
def changing(name: str, wait_s: float = LOCK_S) -> Iterator[dict[str, object]]:
    """What is changed inside the block is written at its end. Raises as `read` does, `OSError`, and `RefusedError` when locked too long."""
    folder = paths.tank_state()
    paths.private_directory(folder)
    lock = os.open(folder / f".lock-{name}", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        _wait_for(lock, name, wait_s)
        found = read(name)
        before = orjson.dumps(found)
        yield found
        if orjson.dumps(found) != before:
            _write(name, orjson.dumps(found, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))
    finally:
        os.close(lock)


def _wait_for(lock: int, name: str, wait_s: float) -> None:
    deadline = time.monotonic() + wait_s
    while True:
        with suppress(BlockingIOError):
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        if time.monotonic() > deadline:
            raise RefusedError(f"another program has held {paths.tank_state() / name} for long: try again")
        time.sleep(LOOK_S)


def _write(name: str, data: bytes) -> None:
    """Only who has the lock writes, so what an interrupted writer left is nobody's."""
    file = paths.tank_state() / name
    fresh = file.with_name(f".tmp-{name}")
    fresh.unlink(missing_ok=True)
    try:
        with open(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), "wb") as out:
            out.write(data)
        fresh.rename(file)
    except BaseException:
        fresh.unlink(missing_ok=True)
        raise
