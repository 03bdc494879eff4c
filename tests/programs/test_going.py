"""`tank focus` and `tank attach` from a shell, where nothing can be done: real jumps are tested on real Pi."""

import pytest

from tests.support.desk import Desk


def test_what_cannot_be_shown_says_where_it_runs(desk: Desk) -> None:
    desk.session(label="port the parser", terminal={"program": "ghostty", "tty": "/dev/pts/7"})
    ran = desk.tank("focus", "port the parser")
    assert (ran.returncode, ran.stdout) == (1, "")
    assert "ghostty on /dev/pts/7" in ran.stderr
    assert "by hand" in ran.stderr


@pytest.mark.parametrize("command", ["focus", "attach"])
def test_a_tmux_server_that_is_gone_is_told_as_such(desk: Desk, command: str) -> None:
    desk.session(label="login", terminal={"tmux": {"socket": "/tmp/none", "pane": "%1"}})
    ran = desk.tank(command, "login")
    assert ran.returncode == 1
    assert (
        "the tmux server at /tmp/none is gone" if command == "focus" else "no terminal here"
    ) in ran.stderr


def test_attach_is_for_sessions_in_tmux(desk: Desk) -> None:
    desk.session(label="login")
    ran = desk.tank("attach", "login")
    assert ran.returncode == 1
    assert "it runs in no tmux" in ran.stderr


def test_inside_tmux_nothing_is_attached(desk: Desk) -> None:
    desk.session(label="login", terminal={"tmux": {"socket": "/tmp/none", "pane": "%1"}})
    ran = desk.tank("attach", "login", TMUX="/tmp/x,1,0")
    assert ran.returncode == 1
    assert "is in tmux already" in ran.stderr


@pytest.mark.parametrize("command", ["focus", "attach"])
def test_a_word_that_names_no_session_is_code_3(desk: Desk, command: str) -> None:
    assert desk.tank(command, "nobody").returncode == 3
