"""The board in a real terminal, next to stand-in sessions."""

import base64
import json
import os
import signal
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psutil
import pytest

from demo.waiting import NeverError, eventually
from tank.edges.tty import ENTER, LEAVE
from tests.support.desk import Desk
from tests.support.terminal import Terminal
from tests.support.terminal_board import board


def waiting(desk: Desk, **fields: Any) -> Any:
    known = {
        "status": "needs-you",
        "statusDetail": "Allow bash: rm -rf build?",
        "label": "fix the login test",
    }
    return desk.session(**known | fields)


def said_by_user(number: int, text: str, parent: int | None) -> str:
    """A line of a session file as Pi writes it."""
    record = {"type": "message", "id": str(number), "parentId": parent and str(parent)}
    message = {"role": "user", "content": text}
    return json.dumps(record | {"timestamp": "2026-07-01T10:00:00Z", "message": message}) + "\n"


def test_the_board_opens_shows_the_sessions_and_escape_leaves_the_terminal_as_it_was(desk: Desk) -> None:
    waiting(desk)
    desk.session(status="working", label="port the parser", activity="bash: pytest -q")
    with board(desk) as terminal:
        terminal.until("2 sessions · ● 1 needs you · ◐ 1 working")
        terminal.until("fix the login test")
        terminal.until("Allow bash: rm -rf build?")
        assert terminal.modes() != terminal.found
        terminal.type("\x1b")
        assert terminal.ended() == 0
        assert terminal.written.endswith(LEAVE.encode())
        assert terminal.modes() == terminal.found


def test_a_change_elsewhere_shows_and_writes_only_its_lines(desk: Desk) -> None:
    session = desk.session(label="port the parser", status="idle")
    desk.session(label="another one", status="idle")
    with board(desk) as terminal:
        terminal.until("2 sessions")
        before = terminal.mark()
        session.change(status="working", activity="bash: make")
        terminal.until("bash: make", before, timeout_s=3)
        terminal.until("1 working", before)
        assert "another one" not in terminal.text(before)


def test_a_session_that_comes_is_shown(desk: Desk) -> None:
    desk.session(label="the first one")
    with board(desk) as terminal:
        terminal.until("1 session")
        before = terminal.mark()
        desk.session(label="the second one")
        terminal.until("the second one", before, timeout_s=3)


def test_a_process_that_dies_without_a_word_is_noticed(desk: Desk) -> None:
    session = desk.session(label="the only one")
    with board(desk) as terminal:
        terminal.until("the only one")
        session.end()
        terminal.until("No Pi session is open", timeout_s=15)


def test_the_live_directory_may_come_later(desk: Desk) -> None:
    with board(desk) as terminal:
        terminal.until("No Pi session is open")
        before = terminal.mark()
        desk.session(label="the first one")
        terminal.until("the first one", before, timeout_s=3)


def test_nothing_is_written_while_nothing_changes(desk: Desk) -> None:
    desk.session(label="old", statusSince="2026-01-01T00:00:00Z")
    with board(desk) as terminal:
        terminal.until("old")
        terminal.type("r")
        before = terminal.mark()
        terminal.until("old", before)
        processor = psutil.Process(terminal.process.pid)
        quiet, used = terminal.mark(), processor.cpu_times()
        with pytest.raises(NeverError):
            eventually(lambda: terminal.mark() != quiet, 2)
        spent = processor.cpu_times()
        assert spent.user + spent.system - used.user - used.system < 0.1


def test_an_age_is_drawn_again_when_it_changes(desk: Desk) -> None:
    desk.session(label="new", status="working", statusSince=datetime.now(UTC).isoformat())
    with board(desk) as terminal:
        terminal.until(" 2s ")
        terminal.until(" 3s ")


def test_keys_select_and_a_change_of_size_draws_anew(desk: Desk) -> None:
    first = waiting(desk, label="alpha", startedAt="2026-07-01T10:00:00Z")
    desk.session(label="beta", startedAt="2026-07-01T11:00:00Z", cwd=first.entry["cwd"])
    with board(desk, NO_COLOR="1") as terminal:
        terminal.until("▸ ● needs you")
        before = terminal.mark()
        terminal.type("\x1b[B")
        terminal.until("▸ ○ idle", before)
        before = terminal.mark()
        terminal.resize(50, 12)
        terminal.until("▸○ idle", before)
        terminal.type("/alp\r")
        terminal.until("/alp  1 of 2", before)


