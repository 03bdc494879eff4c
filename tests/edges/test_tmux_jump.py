"""Going to panes, on real servers with real terminals."""

import os
import shlex
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from demo.waiting import eventually
from tank.edges import tmux
from tank.errors import TerminalError
from tank.terminals.tmux_replies import Pane
from tests.support.client import Client
from tests.support.tmux import CONFIG, PROGRAM, UNBOUND, Attached, Program, Tmux


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Tmux]:
    made = Tmux(tmp_path)
    yield made
    made.close()


def focus(server: Tmux, goal: Program, own: Program | None) -> None:
    tmux.focus(server.socket, goal.pid, goal.start, own=server.own(own) if own else None)


def refused(server: Tmux, goal: Program, own: Program | None) -> str:
    """The sentence; nothing at all happens."""
    with server.only(), pytest.raises(TerminalError) as error:
        focus(server, goal, own)
    return str(error.value)


def use(server: Tmux, mine: Attached, own: Program) -> None:
    """Makes the client the last used of those that show the pane."""
    mine.client.write(UNBOUND)
    last_used = ["display-message", "-p", "-t", own.pane, "#{client_name}"]
    eventually(lambda: server.run(*last_used) == mine.name)


@pytest.mark.parametrize("select", ["-S", "-L"])
def test_the_client_that_shows_the_own_pane_switches_and_no_other(tmp_path: Path, select: str) -> None:
    server = Tmux(tmp_path, select, str(tmp_path / "a b") if select == "-S" else "named")
    try:
        here, goal, beside = server.session("here"), server.session("goal"), server.session("beside")
        mine, other = server.attach(here), server.attach(beside)
        with server.only(mine.name):
            focus(server, goal, here)
        assert server.shown() == {
            mine.name: f"{goal.pane} goal",
            other.name: f"{beside.pane} beside",
        }
    finally:
        server.close()


def test_a_pane_of_the_own_session_is_gone_to_where_it_is(server: Tmux) -> None:
    here = server.session("here")
    goal = server.split(server.window(here))
    mine = server.attach(here)
    with server.only(mine.name):
        focus(server, goal, here)
    assert server.shown() == {mine.name: f"{goal.pane} here"}
    assert server.sessions() == ["here"]


