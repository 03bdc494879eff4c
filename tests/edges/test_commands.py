import os
import signal
import sys
import time
from itertools import pairwise
from pathlib import Path

import psutil
import pytest

from demo.waiting import eventually
from tank.edges import commands
from tank.edges.commands import Command
from tank.edges.loop import Loop
from tests.support.descriptors import descriptors
from tests.support.turning import turn

Answers = list[bytes | None]


@pytest.fixture
def loop() -> Loop:
    return Loop()


def run(loop: Loop, *argv: str, timeout_s: float = 5, **environment: str) -> bytes | None:
    """What the one answer of this command is."""
    answers: Answers = []
    Command(loop, argv, dict(os.environ) | environment, timeout_s, answers.append)
    turn(loop, lambda: answers)
    turn(loop, lambda: True)
    assert len(answers) == 1
    return answers[0]


def ticking(loop: Loop) -> list[float]:
    """The times at which the loop was free, filled as it turns."""
    ticks: list[float] = []

    def tick() -> None:
        ticks.append(time.monotonic())
        loop.later(0.01, tick)

    tick()
    return ticks


def longest_pause_s(ticks: list[float]) -> float:
    return max(after - before for before, after in pairwise(ticks))


def children() -> list[int]:
    return [child.pid for child in psutil.Process().children()]


def test_a_program_that_ends_well_gives_what_it_wrote(loop: Loop) -> None:
    assert run(loop, "printf", "a\\n\\377") == b"a\n\xff"
    assert run(loop, "true") == b""


def test_what_is_heard_as_it_comes_is_not_kept(loop: Loop) -> None:
    heard: list[bytes] = []
    answers: Answers = []
    Command(loop, ["printf", "a b"], os.environ, 5, answers.append, heard=heard.append)
    turn(loop, lambda: answers)
    assert (b"".join(heard), answers) == (b"a b", [b""])


def test_each_word_is_an_argument_and_none_a_shell_s(loop: Loop, tmp_path: Path) -> None:
    probe = tmp_path / "probe"
    assert (
        run(loop, "printf", "%s|", f"$(touch {probe})", "a b", "; x") == f"$(touch {probe})|a b|; x|".encode()
    )
    assert not probe.exists()


def test_it_runs_at_the_root_with_the_environment_it_is_given(loop: Loop) -> None:
    assert run(loop, "sh", "-c", "pwd; echo $WORD", WORD="x") == b"/\nx\n"


def test_it_reads_nothing_of_what_its_starter_is_sent(loop: Loop) -> None:
    reading, writing = os.pipe()
    os.write(writing, b"a record of the extension")
    own = os.dup(0)
    os.dup2(reading, 0)
    try:
        assert run(loop, "cat") == b""
    finally:
        os.dup2(own, 0)
        for descriptor in (own, reading, writing):
            os.close(descriptor)


def test_a_program_that_fails_gives_nothing(loop: Loop) -> None:
    assert run(loop, "sh", "-c", "echo half; exit 3") is None
    assert run(loop, "sh", "-c", "echo half; kill -9 $$") is None


@pytest.mark.parametrize("name", ["/nowhere/program", "/", "\0"])
def test_a_program_that_cannot_be_started_gives_nothing(loop: Loop, name: str) -> None:
    assert run(loop, name) is None


def test_a_program_that_says_too_much_is_ended(loop: Loop) -> None:
    limit = commands.OUTPUT_LIMIT_BYTES
    assert run(loop, "head", "-c", str(limit), "/dev/zero") == bytes(limit)
    assert run(loop, "head", "-c", str(limit + 1), "/dev/zero") is None
    assert run(loop, "yes") is None
    turn(loop, lambda: not children())


