"""The way to another session's message socket: only a socket of our own user, served by our own user, is asked."""

import errno
import os
import socket
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tank.edges import paths, peers
from tank.errors import UnreachableError

REFUSED_S = 1.0
"""A living session whose socket refuses is asked again this long: its sidecar may be starting anew."""
RETRY_S = 0.05
REFUSALS = (errno.ECONNREFUSED, errno.ENOENT, errno.EAGAIN, errno.ECONNRESET)


def connect(path: str, timeout_s: float) -> socket.socket:
    """The caller's to close; with `timeout_s` 0 it neither waits nor ever will.

    Raises `OSError` when the connection fails, `UnreachableError` when the socket isn't ours to use.
    """
    _check_file(path)
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        connection.settimeout(timeout_s)
        with _address(path) as address:
            connection.connect(address)
        _check_peer(path, connection)
    except BaseException:
        connection.close()
        raise
    return connection


def is_refusal(error: OSError) -> bool:
    """Whether the connection failed as it does while a sidecar starts anew."""
    return error.errno in REFUSALS


def _check_file(path: str) -> None:
    try:
        found = os.lstat(path)
    except ValueError as error:
        raise UnreachableError(f"{path!r} is no path of a file: nothing was sent") from error
    if not stat.S_ISSOCK(found.st_mode):
        raise UnreachableError(f"{path} is not a socket: nothing was sent")
    if found.st_uid != os.geteuid():
        raise UnreachableError(f"{path} belongs to another user (uid {found.st_uid}): nothing was sent")


@contextmanager
def _address(path: str) -> Iterator[str]:
    """A path that fits a socket address, valid inside the block: a long one is reached through its open directory."""
    if len(os.fsencode(path)) <= paths.SOCKET_PATH_BYTES:
        yield path
        return
    if not Path("/proc/self/fd").is_dir():
        raise UnreachableError(
            f"{path} is too long for a socket on this system: set XDG_STATE_HOME to a shorter path"
        )
    folder = os.open(Path(path).parent, os.O_PATH | os.O_DIRECTORY)
    try:
        yield f"/proc/self/fd/{folder}/{Path(path).name}"
    finally:
        os.close(folder)


def _check_peer(path: str, connection: socket.socket) -> None:
    """The file was ours a moment ago; so must be the process that listens."""
    credentials = peers.peer(connection)
    if credentials is None or credentials[0] != os.geteuid():
        uid = credentials[0] if credentials else "unknown"
        raise UnreachableError(f"{path} is served by another user (uid {uid}): nothing was sent")
