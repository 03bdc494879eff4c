import json
import os
import signal
import subprocess
import sys
import time
import unicodedata
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from demo.stage import ROOT
from tank.programs import listing, waiting
from tank.records import entry
from tank.records.entry import Entry
from tank.roster.marks import TWICE
from tests.support.desk import Desk

Json = dict[str, Any]
SCHEMA = ROOT / "schema"
EVIL = "evil \x1b]52;c;x\x07\x9b2J\u202e\u200b\n name"
APP = {"key": "github.com/you/app", "name": "app"}
START = datetime(2026, 7, 1, 10, tzinfo=UTC)


def sent(delivered: str) -> Json:
    return {"ok": True, "data": {"delivered": delivered}}


def at(seconds: float) -> str:
    return (START + timedelta(seconds=seconds)).isoformat()


def change(status: str, seconds: float, detail: str | None = None) -> Json:
    return {"status": status, "detail": detail, "at": at(seconds)}


def obeyed(text: str) -> set[str]:
    return {c for c in text if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp")} - {"\n"}


# list


def test_list_shows_each_session_in_one_line(desk: Desk) -> None:
    since = (datetime.now(UTC) - timedelta(minutes=2, seconds=5)).isoformat()
    first = desk.session(
        label="fix the login test",
        project=APP,
        sessionId="0199aaaa-1",
        status="needs-you",
        statusDetail="Allow?",
        statusSince=since,
        priority=0,
        socket="/x",
    )
    second = desk.session(
        label="parser",
        project=APP,
        sessionId="0199bbbb-2",
        status="working",
        activity="bash: pytest",
        socket="/x",
    )
    ran = desk.tank("list")
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.splitlines() == [
        f"needs-you  2m  p0  app  fix the login test  {first.pid}  0199aaaa  Allow?",
        f"working            app  parser              {second.pid}  0199bbbb  bash: pytest",
    ]


def test_list_in_a_pipe_cuts_nothing_and_fits_the_columns_it_is_given(desk: Desk) -> None:
    session = desk.session(label="漢字" * 30, project=APP, status="idle", recap={"text": "and so on " * 9})
    assert "漢字" * 30 in desk.tank("list").stdout
    for columns in (200, 80, 40, 20, 7, 3, 1):
        (line,) = desk.tank("list", COLUMNS=str(columns)).stdout.splitlines()
        cells = sum(2 if unicodedata.east_asian_width(c) == "W" else 1 for c in line)
        assert cells <= columns
        assert columns < 80 or session.pid in line


def test_list_tells_sessions_of_one_label_apart(desk: Desk) -> None:
    first, second = (desk.session(label="build", sessionId=f"{n}abc-def") for n in "12")
    assert {f"build · {s.id[:4]}" for s in (first, second)} <= set(desk.tank("list").stdout.split("  "))


def test_list_shows_as_much_of_the_ids_as_tells_them_apart(desk: Desk) -> None:
    for ending in "12":
        desk.session(label=f"task {ending}", sessionId=f"0199aaaa-bbb{ending}-7000", socket="/x")
    lines = desk.tank("list").stdout.splitlines()
    assert [line.split()[-1] for line in lines] == ["0199aaaa-bbb1", "0199aaaa-bbb2"]


def test_list_marks_two_processes_on_one_transcript(desk: Desk) -> None:
    for _ in range(2):
        desk.session(sessionFile="~/one.jsonl", socket="/x")
    desk.session(sessionFile="~/other.jsonl", socket="/x")
    marked = [TWICE in line for line in desk.tank("list").stdout.splitlines()]
    assert sorted(marked) == [False, True, True]


def test_list_lets_no_foreign_text_reach_the_terminal(desk: Desk) -> None:
    desk.session(label=EVIL, project={"key": EVIL, "name": EVIL}, cwd=EVIL, statusDetail=EVIL, lastReply=EVIL)
    desk.session(cwd=f"/{EVIL}")
    plain, as_json = desk.tank("list"), desk.tank("list", "--json")
    assert len(plain.stdout.splitlines()) == 2
    assert obeyed(plain.stdout + plain.stderr + as_json.stdout) == set()
    assert json.loads(as_json.stdout)[0]["label"] == EVIL


@given(st.text() | st.dictionaries(st.text(), st.text()))
def test_json_says_the_same_and_obeys_nobody(value: object) -> None:
    assert json.loads(listing.as_json(value)) == value
    assert obeyed(listing.as_json(value)) == set()


def test_list_json_gives_the_entries_as_they_are_published(desk: Desk) -> None:
    sessions = [desk.session(label="a", unknown={"x": [1]}), desk.session(label="b", priority=None)]
    ran = desk.tank("list", "--json")
    assert (ran.returncode, ran.stderr) == (0, "")
    assert json.loads(ran.stdout) == [session.entry for session in sessions]


def test_list_with_nothing_live_says_how_to_begin_and_json_is_empty(desk: Desk) -> None:
    ran = desk.tank("list")
    assert (ran.returncode, ran.stdout) == (0, "")
    assert ran.stderr.startswith("No Pi session is live. Start `pi`")
    assert desk.tank("list", "--json").stdout == "[]\n"
    assert not desk.live.exists(), "a reader makes no directory"


def test_list_says_what_could_not_be_read(desk: Desk) -> None:
    desk.session(label="good")
    (desk.live / "1.json").write_text("{")
    ran = desk.tank("list")
    assert len(ran.stdout.splitlines()) == 1
    assert "1 file in" in ran.stderr


def test_list_survives_a_reader_that_has_seen_enough(desk: Desk) -> None:
    for number in range(3):
        desk.session(label=f"{number} " + "x" * 300)
    reading, writing = os.pipe()
    os.close(reading)
    with subprocess.Popen(
        desk.command("list"), env=desk.environment, stdout=writing, stderr=subprocess.PIPE, text=True
    ) as process:
        os.close(writing)
        assert process.communicate()[1] == ""
    assert process.returncode == 1


def test_list_in_a_terminal_of_few_letters_shows_what_it_can(desk: Desk) -> None:
    desk.session(label="grüße 漢")
    environment = desk.environment | {"PYTHONIOENCODING": "ascii"}
    command = [sys.executable, "-m", "tank", "list"]
    ran = subprocess.run(command, env=environment, cwd="/", capture_output=True, text=True, check=True)
    assert "gr??e ?" in ran.stdout


# targets


def test_a_session_answers_to_id_pid_label_project_label_and_prefix(desk: Desk) -> None:
    session = desk.session(label="login", project=APP)
    desk.session(label="other", project=APP)
    server = session.listen(lambda _: sent("started"))
    for word in (session.id, session.pid, "login", "app/login", session.id[: len(session.id) - 4]):
        assert desk.tank("send", word, "hi").returncode == 0, word
    assert len(server.asked) == 5


@pytest.mark.parametrize(
    "command", ["peek X", "send X hi", "priority X 1", "wait X idle", "explain X"], ids=lambda c: c.split()[0]
)
def test_no_such_session_is_code_3_and_lists_what_there_is(desk: Desk, command: str) -> None:
    desk.session(label="login", project=APP)
    ran = desk.tank(*command.split())
    assert (ran.returncode, ran.stdout) == (3, "")
    assert f"{desk.sessions[0].pid} · {desk.sessions[0].id[:8]} · app · login · idle" in ran.stderr


def test_an_ambiguous_target_sends_nothing_and_names_both(desk: Desk) -> None:
    servers = [desk.session(label="build").listen(lambda _: sent("started")) for _ in range(2)]
    ran = desk.tank("send", "build", "hi")
    assert ran.returncode == 3
    assert all(session.pid in ran.stderr for session in desk.sessions)
    assert [server.asked for server in servers] == [[], []]


def test_no_session_at_all_is_code_3(desk: Desk) -> None:
    ran = desk.tank("send", "build", "hi")
    assert ran.returncode == 3
    assert "none is open" in ran.stderr


# send


@pytest.mark.parametrize(
    ("delivered", "said"),
    [
        ("started", "was idle and started a run"),
        ("queued", "is busy"),
        ("held", "held there"),
        ("shown", "starts no run"),
    ],
)
def test_send_says_what_became_of_the_message(desk: Desk, delivered: str, said: str) -> None:
    session = desk.session(label="login", project=APP)
    server = session.listen(lambda _: sent(delivered))
    ran = desk.tank("send", "login", "run /quit\n!now @file")
    assert (ran.returncode, ran.stderr) == (0, "")
    assert said in ran.stdout
    assert f"app · login ({session.pid})" in ran.stdout
    assert server.asked == [
        {
            "type": "send",
            "message": "run /quit\n!now @file",
            "mode": "follow_up",
            "to": {"sessionId": session.id},
            "id": server.asked[0]["id"],
        }
    ]


@pytest.mark.parametrize(("delivered", "said"), [("no", "was not delivered"), ("unknown", "is unknown")])
def test_send_fails_when_the_message_is_not_sure_to_arrive(desk: Desk, delivered: str, said: str) -> None:
    refusal = {"ok": False, "error": "Pi hangs", "data": {"delivered": delivered}}
    desk.session(label="login").listen(lambda _: refusal)
    ran = desk.tank("send", "login", "hi")
    assert (ran.returncode, ran.stdout) == (1, "")
    assert said in ran.stderr
    assert "Pi hangs" in ran.stderr
    ran = desk.tank("send", "login", "hi", "--json")
    assert (ran.returncode, json.loads(ran.stdout)) == (1, refusal)


def test_send_to_a_session_whose_socket_is_dead_delivers_nothing_and_says_so(desk: Desk) -> None:
    session = desk.session(label="login")
    session.listen(lambda _: sent("started")).close()
    session.server = None
    ran = desk.tank("send", "login", "hi", "--json")
    assert ran.returncode == 1
    assert json.loads(ran.stdout)["data"] == {"delivered": "no"}
    assert "connection refused" in ran.stderr


def test_send_to_a_session_that_breaks_off_does_not_know(desk: Desk) -> None:
    desk.session(label="login").listen(lambda _: b"")
    ran = desk.tank("send", "login", "hi", "--json")
    assert (ran.returncode, json.loads(ran.stdout)["data"]) == (1, {"delivered": "unknown"})


def test_send_to_a_session_without_a_socket_says_why(desk: Desk) -> None:
    desk.session(label="login", socket=None)
    ran = desk.tank("send", "login", "hi")
    assert ran.returncode == 1
    assert "it has no message socket" in ran.stderr


def test_send_steers_and_reads_standard_input(desk: Desk) -> None:
    server = desk.session(label="login").listen(lambda _: sent("queued"))
    assert desk.tank("send", "--steer", "login", "-", text="two\nlines\n").returncode == 0
    assert server.asked[0]["message"] == "two\nlines"
    assert server.asked[0]["mode"] == "steer"


def test_send_replaces_bytes_that_are_no_text(desk: Desk) -> None:
    server = desk.session(label="login").listen(lambda _: sent("started"))
    assert desk.tank("send", "login", "a\udcffb").returncode == 0
    assert server.asked[0]["message"] == "a\ufffdb"


@pytest.mark.parametrize("way", ["argument", "standard input"])
def test_send_refuses_a_message_over_16_kib(desk: Desk, way: str) -> None:
    server = desk.session(label="login").listen(lambda _: sent("started"))
    message = "ü" * (8 * 1024) + "x"
    ran = desk.tank("send", "login", "-" if way == "standard input" else message, text=message)
    assert ran.returncode == 1
    assert "over 16 KiB: write it to a file and send the file's path" in ran.stderr
    assert server.asked == []
    assert desk.tank("send", "login", message[:-1]).returncode == 0


@pytest.mark.parametrize("message", ["", " \n", "-"])
def test_an_empty_message_is_wrong_usage(desk: Desk, message: str) -> None:
    server = desk.session(label="login").listen(lambda _: sent("started"))
    ran = desk.tank("send", "login", message)
    assert ran.returncode == 2
    assert "the message is empty" in ran.stderr
    assert server.asked == []


# peek


def transcript(desk: Desk, *messages: Json) -> str:
    """A session file with these messages in one branch; its path as an entry names it."""
    header = {"type": "session", "version": 3, "id": "x", "timestamp": at(0), "cwd": "/"}
    records = [
        {
            "type": "message",
            "id": f"{n}",
            "parentId": f"{n - 1}" if n else None,
            "timestamp": at(n),
            "message": m,
        }
        for n, m in enumerate(messages)
    ]
    lines = [json.dumps(record) + "\n" for record in (header, *records)]
    (desk.home / "session.jsonl").write_text("".join(lines))
    return "~/session.jsonl"


def conversation(desk: Desk) -> str:
    call = {"type": "toolCall", "id": "c1", "name": "bash", "arguments": {"command": "pytest -q"}}
    waits = {
        "type": "toolCall",
        "id": "c2",
        "name": "bash",
        "arguments": {"command": "rm -rf build\necho gone"},
    }
    return transcript(
        desk,
        {"role": "user", "content": "the first, not shown"},
        {"role": "assistant", "content": [{"type": "text", "text": "Yes."}]},
        {"role": "user", "content": "fix the login test"},
        {"role": "assistant", "content": [{"type": "text", "text": "I look."}, call]},
        {
            "role": "toolResult",
            "toolCallId": "c1",
            "content": [{"type": "text", "text": "1 failed"}],
            "isError": True,
        },
        {"role": "assistant", "content": [{"type": "text", "text": "One\nfails."}]},
        {"role": "user", "content": "[Message sent with tank, not by a session]\n\nclean \x1b[2J up"},
        {"role": "assistant", "content": [{"type": "text", "text": "Now."}, waits]},
    )


def test_peek_shows_the_last_two_prompts_and_what_came_of_them(desk: Desk) -> None:
    session = desk.session(label="login", project=APP, status="needs-you", statusDetail="Allow?")
    session.change(sessionFile=conversation(desk))
    ran = desk.tank("peek", "login")
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.splitlines() == [
        f"app · login ({session.pid}): needs you, Allow?",
        "",
        "> fix the login test",
        "  I look.",
        "  bash: pytest -q ✗",
        "    1 failed",
        "  One",
        "  fails.",
        "",
        "> [Message sent with tank, not by a session]",
        "> clean [2J up",
        "  Now.",
        "  bash: rm -rf build …",
        "    echo gone",
    ]


def test_peek_json_gives_the_items_with_their_kinds(desk: Desk) -> None:
    desk.session(label="login", sessionFile=conversation(desk))
    found = json.loads(desk.tank("peek", "login", "--json").stdout)["items"]
    kinds = [item["type"] for item in found]
    assert kinds == ["prompt", "reply", "tool", "reply", "prompt", "reply", "tool"]
    assert found[0] == {"type": "prompt", "text": "fix the login test", "header": None, "at": at(2)}
    assert found[2]["outcome"] == "failed"
    assert found[6] | {"at": None} == {
        "type": "tool",
        "name": "bash",
        "argument": "rm -rf build\necho gone",
        "outcome": "open",
        "detail": "",
        "at": None,
    }


@pytest.mark.parametrize(
    ("file", "why"),
    [
        (None, "keeps no transcript"),
        ("~/nowhere.jsonl", "has no transcript yet: Pi writes it with the first prompt"),
        ("/dev/null", "can't be read: not a regular file"),
        ("bad\0path", "can't be read"),
        ("relative.jsonl", "can't be read"),
    ],
)
def test_peek_says_why_it_can_show_nothing(desk: Desk, file: str | None, why: str) -> None:
    desk.session(label="login", sessionFile=file)
    ran = desk.tank("peek", "login")
    assert (ran.returncode, ran.stdout) == (1, "")
    assert why in ran.stderr
    assert "Traceback" not in ran.stderr


# priority, explain


@pytest.mark.parametrize(("word", "priority"), [("0", 0), ("3", 3), ("-", None)])
def test_priority_is_set_and_cleared(desk: Desk, word: str, priority: int | None) -> None:
    server = desk.session(label="login").listen(lambda _: {"ok": True, "data": {"priority": priority}})
    ran = desk.tank("priority", "login", word)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert server.asked == [{"type": "priority", "priority": priority}]


def test_a_refused_priority_fails_and_says_why(desk: Desk) -> None:
    desk.session(label="login").listen(lambda _: {"ok": False, "error": "the session is closing"})
    ran = desk.tank("priority", "login", "1")
    assert (ran.returncode, ran.stdout) == (1, "")
    assert "the session is closing" in ran.stderr


EXPLANATION = {
    "status": "needs-you",
    "detail": "Allow?",
    "rule": "a dialog opened in a run",
    "next": ["the dialog closed → working"],
    "events": [
        {"event": "agent_start", "age": 438.1},
        {"event": "focus", "age": 9.0},
        {"event": "focus", "age": 2.1},
        {"event": "ui_prompt_start", "age": 0.2},
    ],
}


def test_explain_gives_rule_events_and_what_would_change_it(desk: Desk) -> None:
    session = desk.session(label="login", project=APP)
    session.listen(lambda _: {"ok": True, "data": EXPLANATION})
    ran = desk.tank("explain", "login")
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.splitlines() == [
        f"app · login ({session.pid}): needs you, Allow?",
        "because a dialog opened in a run",
        "what would change it:",
        "  the dialog closed → working",
        "last events:",
        "     7m ago  agent_start",
        "     2s ago  focus × 2",
        "     0s ago  ui_prompt_start",
    ]
    assert json.loads(desk.tank("explain", "login", "--json").stdout) == EXPLANATION


def test_explain_of_an_odd_session_is_clean_and_no_crash(desk: Desk) -> None:
    odd = {"status": EVIL, "rule": EVIL, "next": [EVIL, 7], "events": [EVIL, {"event": EVIL, "age": 1e300}]}
    desk.session(label="login").listen(lambda _: {"ok": True, "data": odd})
    ran = desk.tank("explain", "login")
    assert ran.returncode == 0
    assert obeyed(ran.stdout) == set()


# wait


def test_wait_returns_at_once_when_it_already_holds(desk: Desk) -> None:
    session = desk.session(label="login", project=APP, status="needs-you")
    ran = desk.tank("wait", "login", "done", "needs-you")
    assert (ran.returncode, ran.stdout) == (0, f"app · login ({session.pid}): needs you\n")


def test_wait_sees_the_change_soon(desk: Desk) -> None:
    session = desk.session(label="login", status="working")
    process = desk.waiting("wait", "login", "done", "--timeout", "10")
    session.change(status="done", recent=[change("working", 0), change("done", 5)])
    changed = time.monotonic()
    out, _ = process.communicate(timeout=5)
    assert (process.returncode, time.monotonic() - changed < 1) == (0, True)
    assert "done" in out


def test_wait_sees_a_status_that_held_for_a_moment(desk: Desk) -> None:
    session = desk.session(label="login", status="working", recent=[change("working", 0)])
    process = desk.waiting("wait", "login", "needs-you", "--timeout", "10")
    passed = [change("working", 0), change("needs-you", 5, "Allow?"), change("working", 6)]
    session.change(status="working", recent=passed)
    process.communicate(timeout=5)
    assert process.returncode == 0


def test_wait_gives_up_after_its_time(desk: Desk) -> None:
    desk.session(label="login", status="working")
    started = time.monotonic()
    ran = desk.tank("wait", "login", "done", "--timeout", "0.5")
    assert (ran.returncode, ran.stdout) == (1, "")
    assert "still working after 0.5 s" in ran.stderr
    assert time.monotonic() - started < 2


@pytest.mark.parametrize("end", ["killed", "quit", "replaced"])
def test_wait_ends_with_its_session(desk: Desk, end: str) -> None:
    session = desk.session(label="login", status="working")
    process = desk.waiting("wait", "login", "done", "--timeout", "20")
    if end == "replaced":
        session.change(sessionId="another", status="done")
    else:
        session.file.unlink() if end == "quit" else session.end()
    _, complaint = process.communicate(timeout=5)
    assert process.returncode == 1
    assert "has ended" in complaint


def test_wait_outlives_a_sidecar_that_starts_anew(desk: Desk) -> None:
    session = desk.session(label="login", status="working")
    process = desk.waiting("wait", "login", "done", "--timeout", "10")
    session.file.unlink()
    time.sleep(0.5)
    session.change(status="done")
    process.communicate(timeout=5)
    assert process.returncode == 0


def test_waiting_costs_next_to_nothing(desk: Desk) -> None:
    for _ in range(20):
        desk.session(status="working")
    process = desk.waiting("wait", desk.sessions[0].pid, "done", "--timeout", "30")

    def ticks() -> int:
        with open(f"/proc/{process.pid}/stat") as file:
            return sum(map(int, file.read().rpartition(")")[2].split()[11:13]))

    time.sleep(1)
    before = ticks()
    time.sleep(1.5)
    assert ticks() - before <= 5
    process.terminate()
    process.communicate()


@pytest.mark.parametrize(
    ("statuses", "found"),
    [
        ([], None),
        (["working"], None),
        (["working", "idle"], "done"),
        (["done", "idle"], "done"),
        (["needs-you", "idle"], None),
        (["working", "needs-you", "working", "idle"], "done"),
        (["idle", "working"], None),
    ],
)
def test_idle_right_after_a_run_counts_as_done(statuses: list[str], found: str | None) -> None:
    now = statuses[-1] if statuses else "idle"
    one = known(now, [change(status, second) for second, status in enumerate(statuses)])
    assert waiting.reached(one, frozenset({"done"}), START + timedelta(seconds=60)) == found


def test_what_held_before_the_wait_does_not_count() -> None:
    one = known("working", [change("needs-you", 1), change("working", 2)])
    assert waiting.reached(one, frozenset({"needs-you"}), START + timedelta(seconds=2)) is None
    assert waiting.reached(one, frozenset({"needs-you"}), START) == "needs-you"
    assert waiting.reached(one, frozenset({"needs-you"}), None) is None


def known(status: str, recent: list[Json]) -> Entry:
    record = {"v": 1, "pid": 1, "sessionId": "x", "cwd": "/", "status": status, "startedAt": at(0)}
    return entry.read({**record, "recent": recent})


# project, usage


def test_project_gives_the_key_of_a_directory(desk: Desk) -> None:
    folder = desk.home / "clone"
    folder.mkdir()
    git = ["git", "-C", str(folder)]
    subprocess.run([*git, "init", "-q"], check=True)
    subprocess.run([*git, "remote", "add", "origin", "https://user:token@GitHub.com/you/app.git"], check=True)
    ran = desk.tank("project", str(folder), "--json")
    assert json.loads(ran.stdout) == {"key": "github.com/you/app", "name": "app"}
    assert desk.tank("project", cwd=folder).stdout == "github.com/you/app\n"


def test_project_of_a_plain_directory_is_the_directory(desk: Desk) -> None:
    ran = desk.tank("project", "--json")
    assert json.loads(ran.stdout) == {"key": str(desk.home), "name": "home"}


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ("nonsense", "No such command 'nonsense'"),
        ("list --nonsense", "No such option"),
        ("send login", "Missing argument 'MESSAGE'"),
        ("send login fix this", "unexpected extra argument"),
        ("priority login 4", "'4' is not one of"),
        ("wait login", "Missing argument"),
        ("wait login finished", "'finished' is not one of 'idle', 'working', 'needs-you', 'done'"),
        ("wait login done --timeout -1", "not in the range"),
        ("project /nowhere", "does not exist"),
        ("status now", "unexpected extra argument"),
        ("schema nonsense", "there are link, live-entry, screen, socket, tools"),
        ("completion tcsh", "'tcsh' is not one of 'bash', 'zsh', 'fish'"),
    ],
)
def test_wrong_usage_is_code_2_and_says_what_is_wrong(desk: Desk, arguments: str, why: str) -> None:
    ran = desk.tank(*arguments.split())
    assert (ran.returncode, ran.stdout) == (2, "")
    assert why in ran.stderr


