import subprocess
import sys
from pathlib import Path

import pytest

from demo.waiting import eventually
from tank.programs.status_line import line
from tests.support.desk import Desk
from tests.support.terminals import Terminals

EVIL = "#(touch probe) #{pane_id} $(touch probe) \x1b]52;c;x\x07"

SHOWN = b"\x1b[33m_ 1"
"""In yellow; tmux gives a client without UTF-8 `_` for the sign."""


def test_status_counts_who_needs_you_works_and_is_done(desk: Desk) -> None:
    for status in ("needs-you", "working", "idle", "working", "done", "needs-you", "working"):
        desk.session(status=status)
    ran = desk.tank("status")
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "● 2 ◐ 3 ✓ 1\n", "")


def test_what_there_is_none_of_is_left_out() -> None:
    assert line(["done", "idle", "unknown"], tmux=False) == "✓ 1"
    assert line(["working", "needs-you"], tmux=False) == "● 1 ◐ 1"
    assert line(["idle"], tmux=False) == line([], tmux=True) == ""


def test_status_with_nothing_to_tell_is_an_empty_line(desk: Desk) -> None:
    ran = desk.tank("status")
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "\n", "")
    assert not desk.live.exists(), "a reader makes no directory"


def test_each_count_has_its_colour_in_tmux(desk: Desk) -> None:
    desk.session(status="needs-you")
    desk.session(status="done")
    shown = "#[fg=yellow]● 1#[default] #[fg=green]✓ 1#[default]\n"
    assert desk.tank("status", "--tmux").stdout == shown


def test_status_says_when_nothing_can_be_read(desk: Desk) -> None:
    desk.live.parent.mkdir(parents=True)
    desk.live.write_text("in the way")
    ran = desk.tank("status")
    assert (ran.returncode, ran.stdout) == (1, "?\n")
    assert ran.stderr == f"tank: {desk.live} is not a directory: move it away\n"


def test_status_counts_what_can_be_read(desk: Desk) -> None:
    desk.session(status="working")
    (desk.live / "1.json").write_text("{")
    ran = desk.tank("status")
    assert (ran.returncode, ran.stdout) == (0, "◐ 1\n")
    assert "1 file in the live directory could not be read" in ran.stderr


def test_status_says_why_a_directory_cannot_be_entered(desk: Desk) -> None:
    ran = desk.tank("status", XDG_STATE_HOME="/" + "x" * 300)
    assert (ran.returncode, ran.stdout) == (1, "?\n")
    assert "File name too long" in ran.stderr


@pytest.mark.parametrize("arguments", ["status", "status --tmux"])
def test_a_status_line_goes_without_click(desk: Desk, arguments: str) -> None:
    desk.session(status="done")
    code = "import sys; sys.modules['click'] = None; from tank.__main__ import main; main()"
    ran = subprocess.run(
        [sys.executable, "-I", "-c", code, *arguments.split()],
        env=desk.environment,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "✓ 1" in ran.stdout


def test_status_says_the_same_through_click(desk: Desk) -> None:
    desk.session(status="done")
    code = "import sys; from tank.programs.command_line import main; main()"
    for arguments in (["status"], ["status", "--tmux"]):
        ran = subprocess.run(
            [sys.executable, "-I", "-c", code, *arguments],
            env=desk.environment,
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
        assert (ran.returncode, ran.stdout) == (0, desk.tank(*arguments).stdout)


def test_tmux_shows_it_and_runs_nothing_that_a_session_says(desk: Desk, tmp_path: Path) -> None:
    project = {"key": EVIL, "name": EVIL}
    desk.session(status="needs-you", label=EVIL, statusDetail=EVIL, project=project, cwd=EVIL, model=EVIL)
    command = " ".join(["env", f"HOME={desk.home}", "LC_ALL=C.UTF-8", *desk.command("status", "--tmux")])
    terminals = Terminals(tmp_path)
    try:
        terminals.act("set", "-g", "status-interval", "1")
        terminals.act("set", "-g", "status-right", f"#({command})")
        terminals.attach()
        (client,) = terminals.clients
        eventually(lambda: SHOWN in client.output, 10, lambda: repr(bytes(client.output)))
    finally:
        terminals.close()
    assert list(tmp_path.rglob("probe")) == []
