import os
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tank.edges import session_socket
from tank.edges.dial import Dial
from tank.edges.loop import Loop
from tank.records import reply as replies
from tank.records.fields import Record
from tests.support.descriptors import descriptors
from tests.support.entries import NOBODY
from tests.support.turning import turn

ANSWER, REPLY = b'{"ok":true}', {"ok": True}
Said = tuple[Record | None, str]


class Listener:
    """A socket that a test serves by hand, in the same loop; `heard` is what its one client wrote."""

    def __init__(self, loop: Loop, path: Path, backlog: int = 8) -> None:
        self.loop = loop
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.bind(str(path))
        self.socket.listen(backlog)
        self.client: socket.socket | None = None
        self.heard = bytearray()

    def serve(self, answer: Callable[[socket.socket], object]) -> None:
        """Accept one client, and call `answer` with it once it has written a line."""

        def accept() -> None:
            self.client, _ = self.socket.accept()
            self.client.settimeout(0)
            self.loop.forget(self.socket.fileno())
            self.loop.watch(self.client.fileno(), read)

        def read() -> None:
            assert self.client is not None
            with suppress(BlockingIOError):
                self.heard += self.client.recv(4096)
            if self.heard.endswith(b"\n"):
                self.loop.forget(self.client.fileno())
                answer(self.client)

        self.loop.watch(self.socket.fileno(), accept)

    def close(self) -> None:
        for each in (self.client, self.socket):
            if each is not None:
                each.close()


@pytest.fixture
def loop() -> Loop:
    return Loop()


@pytest.fixture
def listener(loop: Loop, tmp_path: Path) -> Iterator[Listener]:
    made = Listener(loop, tmp_path / "s.sock")
    yield made
    made.close()


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """For tests that don't ask how long a refusal is borne."""
    monkeypatch.setattr(session_socket, "REFUSED_S", 0.1)


def ask(
    loop: Loop, path: Path | str, line: bytes = b"hello\n", timeout_s: float = 5
) -> tuple[Record | None, str, bool]:
    """The reply, why there is none, and whether somebody took the connection."""
    said: list[Said] = []
    made = Dial(loop, str(path), line, timeout_s, lambda reply, why: said.append((reply, why)))
    assert said == [], "never before the loop turns"
    turn(loop, lambda: said)
    turn(loop, lambda: True)
    assert len(said) == 1
    return *said[0], made.connected


def test_one_line_is_written_and_one_is_read(loop: Loop, listener: Listener, tmp_path: Path) -> None:
    listener.serve(lambda client: client.send(ANSWER + b"\nmore"))
    reply, _, connected = ask(loop, tmp_path / "s.sock")
    assert (reply, connected) == (REPLY, True)
    assert listener.heard == b"hello\n"


def test_a_long_request_is_written_as_the_other_reads(loop: Loop, listener: Listener, tmp_path: Path) -> None:
    listener.serve(lambda client: client.send(ANSWER + b"\n"))
    line = b"x" * 1_000_000 + b"\n"
    assert ask(loop, tmp_path / "s.sock", line)[0] == REPLY
    assert listener.heard == line


def test_an_answer_may_come_in_pieces(loop: Loop, listener: Listener, tmp_path: Path) -> None:
    def answer(client: socket.socket) -> None:
        client.send(ANSWER[:3])
        loop.later(0.05, lambda: client.send(ANSWER[3:] + b"\n"))

    listener.serve(answer)
    assert ask(loop, tmp_path / "s.sock")[0] == REPLY


def test_a_refused_socket_is_asked_again_for_a_second(loop: Loop, tmp_path: Path) -> None:
    path = tmp_path / "s.sock"
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(path))
    started = time.monotonic()
    reply, why, connected = ask(loop, path)
    assert (reply, why, connected) == (None, "cannot connect: Connection refused", False)
    assert session_socket.REFUSED_S <= time.monotonic() - started < session_socket.REFUSED_S + 0.5


def test_a_socket_that_appears_within_a_second_is_reached(loop: Loop, tmp_path: Path) -> None:
    path = tmp_path / "s.sock"
    made: list[Listener] = []

    def appear() -> None:
        made.append(Listener(loop, path))
        made[0].serve(lambda client: client.send(ANSWER + b"\n"))

    loop.later(0.5, appear)
    assert ask(loop, path)[0] == REPLY
    made[0].close()


@pytest.mark.usefixtures("impatient")
def test_a_missing_socket_says_so(loop: Loop, tmp_path: Path) -> None:
    assert ask(loop, tmp_path / "s.sock") == (None, "cannot connect: No such file or directory", False)


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("path", ["/" + "x" * 200, "\0abstract", "a\0b", "/\ud800", "/"])
def test_a_path_that_no_session_listens_at_is_no_error_of_ours(loop: Loop, path: str) -> None:
    reply, why, connected = ask(loop, path)
    assert reply is None
    assert not connected
    assert why.startswith("cannot connect: ")


def test_what_is_no_socket_is_left_alone(loop: Loop, listener: Listener, tmp_path: Path) -> None:
    (tmp_path / "link.sock").symlink_to(tmp_path / "s.sock")
    listener.serve(lambda client: client.send(ANSWER + b"\n"))
    why = f"cannot connect: {tmp_path / 'link.sock'} is not a socket: nothing was sent"
    assert ask(loop, tmp_path / "link.sock") == (None, why, False)


