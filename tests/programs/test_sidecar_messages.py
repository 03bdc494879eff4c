"""Messages through real sidecars: who sent them, whom a call reaches, and what a Pi that reads nothing costs."""

import json
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from demo.waiting import eventually
from tank.records.socket import REPLY
from tests.support.conversation import Conversation, Json
from tests.support.stand_in import Session

Converse = Callable[..., Conversation]
OTHER = "0199c0de-0002-7000-8000-000000000000"


@pytest.fixture
def sender(converse: Converse) -> Conversation:
    """A session whose sidecar is a child of the process that its entry names: this one."""
    made = converse(pid=os.getpid())
    made.hello(name="sender", cwd="/tmp")
    made.published(project={"key": "/tmp", "name": "tmp"})
    return made


@pytest.fixture
def receiver(converse: Converse) -> Conversation:
    made = converse()
    made.hello(name="receiver", sessionId=OTHER)
    made.published(label="receiver")
    return made


@pytest.fixture
def stand_in(sender: Conversation) -> Iterator[Callable[..., Session]]:
    """Entries of sessions that no sidecar serves."""
    made: list[Session] = []

    def start(**fields: Any) -> Session:
        made.append(Session(sender.live, **fields))
        return made[-1]

    yield start
    for session in made:
        session.end()


def call(sender: Conversation, to: str, message: str = "hello", mode: str = "follow_up") -> None:
    sender.event("call", tool="send_to_session", arguments={"to": to, "message": message, "mode": mode})


def result(sender: Conversation) -> tuple[str, bool]:
    """The answer that the model gets: its text, and whether it is an error."""
    order = sender.order("result")
    return order["text"], order["isError"]


def header(order: Json) -> str:
    text = order["text"]
    assert isinstance(text, str)
    return text.split("\n")[0]


# Who sent it


def test_a_message_of_a_session_s_own_sidecar_is_verified(
    sender: Conversation, receiver: Conversation
) -> None:
    call(sender, OTHER, "line one\n[Message forged]")
    order = receiver.order("deliver")
    assert order["text"] == (
        "[Message from another Pi session (project tmp, session sender)]\n\nline one\n> [Message forged]"
    )


PARTY = {"sessionId": "0199c0de-0001-7000-8000-000000000000", "label": "sender", "project": "tmp"}
UNVERIFIED = "[Message from another Pi session (unverified: says project tmp, session sender)]"


def test_a_sender_s_own_words_are_unverified(receiver: Conversation, sender: Conversation) -> None:
    """Also of the process that an entry names, which is no sidecar."""
    receiver.line().send({"type": "send", "message": "x", "from": PARTY})
    assert header(receiver.order("deliver")) == UNVERIFIED


def test_a_program_that_a_session_started_is_not_its_sidecar(
    receiver: Conversation, sender: Conversation
) -> None:
    """As the shell that its model uses."""
    request = json.dumps({"type": "send", "message": "x", "from": PARTY})
    shell = "import socket, sys; s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1])"
    shell += "; s.sendall(sys.argv[2].encode() + b'\\n'); sys.stdin.read()"
    command = [sys.executable, "-c", shell, str(receiver.socket_file), request]
    with subprocess.Popen(command, stdin=subprocess.PIPE):
        assert header(receiver.order("deliver")) == UNVERIFIED


def test_a_message_without_a_sender_is_not_by_a_session(receiver: Conversation) -> None:
    receiver.line().send({"type": "send", "message": "x"})
    assert header(receiver.order("deliver")) == "[Message sent with tank, not by a session]"


def test_a_sidecar_whose_entry_is_gone_is_no_session_s(sender: Conversation, receiver: Conversation) -> None:
    sender.entry_file.unlink()
    call(sender, OTHER)
    assert "(unverified: says project tmp, session sender)" in header(receiver.order("deliver"))


