"""send_ms: from a sender's connect until it reads the answer `started`, with a stub in the extension's place.

The stub answers the sidecar's order at once with what the extension and Pi say then: done, before_agent_start,
agent_start. Each message finds the session idle and the guard's count at zero. The floor (`echo_floor_ms`), in turn
with it: the same bytes take the same four steps (socket, pipe, pipe, socket) through a Python process that does nothing
but pass them on. Milliseconds.
"""

import os
import socket
from collections.abc import Callable, Iterator
from pathlib import Path

from bench.figures import Aim, Figure
from bench.processes import folder, least, running, sleeps, spin
from bench.publish import timed
from bench.session import CHUNK_BYTES, Session, as_line, session

RUNS = 200
WARM_UP = 20
MESSAGE = "The parser is on main now: please take the new tokens from lexer.py and run your tests again. " * 3
REQUEST = as_line({"type": "send", "message": MESSAGE, "mode": "follow_up"})


def measure() -> Iterator[Figure]:
    sent, echoed = [], []
    with folder() as home, session(home) as one, running(least("echo", str(home / "echo.sock"))) as echo:
        spin((home / "echo.sock").exists, "the echo's socket")

        def pass_on() -> None:
            os.read(echo.stdout, CHUNK_BYTES)
            os.write(echo.stdin, confirmation(0, 0))

        for _ in range(WARM_UP + RUNS):
            one.rest()
            sent.append(timed(lambda: ask(one.socket, lambda: confirm(one), b'"started"')))
            settle(one)
            spin(lambda: sleeps(echo.pid), "the echo at rest")
            echoed.append(timed(lambda: ask(home / "echo.sock", pass_on, b'"agent_start"')))
    yield Figure("send_ms", tuple(sent[WARM_UP:]), Aim(3, of_floor=True), ("echo_floor_ms",))
    yield Figure("echo_floor_ms", tuple(echoed[WARM_UP:]))


def ask(path: Path, answer: Callable[[], None], wanted: bytes) -> None:
    """One message over a connection of its own; `answer` is the other end of the pipes."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as client:
        client.connect(str(path))
        client.sendall(REQUEST)
        answer()
        reply = client.recv(CHUNK_BYTES)
    if wanted not in reply:
        raise ValueError(f"the message was not confirmed: {reply!r}")


def confirm(one: Session) -> None:
    """As the extension: carry out the order to deliver, and forward that a run starts."""
    one.write(confirmation(one.order("deliver")["id"], one.number()))


def confirmation(order: int, number: int) -> bytes:
    answer = {"type": "answer", "id": order, "outcome": "done", "isIdle": True, "hasPendingMessages": False}
    started = {"type": "agent_start", "id": number}
    return as_line(answer) + as_line({"type": "before_agent_start"}) + as_line(started)


def settle(one: Session) -> None:
    """End the run and type a prompt, so that the next message starts one again."""
    one.order("taken")
    one.write(one.end())
    one.order("taken")
    one.tell({"type": "input", "text": "go on", "source": "interactive"})
    spin(lambda: one.published().get("messagesSinceInput") == 0, "the guard's count at zero")
