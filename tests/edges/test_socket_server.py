import json
import os
import resource
import socket
import stat
import struct
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import pytest

from tank.edges import socket_server
from tank.edges.loop import Loop
from tank.edges.socket_server import Server
from tank.records.limits import REQUEST_LIMIT_BYTES
from tests.support.descriptors import descriptors
from tests.support.entries import NOBODY
from tests.support.turning import turn

MEBIBYTE = 1024 * 1024
Peer = tuple[int, int]


def echo(line: bytes | None) -> bytes:
    return b"too long" if line is None else b"echo " + line


@contextmanager
def few_descriptors(count: int) -> Iterator[None]:
    """No more than this many may be open meanwhile."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (count, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


class Desk:
    """A server in a loop of its own; requests are answered by `answer`, or kept in `asked` while that is None."""

    def __init__(self, path: Path) -> None:
        self.loop = Loop()
        self.asked: list[tuple[int, bytes | None, Peer]] = []
        self.answer: Callable[[bytes | None], bytes] | None = echo
        self.server = Server(self.loop, self._hear)
        self.server.listen(path)
        self.path = path
        self.clients: list[socket.socket] = []

    def _hear(self, token: int, line: bytes | None, peer: Peer) -> None:
        self.asked.append((token, line, peer))
        if self.answer is not None:
            self.server.reply(token, self.answer(line))

    def client(self) -> socket.socket:
        made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        made.settimeout(0)
        made.connect(str(self.path))
        self.clients.append(made)
        return made

    def turn(self, done: Callable[[], object]) -> None:
        turn(self.loop, done)

    def open(self) -> int:
        """Connections that the server holds."""
        return len(self.server._clients)

    def pour(self, client: socket.socket, data: bytes) -> None:
        """Send all of it as the server reads, or until it ends the connection."""
        rest = memoryview(data)

        def send() -> bool:
            nonlocal rest
            try:
                while rest:
                    rest = rest[client.send(rest) :]
            except BlockingIOError:
                return False
            except (BrokenPipeError, ConnectionResetError):
                return True
            return True

        self.turn(send)

    def lines(self, client: socket.socket, count: int) -> list[bytes]:
        """The next replies; fewer when the server closes the connection first."""
        got = bytearray()
        ended = False

        def look() -> bool:
            nonlocal ended
            try:
                while not ended and got.count(b"\n") < count:
                    chunk = client.recv(65536)
                    got.extend(chunk)
                    ended = not chunk
            except BlockingIOError:
                return False
            except ConnectionResetError:
                ended = True
            return True

        self.turn(look)
        return bytes(got).split(b"\n")[:-1]

    def ask(self, client: socket.socket, *requests: bytes) -> list[bytes]:
        self.pour(client, b"".join(request + b"\n" for request in requests))
        return self.lines(client, len(requests))

    def closed(self, client: socket.socket) -> bool:
        """Whether the server ended this connection; what it said before is thrown away."""
        try:
            return client.recv(65536) == b""
        except BlockingIOError:
            return False
        except ConnectionResetError:
            return True


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    made = Desk(tmp_path / "s.sock")
    yield made
    for client in made.clients:
        client.close()
    made.turn(lambda: not made.open())
    made.server.unlisten()


def test_each_request_gets_one_reply_in_order_and_many_may_come_at_once(desk: Desk) -> None:
    client = desk.client()
    assert desk.ask(client, b"one") == [b"echo one"]
    assert desk.ask(client, b"two", b"", b"three\r") == [b"echo two", b"echo ", b"echo three\r"]


def test_a_request_may_come_in_pieces(desk: Desk) -> None:
    client = desk.client()
    for piece in (b"o", b"n", b"e"):
        client.send(piece)
        desk.turn(lambda: True)
    assert not desk.asked
    client.send(b"\n")
    assert desk.lines(client, 1) == [b"echo one"]


def test_the_peer_is_told_with_the_request(desk: Desk) -> None:
    desk.ask(desk.client(), b"who")
    assert desk.asked[0][2] == (os.getuid(), os.getpid())


def test_the_next_request_waits_for_the_reply_to_the_one_before(desk: Desk) -> None:
    desk.answer = None
    client, other = desk.client(), desk.client()
    client.sendall(b"one\ntwo\n")
    desk.turn(lambda: desk.asked)
    other.sendall(b"other\n")
    desk.turn(lambda: len(desk.asked) == 2)
    assert [line for _, line, _ in desk.asked] == [b"one", b"other"]
    desk.server.reply(desk.asked[0][0], b"first")
    desk.turn(lambda: len(desk.asked) == 3)
    desk.server.reply(desk.asked[2][0], b"second")
    assert desk.lines(client, 2) == [b"first", b"second"]
    desk.server.reply(desk.asked[1][0], b"theirs")


def test_a_second_reply_to_one_request_is_dropped(desk: Desk) -> None:
    desk.answer = None
    client = desk.client()
    client.sendall(b"one\n")
    desk.turn(lambda: desk.asked)
    for said in (b"first", b"second"):
        desk.server.reply(desk.asked[0][0], said)
    client.shutdown(socket.SHUT_WR)
    assert desk.lines(client, 9) == [b"first"]


def test_one_client_with_many_requests_lets_another_in_between(desk: Desk) -> None:
    flood, other = desk.client(), desk.client()
    flood.send(b"flood\n" * 5000)
    other.send(b"other\n")
    desk.turn(lambda: any(line == b"other" for _, line, _ in desk.asked))
    assert [line for _, line, _ in desk.asked].index(b"other") < 5


def test_a_client_that_says_no_more_still_gets_every_reply(desk: Desk) -> None:
    desk.answer = None
    client = desk.client()
    client.sendall(b"one\ntwo\nhalf")
    client.shutdown(socket.SHUT_WR)
    for said in (b"first", b"second"):
        desk.turn(lambda: desk.asked)
        desk.server.reply(desk.asked.pop()[0], said)
    assert desk.lines(client, 9) == [b"first", b"second"]
    assert desk.open() == 0


def test_a_client_that_leaves_before_its_reply_disturbs_nobody(desk: Desk) -> None:
    desk.answer = None
    for linger in (False, True):
        client = desk.client()
        client.sendall(b"one\ntwo\n")
        desk.turn(lambda: desk.asked)
        if linger:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        client.close()
        desk.server.reply(desk.asked.pop()[0], b"first")
        desk.turn(lambda: not desk.open())
    desk.answer = echo
    assert desk.ask(desk.client(), b"x") == [b"echo x"]


def test_replies_that_are_not_read_stop_the_reading_of_requests_and_lose_nothing(desk: Desk) -> None:
    desk.answer = lambda line: (line or b"") + b"y" * 50_000
    client = desk.client()
    wanted = [f"{number:04}".encode() for number in range(100)]
    desk.pour(client, b"".join(word + b"\n" for word in wanted))
    desk.turn(lambda: desk.asked)
    for _ in range(10):
        desk.turn(lambda: True)
    assert len(desk.asked) < 50, "the rest waits in the system's buffer, or as unread requests"
    assert [line[:4] for line in desk.lines(client, 100)] == wanted


def test_a_request_of_exactly_the_limit_is_handed_on_and_a_longer_one_is_told_as_none(desk: Desk) -> None:
    client = desk.client()
    limit = REQUEST_LIMIT_BYTES
    for size in (limit, limit + 1):
        desk.ask(client, b"x" * size)
        line = desk.asked.pop()[1]
        assert (line is None) is (size > limit)
    assert desk.ask(client, b"next") == [b"echo next"]


def test_a_request_without_end_is_answered_once_and_cut_off_later(desk: Desk) -> None:
    client, other = desk.client(), desk.client()
    desk.turn(lambda: desk.open() == 2)
    desk.pour(client, b"x" * (2 * socket_server.SKIP_LIMIT_BYTES))
    assert desk.open() == 1
    assert [line for _, line, _ in desk.asked] == [None]
    assert desk.lines(client, 9) == [b"too long"]
    assert desk.ask(other, b"x") == [b"echo x"]


def test_unfinished_requests_of_many_clients_are_bounded_together(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(socket_server, "HELD_LIMIT_BYTES", MEBIBYTE)
    clients = [desk.client() for _ in range(20)]
    for client in clients:
        client.send(b"x" * 60_000)
        desk.turn(lambda: True)
    assert desk.open() == 20, "short ones are let be"
    for client in clients:
        with suppress(BlockingIOError, BrokenPipeError):
            client.send(b"x" * 120_000)
        desk.turn(lambda: True)
        desk.turn(lambda: True)
        held = sum(each.lines.held for each in desk.server._clients.values())
        assert held <= MEBIBYTE + 20 * 65536
    assert desk.open() < 20


def test_over_its_room_the_oldest_connection_that_waits_for_nothing_is_closed(desk: Desk) -> None:
    desk.server._room = 3
    desk.answer = None
    waiting, silent, second = desk.client(), desk.client(), desk.client()
    waiting.sendall(b"one\n")
    desk.turn(lambda: desk.asked and desk.open() == 3)
    third = desk.client()
    desk.turn(lambda: desk.closed(silent))
    for client in (second, third):
        client.sendall(b"two\n")
    desk.turn(lambda: len(desk.asked) == 3)
    refused = desk.client()
    desk.turn(lambda: desk.closed(refused))
    assert desk.open() == 3
    for token, line, _ in desk.asked:
        desk.server.reply(token, line or b"")
    assert desk.lines(waiting, 1) == [b"one"]


def test_half_of_the_descriptors_are_left_for_everything_else() -> None:
    assert Server(Loop(), lambda *_: None)._room <= socket_server.CLIENTS
    with few_descriptors(64):
        assert Server(Loop(), lambda *_: None)._room == 32


def test_a_burst_of_connections_is_answered_each(desk: Desk) -> None:
    clients = []
    for number in range(300):
        client = desk.client()
        client.send(b"%d\n" % number)
        clients.append(client)
        if number % 100 == 99:
            desk.turn(lambda: len(desk.asked) == len(clients))
    assert [desk.lines(client, 1) for client in clients] == [[b"echo %d" % number] for number in range(300)]


@pytest.mark.parametrize("mask", [0, 0o022, 0o077])
def test_the_socket_is_its_user_s_alone_whatever_the_mask(mask: int, tmp_path: Path) -> None:
    server = Server(Loop(), lambda *_: None)
    before = os.umask(mask)
    try:
        server.listen(tmp_path / "s.sock")
        assert stat.S_IMODE((tmp_path / "s.sock").lstat().st_mode) == 0o600
    finally:
        assert os.umask(before) == mask, "the mask is put back"
    server.unlisten()


def test_what_stands_at_the_path_is_not_touched(tmp_path: Path) -> None:
    server = Server(Loop(), lambda *_: None)
    file, link, target = tmp_path / "file", tmp_path / "link", tmp_path / "target"
    file.write_text("precious")
    link.symlink_to(target)
    before = descriptors()
    for path in (file, link, tmp_path / "no" / "folder"):
        with pytest.raises(OSError, match=r"Address already in use|No such file"):
            server.listen(path)
        assert server.path is None
        assert not server.stands()
    assert file.read_text() == "precious"
    assert not target.exists()
    assert descriptors() == before


def test_a_path_that_is_too_long_is_an_error_of_the_system(tmp_path: Path) -> None:
    server = Server(Loop(), lambda *_: None)
    with pytest.raises(OSError, match="too long"):
        server.listen(tmp_path / ("x" * 200))


def test_a_failed_attempt_leaves_the_one_that_listens_alone(desk: Desk, tmp_path: Path) -> None:
    with pytest.raises(OSError, match="No such file"):
        desk.server.listen(tmp_path / "no" / "folder")
    assert desk.server.stands()
    assert desk.ask(desk.client(), b"x") == [b"echo x"]


def test_it_knows_whether_its_file_still_stands(desk: Desk) -> None:
    assert desk.server.stands()
    desk.path.unlink()
    assert not desk.server.stands()
    with closing(socket.socket(socket.AF_UNIX)) as another:
        another.bind(str(desk.path))
        assert not desk.server.stands()
        desk.server.unlisten()
        assert desk.path.exists(), "another's socket isn't ours to remove"


def test_it_listens_anew_where_its_file_was_removed_and_keeps_its_clients(desk: Desk) -> None:
    old = desk.client()
    desk.turn(desk.open)
    desk.path.unlink()
    desk.server.listen(desk.path)
    assert desk.server.stands()
    assert desk.ask(desk.client(), b"new") == [b"echo new"]
    assert desk.ask(old, b"old") == [b"echo old"]


def test_it_can_move_to_another_path(desk: Desk, tmp_path: Path) -> None:
    desk.server.listen(tmp_path / "other.sock")
    assert not desk.path.exists()
    desk.path = tmp_path / "other.sock"
    assert desk.ask(desk.client(), b"x") == [b"echo x"]


def test_unlisten_removes_the_file_and_may_be_repeated(tmp_path: Path) -> None:
    server = Server(Loop(), lambda *_: None)
    server.listen(tmp_path / "s.sock")
    for _ in range(2):
        server.unlisten()
        assert server.path is None
        assert not (tmp_path / "s.sock").exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root becomes another user")
def test_another_user_is_turned_away_even_where_the_directory_lets_it_in(desk: Desk) -> None:
    desk.path.chmod(0o666)
    for folder in desk.path.parents:
        if not folder.stat().st_mode & 0o001:
            folder.chmod(0o755)
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.setgroups([])
        os.setuid(NOBODY)
        client = socket.socket(socket.AF_UNIX)
        client.connect(str(desk.path))
        os.write(writing, json.dumps(client.recv(10).decode()).encode())
        os._exit(0)
    os.close(writing)
    os.set_blocking(reading, False)
    said: list[bytes] = []

    def look() -> bool:
        try:
            said.append(os.read(reading, 100))
        except BlockingIOError:
            return False
        return True

    desk.turn(look)
    os.waitpid(child, 0)
    os.close(reading)
    assert said == [b'""'], "closed without a word"


def test_without_a_descriptor_left_it_pauses_and_goes_on(desk: Desk) -> None:
    held = desk.client()
    desk.turn(desk.open)
    waiting = desk.client()
    waiting.send(b"x\n")
    turns: list[int] = []

    def idle() -> None:
        turns.append(1)

    desk.loop.idle = idle
    with few_descriptors(3):
        desk.loop.later(0.15, desk.loop.stop)
        desk.loop.run()
    assert len(turns) < 10
    assert desk.lines(waiting, 1) == [b"echo x"]
    assert desk.closed(held), "the oldest one made room"