def test_a_path_longer_than_a_socket_address_is_reached(loop: Loop, tmp_path: Path) -> None:
    folder = tmp_path / ("x" * 120)
    folder.mkdir()
    near = Listener(loop, tmp_path / "s.sock")
    (tmp_path / "s.sock").rename(folder / "s.sock")
    near.serve(lambda client: client.send(ANSWER + b"\n"))
    before = descriptors()
    assert ask(loop, folder / "s.sock")[0] == REPLY
    assert descriptors() == before + 1, "the listener's own"
    near.close()


def test_silence_ends_in_time(loop: Loop, listener: Listener, tmp_path: Path) -> None:
    listener.serve(lambda _: None)
    started = time.monotonic()
    assert ask(loop, tmp_path / "s.sock", timeout_s=0.2) == (None, "no answer within 0.2 s", True)
    assert 0.2 <= time.monotonic() - started < 1


def test_one_that_reads_nothing_ends_in_time(loop: Loop, listener: Listener, tmp_path: Path) -> None:
    assert ask(loop, tmp_path / "s.sock", b"x" * 1_000_000 + b"\n", 0.2)[1] == "no answer within 0.2 s"


def test_a_server_that_accepts_nobody_ends_in_time(loop: Loop, tmp_path: Path) -> None:
    full = Listener(loop, tmp_path / "s.sock", backlog=0)
    waiting = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    waiting.connect(str(tmp_path / "s.sock"))
    started = time.monotonic()
    reply, why, _ = ask(loop, tmp_path / "s.sock")
    waiting.close()
    full.close()
    assert reply is None
    assert why == "cannot connect: Resource temporarily unavailable"
    assert session_socket.REFUSED_S <= time.monotonic() - started < session_socket.REFUSED_S + 0.5


def test_a_connection_that_closes_without_an_answer_says_so(
    loop: Loop, listener: Listener, tmp_path: Path
) -> None:
    def leave(client: socket.socket) -> None:
        client.send(b"half")
        client.close()

    listener.serve(leave)
    assert ask(loop, tmp_path / "s.sock") == (
        None,
        "the session closed the connection without an answer",
        True,
    )


def test_an_answer_that_is_too_long_is_none(loop: Loop, listener: Listener, tmp_path: Path) -> None:
    listener.serve(lambda client: client.send(b"x" * (replies.LIMIT_BYTES + 1)))
    assert ask(loop, tmp_path / "s.sock") == (None, "the answer is over 64 KiB", True)


def test_one_that_had_enough_of_a_long_request_is_heard_all_the_same(
    loop: Loop, listener: Listener, tmp_path: Path
) -> None:
    def refuse() -> None:
        listener.client, _ = listener.socket.accept()
        listener.client.send(b'{"ok":false,"error":"too long"}\n')
        listener.client.close()

    loop.watch(listener.socket.fileno(), refuse)
    assert ask(loop, tmp_path / "s.sock", b"x" * 1_000_000 + b"\n")[0] == {"ok": False, "error": "too long"}


@pytest.mark.skipif(os.geteuid() != 0, reason="only root becomes another user")
def test_a_socket_that_another_user_serves_is_told_nothing(loop: Loop, tmp_path: Path) -> None:
    path = tmp_path / "s.sock"
    with socket.socket(socket.AF_UNIX) as theirs:
        theirs.bind(str(path))
        os.seteuid(NOBODY)
        try:
            theirs.listen()
        finally:
            os.seteuid(0)
        reply, why, connected = ask(loop, path)
        assert (reply, connected) == (None, False)
        assert why == f"cannot connect: {path} is served by another user (uid {NOBODY}): nothing was sent"
        theirs.settimeout(5)
        connection, _ = theirs.accept()
        with connection:
            assert connection.recv(10) == b""


def test_what_appears_after_the_end_is_not_asked(loop: Loop, tmp_path: Path) -> None:
    path = tmp_path / "s.sock"
    assert ask(loop, path, timeout_s=0.15)[1] == "no answer within 0.15 s"
    late = Listener(loop, path)
    loop.later(3 * session_socket.RETRY_S, loop.stop)
    loop.run()
    late.socket.settimeout(0)
    with pytest.raises(BlockingIOError):
        late.socket.accept()
    late.close()


def test_nothing_is_left_to_wake_for_once_it_has_ended(
    loop: Loop, listener: Listener, tmp_path: Path
) -> None:
    listener.serve(lambda client: client.send(ANSWER + b"\n"))
    ask(loop, tmp_path / "s.sock", timeout_s=0.2)
    turns: list[int] = []

    def idle() -> None:
        turns.append(1)

    loop.idle = idle
    loop.later(0.4, loop.stop)
    loop.run()
    assert len(turns) == 1, "it slept in one go"


@pytest.mark.usefixtures("impatient")
def test_no_way_to_end_leaves_a_descriptor(loop: Loop, listener: Listener, tmp_path: Path) -> None:
    before = descriptors()
    listener.serve(lambda client: client.send(ANSWER + b"\n"))
    for path in (tmp_path / "s.sock", tmp_path / "none", "/" + "x" * 200, tmp_path / "s.sock"):
        ask(loop, path, timeout_s=0.5)
    assert descriptors() == before + 1, "the listener's own"
