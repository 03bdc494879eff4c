"""A sidecar's life: what it publishes, what it remembers, how it ends."""

import os
import signal
import stat
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from demo.waiting import eventually
from tank.records.live import LiveEntry
from tank.session import brain
from tank.version import PROTOCOL, __version__
from tests.support.conversation import FACTS, Conversation, after

Converse = Callable[..., Conversation]
linux = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")


@pytest.fixture
def sidecar(converse: Converse) -> Conversation:
    made = converse()
    made.hello()
    return made


def test_a_hello_is_welcomed_and_the_session_published(converse: Converse) -> None:
    sidecar = converse()
    welcome = sidecar.hello(name="port the parser", prompts=["hello"])
    assert (welcome["tank"], welcome["protocol"]) == (__version__, PROTOCOL)
    entry = sidecar.published(status="idle", label="port the parser")
    LiveEntry.model_validate_json(sidecar.entry_file.read_bytes())
    assert entry["pid"] == sidecar.pid
    assert entry["sidecarPid"] == sidecar.process.pid
    assert entry["socket"] == str(sidecar.socket_file)
    assert entry["sessionId"] == FACTS["sessionId"]
    sidecar.leave()


def test_before_the_hello_nothing_is_published(converse: Converse) -> None:
    sidecar = converse()
    sidecar.send({"type": "agent_start", "id": 5})
    sidecar.order("taken", id=5)
    assert not sidecar.live.exists()


def test_an_event_is_published_at_once(sidecar: Conversation) -> None:
    for status, act in (("working", sidecar.run), ("idle", sidecar.settle)):
        act()
        sent = time.time()
        sidecar.published(status=status)
        assert sidecar.entry_file.stat().st_mtime - sent < 0.1
    sidecar.leave()


def test_activity_alone_is_published_at_most_four_times_a_second(sidecar: Conversation) -> None:
    sidecar.run()
    sidecar.published(status="working")
    seen = set()
    started = time.monotonic()
    number = 0
    while time.monotonic() - started < 1:
        number += 1
        sidecar.event(
            "tool_execution_start", toolCallId=f"t{number}", toolName="bash", argument=f"step {number}"
        )
        seen.add(sidecar.entry_file.stat().st_ino)
        time.sleep(0.002)
    sidecar.published(activity=f"bash: step {number}")
    assert number > 50
    assert len(seen) <= 6


def test_the_end_of_its_input_removes_its_files_and_ends_it(sidecar: Conversation) -> None:
    sidecar.published()
    sidecar.run()
    sidecar.leave()
    assert list(sidecar.live.iterdir()) == []


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_of_the_signals_only_sigterm_ends_it_and_it_ends_clean(sidecar: Conversation, number: int) -> None:
    sidecar.published()
    sidecar.signal(number)
    if number != signal.SIGTERM:
        assert sidecar.ask({"type": "ping"})["ok"]
        sidecar.signal(signal.SIGTERM)
    assert sidecar.wait() == 0
    assert list(sidecar.live.iterdir()) == []
    assert sidecar.log() == "no log"


def test_a_sigterm_in_the_middle_of_much_work_leaves_nothing_either(sidecar: Conversation) -> None:
    sidecar.run()
    for number in range(500):
        sidecar.event("session_info_changed", name=f"name {number}")
    sidecar.signal(signal.SIGTERM)
    assert sidecar.wait() == 0
    assert list(sidecar.live.iterdir()) == []


def test_no_hello_after_a_session_was_left_ends_it(sidecar: Conversation) -> None:
    sidecar.event("session_shutdown", reason="new")
    started = time.monotonic()
    assert sidecar.wait(15) == 0
    assert brain.HELLO_S - 1 < time.monotonic() - started < brain.HELLO_S + 2
    assert list(sidecar.live.iterdir()) == []


def test_a_killed_sidecar_comes_back_true(sidecar: Conversation) -> None:
    for number in range(2):
        sidecar.line().send({"type": "send", "message": f"message {number}"})
        order = sidecar.order("deliver")
        sidecar.answer(order, "busy" if number else "done")
        if not number:
            sidecar.run()
            sidecar.settle()
    sidecar.run()
    sidecar.event("agent_end", stopReason="error", errorMessage="overloaded")
    sidecar.event("agent_settled", aborted=False, isIdle=True, hasPendingMessages=False, context=None)
    before = sidecar.published(statusDetail="failed: overloaded", messagesSinceInput=2)
    eventually(lambda: sidecar.kept()["held"] and sidecar.kept()["detail"])
    sidecar.kill()
    kept = sidecar.kept()
    sidecar.start()
    sidecar.hello("restart", kept=kept)
    after = sidecar.published(sidecarPid=sidecar.process.pid)
    remembered = ("status", "statusSince", "statusDetail", "messagesSinceInput", "recent", "startedAt")
    assert {name: after[name] for name in remembered} == {name: before[name] for name in remembered}
    assert "message 1" in sidecar.order("deliver")["text"]
    sidecar.leave()


