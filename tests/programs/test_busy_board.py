"""Three hundred sessions, twenty of which change five times a second: every board stays true, quick and small."""

import gc
import re
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime

import psutil
import pytest

from demo.waiting import eventually
from tank.board.changes import SETTLED_S
from tank.board.keys import Key
from tank.board.state import Size, State
from tank.board.theme import COLOURS
from tank.board.view.screen import view
from tank.edges.checkouts import AT_ONCE
from tank.edges.loop import Loop
from tank.programs.board import Board
from tests.support.desk import Desk
from tests.support.stand_in import Session
from tests.support.terminal_board import OLD, board
from tests.support.turning import turn

SESSIONS, CHANGING, PAUSE_S = 300, 20, 0.01
HANGS = "echo $$ >> {started}\nexec sleep 60"


@contextmanager
def changing(sessions: list[Session]) -> Iterator[None]:
    """One of them after the other begins or ends a run, a hundred a second."""
    stop = threading.Event()

    def change() -> None:
        number = 0
        while not stop.wait(PAUSE_S):
            turn, at = divmod(number, len(sessions))
            sessions[at].change(status="idle" if turn % 2 else "working", activity=f"turn {turn}")
            number += 1

    thread = threading.Thread(target=change)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def test_no_card_flickers_no_key_waits_and_a_hanging_program_delays_only_its_own_feature(desk: Desk) -> None:
    (desk.home / ".git").mkdir()
    started = desk.home / "started"
    for program in ("git", "tmux"):
        desk.fake(program, HANGS.format(started=started))
    sessions = [
        desk.session(label=f"task {at}", statusSince=OLD, cwd=str(desk.home), sidecarPid=None)
        for at in range(SESSIONS)
    ]
    with changing(sessions[:CHANGING]), ExitStack() as stack:
        boards = [stack.enter_context(board(desk, 160, 50)) for _ in range(3)]
        for terminal in boards:
            terminal.until("turn 3")
            for key, shown in (("?", "every key"), ("\x1b", "task 1 ")) * 5:
                before = terminal.mark()
                terminal.type(key)
                terminal.until(shown, before, timeout_s=1)
        for terminal in boards:
            terminal.until("turn 40", terminal.mark())
            told = re.findall(r"Tank +(\d+) sessions((?: · \S \d+ \w+)+)", terminal.text())
            assert len(told) > 10
            assert {count for count, _ in told} == {str(SESSIONS)}
            assert {sum(map(int, re.findall(r"\d+", statuses))) for _, statuses in told} == {SESSIONS}
        begun = [int(pid) for pid in started.read_text().split()]
        assert 3 <= len(begun) <= 3 * AT_ONCE * 4
        for terminal in boards:
            terminal.type("\x03")
            assert terminal.ended() == 0
    eventually(lambda: not any(map(psutil.pid_exists, begun)), 3)


@contextmanager
def opened(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Board, Loop, list[State]]]:
    """A board of this process, its loop, and the states that it drew last."""
    monkeypatch.setenv("HOME", str(desk.home))
    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    loop, drawn = Loop(), list[State]()

    def draw(state: State) -> None:
        view(state, state.size, COLOURS)
        drawn.append(state)

    made = Board(State(datetime.now(UTC), Size(160, 50)), loop, draw, lambda _effect: None, lambda: None)
    made.start()
    try:
        yield made, loop, drawn
    finally:
        made.close()


def pass_time(loop: Loop, seconds: float) -> None:
    end = time.monotonic() + seconds
    turn(loop, lambda: time.monotonic() > end)


def test_a_count_that_says_what_is_known_draws_nothing(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.session(label="alpha", statusSince=OLD, cwd=str(desk.home))
    with opened(desk, monkeypatch) as (made, loop, drawn):
        pass_time(loop, 0.3)
        drawn.clear()
        made.feed(Key("r"))
        pass_time(loop, 0.3)
        assert len(drawn) == 1


def test_after_many_changes_the_board_is_as_small_as_before(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    sessions = [desk.session(label=f"task {at}", statusSince=OLD, cwd=str(desk.home)) for at in range(5)]
    with opened(desk, monkeypatch) as (made, loop, drawn):

        def change(times: range) -> int:
            """How many objects there are once all of these changes were seen and what they started is over."""
            for number in times:
                status = ("working", "idle", "done", "needs-you")[number % 4]
                sessions[number % 5].change(status=status, activity=f"é {number}", label=f"家 {number}")
                made.feed(Key("r"))
            pass_time(loop, 2 * SETTLED_S)
            drawn.clear()
            gc.collect()
            return len(gc.get_objects())

        before = change(range(500))
        after = change(range(500, 2500))
        assert made.state.roster.sessions[2499 % 5].entry.label == "家 2499"
    assert after - before < 100
