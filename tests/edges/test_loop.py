import os
import time
from collections.abc import Iterator

import pytest

from tank.edges.loop import READ, WRITE, Loop
from tests.support.turning import turn

Pipe = tuple[int, int]


@pytest.fixture
def loop() -> Loop:
    return Loop()


@pytest.fixture
def pipes() -> Iterator[list[Pipe]]:
    """Pipes with a byte in each, so that their reading ends are ready."""
    made = [os.pipe() for _ in range(2)]
    for _, writing in made:
        os.write(writing, b"x")
    yield made
    for pair in made:
        for descriptor in pair:
            os.close(descriptor)


def test_what_is_ready_is_called_until_it_is_taken_or_forgotten(loop: Loop, pipes: list[Pipe]) -> None:
    (reading, _), (other, _) = pipes
    taken: list[bytes] = []
    again: list[int] = []

    def seen() -> None:
        again.append(1)
        if len(again) == 3:
            loop.forget(other)

    loop.watch(reading, lambda: taken.append(os.read(reading, 8)))
    loop.watch(other, seen)
    turn(loop, lambda: len(again) == 3)
    turn(loop, lambda: True)
    assert taken == [b"x"]
    assert len(again) == 3


def test_forgetting_what_is_not_watched_does_nothing(loop: Loop, pipes: list[Pipe]) -> None:
    loop.forget(pipes[0][0])


def test_a_second_watch_of_a_descriptor_replaces_the_first(loop: Loop, pipes: list[Pipe]) -> None:
    reading = pipes[0][0]
    called: list[str] = []
    loop.watch(reading, lambda: called.append("first"), READ)
    loop.watch(reading, lambda: called.append("second"), READ)
    turn(loop, lambda: called)
    assert set(called) == {"second"}
    loop.watch(reading, lambda: called.append("write"), WRITE)
    called.clear()
    turn(loop, lambda: True)
    assert called == [], "the reading end of a pipe is never ready for writing"


def test_a_descriptor_that_takes_a_number_over_is_not_called_for_the_one_before(
    loop: Loop, pipes: list[Pipe]
) -> None:
    readings = [reading for reading, _ in pipes]
    quiet, far = os.pipe()
    called: list[str] = []

    def replace(mine: int, other: int) -> None:
        called.append("ready")
        loop.forget(mine)
        loop.forget(other)
        os.dup2(quiet, other)
        loop.watch(other, lambda: called.append("too early"))

    loop.watch(readings[0], lambda: replace(*readings))
    loop.watch(readings[1], lambda: replace(*reversed(readings)))
    turn(loop, lambda: called)
    turn(loop, lambda: True)
    os.close(quiet)
    os.close(far)
    assert called == ["ready"]


def test_timers_come_in_the_order_of_their_times_and_those_of_one_time_as_they_were_set(loop: Loop) -> None:
    called: list[int] = []
    for number, delay in enumerate((0.02, 0.01, 0.0, 0.0)):
        loop.later(delay, lambda number=number: called.append(number))  # type: ignore[misc]
    turn(loop, lambda: len(called) == 4)
    assert called == [2, 3, 1, 0]


def test_a_timer_that_is_cancelled_is_neither_called_nor_woken_for(loop: Loop) -> None:
    called: list[str] = []
    looked: list[float] = []
    loop.idle = lambda: looked.append(time.monotonic())
    timers = [loop.later(0.01 * place, lambda: called.append("cancelled")) for place in (4, 1, 3, 2)]
    loop.later(0.05, loop.stop)
    for timer in timers:
        loop.cancel(timer)
    loop.run()
    assert called == []
    assert len(looked) == 1, "it slept in one go"


def test_timers_keep_their_order_when_one_is_cancelled(loop: Loop) -> None:
    called: list[int] = []
    places = (1, 10, 2, 11, 12, 3)
    timers = [loop.later(0.002 * place, lambda place=place: called.append(place)) for place in places]  # type: ignore[misc]
    loop.later(0.002 * max(places), loop.stop)
    loop.cancel(timers[0])
    loop.run()
    assert called == [2, 3, 10, 11, 12]


def test_a_timer_may_cancel_itself_and_what_was_called_before(loop: Loop) -> None:
    called: list[str] = []
    first = loop.later(0, lambda: called.append("first"))
    loop.later(0.001, lambda: loop.cancel(first))
    loop.later(0.002, lambda: called.append("last"))
    turn(loop, lambda: "last" in called)
    assert called == ["first", "last"]


def test_timers_that_set_timers_hold_no_descriptor_up(loop: Loop, pipes: list[Pipe]) -> None:
    reading, writing = pipes[0]
    os.read(reading, 1)
    rounds: list[int] = []

    def again() -> None:
        rounds.append(1)
        if len(rounds) == 1:
            os.write(writing, b"x")
        if len(rounds) < 1000:
            loop.later(0, again)

    loop.later(0, again)
    loop.watch(reading, loop.stop)
    loop.run()
    assert len(rounds) < 3


def test_it_sleeps_until_the_tick_that_idle_gives_and_then_wakes(loop: Loop) -> None:
    tick = time.monotonic() + 0.05
    asked: list[float] = []
    woken: list[float] = []

    def idle() -> float | None:
        asked.append(time.monotonic())
        return None if woken else tick

    def wake() -> None:
        woken.append(time.monotonic())
        loop.stop()

    loop.idle, loop.woken = idle, wake
    loop.run()
    assert tick <= woken[0] < tick + 1
    assert len(asked) == 1, "it slept in one go"


def test_a_tick_that_is_not_due_wakes_nothing(loop: Loop) -> None:
    woken: list[int] = []
    loop.idle, loop.woken = lambda: time.monotonic() + 60, lambda: woken.append(1)
    loop.later(0.01, lambda: None)
    loop.later(0.02, loop.stop)
    loop.run()
    assert woken == []


def test_nothing_is_called_after_stop(loop: Loop, pipes: list[Pipe]) -> None:
    called: list[str] = []

    def end() -> None:
        called.append("end")
        loop.stop()

    for reading, _ in pipes:
        loop.watch(reading, end)
    loop.later(0, end)
    loop.idle, loop.woken = lambda: 0.0, end
    loop.run()
    assert called == ["end"]
