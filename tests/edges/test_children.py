import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import psutil
import pytest

from demo.waiting import eventually
from tank.edges import children
from tank.edges.children import End, Ran
from tests.support.descriptors import descriptors

LIMIT_BYTES = 100_000


def run(*commands: Sequence[str], timeout_s: float = 5, at_once: int = 1, **environment: str) -> list[Ran]:
    return children.run(commands, dict(os.environ) | environment, timeout_s, LIMIT_BYTES, at_once)


def shell(script: str) -> list[str]:
    return ["sh", "-c", script]


def alive() -> list[psutil.Process]:
    return psutil.Process().children()


def test_a_program_s_code_and_both_its_outputs_are_told() -> None:
    assert run(shell("printf out; printf err >&2; exit 3")) == [Ran(End.EXITED, 3, b"out", b"err")]
    assert run(shell('printf "$WORD"'), WORD="given") == [Ran(End.EXITED, 0, b"given")]
    assert run(shell("kill -9 $$")) == [Ran(End.EXITED, -9)]


def test_nothing_runs_for_no_commands() -> None:
    assert run() == []


def test_answers_keep_the_order_of_the_commands() -> None:
    scripts = [shell(f"sleep {pause}; printf {number}") for number, pause in enumerate((0.2, 0, 0.1))]
    assert [ran.output for ran in run(*scripts, at_once=3)] == [b"0", b"1", b"2"]


@pytest.mark.parametrize("program", ["/nowhere/rex", "rex\0", ""])
def test_a_program_that_is_not_there_holds_up_nobody(program: str) -> None:
    assert run([program], shell("printf a")) == [Ran(End.MISSING), Ran(End.EXITED, 0, b"a")]


def test_at_most_so_many_run_at_once(tmp_path: Path) -> None:
    script = shell(f"touch {tmp_path}/$$; ls {tmp_path} | wc -l; sleep 0.05; rm {tmp_path}/$$")
    seen = [int(ran.output) for ran in run(*[script] * 6, at_once=2)]
    assert max(seen) == 2


def test_what_is_not_done_in_time_is_killed_with_its_children_and_the_rest_never_starts(
    tmp_path: Path,
) -> None:
    started = time.monotonic()
    hanging = shell(f"sleep 600 & echo $! >{tmp_path}/child; wait")
    assert run(hanging, shell(f"touch {tmp_path}/begun"), timeout_s=0.3) == [Ran(End.SLOW)] * 2
    assert time.monotonic() - started < 1
    assert not (tmp_path / "begun").exists()
    child = int((tmp_path / "child").read_text())
    eventually(lambda: not psutil.pid_exists(child) or psutil.Process(child).status() == psutil.STATUS_ZOMBIE)
    assert alive() == []


def test_a_program_that_closes_its_outputs_and_goes_on_is_slow() -> None:
    assert run(shell("exec >&- 2>&-; exec sleep 600"), timeout_s=0.3) == [Ran(End.SLOW)]
    assert alive() == []


def test_a_program_that_says_too_much_is_killed() -> None:
    assert run(["yes"], timeout_s=30) == [Ran(End.FLOODED)]
    assert run(shell("yes >&2"), timeout_s=30) == [Ran(End.FLOODED)]
    assert alive() == []


def test_no_program_can_ask_the_person() -> None:
    asking = "import os, sys; print(sys.stdin.read() == '', os.isatty(2), os.getsid(0) == os.getpid(), os.getcwd())"
    reading, writing = os.pipe()
    os.write(writing, b"what the person types")
    own = os.dup(0)
    os.dup2(reading, 0)
    os.close(writing)
    try:
        assert run([sys.executable, "-c", asking])[0].output == b"True False True /\n"
    finally:
        os.dup2(own, 0)
        os.close(own)
        os.close(reading)


def test_many_runs_leave_no_descriptor() -> None:
    before = descriptors()
    for _ in range(5):
        run(shell("printf a"), ["/nowhere"], ["yes"], shell("sleep 9"), timeout_s=0.1, at_once=4)
    assert descriptors() == before