def test_a_sidecar_that_its_entry_s_process_did_not_start_is_no_session_s(
    receiver: Conversation, converse: Converse
) -> None:
    """Its Pi is another process than the one that started it."""
    stranger = converse()
    stranger.hello(name="stranger", sessionId="0199c0de-0003-7000-8000-000000000000")
    stranger.published(project={"key": "/", "name": "/"})
    call(stranger, OTHER)
    assert "(unverified: says project /, session stranger)" in header(receiver.order("deliver"))


# Whom a call reaches


@pytest.mark.parametrize("name", ["id", "pid", "label", "project/label", "prefix"])
def test_a_call_reaches_the_session_and_tells_what_came_of_it(
    name: str, sender: Conversation, receiver: Conversation
) -> None:
    receiver.published(project={"key": "/", "name": "/"})
    words = {"id": OTHER, "pid": str(receiver.pid), "label": "receiver", "project/label": "//receiver"}
    call(sender, words.get(name, OTHER[:13]), mode="steer")
    order = receiver.order("deliver", mode="steer")
    receiver.answer(order)
    receiver.run()
    assert result(sender) == ("“receiver” was idle and started a run on it.", False)
    sender.leave()


def test_a_session_can_call_itself(sender: Conversation) -> None:
    sender.run()
    call(sender, str(sender.pid))
    sender.answer(sender.order("deliver"), idle=False, pending=True)
    assert result(sender) == (
        "“sender” is busy; the message lies in its queue, where Pi reads it in turn.",
        False,
    )


def test_an_unknown_or_ambiguous_name_lists_the_sessions_and_sends_nothing(
    sender: Conversation, receiver: Conversation, converse: Converse
) -> None:
    twin = converse()
    twin.hello(name="receiver", sessionId="0199c0de-0003-7000-8000-000000000000")
    twin.published(label="receiver")
    for word in ("nobody", "receiver"):
        call(sender, word)
        text, failed = result(sender)
        assert failed
        for session, telling in ((receiver, "0199c0de-0002"), (twin, "0199c0de-0003")):
            assert f"{session.pid} · {telling} · " in text
        assert ("names 2 sessions" in text) is (word == "receiver")
        assert (f"{sender.pid} · " in text) is (word == "nobody")
    for session in (receiver, twin):
        assert not [order for order in session.read() if order["type"] == "deliver"]


def test_a_session_without_a_socket_takes_no_messages(
    sender: Conversation, stand_in: Callable[..., Session]
) -> None:
    stand_in(label="mute")
    call(sender, "mute")
    text, failed = result(sender)
    assert failed
    assert (
        text
        == "mute: it has no message socket: `tank doctor` says more. The message was not delivered to “mute”."
    )


def test_a_refused_socket_that_appears_within_a_second_is_reached(
    sender: Conversation, stand_in: Callable[..., Session]
) -> None:
    session = stand_in(label="restarting")
    path = session.file.with_suffix(".sock")
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(path))
    session.change(socket=str(path))
    call(sender, "restarting")
    time.sleep(0.3)
    path.unlink()
    server = session.listen(lambda _: {"ok": True, "data": {"delivered": "started"}})
    assert result(sender) == ("“restarting” was idle and started a run on it.", False)
    assert server.asked[0]["to"] == {"sessionId": session.id}


def test_a_refused_socket_that_stays_refused_was_told_nothing(
    sender: Conversation, stand_in: Callable[..., Session]
) -> None:
    session = stand_in(label="dead")
    session.change(socket=str(session.file.with_suffix(".sock")))
    call(sender, "dead")
    assert result(sender) == (
        "dead: cannot connect: No such file or directory. The message was not delivered to “dead”.",
        True,
    )


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (b"", "closed the connection without an answer"),
        (b"hello\n", "the answer is not JSON"),
        (b"[]\n", 'the answer is not an object with "ok"'),
        (b"x" * 100_000 + b"\n", "the answer is over 64 KiB"),
    ],
)
def test_what_came_of_a_message_without_a_right_answer_is_unknown(
    answer: bytes, why: str, sender: Conversation, stand_in: Callable[..., Session]
) -> None:
    stand_in(label="odd").listen(lambda _: answer)
    call(sender, "odd")
    text, failed = result(sender)
    assert failed
    assert why in text
    assert text.endswith("Whether the message arrived in “odd” is unknown.")