@pytest.mark.parametrize("locale", ["C", "C.UTF-8"])
@pytest.mark.parametrize(
    "name",
    [
        "a.b:c",
        "日本 語",
        'it\'s "q" `x`',
        "*",
        "-t",
        "$0",
        "@1",
        "%1",
        "=here",
        "{last}",
        "!",
        "tab\tline\nend",
        "a;b\\",
        "##{pane_id}",
    ],
)
def test_names_are_never_targets(
    server: Tmux, name: str, locale: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LC_ALL", locale)
    here = server.session("here")
    goal = server.session("goal")
    where = server.run("display-message", "-p", "-t", goal.pane, "#{session_id}")
    server.run("rename-session", "-t", where, "--", name)
    server.run("rename-window", "-t", goal.pane, "--", name)
    named = server.run("display-message", "-p", "-t", goal.pane, "#{session_name}")
    assert [pane.session_name for pane in tmux.panes(server.socket) if pane.pane == goal.pane] == [named]
    mine, other = server.attach(here), server.attach(goal)
    further = server.window(goal)
    with server.only(mine.name):
        focus(server, further, here)
    assert server.shown()[mine.name].startswith(further.pane)
    assert server.shown()[other.name] == f"{goal.pane} {named}"


def test_a_pane_that_was_moved_is_found(server: Tmux) -> None:
    here, goal, beside = server.session("here"), server.session("goal"), server.session("beside")
    mine = server.attach(here)
    server.run("join-pane", "-d", "-s", goal.pane, "-t", beside.pane)
    focus(server, goal, here)
    assert server.shown() == {mine.name: f"{goal.pane} beside"}
    server.run("break-pane", "-d", "-s", goal.pane, "-t", "beside:7")
    server.run("switch-client", "-c", mine.name, "-t", "here")
    focus(server, goal, here)
    assert server.shown() == {mine.name: f"{goal.pane} beside"}


def test_what_is_here_already_moves_nothing(server: Tmux) -> None:
    here = server.session("here")
    with server.only():
        focus(server, here, here)


def test_a_server_is_known_by_its_socket_whatever_it_is_called(server: Tmux, tmp_path: Path) -> None:
    here, goal = server.session("here"), server.session("goal")
    mine = server.attach(here)
    (tmp_path / "link").symlink_to(server.socket)
    tmux.focus(str(tmp_path / "link"), goal.pid, goal.start, own=server.own(here))
    assert server.shown() == {mine.name: f"{goal.pane} goal"}


def test_the_caller_s_tmux_does_not_decide_the_server(
    server: Tmux, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, goal = server.session("here"), server.session("goal")
    mine = server.attach(here)
    monkeypatch.setenv("TMUX", f"{tmp_path / 'elsewhere'},1,0")
    monkeypatch.setenv("TMUX_PANE", goal.pane)
    focus(server, goal, here)
    assert server.shown() == {mine.name: f"{goal.pane} goal"}


# Several clients


def test_two_clients_of_one_session_part_ways_for_as_long_as_one_is_away(server: Tmux) -> None:
    here = server.session("here")
    goal = server.window(here)
    other = server.attach(here)
    mine = server.attach(here)
    use(server, mine, here)
    with server.only(mine.name):
        focus(server, goal, here)
        assert server.shown() == {other.name: f"{here.pane} here", mine.name: f"{goal.pane} here-1"}
        focus(server, here, goal)
        assert server.shown() == {other.name: f"{here.pane} here", mine.name: f"{here.pane} here-1"}
        server.run("detach-client", "-t", mine.name)
        eventually(lambda: server.sessions() == ["here"])
    assert psutil.pid_exists(goal.pid)


def test_a_visit_that_the_person_ends_by_hand_is_cleared_at_the_next(server: Tmux) -> None:
    here, there = server.session("here"), server.session("there")
    goal = server.window(there)
    mine = server.attach(here)
    server.attach(there)
    focus(server, goal, here)
    server.run("switch-client", "-c", mine.name, "-t", "here")
    assert server.sessions() == ["here", "there", "there-1"]
    with server.only(mine.name):
        focus(server, there, here)
    assert server.sessions() == ["here", "there"]


def test_a_visit_ends_with_its_last_client_and_never_takes_the_last_of_a_window(server: Tmux) -> None:
    here = server.session("here")
    goal = server.window(here)
    server.attach(here)
    one = server.enter(tmux.attach_command(server.socket, goal.pid, goal.start))
    other = server.enter(["tmux", "-S", server.socket, "attach-session", "-t", "=here-1"])
    server.run("detach-client", "-t", one.name)
    eventually(lambda: one.client.process.poll() == 0)
    assert server.shown()[other.name] == f"{goal.pane} here-1"
    server.run("kill-session", "-t", "=here")
    server.run("detach-client", "-t", other.name)
    eventually(lambda: other.client.process.poll() == 0)
    assert server.sessions() == ["here-1"]
    assert psutil.pid_exists(goal.pid)


def test_a_client_that_looks_elsewhere_in_the_other_session_stays(server: Tmux) -> None:
    here, there = server.session("here"), server.session("there")
    goal = server.window(there)
    mine, other = server.attach(here), server.attach(there)
    with server.only(mine.name):
        focus(server, goal, here)
        assert server.shown() == {mine.name: f"{goal.pane} there-1", other.name: f"{there.pane} there"}
        focus(server, here, goal)
        assert server.shown()[mine.name] == f"{here.pane} here"
        assert server.sessions() == ["here", "there"]


def test_a_client_that_shows_the_same_pane_is_joined(server: Tmux) -> None:
    here, goal = server.session("here"), server.session("goal")
    mine, other = server.attach(here), server.attach(goal)
    with server.only(mine.name):
        focus(server, goal, here)
    assert server.shown() == {mine.name: f"{goal.pane} goal", other.name: f"{goal.pane} goal"}


def test_the_selected_pane_of_a_window_that_another_client_shows_stays(server: Tmux) -> None:
    here, there = server.session("here"), server.session("there")
    goal = server.split(there)
    server.attach(here)
    server.attach(there)
    assert "another pane selected" in refused(server, goal, here)


def test_of_two_clients_that_show_the_own_pane_the_last_used_switches(server: Tmux) -> None:
    here, goal = server.session("here"), server.session("goal")
    clients = [server.attach(here) for _ in range(3)]
    for mine in (clients[1], clients[0], clients[2]):
        use(server, mine, here)
        with server.only(mine.name):
            focus(server, goal, here)
        assert server.shown()[mine.name] == f"{goal.pane} goal"
        server.run("switch-client", "-c", mine.name, "-t", "here")


def test_no_client_switches_when_none_shows_the_own_pane_selected(server: Tmux) -> None:
    here, goal = server.session("here"), server.session("goal")
    assert server.socket in refused(server, goal, here)
    server.attach(goal)
    assert "which to switch" in refused(server, goal, here)
    beside = server.split(here)
    server.run("select-pane", "-t", beside.pane)
    server.attach(here)
    assert "which to switch" in refused(server, goal, here)


def test_a_program_that_reads_tmux_is_no_terminal(server: Tmux) -> None:
    here, goal = server.session("here"), server.session("goal")
    server.attach(here, "-f", "no-output")
    control = server.enter(["tmux", "-C", "-S", server.socket, "attach-session", "-t", "here"])
    terminals = [name for name in server.shown() if name != control.name]
    with server.only(*terminals):
        focus(server, goal, here)
    assert server.shown()[terminals[0]] == f"{goal.pane} goal"
    server.run("detach-client", "-t", terminals[0])
    eventually(lambda: len(server.shown()) == 1)
    assert "which to switch" in refused(server, goal, here)


# Zoom


def test_a_zoomed_window_stays_zoomed_on_the_pane_that_is_gone_to(server: Tmux) -> None:
    here, beside = server.session("here"), server.session("there")
    goal = server.split(beside)
    server.run("resize-pane", "-Z", "-t", beside.pane)
    left = server.split(here)
    server.run("resize-pane", "-Z", "-t", here.pane)
    mine = server.attach(here)
    focus(server, goal, here)
    zoomed = "#{window_zoomed_flag} #{pane_active}"
    assert server.shown() == {mine.name: f"{goal.pane} there"}
    assert server.run("display-message", "-p", "-t", goal.pane, zoomed) == "1 1"
    assert server.run("display-message", "-p", "-t", here.pane, zoomed) == "1 1"
    assert left.pane != here.pane


# What is gone, or another


def test_a_process_that_has_ended_is_not_gone_to(server: Tmux) -> None:
    """Its pane is at a shell again."""
    here, goal = server.session("here"), server.session("goal")
    server.attach(here)
    os.kill(goal.pid, signal.SIGTERM)
    eventually(lambda: not psutil.pid_exists(goal.pid))
    assert "has ended" in refused(server, goal, here)


def test_a_number_that_another_process_has_now_is_not_gone_to(server: Tmux) -> None:
    here, goal = server.session("here"), server.session("goal")
    server.attach(here)
    assert "is another one now" in refused(server, goal._replace(start="linux:before:1"), here)
    tmux.focus(server.socket, goal.pid, None, own=server.own(here))


def test_a_dead_pane_is_not_gone_to(server: Tmux) -> None:
    here, goal = server.session("here"), server.session("goal")
    server.run("set-option", "-g", "remain-on-exit", "on")
    server.attach(here)
    shell = psutil.Process(goal.pid).parent()
    assert shell
    shell.kill()
    eventually(lambda: server.run("display-message", "-p", "-t", goal.pane, "#{pane_dead}") == "1")
    eventually(lambda: not psutil.pid_exists(goal.pid))
    assert "has ended" in refused(server, goal, here)


def test_a_new_server_with_the_same_panes_is_not_mistaken(server: Tmux) -> None:
    server.session("here")
    goal = server.session("goal")
    outliving = server.run(
        "new-window",
        "-d",
        "-P",
        "-F",
        "#{pane_id}",
        "-t",
        "goal:",
        "sh -c \"trap '' HUP; sleep 600; exec cat\"",
    )
    survivor = server.program(outliving)
    server.end()
    eventually(lambda: not psutil.pid_exists(goal.pid))
    here, again = server.session("here"), server.session("goal")
    server.window(again)
    mine = server.attach(here)
    try:
        assert again.pane == goal.pane
        assert "has ended" in refused(server, goal, here)
        assert "in no pane" in refused(server, survivor, here)
        assert "pane that this runs in" in refused(server, again, survivor)
        focus(server, again, here)
        assert server.shown() == {mine.name: f"{again.pane} goal"}
    finally:
        os.kill(survivor.pid, signal.SIGKILL)


def test_a_pane_that_changes_while_it_is_gone_to_is_left_alone(server: Tmux) -> None:
    """What tmux proves as it acts: session, window, pane, and the pane's program."""
    here, goal = server.session("here"), server.session("goal")
    command = tmux.attach_command(server.socket, goal.pid, goal.start)
    server.attach(here)
    said = []
    for change in (
        ["respawn-pane", "-k", "-t", goal.pane, PROGRAM],
        ["join-pane", "-d", "-s", goal.pane, "-t", here.pane],
        ["kill-pane", "-t", goal.pane],
        [],
    ):
        if change:
            server.run(*change)
        else:
            server.end()
        terminal = Client(command, server.environment, (80, 20))
        assert terminal.process.wait(5) == 1, change
        terminal.close()
        said.append(terminal.output.decode())
    assert ["can't find session" in each for each in said] == [True, True, True, False]
    with pytest.raises(TerminalError, match="is gone, and its panes"):
        tmux.panes(server.socket)


# What would end


def test_a_session_that_would_end_by_being_left_is_not_left(tmp_path: Path) -> None:
    server = Tmux(tmp_path, config=CONFIG + "set -g exit-empty off\n")
    try:
        here, goal = server.session("here"), server.session("goal")
        mine = server.attach(here)
        server.run("set-option", "-t", "here", "destroy-unattached", "on")
        assert "destroy-unattached is on" in refused(server, goal, here)
        window = server.window(here)
        with server.only(mine.name):
            focus(server, window, here)
        assert server.shown() == {mine.name: f"{window.pane} here"}
        server.run("select-window", "-t", here.pane)
        other = server.attach(here)
        use(server, mine, here)
        with server.only(mine.name):
            focus(server, goal, here)
        assert server.shown() == {mine.name: f"{goal.pane} goal", other.name: f"{here.pane} here"}
    finally:
        server.close()


def test_destroy_unattached_everywhere_ends_nothing(server: Tmux) -> None:
    here, there = server.session("here"), server.session("there")
    goal = server.window(there)
    mine, other = server.attach(here), server.attach(there)
    stays = server.attach(here)
    use(server, mine, here)
    server.run("set-option", "-g", "destroy-unattached", "on")
    with server.only(mine.name):
        focus(server, goal, here)
    assert server.shown() == {
        mine.name: f"{goal.pane} there-1",
        other.name: f"{there.pane} there",
        stays.name: f"{here.pane} here",
    }
    assert server.run("show-options", "-v", "-t", "=there-1:", "destroy-unattached") == "off"


def test_a_session_made_for_a_visit_starts_windows_where_its_model_does(server: Tmux, tmp_path: Path) -> None:
    odd = tmp_path / "it's #(touch probe) #{pane_id} %H $HOME \\ \" ; ~"
    odd.mkdir()
    here, there = server.session("here"), server.session("there", str(odd))
    goal = server.window(there)
    mine = server.attach(here)
    server.attach(there)
    focus(server, goal, here)
    assert server.shown()[mine.name] == f"{goal.pane} there-1"
    assert server.run("display-message", "-p", "-t", "there-1:", "#{session_path}") == str(odd)


# Other servers, and terminals outside


def test_across_servers_the_command_to_run_is_told(server: Tmux, tmp_path: Path) -> None:
    (tmp_path / "second").mkdir()
    second = Tmux(tmp_path / "second")
    try:
        here, goal = server.session("here"), second.session("goal")
        server.attach(here)
        for own in (server.own(here), None):
            with server.only(), second.only(), pytest.raises(TerminalError) as error:
                tmux.focus(second.socket, goal.pid, goal.start, own=own)
            assert "in tmux session goal" in str(error.value)
            command = tmux.command_to_run(second.socket, goal.pid, goal.start)
            assert str(error.value).endswith(command)
        entered = second.enter(["sh", "-c", command])
        assert second.shown() == {entered.name: f"{goal.pane} goal"}
    finally:
        second.close()


def test_a_socket_whose_name_cannot_be_typed_gives_no_command(tmp_path: Path) -> None:
    odd = tmp_path / "a\x1b]52;c;x\a"
    odd.mkdir()
    server = Tmux(odd)
    try:
        here, goal = server.session("here"), server.session("goal")
        mine = server.attach(here)
        server.socket = str(odd / "socket")
        assert refused(server, goal, None).isprintable()
        focus(server, goal, here)
        assert server.shown() == {mine.name: f"{goal.pane} goal"}
        server.end()
        with pytest.raises(TerminalError, match="is gone") as error:
            tmux.panes(server.socket)
        assert str(error.value).isprintable()
    finally:
        server.close()


def test_in_a_nested_tmux_the_inner_client_switches(server: Tmux, tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    inner = Tmux(tmp_path / "inner")
    try:
        outer = server.session("outer")
        here, goal = inner.session("here"), inner.session("goal")
        attach = shlex.join(["env", "-u", "TMUX", "tmux", "-S", inner.socket, "attach-session", "-t", "here"])
        server.run("new-window", "-t", "outer:", attach)
        server.attach(outer)
        (mine,) = eventually(inner.shown)
        outside = server.shown()
        with inner.only(mine):
            tmux.focus(inner.socket, goal.pid, goal.start, own=inner.own(here))
        assert inner.shown() == {mine: f"{goal.pane} goal"}
        with server.only(), inner.only(), pytest.raises(TerminalError, match="in tmux session outer"):
            tmux.focus(server.socket, outer.pid, outer.start, own=inner.own(here))
        assert server.shown() == outside
    finally:
        inner.close()


def test_a_terminal_enters_the_pane_and_leaves_as_if_it_had_not_been_there(server: Tmux) -> None:
    here = server.session("here")
    goal = server.window(here)
    alone = server.enter(tmux.attach_command(server.socket, goal.pid, goal.start))
    assert server.shown() == {alone.name: f"{goal.pane} here"}
    with server.only():
        entered = server.enter(tmux.attach_command(server.socket, here.pid, here.start))
        assert server.shown()[entered.name] == f"{here.pane} here-1"
        entered.client.write(b"\x01d")
        eventually(lambda: entered.client.process.poll() == 0)
        eventually(lambda: server.sessions() == ["here"])
    assert psutil.pid_exists(here.pid)


def test_a_second_visitor_moves_neither_of_the_others(server: Tmux) -> None:
    here = server.session("here")
    second, third = server.window(here), server.window(here)
    server.attach(here)
    one = server.enter(tmux.attach_command(server.socket, second.pid, second.start))
    other = server.enter(tmux.attach_command(server.socket, third.pid, third.start))
    assert server.shown()[one.name].startswith(second.pane)
    assert server.shown()[other.name].startswith(third.pane)
    assert len(set(server.shown().values())) == 3


def test_destroy_unattached_everywhere_lets_a_terminal_enter(server: Tmux) -> None:
    here = server.session("here")
    goal = server.window(here)
    server.attach(here)
    server.run("set-option", "-g", "destroy-unattached", "on")
    with server.only():
        entered = server.enter(tmux.attach_command(server.socket, goal.pid, goal.start))
        assert server.shown()[entered.name] == f"{goal.pane} here-1"
        entered.client.write(b"\x01d")
        eventually(lambda: server.sessions() == ["here"])


# tmux that doesn't answer


def test_a_server_that_is_not_there_is_not_started(tmp_path: Path) -> None:
    stale = Tmux(tmp_path)
    stale.session("gone")
    server = int(stale.run("display-message", "-p", "#{pid}"))
    psutil.Process(server).kill()
    eventually(lambda: not psutil.pid_exists(server))
    (tmp_path / "file").write_text("")
    for name in ("never", "socket", "file", "x" * 200, "nul\0"):
        before = set(tmp_path.iterdir())
        with pytest.raises(TerminalError, match=r"is gone, and its panes|can't be reached"):
            tmux.panes(str(tmp_path / name))
        with pytest.raises(TerminalError):
            tmux.attach_command(str(tmp_path / name), os.getpid(), None)
        assert set(tmp_path.iterdir()) == before
    stale.close()


def test_a_server_that_hangs_is_waited_for_only_so_long(server: Tmux) -> None:
    here, goal = server.session("here"), server.session("goal")
    server.attach(here)
    hanging = psutil.Process(int(server.run("display-message", "-p", "#{pid}")))
    hanging.suspend()
    try:
        began = time.monotonic()
        with pytest.raises(TerminalError, match=r"hasn't answered within 0\.5 s"):
            focus(server, goal, here)
        assert time.monotonic() - began < 1.5
    finally:
        hanging.resume()


def test_a_tmux_that_hangs_floods_fails_or_is_missing_is_told(
    server: Tmux, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    goal = server.session("goal")
    (tmp_path / "bin").mkdir()
    fake = tmp_path / "bin" / "tmux"
    path = os.environ["PATH"]
    for script, told in (
        ("exec sleep 60", "hasn't answered"),
        ("exec yes", "more than Tank reads"),
        ("echo 'protocol version mismatch (client 8, server 7)' >&2; exit 1", "protocol version mismatch"),
        ("printf '\\033]52;c;x\\a\\n' >&2; exit 1", "refuses: ]52;c;x;"),
        ("echo 'client of a kind to come'", "can't read"),
    ):
        fake.write_text(f"#!/bin/sh\n{script}\n")
        fake.chmod(0o755)
        monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{path}")
        with pytest.raises(TerminalError, match=told.replace("[", r"\[")):
            tmux.focus(server.socket, goal.pid, goal.start, own=None)
    fake.unlink()
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    with pytest.raises(TerminalError, match="is it installed"):
        tmux.panes(server.socket)
    monkeypatch.setenv("PATH", path)


def test_every_pane_is_told_once_for_each_session_that_holds_it(server: Tmux) -> None:
    here = server.session("here")
    beside = server.split(here)
    server.run("new-session", "-d", "-s", "again", "-t", "here")
    found = tmux.panes(server.socket)
    assert sorted((pane.pane, pane.session_name, pane.active) for pane in found) == [
        (here.pane, "again", True),
        (here.pane, "here", True),
        (beside.pane, "again", False),
        (beside.pane, "here", False),
    ]
    assert all(isinstance(pane, Pane) and not pane.dead for pane in found)
