"""Asks one session's socket one question. Talks only to a socket of our own user, and always ends in time."""

import errno
import os
import socket
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import orjson

from tank.edges import paths, peers
from tank.errors import NoAnswerError, UnreachableError
from tank.records.fields import Record

ANSWER_TIMEOUT_S = 8.0
RETRY_S = 1.0
"""How long a refused connection is tried again: a sidecar may be starting anew."""
RETRY_PAUSE_S = 0.05
REPLY_LIMIT_BYTES = 1024 * 1024
CHUNK_BYTES = 64 * 1024
REFUSALS = (errno.ECONNREFUSED, errno.ENOENT, errno.EAGAIN, errno.ECONNRESET)


def request(path: str, record: Record, timeout_s: float = ANSWER_TIMEOUT_S) -> dict[str, object]:
    """The reply as it came: an object whose `ok` is true or false.

    Raises `UnreachableError` when nothing was asked, `NoAnswerError` when the request may have been carried out.
    """
    deadline = time.monotonic() + timeout_s
    with _connected(path, deadline) as connection:
        try:
            connection.sendall(orjson.dumps(record) + b"\n")
        except (BrokenPipeError, ConnectionResetError):
            pass  # a server that had enough may have answered before it closed
        except OSError as error:
            raise NoAnswerError(f"{path}: the request could not be written: {_why(error)}") from error
        return _reply(path, _line(path, connection, deadline))


@contextmanager
def _connected(path: str, deadline: float) -> Iterator[socket.socket]:
    started = time.monotonic()
    while True:
        try:
            connection = _connect(path, deadline)
            break
        except OSError as error:
            again = error.errno in REFUSALS and time.monotonic() < min(started + RETRY_S, deadline)
            if not again:
                raise UnreachableError(
                    f"{path}: the session doesn't answer: {_why(error)}. "
                    "It may be closing, or its Tank stopped: `tank doctor` shows which."
                ) from error
        time.sleep(RETRY_PAUSE_S)
    with connection:
        yield connection


def _connect(path: str, deadline: float) -> socket.socket:
    """Raises `OSError` when the connection fails, `UnreachableError` when the socket isn't ours to use."""
    if "\0" in path:
        raise UnreachableError(f"{path} is no path of a file: nothing was sent.")
    found = os.lstat(path)
    if not stat.S_ISSOCK(found.st_mode):
        raise UnreachableError(f"{path} is not a socket: nothing was sent.")
    if found.st_uid != os.geteuid():
        raise UnreachableError(f"{path} belongs to another user (uid {found.st_uid}): nothing was sent.")
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        connection.settimeout(max(deadline - time.monotonic(), RETRY_PAUSE_S))
        with _address(path) as address:
            connection.connect(address)
        _check_peer(path, connection)
    except BaseException:
        connection.close()
        raise
    return connection


@contextmanager
def _address(path: str) -> Iterator[str]:
    """A path that fits a socket address, valid inside the block: a long one is reached through its open directory."""
    if len(os.fsencode(path)) <= paths.SOCKET_PATH_BYTES:
        yield path
        return
    if not Path("/proc/self/fd").is_dir():
        raise UnreachableError(
            f"{path} is too long for a socket on this system: set XDG_STATE_HOME to a shorter path."
        )
    folder = os.open(Path(path).parent, os.O_PATH | os.O_DIRECTORY)
    try:
        yield f"/proc/self/fd/{folder}/{Path(path).name}"
    finally:
        os.close(folder)


def _check_peer(path: str, connection: socket.socket) -> None:
    """The file was ours a moment ago; where the system tells, so must be the process that listens."""
    credentials = peers.peer(connection)
    if credentials and credentials[0] != os.geteuid():
        raise UnreachableError(f"{path} is served by another user (uid {credentials[0]}): nothing was sent.")


def _line(path: str, connection: socket.socket, deadline: float) -> bytes:
    data = bytearray()
    while b"\n" not in data:
        left = deadline - time.monotonic()
        try:
            if left <= 0:
                raise TimeoutError
            connection.settimeout(left)
            chunk = connection.recv(CHUNK_BYTES)
        except TimeoutError as error:
            raise NoAnswerError(f"{path}: the session took the request and didn't answer in time.") from error
        except OSError as error:
            raise NoAnswerError(
                f"{path}: the connection broke before an answer came: {_why(error)}."
            ) from error
        if not chunk:
            raise NoAnswerError(f"{path}: the session closed the connection without an answer.")
        data += chunk
        if len(data) > REPLY_LIMIT_BYTES:
            raise NoAnswerError(f"{path}: the answer is over {REPLY_LIMIT_BYTES >> 10} KiB.")
    return bytes(data[: data.index(b"\n")])


def _reply(path: str, line: bytes) -> dict[str, object]:
    try:
        reply = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise NoAnswerError(f"{path}: the answer is not JSON: {error}.") from error
    if not isinstance(reply, dict) or not isinstance(reply.get("ok"), bool):
        raise NoAnswerError(f'{path}: the answer is not an object with "ok": another program listens there.')
    return reply


def _why(error: OSError) -> str:
    return (error.strerror or str(error)).lower()