def test_a_priority_goes_to_the_session_and_a_refusal_is_told(desk: Desk) -> None:
    session = waiting(desk)
    replies = iter([{"ok": True, "data": None}, {"ok": False, "error": "Pi is closing"}])
    server = session.listen(lambda _request: next(replies))
    with board(desk) as terminal:
        terminal.until("fix the login test")
        terminal.type("p1")
        eventually(lambda: server.asked == [{"type": "priority", "priority": 1}])
        terminal.type("p-")
        terminal.until("priority not set: Pi is closing")
        assert server.asked[-1] == {"type": "priority", "priority": None}


def test_a_session_that_does_not_answer_holds_up_no_key(desk: Desk) -> None:
    session = waiting(desk, label="alpha")
    desk.session(label="beta")
    session.listen(lambda _request: None)
    with board(desk, NO_COLOR="1") as terminal:
        terminal.until("▸ ● needs you")
        terminal.type("p1")
        terminal.until("setting the priority", timeout_s=3)
        before = terminal.mark()
        terminal.type("j")
        terminal.until("▸ ○ idle", before, timeout_s=3)


def test_a_socket_that_is_none_holds_up_nothing(desk: Desk) -> None:
    waiting(desk, socket="/run/x\0y")
    with board(desk) as terminal:
        terminal.until("fix the login test")
        terminal.type("p1")
        terminal.until("priority not set: ")
        terminal.type("\x1b")
        assert terminal.ended() == 0


def test_the_peek_shows_the_transcript_and_follows_it(desk: Desk, tmp_path: Path) -> None:
    file = tmp_path / "session.jsonl"
    waiting(desk, sessionFile=str(file))
    with board(desk) as terminal:
        terminal.until("fix the login test")
        terminal.type(" ")
        terminal.until("no prompt yet")
        file.write_text(said_by_user(1, "run every test", None))
        terminal.until("› run every test")
        with file.open("a") as growing:
            growing.write(said_by_user(2, "once more", 1))
        terminal.until("› once more")


def test_a_transcript_that_cannot_be_read_is_told(desk: Desk, tmp_path: Path) -> None:
    waiting(desk, sessionFile=str(tmp_path))
    with board(desk) as terminal:
        terminal.until("fix the login test")
        terminal.type(" ")
        terminal.until("the transcript can't be read")


@pytest.mark.parametrize("file", ["~nobody-has-this-name/x", "relative/x", "/x\0y", "~/\x1b[2J"])
def test_an_odd_place_for_a_transcript_is_no_transcript(desk: Desk, file: str) -> None:
    waiting(desk, sessionFile=file)
    desk.session(label="twin", sessionFile=file)
    with board(desk) as terminal:
        terminal.until("fix the login test")
        terminal.type(" ")
        terminal.until("no prompt yet")


def test_a_transcript_that_two_processes_have_open_is_marked_on_both(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "real.jsonl").touch()
    (tmp_path / "link.jsonl").symlink_to("real.jsonl")
    desk.session(sessionFile=str(tmp_path / "real.jsonl"))
    desk.session(sessionFile=str(tmp_path / "link.jsonl"))
    desk.session(sessionFile=str(tmp_path / "other.jsonl"))
    with board(desk) as terminal:
        terminal.until("3 sessions")
        eventually(lambda: terminal.text().count("open twice") == 2)


def test_ctrl_z_gives_the_shell_its_terminal_and_fg_brings_the_board_back(desk: Desk) -> None:
    waiting(desk)
    shell = ["bash", "--norc", "--noprofile", "-i"]
    settings = desk.environment | {"TERM": "xterm", "PS1": "PROMPT> "}
    with Terminal(shell, settings, 100, 30) as terminal:
        terminal.until("PROMPT> ")
        terminal.type(f"{sys.executable} -I -m tank\n")
        terminal.until("fix the login test")
        before = terminal.mark()
        terminal.type("\x1a")
        terminal.until(LEAVE.encode(), before)
        terminal.until("Stopped", before)
        before = terminal.mark()
        terminal.resize(90, 20)
        terminal.type("fg\n")
        terminal.until(ENTER.encode(), before)
        terminal.until("fix the login test", before)
        before = terminal.mark()
        terminal.type("\x03")
        terminal.until(LEAVE.encode(), before)
        terminal.until("PROMPT> ", before)
        terminal.type("exit\n")
        assert terminal.ended() == 0


