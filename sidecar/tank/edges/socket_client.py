"""Asks one session's socket one question and waits for the answer, which always comes or ends in time."""

import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager

import orjson

from tank.edges import session_socket
from tank.errors import NoAnswerError, UnreachableError
from tank.records.fields import Record
from tank.records.reply import ReplyReader

ANSWER_TIMEOUT_S = 8.0
CHUNK_BYTES = 64 * 1024


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
        try:
            return _reply(connection, deadline)
        except NoAnswerError as error:
            raise NoAnswerError(f"{path}: {error}.") from error


@contextmanager
def _connected(path: str, deadline: float) -> Iterator[socket.socket]:
    patience = min(time.monotonic() + session_socket.REFUSED_S, deadline)
    while True:
        try:
            left_s = max(deadline - time.monotonic(), session_socket.RETRY_S)
            connection = session_socket.connect(path, left_s)
            break
        except OSError as error:
            if not session_socket.is_refusal(error) or time.monotonic() >= patience:
                raise UnreachableError(
                    f"{path}: the session doesn't answer: {_why(error)}. "
                    "It may be closing, or its Tank stopped: `tank doctor` shows which."
                ) from error
        time.sleep(session_socket.RETRY_S)
    with connection:
        yield connection


def _reply(connection: socket.socket, deadline: float) -> dict[str, object]:
    reader, reply = ReplyReader(), None
    while reply is None:
        left_s = deadline - time.monotonic()
        try:
            if left_s <= 0:
                raise TimeoutError
            connection.settimeout(left_s)
            reply = reader.feed(connection.recv(CHUNK_BYTES))
        except TimeoutError as error:
            raise NoAnswerError("the session took the request and didn't answer in time") from error
        except OSError as error:
            raise NoAnswerError(f"the connection broke before an answer came: {_why(error)}") from error
    return reply


def _why(error: OSError) -> str:
    return (error.strerror or str(error)).lower()
