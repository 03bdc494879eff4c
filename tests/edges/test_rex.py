import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tank.edges import rex
from tank.errors import TerminalError
from tank.terminals.rex import RexPlace, Snapshot, place
from tank.terminals.rex_replies import Block, Window
from tests.support.fake_rex import FakeRex, Json, app, floating, session, tiled, window


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeRex]:
    """Two sessions of one label. This process sits in a pane of another server; no call may do harm, to that one neither."""
    found = FakeRex(
        tmp_path,
        session(
            "session:1f",
            "work",
            window("window:1", "tests", floating("block:f"), tiled("block:a", "block:b")),
            window("window:2", "Window 1a2b", tiled("block:c")),
            detached=["block:d"],
        ),
        session("session:2e", "work", window("window:3", None, tiled("block:e"))),
    )
    monkeypatch.setenv("PATH", str(found.bin), prepend=os.pathsep)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("REX_BIN_DIR", raising=False)
    for name in rex.INHERITED:
        monkeypatch.setenv(name, "another's")
    yield found
    assert found.offences == []


def refusal(fake: FakeRex, block_id: str = "block:a", pid: int | None = None) -> str:
    """What focusing it is refused with."""
    with pytest.raises(TerminalError) as refused:
        rex.focus(fake.server, block_id, pid=pid)
    return str(refused.value)


def unread(server: str) -> str:
    with pytest.raises(TerminalError) as refused:
        rex.snapshot(server)
    return str(refused.value)


def shown(fake: FakeRex) -> object:
    """What the first client shows."""
    return fake.state["clients"][0]["shows"]


def focused(fake: FakeRex) -> list[object]:
    """The block that was focused last in each session."""
    return [each.get("focused") for each in fake.state["sessions"]]


def methods(fake: FakeRex) -> list[str]:
    """What was called, by the first word with a dot, in order of name where several ran at once."""
    return [next((word for word in call if "." in word), " ".join(call)) for call in fake.calls]


def test_a_snapshot_has_sessions_tabs_and_blocks_in_the_server_s_order(fake: FakeRex) -> None:
    found = rex.snapshot(fake.server)
    first, second = found.sessions
    assert (first.session_id, first.label, second.session_id, second.label) == (
        *("session:1f", "work"),
        *("session:2e", "work"),
    )
    blocks = (Block("block:a"), Block("block:b"), Block("block:f", floats=True))
    assert first.windows == (
        Window("window:1", "tests", blocks),
        Window("window:2", None, (Block("block:c"),)),
    )
    assert second.windows == (Window("window:3", None, (Block("block:e"),)),)
    assert sorted(methods(fake)) == ["session.list", "session.view", "session.view"]


def test_sessions_of_one_label_are_told_apart(fake: FakeRex) -> None:
    found = rex.snapshot(fake.server)
    assert place(found, "block:c") == RexPlace("session:1f", "work · 1f", "window:2", None, (0, 1, 0))
    assert place(found, "block:e") == RexPlace("session:2e", "work · 2e", "window:3", None, (1, 0, 0))


def test_a_server_is_found_by_either_spelling_of_its_blanks(fake: FakeRex) -> None:
    assert rex.snapshot(fake.endpoint) == rex.snapshot(fake.server)


def test_a_floating_a_detached_and_a_vanished_block_are_told_apart(fake: FakeRex) -> None:
    found = rex.snapshot(fake.server, ["block:f", "block:d", "block:gone"])
    assert place(found, "block:f") == RexPlace("session:1f", "work · 1f", "window:1", "tests", (0, 0, 2))
    assert place(found, "block:d") == RexPlace("session:1f", "work · 1f", None, None, (0, 2, 0))
    assert place(found, "block:gone") is None


def test_blocks_that_all_are_in_tabs_cost_one_call_a_session_others_two_and_one_more(fake: FakeRex) -> None:
    rex.snapshot(fake.server, ["block:a", "block:c", "block:e"])
    assert len(fake.calls) == 3
    rex.snapshot(fake.server, ["block:gone"])
    assert len(fake.calls) == 3 + 5
    rex.snapshot(fake.server, ["block:d"])
    assert len(fake.calls) == 3 + 5 + 6


def test_a_block_beside_one_shown_enlarged_is_found(fake: FakeRex) -> None:
    with fake.changing() as state:
        state["sessions"][0]["windows"][0]["zoomed"] = True
    assert place(rex.snapshot(fake.server), "block:b") is None
    found = place(rex.snapshot(fake.server, ["block:b"]), "block:b")
    assert found == RexPlace("session:1f", "work · 1f", "window:1", "tests", (0, 0, 2))