def test_a_slow_program_is_ended_with_its_children_while_the_loop_goes_on(loop: Loop) -> None:
    answers: Answers = []
    ticks = ticking(loop)
    started = time.monotonic()
    Command(loop, ["sh", "-c", "sleep 300 & sleep 301"], os.environ, 0.3, answers.append)
    turn(loop, lambda: len(psutil.Process().children(recursive=True)) == 3)
    family = psutil.Process().children(recursive=True)
    turn(loop, lambda: answers)
    assert answers == [None]
    assert 0.3 <= time.monotonic() - started < 2
    assert longest_pause_s(ticks) < 0.2
    turn(loop, lambda: not children())
    eventually(lambda: not any(process.is_running() for process in family))


def test_a_program_that_lingers_after_its_output_holds_nobody_up(loop: Loop) -> None:
    """And gives its output once it has ended well."""
    answers: Answers = []
    ticks = ticking(loop)
    Command(loop, ["sh", "-c", "echo said; exec >&-; sleep 0.4"], os.environ, 5, answers.append)
    turn(loop, lambda: answers)
    assert answers == [b"said\n"]
    assert longest_pause_s(ticks) < 0.2


def test_a_program_that_never_ends_after_its_output_gives_nothing(loop: Loop) -> None:
    assert run(loop, "sh", "-c", "echo said; exec >&-; sleep 300", timeout_s=0.2) is None
    turn(loop, lambda: not children())


def test_a_child_that_holds_the_pipe_is_ended_in_time(loop: Loop, tmp_path: Path) -> None:
    """Though the program itself ended well, what its child meant to say is unknown."""
    file = tmp_path / "child"
    assert run(loop, "sh", "-c", f"sleep 300 & echo $! > {file}", timeout_s=0.3) is None
    child = int(file.read_text())
    turn(loop, lambda: not psutil.pid_exists(child) or psutil.Process(child).status() == psutil.STATUS_ZOMBIE)


def test_a_killed_command_says_nothing_and_leaves_nothing(loop: Loop) -> None:
    answers: Answers = []
    command = Command(loop, ["sleep", "300"], os.environ, 0.1, answers.append)
    missing = Command(loop, ["/nowhere/program"], os.environ, 0.1, answers.append)
    assert command.running
    child = children()[0]
    command.kill()
    missing.kill()
    assert not command.running
    turn(loop, lambda: not psutil.pid_exists(child))
    late = time.monotonic() + 0.2
    turn(loop, lambda: time.monotonic() > late)
    assert answers == []


def test_no_run_leaves_a_descriptor_or_a_process(loop: Loop) -> None:
    before = descriptors()
    for argv in (["true"], ["false"], ["/nowhere/program"], ["yes"], ["sleep", "300"]):
        run(loop, *argv, timeout_s=0.1)
    turn(loop, lambda: not children())
    assert descriptors() == before


def test_a_program_has_a_process_session_of_its_own(loop: Loop) -> None:
    said = run(loop, sys.executable, "-c", "import os; print(os.getsid(0) == os.getpid())")
    assert said == b"True\n"


def test_a_program_that_is_stopped_is_ended_all_the_same(loop: Loop) -> None:
    answers: Answers = []
    Command(loop, ["sleep", "300"], os.environ, 0.2, answers.append)
    os.kill(children()[0], signal.SIGSTOP)
    turn(loop, lambda: answers)
    turn(loop, lambda: not children())
    assert answers == [None]


@pytest.mark.parametrize("argv", [("true",), ("false",), ("./no/such/program",)])
def test_nothing_is_left_to_wake_for_once_it_has_ended(loop: Loop, argv: tuple[str, ...]) -> None:
    run(loop, *argv, timeout_s=0.2)
    asked: list[float] = []
    loop.idle = lambda: asked.append(time.monotonic())
    loop.later(0.4, loop.stop)
    loop.run()
    assert len(asked) == 1, "it slept in one go"


def test_a_killed_program_leaves_nothing_to_wake_for(loop: Loop) -> None:
    command = Command(loop, ["sleep", "60"], os.environ, 0.3, lambda _: None)
    before = set(children())
    command.kill()
    turn(loop, lambda: not before & set(children()))
    asked: list[float] = []
    loop.idle = lambda: asked.append(time.monotonic())
    loop.later(0.6, loop.stop)
    loop.run()
    assert len(asked) == 1, "it slept in one go"
