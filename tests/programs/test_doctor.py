import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tank.version import __version__
from tests.support.desk import Desk

ROOT = Path(__file__).parents[2]


def checks(desk: Desk, name: str) -> list[tuple[str, str, str | None]]:
    """Verdict, what was found and the advice of each check of this name."""
    ran = desk.tank("doctor", "--json")
    found = json.loads(ran.stdout)
    assert ran.returncode == int(any(check["verdict"] == "bad" for check in found))
    assert ran.stderr == ""
    return [(check["verdict"], check["found"], check["advice"]) for check in found if check["name"] == name]


def check(desk: Desk, name: str) -> tuple[str, str, str | None]:
    (only,) = checks(desk, name)
    return only


def test_all_is_well_after_install(desk: Desk) -> None:
    desk.with_pi()
    desk.tank("install")
    session = desk.session(label="login")
    session.listen(lambda _: {"ok": True, "data": session.entry})
    ran = desk.tank("doctor")
    assert (ran.returncode, ran.stderr) == (0, "")
    words = [line.split()[0] for line in ran.stdout.splitlines()]
    assert set(words) == {"ok"}
    for name in [
        "tank",
        "python",
        "pi",
        "node",
        "extension",
        "launch",
        "live",
        "sessions",
        "tmux",
        "rex",
        "git",
    ]:
        assert any(line.split()[1] == name for line in ran.stdout.splitlines()), name
    assert "1 live" in ran.stdout


def test_before_install_it_says_to_install(desk: Desk) -> None:
    desk.with_pi()
    ran = desk.tank("doctor")
    assert ran.returncode == 1
    assert "bad   extension" in ran.stdout
    assert "→ run `tank install`" in ran.stdout


def test_a_missing_pi_and_an_old_node_are_bad(desk: Desk) -> None:
    desk.fake("node", "echo v20.20.2")
    verdict, found, advice = check(desk, "pi")
    assert verdict == "bad"
    assert "pi is not on PATH" in found
    assert "npm install -g" in (advice or "")
    verdict, found, advice = check(desk, "node")
    assert verdict == "bad"
    assert found.startswith("v20.20.2, ")
    assert "Node 22.19 or newer" in (advice or "")


def test_an_old_pi_is_bad(desk: Desk) -> None:
    desk.fake("pi", "echo 0.70.2")
    verdict, found, advice = check(desk, "pi")
    assert (verdict, found) == ("bad", f"0.70.2, {desk.bin}/pi")
    assert "Tank needs" in (advice or "")


def test_a_second_copy_of_the_extension_is_named(desk: Desk) -> None:
    other = desk.home / "other"
    other.mkdir()
    (other / "package.json").write_text((ROOT / "pi-extension/package.json").read_text())
    settings = desk.home / ".pi/agent/settings.json"
    settings.parent.mkdir(parents=True)
    settings.write_text(json.dumps({"packages": [str(ROOT / "pi-extension"), str(other)]}))
    verdict, found, _ = check(desk, "extension")
    assert verdict == "warn"
    assert str(other) in found


@pytest.mark.parametrize(
    ("script", "verdict"),
    [
        (f"echo tank {__version__}", "ok"),
        ("echo tank 9.9.9", "warn"),
        ("echo boom >&2; exit 1", "bad"),
        (None, "bad"),
    ],
)
def test_the_python_that_pi_would_start_is_tried(desk: Desk, script: str | None, verdict: str) -> None:
    python = desk.fake("python", script) if script else desk.bin / "python"
    desk.environment["TANK_PYTHON"] = str(python)
    found = check(desk, "launch")
    assert found[0] == verdict
    assert str(python) in found[1]
    assert (found[2] is None) == (verdict == "ok")


def test_the_live_directory_is_judged_and_left_as_it_is(desk: Desk) -> None:
    assert check(desk, "live directory")[:2] == ("ok", f"{desk.live}, made by the first session")
    assert not desk.live.exists()
    desk.live.mkdir(parents=True)
    desk.live.chmod(0o755)
    verdict, found, advice = check(desk, "live directory")
    assert verdict == "warn"
    assert "mode 0755" in found
    assert f"chmod 700 {desk.live}" in (advice or "")


def test_a_link_in_the_live_directorys_place_is_bad(desk: Desk) -> None:
    real = desk.home / "real"
    real.mkdir()
    desk.live.parent.mkdir(parents=True)
    desk.live.symlink_to(real)
    assert check(desk, "live directory")[0] == "bad"


def test_each_session_that_does_not_answer_is_named(desk: Desk) -> None:
    good, silent, mute = desk.session(label="good"), desk.session(label="silent"), desk.session(label="mute")
    good.listen(lambda _: {"ok": True, "data": good.entry})
    silent.listen(lambda _: None)
    mute.change(socket=None)
    (desk.live / "junk.json").write_text("")
    found = checks(desk, "sessions")
    assert [verdict for verdict, _, _ in found] == ["warn", "bad", "warn"]
    assert "1 file" in found[0][1]
    assert found[1][1].startswith(f"{silent.pid} silent: ")
    assert found[2][1] == f"{mute.pid} mute: takes no messages"
    assert all(advice for _, _, advice in found)


def test_sessions_of_an_older_tank_are_counted(desk: Desk) -> None:
    session = desk.session(label="good", tank="0.0.1")
    session.listen(lambda _: {"ok": True, "data": session.entry})
    assert checks(desk, "sessions") == [("warn", "1 run an older Tank", "type /reload in them")]


@pytest.fixture
def tmux(desk: Desk) -> Iterator[list[str]]:
    """A private server that Tank finds as the one it runs in."""
    tmux = ["tmux", "-S", str(desk.home / "tmux"), "-f", "/dev/null"]
    subprocess.run([*tmux, "new-session", "-d", "sleep 60"], env=desk.environment, check=True)
    desk.environment["TMUX"] = f"{desk.home / 'tmux'},1,0"
    yield tmux
    subprocess.run([*tmux, "kill-server"], check=True)


def test_tmux_options_that_tank_needs_are_asked_for(desk: Desk, tmux: list[str]) -> None:
    found = checks(desk, "tmux")
    assert {verdict for verdict, _, _ in found} == {"warn"}
    assert "set -g focus-events on" in str(found)
    assert "set -s extended-keys on" in str(found)
    on = ["set", "-g", "focus-events", "on", ";", "set", "-s", "extended-keys", "on"]
    subprocess.run([*tmux, *on], check=True)
    verdict, shown, advice = check(desk, "tmux")
    assert (verdict, advice) == ("ok", None)
    assert "focus-events on" in shown


def test_a_rex_terminal_without_rex_is_warned_of(desk: Desk) -> None:
    desk.environment["TERM_PROGRAM"] = "rex"
    assert check(desk, "rex")[0] == "warn"
    rex = desk.fake("rex", "exit 1")
    assert check(desk, "rex") == ("ok", str(rex), None)


def test_without_git_and_tmux_it_still_examines(desk: Desk) -> None:
    desk.environment["PATH"] = str(desk.bin)
    assert check(desk, "git")[0] == "warn"
    assert check(desk, "tmux")[0] == "ok"


def test_what_a_tool_says_is_cleaned(desk: Desk) -> None:
    desk.fake("git", "printf 'git version \\033[31m\\377\\n'")
    assert check(desk, "git") == ("ok", "[31m\ufffd", None)