def test_after_a_long_stop_the_terminal_is_taken_again_and_only_the_latest_is_drawn(desk: Desk) -> None:
    session = waiting(desk)
    with board(desk) as terminal:
        terminal.until("fix the login test")
        terminal.process.send_signal(signal.SIGSTOP)
        for number in range(20):
            session.change(label=f"name {number}")
        before = terminal.mark()
        terminal.process.send_signal(signal.SIGCONT)
        terminal.until(ENTER.encode(), before)
        terminal.until("name 19", before)
        assert "name 18" not in terminal.text(before)


@pytest.mark.parametrize("columns", [200, 80, 40, 20, 7, 3, 1])
def test_every_width_opens(desk: Desk, columns: int) -> None:
    waiting(desk, label="家族👨‍👩‍👧" * 20)
    settings = desk.environment | {"TERM": "xterm"}
    with Terminal(desk.command(), settings, columns, 10) as terminal:
        terminal.until(b"\x1b[10;1H")
        terminal.type("\x1b")
        assert terminal.ended() == 0


def test_into_a_pipe_the_whole_board_is_printed_once(desk: Desk) -> None:
    for number in range(40):
        desk.session(label=f"task {number}")
    waiting(desk, label="é家")
    ran = desk.tank(COLUMNS="60")
    assert (ran.returncode, ran.stderr) == (0, "")
    lines = ran.stdout.splitlines()
    assert lines[0] == " Tank ● 1 needs you · ○ 40 idle"
    assert all(f"task {number}" in ran.stdout for number in range(40))
    assert "\x1b" not in ran.stdout
    assert max(map(len, lines)) <= 60


def test_an_encoding_without_the_glyphs_is_no_failure(desk: Desk) -> None:
    waiting(desk)
    environment = desk.environment | {"PYTHONIOENCODING": "ascii"}
    ran = subprocess.run([sys.executable, "-m", "tank"], env=environment, capture_output=True, check=True)
    assert b"? needs you" in ran.stdout
    assert ran.stdout.isascii()


def test_a_dumb_terminal_gets_the_board_once_and_plain(desk: Desk) -> None:
    waiting(desk)
    with Terminal(desk.command(), desk.environment | {"TERM": "dumb"}, 90, 20) as terminal:
        assert terminal.ended() == 0
        assert b"fix the login test" in terminal.written
        assert b"\x1b" not in terminal.written


def test_a_reader_that_had_enough_sees_no_traceback(desk: Desk) -> None:
    waiting(desk)
    reading, writing = os.pipe()
    os.close(reading)
    process = subprocess.Popen(desk.command(), env=desk.environment, stdout=writing, stderr=subprocess.PIPE)
    os.close(writing)
    _, told = process.communicate(timeout=10)
    assert b"Traceback" not in told


