"""Which process, on which machine: the shapes whose equality decides whether an entry lives."""

import hashlib
from typing import NamedTuple


class Host(NamedTuple):
    """Where a pid means something; each part None where it can't be read.

    `machine` outlives a boot, `boot` is one boot, `pidns` one pid namespace of it.
    """

    machine: str | None
    boot: str | None
    pidns: str | None

    def digest(self) -> str:
        """Eight hex digits that tell hosts apart in a file's name."""
        joined = "\0".join(part or "" for part in self)
        return hashlib.sha256(joined.encode()).hexdigest()[:8]


class Process(NamedTuple):
    """A process as the system shows it now."""

    pid: int
    parent: int
    start: str | None
    """`linux:<boot id>:<ticks>` or `macos:<seconds>.<microseconds>`, None where it can't be read; compared as text."""
    state: str
    """One letter, as ps prints it: Z is a zombie, T a stopped process."""
