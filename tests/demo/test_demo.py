"""`make demo` itself, with and without a terminal."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator

import psutil
import pytest

from demo.stage import MARK, ROOT, RUN_MARK, runs, variable
from demo.waiting import eventually
from tests.support.client import Client

DEMO = (sys.executable, "-m", "demo")


@pytest.fixture
def terminal() -> Iterator[Client]:
    client = Client(DEMO, {**os.environ, "TERM": "xterm-256color"}, (120, 35), cwd=ROOT)
    eventually(lambda: b"fix the flaky login test" in client.output, 60, lambda: client.output.decode())
    yield client
    client.close()


def on_stages() -> list[psutil.Process]:
    """Processes on any stage of this test run: the demo's own is the only one while these tests run."""
    run = os.environ[RUN_MARK]
    return [p for p in psutil.process_iter() if variable(p, RUN_MARK) == run and variable(p, MARK)]


def test_without_a_terminal_it_prints_the_board_and_a_delivered_message_and_leaves_nothing() -> None:
    done = subprocess.run(
        DEMO, cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=90, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    for words in (
        "working",
        "needs you",
        "idle",
        "done",
        "p0",
        "Allow bash: rm -rf build?",
        "github.com/you/site",
    ):
        assert words in done.stdout
    assert "[Message from another Pi session (project app, session plan the release)]" in done.stdout
    assert on_stages() == []


def test_in_a_terminal_it_shows_the_board_until_that_is_closed(terminal: Client) -> None:
    assert on_stages()
    terminal.write(b"\x1b")
    assert terminal.process.wait(20) == 0
    assert on_stages() == []


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_ended_from_outside_it_leaves_nothing_either(terminal: Client, number: signal.Signals) -> None:
    os.kill(terminal.process.pid, number)
    assert terminal.process.wait(20) == 128 + number
    eventually(lambda: not on_stages(), 5)


def test_interrupted_while_it_starts_it_leaves_nothing() -> None:
    process = subprocess.Popen(DEMO, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    try:
        eventually(on_stages, 30)
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 130
        eventually(lambda: not on_stages(), 5)
    finally:
        if runs(process.pid):
            process.kill()
        process.wait()