@pytest.mark.parametrize(
    ("after", "block_id", "window_id"),
    [
        ("session.view", "block:e", "window:1"),  # in neither view
        ("session.view", "block:c", "window:3"),  # in both views
        ("session.list_blocks", "block:b", "window:3"),  # in both lists, and in no view
    ],
)
def test_a_block_that_moves_while_rex_is_read_is_found_where_it_went(
    fake: FakeRex, monkeypatch: pytest.MonkeyPatch, after: str, block_id: str, window_id: str
) -> None:
    monkeypatch.setattr(rex, "AT_ONCE", 1)
    fake.upset(after, block_id, window_id)
    with fake.changing() as state:
        state["sessions"][0]["windows"][0]["zoomed"] = after == "session.list_blocks"
    found = place(rex.snapshot(fake.server, [block_id]), block_id)
    assert found is not None
    assert found.window_id == window_id


@pytest.mark.parametrize("empty", [None, {}])
def test_empty_lists_may_be_null_or_objects_among_keys_that_nobody_knows(
    fake: FakeRex, empty: Json | None
) -> None:
    fake.quirk(empty_list=empty, extra_keys=True)
    with fake.changing() as state:
        state["sessions"][0]["windows"][0]["layers"] = []
        state["sessions"][1]["windows"] = []
    found = rex.snapshot(fake.server, ["block:a"])
    assert [len(each.windows) for each in found.sessions] == [2, 0]
    rex.focus(fake.server, "block:c")
    with fake.changing() as state:
        state["sessions"] = []
    assert rex.snapshot(fake.server) == Snapshot()


def test_keys_that_are_missing_are_no_reason_to_fail(fake: FakeRex) -> None:
    fake.quirk(says={"session.view": '{"windows": [{}, {"window_id": "window:1"}]}'})
    first, second = rex.snapshot(fake.server).sessions
    assert first.windows == second.windows == (Window("window:1", None, ()),)


def test_a_session_that_closes_while_rex_is_read_is_left_out(fake: FakeRex) -> None:
    listed = '{"sessions": [{"session_id": "session:1f"}, {"session_id": "session:gone"}]}'
    fake.quirk(says={"session.list": listed})
    assert [each.session_id for each in rex.snapshot(fake.server).sessions] == ["session:1f"]


def test_focusing_takes_the_keyboard_to_the_block_and_the_app_to_its_tab(fake: FakeRex) -> None:
    rex.focus(fake.server, "block:c")
    assert focused(fake) == ["block:c", None]
    assert shown(fake) == ["session:1f", "window:2"]
    acts = [call for call in fake.calls if call[-1].startswith("window_id") or "focus_block" in str(call)]
    assert acts == [
        ["api", "call", "-s", "session:1f", "session.focus_block", '{"block_id":"block:c"}'],
        ["-C", "client:app", "do", "session.select", "session_id=session:1f", "window_id=window:2"],
    ]


def test_focusing_a_floating_block_shows_its_tab(fake: FakeRex) -> None:
    rex.focus(fake.server, "block:f")
    assert (focused(fake)[0], shown(fake)) == ("block:f", ["session:1f", "window:1"])


def test_clients_that_are_no_apps_are_left_alone(fake: FakeRex) -> None:
    with fake.changing() as state:
        state["clients"] = [app(), app("client:other", "other"), app("client:cli", "cli")]
    rex.focus(fake.server, "block:e")
    assert [each["shows"] for each in fake.state["clients"]] == [["session:2e", "window:3"], None, None]


@pytest.mark.parametrize(
    ("block_id", "said"), [("block:gone", "has its pane no more"), ("block:d", "detached")]
)
def test_a_block_that_no_tab_shows_is_not_focused(fake: FakeRex, block_id: str, said: str) -> None:
    told = refusal(fake, block_id)
    assert told.startswith("Tank can't go there: ")
    assert said in told
    assert (focused(fake), shown(fake)) == ([None, None], None)


HALF_WAY = "its pane has the focus in its tab of ‘work · 1f’, but Tank can't bring that tab before you: "


@pytest.mark.parametrize(
    ("clients", "said"),
    [
        ([], "no Rex app is connected: open Rex"),
        ([app("client:cli", "cli")], "no Rex app is connected: open Rex"),
        ([app("client:1"), app("client:2")], "2 Rex apps are connected"),
        ([app(transport="tailnet")], "runs on another machine"),
        ([app(transport="")], "does not say on which machine"),
    ],
)
def test_without_one_app_on_this_machine_the_server_alone_is_focused(
    fake: FakeRex, clients: list[Json], said: str
) -> None:
    with fake.changing() as state:
        state["clients"] = clients
    told = refusal(fake)
    assert told.startswith(HALF_WAY)
    assert said in told
    assert focused(fake) == ["block:a", None]
    assert not any(each["shows"] for each in fake.state["clients"])


