"""Which title Tank gave each tab last: one file for all sidecars, changed under a lock.

A tab whose label is still that title, or Rex's own, may be titled anew; any other label is the person's.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import orjson

from tank.edges import paths

MOST = 500
"""Tabs that are remembered; the ones titled longest ago go first."""


@contextmanager
def kept() -> Iterator[dict[str, str]]:
    """By server and tab. What is changed inside the block is written at its end. Waits for whoever has it; raises `OSError`."""
    folder = paths.tank_state()
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    file = folder / "titles.json"
    lock = os.open(folder / "titles.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        titles = _read(file)
        before = dict(titles)
        yield titles
        if titles != before:
            _write(file, dict(list(titles.items())[-MOST:]))
    finally:
        os.close(lock)


def _read(file: Path) -> dict[str, str]:
    """Empty when there is none, or none that can be read: then every label that isn't Rex's own counts as the person's."""
    try:
        found = orjson.loads(file.read_bytes())
    except (FileNotFoundError, orjson.JSONDecodeError):
        return {}
    if not isinstance(found, dict):
        return {}
    return {key: title for key, title in found.items() if isinstance(title, str)}


def _write(file: Path, titles: dict[str, str]) -> None:
    fresh = file.with_name(f".tmp-titles-{os.getpid()}")
    with suppress(FileNotFoundError):
        fresh.unlink()
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        os.write(descriptor, orjson.dumps(titles))
    finally:
        os.close(descriptor)
    fresh.rename(file)
