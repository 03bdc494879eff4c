"""Clients of the socket that are silent, slow, endless or many: they harm nobody."""

import json
import socket
import struct
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from demo.waiting import eventually
from tank.records.socket import REPLY
from tests.support.conversation import Conversation, after

Converse = Callable[..., Conversation]
MEBIBYTE = 1024 * 1024


@pytest.fixture
def sidecar(converse: Converse) -> Conversation:
    made = converse()
    made.hello()
    made.published()
    return made


class Siege:
    """Bad clients, each in a thread of its own; `held` keeps their connections open."""

    def __init__(self, path: Path) -> None:
        self.path = str(path)
        self.held: list[socket.socket] = []
        self.endless_sent = 0
        self.endless_heard = b""
        self.brackets_heard = b""
        acts = (self._endless, self._brackets, self._unread, self._reset, self._many)
        self.threads = [threading.Thread(target=act) for act in acts]
        for thread in self.threads:
            thread.start()

    def rages(self) -> bool:
        return any(thread.is_alive() for thread in self.threads)

    def end(self) -> None:
        for thread in self.threads:
            thread.join()
        for client in self.held:
            client.close()

    def _client(self) -> socket.socket:
        client = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        client.settimeout(5)
        client.connect(self.path)
        self.held.append(client)
        return client

    def _endless(self) -> None:
        client = self._client()
        with suppress(BrokenPipeError, ConnectionResetError):
            while self.endless_sent < 200 * MEBIBYTE:
                self.endless_sent += client.send(b"x" * 65536)
        with suppress(ConnectionResetError):
            while chunk := client.recv(4096):
                self.endless_heard += chunk

    def _brackets(self) -> None:
        client = self._client()
        client.sendall(b"[" * 100_000 + b"\n")
        self.brackets_heard = client.recv(4096)

    def _unread(self) -> None:
        client = self._client()
        client.settimeout(1)
        with suppress(TimeoutError):
            client.sendall(b'{"type":"ping"}\n' * 10_000)

    def _reset(self) -> None:
        for _ in range(200):
            client = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            client.connect(self.path)
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            client.send(b'{"type":"ping"}\n')
            client.close()

    def _many(self) -> None:
        for number in range(300):
            client = self._client()
            if number % 2:
                client.send(b'{"type":"pi')


def test_under_siege_others_are_answered_statuses_go_on_and_memory_stays(sidecar: Conversation) -> None:
    before = sidecar.memory_kib() if sys.platform == "linux" else 0
    siege = Siege(sidecar.socket_file)
    slowest, most = 0.0, before
    late = time.monotonic() + 2
    while siege.rages() or time.monotonic() < late:
        sidecar.run()
        started = time.monotonic()
        assert sidecar.ask({"type": "ping"})["ok"]
        slowest = max(slowest, time.monotonic() - started)
        sidecar.published(status="working")
        sidecar.settle()
        sidecar.published(status="idle")
        most = max(most, sidecar.memory_kib() if before else 0)
    siege.end()
    assert slowest < 1
    assert most - before < 8 * 1024
    assert siege.endless_sent < 40 * MEBIBYTE, "cut off"
    assert "over 1 MiB" in json.loads(siege.endless_heard)["error"]
    assert "not JSON" in json.loads(siege.brackets_heard)["error"]
    assert sidecar.ask({"type": "ping"})["ok"]
    sidecar.leave()


def test_with_few_descriptors_it_still_publishes_and_answers(converse: Converse) -> None:
    sidecar = converse(prefix=after("ulimit -n 64"))
    sidecar.hello()
    sidecar.published()
    crowd = [sidecar.line() for _ in range(300)]
    for line in crowd:
        with suppress(BrokenPipeError, ConnectionResetError):
            line.send({"type": "ping"})
    sidecar.run()
    sidecar.published(status="working")
    assert sidecar.ask({"type": "ping"})["data"]["status"] == "working"
    sidecar.leave()


def test_one_connection_serves_for_many_requests_and_errors_don_t_end_it(sidecar: Conversation) -> None:
    line = sidecar.line()
    wrong: list[dict[str, object] | bytes] = [
        b"",
        b"{",
        b"\xff",
        b"[]",
        b"7",
        {"type": "nope"},
        {"type": "send"},
        {"type": "send", "message": ""},
        {"type": "send", "message": "x" * 17_000},
        {"type": "send", "message": "x", "mode": "shout"},
        {"type": "send", "message": "x", "from": "me"},
        {"type": "send", "message": "x", "to": {"sessionId": "another"}},
        {"type": "priority"},
        {"type": "priority", "priority": 4},
        b"x" * (MEBIBYTE + 1),
    ]
    for request in wrong:
        reply = line.ask(request)
        REPLY.validate_python(reply)
        assert reply["ok"] is False
        assert reply["error"]
    assert line.ask({"type": "ping"})["ok"]
    explained = line.ask({"type": "explain"})
    assert explained["data"]["rule"] == "the session started"
    assert not [order for order in sidecar.read() if order["type"] == "deliver"]
    sidecar.leave()


def test_a_client_that_goes_before_its_answer_changes_nothing(sidecar: Conversation) -> None:
    line = sidecar.line()
    line.send({"type": "send", "message": "x"})
    order = sidecar.order("deliver")
    line.close()
    sidecar.answer(order)
    sidecar.run()
    sidecar.published(status="working")
    assert sidecar.ask({"type": "ping"})["ok"]
    sidecar.leave()


def test_clients_are_let_go_when_it_ends(sidecar: Conversation) -> None:
    waiting, silent = sidecar.line(), sidecar.line()
    waiting.send({"type": "send", "message": "x"})
    sidecar.order("deliver")
    sidecar.leave()
    for line in (waiting, silent):
        assert eventually(lambda line=line: line.socket.recv(10) == b"")  # type: ignore[misc]