def test_without_remote_control_it_is_said_where_to_turn_it_on(fake: FakeRex) -> None:
    with fake.changing() as state:
        state["remote_control"] = False
    told = refusal(fake)
    assert told.startswith(HALF_WAY)
    assert "turn on Remote Control in Rex's Settings under Rex Server" in told
    assert (focused(fake), shown(fake)) == (["block:a", None], None)


@pytest.mark.parametrize("code", [4, 1])
def test_a_server_that_is_down_is_named(fake: FakeRex, code: int) -> None:
    fake.quirk(down=code)
    assert unread(fake.server).startswith(f"Rex can't be read: no Rex server answers at {fake.server}: ")
    assert refusal(fake).startswith(f"Tank can't go there: no Rex server answers at {fake.server}: ")
    with pytest.raises(TerminalError, match="Tank can't title its tab: no Rex server"):
        rex.set_title(fake.server, "session:1f", "window:1", "new", instead_of="tests")


def test_another_server_s_address_is_not_answered_by_this_one(fake: FakeRex) -> None:
    assert "no Rex server answers at unix:///elsewhere.sock" in unread("unix:///elsewhere.sock")


def test_a_slow_read_ends_in_time_and_changes_nothing(fake: FakeRex) -> None:
    fake.quirk(slow={"session.view": 60})
    started = time.monotonic()
    assert "did not answer within 3 s" in refusal(fake)
    assert 2.9 < time.monotonic() - started < 3.5
    assert focused(fake) == [None, None]


def test_an_act_that_is_not_confirmed_may_have_been_done(
    fake: FakeRex, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rex, "LIMIT_S", 1.0)
    fake.quirk(slow={"session.select": 60})
    told = refusal(fake)
    assert told.startswith(HALF_WAY)
    assert "may have done it" in told


def test_the_calls_of_one_act_share_its_time(fake: FakeRex, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rex, "LIMIT_S", 1.0)
    fake.quirk(slow={"session.list": 0.6, "session.view": 0.6})
    started = time.monotonic()
    assert "did not answer" in unread(fake.server)
    assert time.monotonic() - started < 1.5


def test_an_answer_without_end_is_cut_off(fake: FakeRex) -> None:
    fake.quirk(says={"session.list": '{"sessions": "' + "a" * rex.OUTPUT_LIMIT_BYTES + '"}'})
    assert "does not answer as Rex does" in unread(fake.server)


def test_an_error_that_nobody_foresaw_is_told_in_rex_s_words(fake: FakeRex) -> None:
    fake.quirk(fails={"session.focus_block": "\x1b[31mtoo_large"})
    assert refusal(fake) == "Tank can't go there: Rex says ‘[31mtoo_large’"
    assert (focused(fake), shown(fake)) == ([None, None], None)