def test_help_names_every_command_in_one_line(desk: Desk) -> None:
    said = desk.tank("--help", COLUMNS="80").stdout
    shown = [line.split()[0] for line in said.partition("Commands:\n")[2].splitlines()]
    assert shown == [
        "list",
        "peek",
        "focus",
        "attach",
        "send",
        "priority",
        "wait",
        "explain",
        "status",
        "project",
        "home",
        "schema",
        "completion",
        "install",
        "uninstall",
        "doctor",
    ]
    assert "..." not in said.partition("Commands:\n")[2]


def test_a_file_in_the_live_directorys_place_is_named(desk: Desk) -> None:
    desk.live.parent.mkdir(parents=True)
    desk.live.write_text("in the way")
    ran = desk.tank("list")
    assert "is not a directory: move it away" in ran.stderr
    assert "No Pi session is live" not in ran.stderr, "nobody knows"


# schema


def test_schema_lists_the_documents_and_prints_each_as_it_is_shipped(desk: Desk) -> None:
    names = desk.tank("schema").stdout.splitlines()
    assert names == sorted(path.stem for path in SCHEMA.glob("*.json"))
    assert {"live-entry", "socket"} <= set(names)
    for name in names:
        ran = desk.tank("schema", name)
        assert (ran.returncode, ran.stdout) == (0, (SCHEMA / f"{name}.json").read_text())


