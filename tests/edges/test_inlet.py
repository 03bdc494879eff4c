"""Lines read as they come."""

import os

from tank.edges.inlet import Inlet
from tank.edges.loop import Loop


def heard(*writes: bytes, limit_bytes: int = 100) -> list[bytes | None]:
    """What is heard of a stream that comes in these parts, up to its end."""
    loop = Loop()
    lines: list[bytes | None] = []
    read, write = os.pipe()
    Inlet(loop, read, limit_bytes, lines.append, loop.stop)
    parts = iter(writes)

    def go_on() -> None:
        part = next(parts, None)
        if part is None:
            os.close(write)
            return
        os.write(write, part)
        loop.later(0.002, go_on)

    loop.later(0, go_on)
    loop.run()
    os.close(read)
    return lines


def test_lines_come_whole_however_they_were_cut() -> None:
    assert heard(b"one\ntw", b"o\nthr", b"ee\n") == [b"one", b"two", b"three"]


def test_a_line_that_is_too_long_is_told_once_and_the_next_one_heard() -> None:
    assert heard(b"x" * 80, b"x" * 80, b"x\nnext\n") == [None, b"next"]


def test_what_the_stream_ends_in_the_middle_of_is_no_line() -> None:
    assert heard(b"one\nhalf") == [b"one"]