def fake_program(path: Path, script: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


def test_without_the_command_nothing_can_be_asked(fake: FakeRex, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    assert rex.find(os.environ) is None
    assert unread(fake.server) == "Rex can't be read: there is no `rex` command: put Rex's folder on PATH"


def test_the_command_is_looked_for_where_rex_puts_it(tmp_path: Path) -> None:
    home = tmp_path / "home"
    environment = {"HOME": str(home), "PATH": str(tmp_path / "path"), "REX_BIN_DIR": str(tmp_path / "bin")}
    assert rex.find(environment) is None
    old = fake_program(home / rex.BUNDLES / "server-1" / "rex", "")
    os.utime(old, (1, 1))
    assert rex.find(environment) == str(old)
    newer = fake_program(home / rex.BUNDLES / "server-2" / "bin" / "rex", "")
    assert rex.find(environment) == str(newer)
    on_path = fake_program(tmp_path / "path" / "rex", "")
    assert rex.find(environment) == str(on_path)
    own = fake_program(tmp_path / "bin" / "rex", "")
    assert rex.find(environment) == str(own)
    own.chmod(0o644)
    assert rex.find(environment) == str(on_path)
    assert rex.find({}) in (None, "/usr/bin/rex", "/bin/rex")


@pytest.mark.parametrize(
    "script",
    [
        "echo 'RexOps 2.1: deploys everything'",
        'echo \'Error: unknown command "api" for "rex"\' >&2; exit 1',
        "echo 'usage: rex [-h] {up,down}' >&2; exit 2",
    ],
)
def test_another_program_called_rex_is_named_unless_rex_s_own_is_found_after_it(
    fake: FakeRex, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str
) -> None:
    foreign = fake_program(tmp_path / "foreign" / "rex", script)
    monkeypatch.setenv("REX_BIN_DIR", str(foreign.parent))
    rex.focus(fake.server, "block:a")
    assert shown(fake) == ["session:1f", "window:1"]
    monkeypatch.setenv("PATH", "/nowhere")
    assert f"{foreign} does not answer as Rex does" in unread(fake.server)


def test_once_rex_has_answered_no_other_program_is_asked(
    fake: FakeRex, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = fake_program(tmp_path / "other" / "rex", f"touch {tmp_path}/asked")
    monkeypatch.setenv("REX_BIN_DIR", str(fake.bin))
    monkeypatch.setenv("PATH", str(other.parent), prepend=os.pathsep)
    rex.focus(fake.server, "block:a")
    assert not (tmp_path / "asked").exists()


def test_a_command_whose_interpreter_is_gone_is_passed_over(
    fake: FakeRex, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = tmp_path / "gone" / "rex"
    gone.parent.mkdir()
    gone.write_text("#!/nowhere/interpreter\n")
    gone.chmod(0o755)
    monkeypatch.setenv("REX_BIN_DIR", str(gone.parent))
    assert len(rex.snapshot(fake.server).sessions) == 2


@pytest.fixture
def child() -> Iterator[subprocess.Popen[bytes]]:
    """A process that is this one's child, and has none."""
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        yield process
        process.kill()


def in_front(fake: FakeRex, process: Json) -> None:
    """What Rex says of the terminal of block a."""
    with fake.changing() as state:
        state["sessions"][0]["windows"][0]["layers"][1]["blocks"][0]["process"] = process


def test_a_session_s_process_its_child_or_its_shell_may_be_in_front(
    fake: FakeRex, child: subprocess.Popen[bytes]
) -> None:
    own, shell = os.getpid(), os.getppid()
    for front in ({"pid": own}, {"pid": child.pid}, {"pid": shell}, {}, None):
        in_front(fake, {"foreground": front})
        rex.focus(fake.server, "block:a", pid=own)
    in_front(fake, {})
    rex.focus(fake.server, "block:a", pid=own)


def test_a_block_with_another_program_in_front_is_not_focused(
    fake: FakeRex, child: subprocess.Popen[bytes]
) -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as other:
        in_front(fake, {"foreground": {"pid": other.pid, "name": "screen"}})
        told = refusal(fake, pid=child.pid)
        other.kill()
    assert told.startswith("Tank can't go there: another program is in front in its pane")
    assert (focused(fake), shown(fake)) == ([None, None], None)


def test_a_tab_gets_its_title_while_its_label_is_the_one_that_was_decided_on(fake: FakeRex) -> None:
    titled = "p1 · -x 'q' \"$(touch /tmp/no)\" 字"
    assert rex.set_title(fake.server, "session:1f", "window:2", titled, instead_of=None)
    assert fake.label("window:2") == titled
    assert not rex.set_title(fake.server, "session:1f", "window:1", "new", instead_of=None)
    assert not rex.set_title(fake.server, "session:1f", "window:1", "new", instead_of="older")
    assert fake.label("window:1") == "tests"
    assert rex.set_title(fake.server, "session:1f", "window:1", "new", instead_of="tests")
    assert fake.label("window:1") == "new"


def test_a_tab_that_is_gone_gets_no_title(fake: FakeRex) -> None:
    assert not rex.set_title(fake.server, "session:2e", "window:1", "new", instead_of="tests")
    with pytest.raises(TerminalError, match="was closed"):
        rex.set_title(fake.server, "session:gone", "window:1", "new", instead_of="tests")


def test_the_fake_notes_what_would_have_done_harm(
    fake: FakeRex, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def offences(*argv: str) -> list[Json]:
        subprocess.run(
            [fake.command, *argv, "whoami"], stdin=subprocess.DEVNULL, capture_output=True, check=True
        )
        found = fake.offences
        (fake.bin / "offences").unlink(missing_ok=True)
        return found

    assert offences("-S", fake.server, "--autostart=false")
    for name in rex.INHERITED:
        monkeypatch.delenv(name)
    assert not offences("-S", fake.server, "--autostart=false")
    assert offences("-S", fake.server)
    assert offences("-S", fake.server, "--autostart=true")
