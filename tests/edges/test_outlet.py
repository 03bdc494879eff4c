import os
from collections.abc import Iterator

import pytest

from tank.edges.loop import WRITE, Loop
from tank.edges.outlet import Outlet
from tests.support.turning import turn

MEBIBYTE = 1024 * 1024


class Far:
    """The end of a pipe that an outlet writes to; reads when told."""

    def __init__(self, loop: Loop) -> None:
        self.reading, self.writing = os.pipe()
        os.set_blocking(self.reading, False)
        self.loop = loop
        self.got = bytearray()

    def read(self) -> None:
        self.loop.watch(self.reading, self._read)

    def _read(self) -> None:
        self.got += os.read(self.reading, 10_000)

    def close(self) -> None:
        self.loop.forget(self.reading)
        os.close(self.reading)


@pytest.fixture
def loop() -> Loop:
    return Loop()


@pytest.fixture
def far(loop: Loop) -> Iterator[Far]:
    made = Far(loop)
    yield made
    for descriptor in (made.reading, made.writing):
        try:
            os.close(descriptor)
        except OSError:
            continue


def test_what_fits_is_written_at_once(loop: Loop, far: Far) -> None:
    outlet = Outlet(loop, far.writing)
    outlet.write(b"one")
    outlet.write(b"two")
    assert os.read(far.reading, 100) == b"onetwo"
    assert outlet.backlog == 0


def test_what_does_not_fit_waits_and_comes_whole_and_in_order(loop: Loop, far: Far) -> None:
    drained: list[int] = []
    outlet = Outlet(loop, far.writing, lambda: drained.append(outlet.backlog))
    pieces = [bytes([number]) * 100_000 for number in range(20)]
    for piece in pieces:
        outlet.write(piece)
    assert outlet.backlog > MEBIBYTE
    assert not drained
    far.read()
    turn(loop, lambda: len(far.got) == 2_000_000)
    assert bytes(far.got) == b"".join(pieces)
    turn(loop, lambda: drained)
    assert drained == [0], "told once, when all was gone"


def test_what_is_written_as_it_drains_comes_after_it(loop: Loop, far: Far) -> None:
    rounds: list[bytes] = [b"b" * MEBIBYTE, b"c"]
    outlet = Outlet(loop, far.writing, lambda: outlet.write(rounds.pop(0)) if rounds else None)
    outlet.write(b"a" * MEBIBYTE)
    far.read()
    turn(loop, lambda: far.got.endswith(b"c"))
    assert bytes(far.got) == b"a" * MEBIBYTE + b"b" * MEBIBYTE + b"c"


def test_a_drained_outlet_costs_no_turn_of_the_loop(loop: Loop, far: Far) -> None:
    outlet = Outlet(loop, far.writing)
    outlet.write(b"a" * MEBIBYTE)
    far.read()
    turn(loop, lambda: not outlet.backlog and len(far.got) == MEBIBYTE)
    turns: list[int] = []

    def idle() -> None:
        turns.append(1)

    loop.idle = idle
    loop.later(0.05, loop.stop)
    loop.run()
    assert len(turns) == 1


def test_writing_to_nobody_is_dropped_and_marks_it_broken(loop: Loop, far: Far) -> None:
    drained: list[int] = []
    outlet = Outlet(loop, far.writing, lambda: drained.append(1))
    far.close()
    outlet.write(b"a")
    assert outlet.broken
    outlet.write(b"b" * MEBIBYTE)
    assert outlet.backlog == 0
    assert not drained


def test_a_reader_that_goes_away_ends_the_wait(loop: Loop, far: Far) -> None:
    drained: list[bool] = []
    outlet = Outlet(loop, far.writing, lambda: drained.append(outlet.broken))
    outlet.write(b"a" * MEBIBYTE)
    far.close()
    turn(loop, lambda: drained)
    assert drained == [True]
    assert outlet.backlog == 0


def test_closing_drops_what_waits_and_gives_the_descriptor_back(loop: Loop, far: Far) -> None:
    outlet = Outlet(loop, far.writing)
    outlet.write(b"a" * MEBIBYTE)
    reading, writing = os.pipe()
    outlet.close()
    assert outlet.backlog == 0
    far.read()
    turn(loop, lambda: len(far.got) >= 65536)
    os.dup2(writing, far.writing)
    outlet.write(b"late")
    loop.watch(far.writing, loop.stop, WRITE)
    loop.run()
    for descriptor in (writing, far.writing):
        os.close(descriptor)
    assert os.read(reading, 10) == b"", "the number is another's now"
    os.close(reading)