def test_the_board_imports_nothing_heavy(desk: Desk) -> None:
    heavy = ("pydantic", "asyncio", "psutil", "prompt_toolkit", "rich")
    script = (
        f"import sys, tank.programs.terminal_board; print([name for name in {heavy} if name in sys.modules])"
    )
    ran = subprocess.run([sys.executable, "-I", "-c", script], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"


def test_a_message_is_sent_to_the_session_it_names_and_its_fate_is_told(desk: Desk) -> None:
    session = desk.session(label="port the parser")
    server = session.listen(lambda _: {"ok": True, "data": {"delivered": "queued"}})
    with board(desk, 120) as terminal:
        terminal.until("port the parser")
        terminal.type("m")
        terminal.until("message to port the parser")
        terminal.type("is it done?\x1b\rall of it?\r")
        terminal.until("lies in its queue")
        assert server.asked == [
            {
                "type": "send",
                "message": "is it done?\nall of it?",
                "mode": "follow_up",
                "to": {"sessionId": session.id},
                "id": server.asked[0]["id"],
            }
        ]


def test_a_message_that_was_refused_says_why_and_is_kept(desk: Desk) -> None:
    session = desk.session(label="port the parser")
    session.listen(
        lambda _: {"ok": False, "error": "it serves another session now", "data": {"delivered": "no"}}
    )
    with board(desk, 160) as terminal:
        terminal.until("port the parser")
        terminal.type("mwait for me\r")
        terminal.until("it serves another session now")
        before = terminal.mark()
        terminal.type("m")
        terminal.until("wait for me", before)


def test_a_session_that_never_answers_holds_up_no_key(desk: Desk) -> None:
    desk.session(label="silent").listen(lambda _: None)
    with board(desk, 120) as terminal:
        terminal.until("silent")
        terminal.type("mhello\r")
        terminal.until("sending…")
        before = terminal.mark()
        terminal.type("?")
        terminal.until("every key", before, timeout_s=2)


def test_copying_asks_the_terminal_and_says_what_is_known_of_it(desk: Desk) -> None:
    session = desk.session(label="port the parser")
    with board(desk, 120) as terminal:
        terminal.until("port the parser")
        terminal.type("yi")
        asked = base64.b64encode(session.id.encode())
        terminal.until(b"\x1b]52;c;" + asked + b"\x07")
        terminal.until("asked the terminal to copy the id (OSC 52)")


def test_the_last_reply_is_copied_whole_from_the_transcript(desk: Desk, tmp_path: Path) -> None:
    said = "First line.\n\n\tthe second,\n" + "long\n" * 5000
    reply = {"role": "assistant", "content": [{"type": "text", "text": said}]}
    told = {
        "type": "message",
        "id": "2",
        "parentId": "1",
        "timestamp": "2026-07-01T10:00:00Z",
        "message": reply,
    }
    file = tmp_path / "session.jsonl"
    file.write_text(said_by_user(1, "hi", None) + json.dumps(told) + "\n")
    desk.session(label="port the parser", sessionFile=str(file))
    desk.session(label="quiet")
    with board(desk, 120) as terminal:
        terminal.until("port the parser")
        terminal.type("yl")
        terminal.until(b"\x1b]52;c;" + base64.b64encode(said.encode()) + b"\x07")
        terminal.type("lyl")
        terminal.until("it has no last reply yet")
        file.write_text(said_by_user(1, "hi", None))
        terminal.type("hyl")
        terminal.until("the end of its transcript holds no reply")
        file.unlink()
        terminal.type("yl")
        terminal.until("nothing copied: it was not prompted yet")


def test_a_reply_that_no_clipboard_takes_is_not_said_to_be_copied(desk: Desk, tmp_path: Path) -> None:
    reply = {"role": "assistant", "content": [{"type": "text", "text": "x" * 100_000}]}
    file = tmp_path / "session.jsonl"
    file.write_text(json.dumps({"type": "message", "id": "1", "parentId": None, "message": reply}) + "\n")
    desk.fake("xclip", "exit 1")
    desk.session(label="port the parser", sessionFile=str(file))
    with board(desk, 160, DISPLAY=":0") as terminal:
        terminal.until("port the parser")
        terminal.type("yl")
        terminal.until("nothing copied: the last reply is too long for the terminal's clipboard")
        assert b"\x1b]52" not in terminal.written


def test_a_clipboard_command_that_took_it_is_said_to_have_copied(desk: Desk, tmp_path: Path) -> None:
    desk.fake("xclip", f"cat > {tmp_path}/clipboard")
    session = desk.session(label="port the parser")
    with board(desk, DISPLAY=":0") as terminal:
        terminal.until("port the parser")
        terminal.type("yi")
        terminal.until("copied the id")
    assert (tmp_path / "clipboard").read_text() == session.id


def test_the_projects_header_counts_what_is_not_committed(desk: Desk, tmp_path: Path) -> None:
    folder = tmp_path / "app"
    folder.mkdir()
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    (folder / "new").touch()
    session = desk.session(label="port the parser", cwd=str(folder))
    with board(desk, 120) as terminal:
        terminal.until("1 uncommitted")
        (folder / "other").touch()
        session.change(status="working")
        terminal.until("working")
        session.change(status="done")
        terminal.until("2 uncommitted", timeout_s=5)
