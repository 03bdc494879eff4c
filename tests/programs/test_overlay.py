"""The board's process as the extension talks to it, next to stand-in sessions."""

import json
import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psutil
import pytest

from demo.waiting import NeverError, eventually
from tank.records import screen
from tank.version import PROTOCOL, __version__
from tests.support.desk import Desk

Json = dict[str, Any]
SGR = re.compile(r"\x1b\[[0-9;:]*m")
OLD = "2026-01-01T00:00:00Z"
ESCAPE = "\x1b"


class Pi:
    """The extension's side: what it sends and what it reads is checked against the contract."""

    def __init__(self, desk: Desk) -> None:
        self.process = subprocess.Popen(
            desk.command("overlay"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=desk.environment,
            cwd="/",
            start_new_session=True,
        )
        self.records: list[Json] = []
        self.reads = threading.Event()
        self.reads.set()
        self._last_id = 0
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout
        for line in self.process.stdout:
            self.reads.wait()
            screen.FROM_BOARD.validate_json(line)
            self.records.append(json.loads(line))

    def write(self, data: bytes) -> None:
        assert self.process.stdin
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, **record: object) -> None:
        data = json.dumps(record).encode()
        screen.TO_BOARD.validate_json(data)
        self.write(data + b"\n")

    def hello(self, columns: int = 100, rows: int = 30, *, pid: int = 1, **fields: Any) -> None:
        known = {"tank": __version__, "protocol": PROTOCOL, "looks": {}} | fields
        self.send(type="hello", pid=pid, columns=columns, rows=rows, **known)

    def type(self, *keys: str) -> None:
        """Each is one input; returns when the last was taken."""
        for key in keys:
            self._last_id += 1
            self.send(type="key", id=self._last_id, data=key)
        self.wait("taken", id=self._last_id)

    def wait(self, kind: str, **fields: Any) -> Json:
        def look() -> Json | None:
            return next((r for r in self.records if r["type"] == kind and fields.items() <= r.items()), None)

        found = eventually(look, 10, lambda: f"{kind} {fields} among {self.records}")
        assert found is not None
        return found

    def frames(self) -> list[list[str]]:
        return [record["lines"] for record in self.records if record["type"] == "frame"]

    def text(self) -> str:
        """What the latest frame shows."""
        frames = self.frames()
        return SGR.sub("", "\n".join(frames[-1])) if frames else ""

    def until(self, text: str, timeout: float = 10) -> None:
        eventually(lambda: text in self.text(), timeout, lambda: f"{text!r} in\n{self.text()}")

    def hang_up(self) -> int:
        assert self.process.stdin
        self.process.stdin.close()
        return self.process.wait(10)

    def close(self) -> None:
        """Fails when the process said anything past its log."""
        self.reads.set()
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(10)
        self._reader.join(10)
        streams = (self.process.stdin, self.process.stdout, self.process.stderr)
        assert self.process.stderr
        said = self.process.stderr.read()
        for stream in streams:
            assert stream
            stream.close()
        assert said == b"", said.decode()


@contextmanager
def board(desk: Desk, *args: int, **fields: Any) -> Iterator[Pi]:
    pi = Pi(desk)
    try:
        pi.hello(*args, **fields)
        eventually(pi.frames)
        yield pi
    finally:
        pi.close()


def log(desk: Desk) -> str:
    files = (desk.home / ".local/state/pi/tank/log").glob("*.log")
    return "".join(file.read_text() for file in files)


def test_hello_is_answered_with_the_board_and_the_end_of_input_ends_it(desk: Desk) -> None:
    desk.session(label="fix the login test", status="needs-you", statusDetail="Allow bash?")
    with board(desk) as pi:
        assert "fix the login test" in pi.text()
        assert "1 needs you" in pi.text()
        assert len(pi.frames()[0]) <= 30
        assert pi.hang_up() == 0
    assert log(desk) == ""


def test_a_key_is_taken_once_its_frame_was_sent(desk: Desk) -> None:
    desk.session(label="alpha")
    with board(desk) as pi:
        pi.type("?")
        kinds = [record["type"] for record in pi.records]
        assert kinds == ["frame", "frame", "taken"]
        assert "every key" in pi.text()


