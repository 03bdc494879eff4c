import os
import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tank.edges import socket_client
from tank.errors import NoAnswerError, UnreachableError
from tests.support.stand_in import Answer, Server

Serve = Callable[[Path, Answer], Server]


@pytest.fixture
def serve() -> Iterator[Serve]:
    running: list[Server] = []

    def start(path: Path, answer: Answer) -> Server:
        running.append(Server(path, answer))
        return running[-1]

    yield start
    for server in running:
        server.close()


def test_one_request_gets_the_reply_as_it_came(tmp_path: Path, serve: Serve) -> None:
    server = serve(tmp_path / "s.sock", lambda _: {"ok": True, "data": {"delivered": "started"}})
    reply = socket_client.request(str(tmp_path / "s.sock"), {"type": "send", "message": "hé\n"})
    assert reply == {"ok": True, "data": {"delivered": "started"}}
    assert server.asked == [{"type": "send", "message": "hé\n"}]


def test_a_refusal_is_a_reply_and_no_exception(tmp_path: Path, serve: Serve) -> None:
    serve(tmp_path / "s.sock", lambda _: {"ok": False, "error": "busy"})
    assert socket_client.request(str(tmp_path / "s.sock"), {"type": "ping"}) == {"ok": False, "error": "busy"}


def descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


@pytest.mark.parametrize("folders", [1, 3])
def test_a_path_longer_than_a_socket_address_is_reached(tmp_path: Path, serve: Serve, folders: int) -> None:
    folder = tmp_path.joinpath(*["ünterordner" * 5] * folders)
    folder.mkdir(parents=True)
    serve(folder / "s.sock", lambda _: {"ok": True})
    open_before = descriptors()
    assert socket_client.request(str(folder / "s.sock"), {"type": "ping"}) == {"ok": True}
    assert descriptors() <= open_before + 1, "only the server's own connection stays open"


def test_a_socket_that_comes_back_within_a_second_is_reached(tmp_path: Path, serve: Serve) -> None:
    path = tmp_path / "s.sock"
    dead = socket.socket(socket.AF_UNIX)
    dead.bind(str(path))
    dead.close()

    def revive() -> None:
        time.sleep(0.2)
        path.unlink()
        time.sleep(0.1)
        serve(path, lambda _: {"ok": True})

    thread = threading.Thread(target=revive)
    thread.start()
    try:
        assert socket_client.request(str(path), {"type": "ping"}) == {"ok": True}
    finally:
        thread.join()


def test_a_socket_that_stays_refused_is_given_up_after_a_second(tmp_path: Path) -> None:
    dead = socket.socket(socket.AF_UNIX)
    dead.bind(str(tmp_path / "s.sock"))
    dead.close()
    started = time.monotonic()
    with pytest.raises(UnreachableError, match=r"s\.sock: the session doesn't answer: connection refused"):
        socket_client.request(str(tmp_path / "s.sock"), {"type": "ping"})
    assert 0.9 < time.monotonic() - started < 2


def test_a_missing_socket_says_so(tmp_path: Path) -> None:
    with pytest.raises(UnreachableError, match="no such file or directory"):
        socket_client.request(str(tmp_path / "s.sock"), {"type": "ping"}, 0.1)


def test_a_path_that_no_file_can_have_says_so() -> None:
    with pytest.raises(UnreachableError, match="is no path of a file: nothing was sent"):
        socket_client.request("/run/x\0y", {"type": "ping"})


def test_what_is_no_socket_is_left_alone(tmp_path: Path, serve: Serve) -> None:
    serve(tmp_path / "real.sock", lambda _: {"ok": True})
    (tmp_path / "file.sock").write_text("precious")
    (tmp_path / "link.sock").symlink_to(tmp_path / "real.sock")
    for name in ("file.sock", "link.sock"):
        with pytest.raises(UnreachableError, match="is not a socket: nothing was sent"):
            socket_client.request(str(tmp_path / name), {"type": "ping"})
    assert (tmp_path / "file.sock").read_text() == "precious"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a socket away")
def test_a_socket_of_another_user_is_left_alone(tmp_path: Path, serve: Serve) -> None:
    server = serve(tmp_path / "s.sock", lambda _: {"ok": True})
    os.chown(tmp_path / "s.sock", 65534, 65534)
    with pytest.raises(UnreachableError, match="belongs to another user"):
        socket_client.request(str(tmp_path / "s.sock"), {"type": "ping"})
    assert server.asked == []


def test_silence_ends_in_time_and_is_no_denial(tmp_path: Path, serve: Serve) -> None:
    serve(tmp_path / "s.sock", lambda _: None)
    started = time.monotonic()
    with pytest.raises(NoAnswerError, match="took the request and didn't answer in time"):
        socket_client.request(str(tmp_path / "s.sock"), {"type": "ping"}, 0.3)
    assert time.monotonic() - started < 1


def test_a_server_that_accepts_nobody_ends_in_time(tmp_path: Path) -> None:
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(tmp_path / "s.sock"))
    listener.listen(0)
    waiting = []
    for _ in range(3):
        client = socket.socket(socket.AF_UNIX)
        client.settimeout(0)
        client.connect_ex(str(tmp_path / "s.sock"))
        waiting.append(client)
    started = time.monotonic()
    with pytest.raises(UnreachableError):
        socket_client.request(str(tmp_path / "s.sock"), {"type": "ping"}, 0.3)
    assert time.monotonic() - started < 2
    for each in [*waiting, listener]:
        each.close()


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (b"", "closed the connection without an answer"),
        (b'{"ok": tr', "closed the connection without an answer"),
        (b"hello\n", "the answer is not JSON"),
        (b"[]\n", "not an object with"),
        (b'{"ok": 1}\n', "not an object with"),
        (b"x" * (2 << 20), "the answer is over 64 KiB"),
    ],
)
def test_what_is_no_reply_says_why(tmp_path: Path, serve: Serve, answer: bytes, why: str) -> None:
    serve(tmp_path / "s.sock", lambda _: answer)
    with pytest.raises(NoAnswerError, match=why):
        socket_client.request(str(tmp_path / "s.sock"), {"type": "ping"})