def test_schema_needs_no_models() -> None:
    code = "import sys\nfrom tank.programs import command_line, documents\ndocuments.names()\nprint(*sys.modules)"
    ran = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True)
    assert "pydantic" not in ran.stdout.split()


def test_an_interrupted_wait_leaves_without_a_traceback(desk: Desk) -> None:
    session = desk.session(status="working")
    process = desk.waiting("wait", session.pid, "done")
    process.send_signal(signal.SIGINT)
    _, complaint = process.communicate(timeout=5)
    assert process.returncode == 1
    assert "Traceback" not in complaint


# start


def test_list_imports_nothing_heavy() -> None:
    code = "import sys\nfrom tank.programs import command_line, listing\nprint(*sys.modules)"
    ran = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True)
    assert {"pydantic", "asyncio", "psutil", "hypothesis"} & set(ran.stdout.split()) == set()


@pytest.mark.parametrize(("closed", "code"), [(">&-", 1), ("2>&-", 0), (">&- 2>&-", 1)])
def test_a_stream_that_is_closed_is_no_crash(desk: Desk, closed: str, code: int) -> None:
    ran = subprocess.run(
        ["sh", "-c", f'exec "$@" {closed}', "sh", *desk.command("list")],
        env=desk.environment,
        capture_output=True,
        encoding="utf-8",
        timeout=30,
        check=False,
    )
    assert ran.returncode == code
    said = "tank: standard output is closed: nothing can be printed\n"
    assert ran.stderr == (said if closed == ">&-" else "")