@pytest.mark.parametrize(
    "data", ["", "\x1b[97;1:3u", "\x1b[I", "\x1b[<0;1;1M", "\x1b[6;16;8t", "\ufffd", "\x1b["]
)
def test_what_is_no_key_is_taken_and_changes_nothing(desk: Desk, data: str) -> None:
    desk.session(label="alpha", statusSince=OLD)
    with board(desk) as pi:
        pi.type(data)
        assert [record["type"] for record in pi.records] == ["frame", "taken"]


def test_escape_is_a_key_by_itself_and_closes(desk: Desk) -> None:
    with board(desk) as pi:
        pi.type("?", ESCAPE)
        assert {"type": "close"} not in pi.records
        pi.type(ESCAPE)
        pi.wait("close")
        assert pi.process.poll() is None


def test_a_paste_of_the_longest_kind_is_one_key(desk: Desk) -> None:
    with board(desk) as pi:
        pi.type("/", f"{ESCAPE}[200~" + "\x01é" * 32 * 1024 + f"{ESCAPE}[201~", ESCAPE)
        pi.type("/", f"{ESCAPE}[200~two words{ESCAPE}[201~")
        assert "two words" in pi.text()


def test_ctrl_z_stops_nothing(desk: Desk) -> None:
    with board(desk) as pi:
        pi.type("\x1a", "?")
        assert psutil.Process(pi.process.pid).status() != psutil.STATUS_STOPPED
        assert "every key" in pi.text()


@pytest.mark.parametrize("size", [(200, 50), (80, 24), (20, 5), (1, 1)])
def test_another_size_is_drawn(desk: Desk, size: tuple[int, int]) -> None:
    desk.session(label="alpha" * 30)
    with board(desk) as pi:
        columns, rows = size
        pi.send(type="resize", columns=columns, rows=rows)
        eventually(lambda: len(pi.frames()) > 1)
        lines = pi.text().split("\n")
        assert len(lines) <= rows
        assert max(map(len, lines)) <= columns


def test_looks_are_pis_and_another_theme_draws_anew(desk: Desk) -> None:
    desk.session(status="working", label="alpha", statusSince=OLD)
    with board(desk, looks={"working": "\x1b[35m", "unheard_of": "\x1b[36m"}) as pi:
        assert "\x1b[35m" in "".join(pi.frames()[-1])
        pi.send(type="theme", looks={"working": "\x1b[34m"})
        eventually(lambda: "\x1b[34m" in "".join(pi.frames()[-1]), 2)
        assert "\x1b[35m" not in "".join(pi.frames()[-1])


def test_the_session_below_is_the_boards_own_and_says_where_it_asks(desk: Desk) -> None:
    session = desk.session(label="alpha")
    with board(desk, pid=int(session.pid)) as pi:
        session.change(
            status="needs-you",
            statusDetail="Delete it?",
            statusSince=datetime.now(UTC).isoformat(),
        )
        pi.until("asks here")


def test_what_is_copied_is_given_to_pi_too(desk: Desk) -> None:
    session = desk.session(label="alpha")
    with board(desk) as pi:
        pi.type("y", "i")
        assert pi.wait("copy")["text"] == session.id


def test_what_a_thread_brings_is_drawn(desk: Desk) -> None:
    desk.session(label="alpha", statusSince=OLD)
    with board(desk) as pi:
        pi.type(" ")
        pi.until("no prompt yet", 1)


def test_refreshing_sends_the_whole_again(desk: Desk) -> None:
    desk.session(label="alpha", statusSince=OLD)
    with board(desk) as pi:
        pi.type("r")
        assert len(pi.frames()) > 1


def test_a_change_elsewhere_shows(desk: Desk) -> None:
    session = desk.session(label="alpha", statusSince=OLD)
    with board(desk) as pi:
        session.change(label="beta")
        pi.until("beta", 1)


def test_nothing_is_sent_while_nothing_changes(desk: Desk) -> None:
    desk.session(label="alpha", statusSince=OLD)
    with board(desk) as pi:
        processor = psutil.Process(pi.process.pid)
        pi.type("j")
        quiet, used = len(pi.records), processor.cpu_times()
        with pytest.raises(NeverError):
            eventually(lambda: len(pi.records) != quiet, 2)
        spent = processor.cpu_times()
        assert spent.user + spent.system - used.user - used.system < 0.1


