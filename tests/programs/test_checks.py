from pathlib import Path
from typing import Any

import pytest

from tank.programs import checks
from tank.programs.checks import Check
from tank.roster.roster import Life
from tank.version import OLDEST_NODE, OLDEST_PI, __version__
from tests.board.sample import session

HERE = Path("/live")
LOG = Path("/log/1.log")


def older(version: tuple[int, ...]) -> tuple[int, ...]:
    return (version[0] - 1, 99, 99)


@pytest.mark.parametrize(("number", "verdict"), [(OLDEST_PI, "ok"), (older(OLDEST_PI), "bad"), ((99,), "ok")])
def test_an_older_pi_than_tank_needs_is_bad(number: tuple[int, ...], verdict: str) -> None:
    check = checks.pi("/bin/pi", "x", number, "npm it")
    assert (check.verdict, check.found) == (verdict, "x, /bin/pi")
    assert ("npm it" in (check.advice or "")) is (verdict == "bad")


@pytest.mark.parametrize(
    ("number", "verdict"), [(OLDEST_NODE, "ok"), (older(OLDEST_NODE), "bad"), ((99, 0, 0), "ok")]
)
def test_an_older_node_than_pi_needs_is_bad(number: tuple[int, ...], verdict: str) -> None:
    version = "v" + ".".join(map(str, number))
    assert checks.node(version, "/bin/node")[:3] == ("node", verdict, f"{version}, /bin/node")


def test_what_is_missing_is_bad_and_says_what_to_do() -> None:
    for check in (
        checks.no_pi("why", "npm it"),
        checks.node(None, None),
        checks.no_extension(HERE),
        checks.unread_settings("why"),
        checks.extension(HERE, [], [], Path("/settings.json")),
        checks.no_launch(HERE),
        checks.failed_launch("/python", "why"),
        checks.unread_live_directory(HERE, "why"),
    ):
        assert check.verdict == "bad"
        assert check.advice


def test_another_tank_in_pi_is_warned_of_also_beside_this_one() -> None:
    this, other = Path("/this"), Path("/other")
    assert checks.extension(this, [this], [], HERE) == Check("extension", "ok", "/this")
    assert checks.extension(this, [this, other], [other], HERE) == (
        "extension",
        "warn",
        "another Tank is installed in Pi: /other",
        "run `tank install` to have Pi load /this alone",
    )


def test_a_python_with_another_tank_is_warned_of() -> None:
    assert checks.launch("/python", __version__) == Check("launch", "ok", "/python")
    assert checks.launch("/python", "9.9.9").verdict == "warn"


@pytest.mark.parametrize(
    ("found", "verdict", "advice"),
    [
        ({}, "ok", None),
        ({"mode": 0o755}, "warn", "run `chmod 700 /live`"),
        ({"mode": 0o2700}, "warn", "run `chmod 700 /live`"),
        ({"uid": 7, "is_ours": False}, "bad", "move it away, or give it to yourself"),
        ({"is_directory": False, "mode": 0o777}, "bad", "move it away"),
    ],
)
def test_a_live_directory_is_ours_alone(found: dict[str, Any], verdict: str, advice: str | None) -> None:
    whole: dict[str, Any] = {"is_directory": True, "uid": 0, "is_ours": True, "mode": 0o700} | found
    check = checks.live_directory(HERE, **whole)
    assert (check.verdict, check.advice) == (verdict, advice)


@pytest.mark.parametrize(
    ("life", "socket", "said"),
    [
        (Life.ALIVE, "/s", None),
        (Life.UNREPORTED, "/s", None),
        (Life.ELSEWHERE, None, None),
        (Life.SUSPENDED, "/s", "7 login: suspended"),
        (Life.SUSPENDED, None, "7 login: suspended"),
        (Life.ALIVE, None, "7 login: takes no messages"),
    ],
)
def test_a_session_that_can_not_be_asked_is_named(life: Life, socket: str | None, said: str | None) -> None:
    check = checks.silent(session(7, life, label="login", socket=socket), LOG)
    assert (check and check.found) == said
    assert check is None or (check.verdict == "warn" and check.advice)


def test_sessions_are_counted_where_nothing_else_is_to_be_said_of_them() -> None:
    now, then = session(1, tank=__version__), session(2, tank="0.0.1")
    assert checks.sessions([], 0) == Check("sessions", "ok", "0 live")
    assert checks.sessions([now, now], 0) == Check("sessions", "ok", "2 live")
    assert checks.sessions([now, now], 1) is None
    for faults in (0, 1):
        check = checks.sessions([now, then], faults)
        assert check == Check("sessions", "warn", "1 run an older Tank", "type /reload in them")


@pytest.mark.parametrize(
    ("version", "focus", "keys", "verdicts"),
    [
        (None, None, None, ["ok"]),
        ("tmux 3.3a", None, None, ["ok"]),
        ("tmux 3.3a", "on", "on", ["ok"]),
        ("tmux 3.3a", "on", "always", ["ok"]),
        ("tmux 3.0", "on", "", ["ok"]),
        ("tmux 3.3a", "on", None, ["ok"]),
        ("tmux 3.3a", "off", "on", ["warn"]),
        ("tmux 3.3a", "on", "off", ["warn"]),
        ("tmux 3.3a", "off", "off", ["warn", "warn"]),
    ],
)
def test_each_option_that_tmux_should_have_is_asked_for(
    version: str | None, focus: str | None, keys: str | None, verdicts: list[str]
) -> None:
    assert [check.verdict for check in checks.tmux(version, focus, keys)] == verdicts


def test_rex_is_missed_only_in_rex_and_git_by_everybody() -> None:
    assert checks.rex(None, inside=False).verdict == "ok"
    assert checks.rex(None, inside=True).verdict == "warn"
    assert checks.rex("/bin/rex", inside=True) == Check("rex", "ok", "/bin/rex")
    assert checks.git(None).verdict == "warn"
    assert checks.git("git version 2.39.5") == Check("git", "ok", "2.39.5")