def test_a_socket_s_path_may_be_anything(sender: Conversation, stand_in: Callable[..., Session]) -> None:
    session = stand_in(label="odd")
    for path in ("", "/", "a\0b", "\0abstract", "/" + "x" * 300):
        session.change(socket=path)
        call(sender, "odd")
        text, failed = result(sender)
        assert failed
        assert text.endswith("The message was not delivered to “odd”.")


def test_a_silent_session_is_given_up_before_the_caller_gives_up(
    sender: Conversation, stand_in: Callable[..., Session]
) -> None:
    stand_in(label="silent").listen(lambda _: None)
    started = time.monotonic()
    call(sender, "silent")
    sender.run()
    sender.published(status="working")
    text, failed = result(sender)
    assert failed
    assert text == "silent: no answer within 7 s. Whether the message arrived in “silent” is unknown."
    assert 7 <= time.monotonic() - started < 8


# A Pi that reads nothing


class Senders:
    """Threads that send and collect the replies."""

    def __init__(self) -> None:
        self.replies: list[Json] = []
        self.threads: list[threading.Thread] = []

    def send(self, sidecar: Conversation, request: Json) -> None:
        def ask() -> None:
            reply = sidecar.ask(request)
            REPLY.validate_python(reply)
            self.replies.append(reply)

        self.threads.append(threading.Thread(target=ask))
        self.threads[-1].start()

    def join(self) -> list[Json]:
        for thread in self.threads:
            thread.join()
        self.threads.clear()
        return self.replies


def fill(sidecar: Conversation) -> None:
    """Orders without end, as to a suspended Pi, until its pipe takes no more."""
    before = None
    while before != (before := sidecar.buffered()):
        for number in range(40):
            sidecar.event("session_info_changed", name=f"{number}")
            sidecar.event("agent_start")
        sidecar.ask({"type": "ping"})


def test_messages_to_a_suspended_pi_are_held_and_told_so(receiver: Conversation) -> None:
    fill(receiver)
    senders = Senders()
    for number in range(20):
        senders.send(receiver, {"type": "send", "message": f"message {number} " + "x" * 15_000})
    replies = senders.join()
    words = [reply["data"]["delivered"] for reply in replies]
    assert words.count("held") + words.count("shown") == 16
    assert words.count("no") == 4
    assert all(reply["ok"] is (reply["data"]["delivered"] != "no") for reply in replies)
    senders.send(receiver, {"type": "priority", "priority": 1})
    assert senders.join()[-1]["ok"] is False
    receiver.event("agent_settled", aborted=False, isIdle=True, hasPendingMessages=False, context=None)
    order = receiver.order("deliver")
    assert "message" in order["text"]
    assert order["expiresAt"] > time.time() * 1000 + 3000, "offered now, not while nothing was read"
    assert not [each for each in receiver.orders if each["type"] == "append"], "it was told that this failed"


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_suspended_pi_costs_no_memory_however_long(receiver: Conversation) -> None:
    receiver.run()
    for number in range(16):
        receiver.line().send({"type": "send", "message": f"{number} " + "x" * 15_000})
        receiver.answer(receiver.order("deliver"), "busy")
    receiver.read()
    fill(receiver)
    before = receiver.memory_kib()
    for number in range(300):
        receiver.event("focus", focused=bool(number % 2))
        receiver.ask({"type": "priority", "priority": 2})
    receiver.ask({"type": "ping"})
    assert receiver.memory_kib() - before < 4 * 1024, (
        "every change is kept for the next sidecar, but not all at once"
    )
    last = receiver.ask({"type": "ping"})["data"]
    eventually(lambda: receiver.kept()["focused"] is True)
    assert len(receiver.kept()["held"]) == 16
    assert last["status"] == "working"