def test_of_the_frames_that_pi_had_no_time_for_only_the_latest_comes(desk: Desk) -> None:
    session = desk.session(label="alpha", statusSince=OLD)
    wide = {f"{number:02}": desk.session(label="x" * 300, statusSince=OLD) for number in range(20)}
    with board(desk, 200, 50) as pi:
        pi.reads.clear()
        for number in range(400):
            pi.send(type="resize", columns=200, rows=50 - number % 2)
        session.change(label="the last name")
        time.sleep(1)
        pi.reads.set()
        pi.until("the last name")
        assert len(pi.frames()) < 100
        assert len(wide) == 20


def test_what_the_board_started_ends_with_it(desk: Desk) -> None:
    (desk.home / ".git").mkdir()
    started = desk.home / "started"
    desk.fake("git", f"echo $$ > {started}.new; mv {started}.new {started}; exec sleep 60")
    desk.session(cwd=str(desk.home))
    with board(desk) as pi:
        eventually(started.exists)
        git = psutil.Process(int(started.read_text()))
        assert pi.hang_up() == 0
        eventually(lambda: not git.is_running(), 2)


def test_an_extension_of_another_protocol_gets_no_board(desk: Desk) -> None:
    pi = Pi(desk)
    pi.hello(protocol=PROTOCOL + 1)
    assert pi.process.wait(10) == 0
    pi.close()
    assert pi.records == []


@pytest.mark.parametrize(
    "junk",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b"{}",
        b'{"type":"later"}',
        b"\xff",
        b"x" * (1 << 20) + b"x",
    ],
    ids=["empty", "cut", "list", "null", "nothing", "unknown", "no text", "too long"],
)
def test_a_record_that_is_none_is_skipped(desk: Desk, junk: bytes) -> None:
    with board(desk) as pi:
        pi.write(junk + b"\n")
        pi.type("?")
        assert "every key" in pi.text()


def test_no_line_holds_more_than_text_and_looks(desk: Desk) -> None:
    evil = "\x1b]52;c;eA==\x07\x1b[2J\x9b31m\x9d0;x\x9c\r\n\b\u202e\u200b👨‍👩‍👧"
    names = ("label", "cwd", "statusDetail", "activity", "lastReply", "model", "tank")
    desk.session(**{name: f"{name}{evil}" for name in names})
    with board(desk) as pi:
        pi.type(" ")
        shown = SGR.sub("", "".join("".join(lines) for lines in pi.frames()))
    assert not [character for character in shown if not character.isprintable() and character != "\u200d"]


def test_a_failure_is_in_the_log_and_ends_the_process(desk: Desk) -> None:
    script = (
        "import tank.programs.overlay as program\n"
        "def fails(*_): raise KeyError('a fault')\n"
        "program.view = fails\n"
        "program.main()\n"
    )
    hello = {"type": "hello", "protocol": PROTOCOL, "pid": 1, "columns": 9, "rows": 9}
    ran = subprocess.run(
        [sys.executable, "-I", "-c", script],
        input=json.dumps(hello).encode() + b"\n",
        env=desk.environment,
        capture_output=True,
        timeout=10,
        check=False,
    )
    assert (ran.returncode, ran.stdout, ran.stderr) == (1, b"", b"")
    assert "a fault" in log(desk)


@pytest.mark.parametrize("number", [1, 2])
def test_signals_of_the_terminal_do_not_end_it(desk: Desk, number: int) -> None:
    with board(desk) as pi:
        os.kill(pi.process.pid, number)
        pi.type("?")
        assert pi.process.poll() is None


def test_the_process_imports_nothing_heavy() -> None:
    heavy = ("pydantic", "asyncio", "psutil", "click")
    script = f"import sys, tank.programs.overlay; print([name for name in {heavy} if name in sys.modules])"
    ran = subprocess.run([sys.executable, "-I", "-c", script], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"


def test_what_it_reads_is_what_the_examples_say(desk: Desk) -> None:
    examples = Path(__file__).parents[2] / "schema/examples/screen"
    pi = Pi(desk)
    try:
        for name in ("hello", "resize", "theme"):
            pi.send(**json.loads((examples / f"{name}.json").read_text()))
        key = json.loads((examples / "key.json").read_text())
        pi.send(**key)
        pi.wait("taken", id=key["id"])
        assert len(pi.frames()[-1]) == 24
    finally:
        pi.close()