def test_what_is_no_record_is_logged_and_nothing_else(sidecar: Conversation) -> None:
    for junk in (
        b"",
        b"{",
        b"[]",
        b"{}",
        b'{"type":7}',
        b"\xff",
        b"[" * 100_000,
        b'"\\ud800"',
        b"x" * 600_000,
    ):
        sidecar.send(junk)
    sidecar.run()
    sidecar.published(status="working")
    said = sidecar.log()
    assert said.count("not JSON") == 5
    assert said.count("not an object with a type") == 3
    assert said.count("too long") == 1
    log = sidecar.folder / "state/pi/tank/log" / f"{os.getpid()}.log"
    assert stat.S_IMODE(log.stat().st_mode) == 0o600
    sidecar.hang_up()
    sidecar.wait()
    assert not log.exists(), "a clean end takes it away"


def test_records_of_unknown_types_and_odd_values_change_nothing(sidecar: Conversation) -> None:
    odd: list[object] = [None, 7, -1, 2**70, 1e400, "", [], {}, {"type": "hello"}, True]
    kinds = [
        "future",
        "input",
        "agent_end",
        "agent_settled",
        "message_start",
        "tool_execution_start",
        "focus",
    ]
    kinds += [
        "ui_prompt_start",
        "session_tree",
        "entries",
        "call",
        "answer",
        "model_select",
        "key",
        "message_end",
    ]
    for kind in kinds:
        for value in odd:
            names = (
                "id",
                "text",
                "role",
                "facts",
                "entries",
                "arguments",
                "context",
                "model",
                "title",
                "reply",
            )
            sidecar.event(kind, **dict.fromkeys(names, value))
    sidecar.hello(name="still here")
    sidecar.published(label="still here")


def test_a_failure_of_ours_ends_in_the_log_without_what_was_said(converse: Converse, tmp_path: Path) -> None:
    """A brain that is made to fail, as no record can."""
    program = "from tank.programs import sidecar; from tank.session import brain\n"
    program += "def fail(*_): raise RuntimeError('made to fail')\n"
    program += "brain.Inbox.hear = fail; sidecar.main()"
    sidecar = converse(python=["-c", program])
    sidecar.hello(prompts=["my prompt"])
    sidecar.published()
    sidecar.event("input", text="my secret prompt", source="interactive")
    assert sidecar.wait() == 1
    said = sidecar.log()
    assert "Traceback" in said
    assert "RuntimeError: made to fail" in said
    assert "prompt" not in said.replace("begins(prompt", "")
    log = tmp_path / "state/pi/tank/log" / f"{os.getpid()}.log"
    assert stat.S_IMODE(log.stat().st_mode) == 0o600
    assert log.stat().st_size < 256 * 1024
    assert list(sidecar.live.iterdir()) == [], "also then it leaves no file behind"


@linux
def test_nothing_happens_at_rest(sidecar: Conversation) -> None:
    """Also after a question to git, a message to a session (itself) and a run on it."""
    sidecar.event("call", tool="send_to_session", arguments={"to": str(sidecar.pid), "message": "x"})
    sidecar.answer(sidecar.order("deliver"))
    sidecar.run()
    assert not sidecar.order("result")["isError"]
    sidecar.settle()
    sidecar.published(status="idle", project={"key": "/", "name": "/"})

    def rests() -> bool:
        before = sidecar.switches()
        time.sleep(0.5)
        return sidecar.switches() == before

    eventually(rests)
    before, written = sidecar.switches(), sidecar.entry_file.stat()
    time.sleep(3)
    assert sidecar.switches() == before
    assert sidecar.entry_file.stat() == written


def test_it_imports_the_least_and_all_of_it_before_it_publishes(converse: Converse, tmp_path: Path) -> None:
    (tmp_path / "imports").touch()
    sidecar = converse(
        prefix=after(f"exec 2>{tmp_path / 'imports'}"), python=["-X", "importtime", "-m", "tank", "sidecar"]
    )

    def imported() -> set[str]:
        lines = (tmp_path / "imports").read_text().splitlines()
        return {line.rpartition("|")[2].strip() for line in lines}

    sidecar.hello(prompts=["日本語 👩‍👩‍👧"], cwd=str(tmp_path))
    sidecar.published(label="日本語 👩‍👩‍👧")
    before = imported()
    heavy = {"pydantic", "click", "asyncio", "aiofiles", "ssl", "typing_extensions"}
    assert not before & (heavy | ({"psutil"} if sys.platform == "linux" else set()))
    sidecar.event("call", tool="send_to_session", arguments={"to": str(sidecar.pid), "message": "x"})
    sidecar.answer(sidecar.order("deliver"))
    sidecar.run()
    sidecar.order("result")
    sidecar.ask({"type": "explain"})
    sidecar.ask({"type": "send", "message": 7})
    sidecar.event("tool_execution_start", toolCallId="1", toolName="bash", argument="x" * 4000)
    sidecar.settle()
    sidecar.published(status="idle")
    sidecar.hang_up()
    sidecar.wait()
    late = {name for name in imported() - before if name.startswith(("tank", "orjson", "wcwidth"))}
    assert not late
