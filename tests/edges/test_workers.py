"""Threads whose results come back to the loop."""

import subprocess
import sys
import threading
import time
from functools import partial

from tank.edges.loop import Loop
from tank.edges.workers import Workers
from tests.support.turning import turn


def test_results_come_back_to_the_loop_s_thread_as_they_are_ready() -> None:
    loop, found, slow = Loop(), [], threading.Event()
    workers = Workers(loop)

    def act() -> str:
        slow.wait(10)
        return "slow"

    def told(result: str) -> None:
        found.append((result, threading.current_thread()))
        slow.set()

    workers.start(act, told)
    workers.start(lambda: "quick", told)
    turn(loop, lambda: len(found) == 2)
    here = threading.current_thread()
    assert found == [("quick", here), ("slow", here)]


def test_of_many_results_none_is_lost() -> None:
    loop = Loop()
    workers = Workers(loop)
    found: list[int] = []
    for number in range(300):
        workers.start(partial(int, number), found.append)
    turn(loop, lambda: len(found) == 300)
    assert sorted(found) == list(range(300))


def test_an_act_that_hangs_holds_up_no_exit() -> None:
    code = """
import threading
from tank.edges.loop import Loop
from tank.edges.workers import Workers
Workers(Loop()).start(threading.Event().wait, print)
"""
    started = time.monotonic()
    subprocess.run([sys.executable, "-I", "-c", code], check=True, timeout=10)
    assert time.monotonic() - started < 5
