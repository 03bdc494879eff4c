"""What a sidecar asks of git and tmux: real ones, and ones that are missing, slow or hanging."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from demo.waiting import eventually
from tests.support.conversation import Conversation
from tests.support.terminals import Terminals

Converse = Callable[..., Conversation]
SECRET = "ghp_tokenthatnobodymaysee"  # noqa: S105 - of nobody


def git(*words: str, cwd: Path) -> None:
    settings = {
        "GIT_CONFIG_GLOBAL": "/dev/null",
        "GIT_CONFIG_SYSTEM": "/dev/null",
        "PATH": os.environ["PATH"],
    }
    names = ("-c", "user.name=you", "-c", "user.email=you@app.test", "-c", "init.defaultBranch=main")
    subprocess.run(["git", *names, *words], cwd=cwd, env=settings, check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A clone of `app` whose remote holds a token."""
    path = tmp_path / "clone"
    path.mkdir()
    git("init", cwd=path)
    git("remote", "add", "origin", f"https://you:{SECRET}@Git.App.test:443/you/app.git", cwd=path)
    return path


def fake_git(tmp_path: Path, script: str) -> dict[str, str]:
    """The environment in which git is this shell script."""
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "git").write_text(f"#!/bin/sh\n{script}\n")
    (folder / "git").chmod(0o755)
    return {"PATH": f"{folder}:/usr/bin:/bin"}


def command_lines() -> bytes:
    found = b""
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            found += path.read_bytes()
        except OSError:
            continue
    return found


# git


def test_the_project_is_the_remote_without_its_token_which_is_nowhere(
    converse: Converse, repository: Path, tmp_path: Path
) -> None:
    # git itself answers late, so that its arguments can be looked at.
    sidecar = converse(environment=fake_git(tmp_path, 'sleep 0.2; exec /usr/bin/git "$@"'))
    sidecar.hello(cwd=str(repository))
    lines = b""
    while (sidecar.entry() or {}).get("project") is None:
        lines += command_lines() if sys.platform == "linux" else b""
    assert not lines or b"--git-common-dir" in lines
    assert SECRET.encode() not in lines
    sidecar.published(project={"key": "git.app.test/you/app", "name": "app"})
    sidecar.run()
    sidecar.line().send({"type": "send", "message": "x"})
    sidecar.order("deliver")
    for request in ("ping", "explain"):
        assert SECRET not in str(sidecar.ask({"type": request}))
    assert SECRET not in str(sidecar.read())
    sidecar.send(b"a line for the log")
    eventually(lambda: "not JSON" in sidecar.log())
    for path in (tmp_path / "state").rglob("*"):
        assert not path.is_file() or SECRET.encode() not in path.read_bytes()


def test_a_session_s_project_follows_its_directory(
    converse: Converse, repository: Path, tmp_path: Path
) -> None:
    sidecar = converse()
    sidecar.hello(cwd=str(repository))
    sidecar.published(project={"key": "git.app.test/you/app", "name": "app"})
    (tmp_path / "plain").mkdir()
    sidecar.hello("resume", cwd=str(tmp_path / "plain"), sessionId="another")
    sidecar.published(sessionId="another", project={"key": str(tmp_path / "plain"), "name": "plain"})
    sidecar.hello("resume", cwd=str(tmp_path / "gone"), sessionId="third")
    sidecar.published(sessionId="third", project={"key": str(tmp_path / "gone"), "name": "gone"})


def test_without_git_the_project_is_the_directory(
    converse: Converse, repository: Path, tmp_path: Path
) -> None:
    (tmp_path / "empty").mkdir()
    sidecar = converse(environment={"PATH": str(tmp_path / "empty")})
    sidecar.hello(cwd=str(repository))
    sidecar.published(project={"key": str(repository), "name": "clone"})
    sidecar.leave()


def test_a_git_that_hangs_holds_nothing_up_and_is_ended(
    converse: Converse, repository: Path, tmp_path: Path
) -> None:
    sidecar = converse(environment=fake_git(tmp_path, "sleep 60"))
    started = time.monotonic()
    sidecar.hello(cwd=str(repository))
    sidecar.published(project=None)
    slowest = 0.0
    while (sidecar.entry() or {}).get("project") is None:
        asked = time.monotonic()
        assert sidecar.ask({"type": "ping"})["ok"]
        sidecar.run()
        sidecar.published(status="working")
        sidecar.settle()
        sidecar.published(status="idle")
        slowest = max(slowest, time.monotonic() - asked)
    assert 1.9 < time.monotonic() - started < 2.6
    assert slowest < 0.3
    sidecar.published(project={"key": str(repository), "name": "clone"})
    eventually(lambda: not psutil.Process(sidecar.process.pid).children(recursive=True))
    sidecar.leave()


def test_a_git_that_answers_ever_more_slowly_gets_two_seconds_in_all(
    converse: Converse, repository: Path, tmp_path: Path
) -> None:
    sidecar = converse(environment=fake_git(tmp_path, f"sleep 1.5; echo {repository}/.git"))
    started = time.monotonic()
    sidecar.hello(cwd=str(repository))
    eventually(lambda: (sidecar.entry() or {}).get("project"))
    assert time.monotonic() - started < 2.6


def test_a_hanging_git_ends_with_its_session(converse: Converse, repository: Path, tmp_path: Path) -> None:
    sidecar = converse(environment=fake_git(tmp_path, "sleep 60"))
    sidecar.hello(cwd=str(repository))
    eventually(lambda: len(psutil.Process(sidecar.process.pid).children(recursive=True)) == 2)
    family = psutil.Process(sidecar.process.pid).children(recursive=True)
    sidecar.leave()
    eventually(lambda: not any(process.is_running() for process in family))


# tmux


@pytest.fixture
def terminals(tmp_path: Path) -> Iterator[Terminals]:
    made = Terminals(tmp_path)
    yield made
    made.close()


def status_after_a_run(sidecar: Conversation) -> str:
    sidecar.run()
    sidecar.published(status="working")
    sidecar.settle()
    return str(
        eventually(lambda: (found := sidecar.entry()) and found["status"] != "working" and found["status"])
    )


def test_a_run_is_seen_where_a_client_shows_the_pane(converse: Converse, terminals: Terminals) -> None:
    sidecar = converse(environment=terminals.environment())
    sidecar.hello()
    place = sidecar.published()["terminal"]["tmux"]
    assert place == {"socket": terminals.path, "pane": terminals.here}
    assert status_after_a_run(sidecar) == "done", "no client is attached"
    terminals.attach()
    assert status_after_a_run(sidecar) == "idle"
    terminals.act("select-window", "-t", terminals.other)
    assert status_after_a_run(sidecar) == "done", "the client shows another window"
    sidecar.leave()


def test_a_terminal_that_reports_its_focus_is_believed_more_than_tmux(
    converse: Converse, terminals: Terminals
) -> None:
    sidecar = converse(environment=terminals.environment())
    sidecar.hello()
    for focused in (False, True):
        sidecar.event("focus", focused=focused)
    assert status_after_a_run(sidecar) == "idle", "no client is attached"


def test_a_tmux_that_cannot_tell_counts_as_seen_and_none_is_started(
    converse: Converse, terminals: Terminals
) -> None:
    sidecar = converse(environment=terminals.environment())
    sidecar.hello()
    terminals.act("kill-server")
    eventually(lambda: not psutil.pid_exists(terminals.pid))
    assert status_after_a_run(sidecar) == "idle"
    assert not [
        each for each in psutil.process_iter() if "tmux" in each.name() and terminals.path in _words(each)
    ]
    sidecar.leave()


def test_a_tmux_that_hangs_holds_nothing_up(converse: Converse, tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "tmux").write_text("#!/bin/sh\nsleep 60\n")
    (tmp_path / "bin" / "tmux").chmod(0o755)
    variables = {"PATH": f"{tmp_path}/bin:/usr/bin:/bin", "TMUX": "/s,1,0", "TMUX_PANE": "%0"}
    sidecar = converse(environment=variables)
    sidecar.hello()
    sidecar.run()
    sidecar.published(status="working")
    sidecar.settle()
    started = time.monotonic()
    assert sidecar.ask({"type": "ping"})["data"]["status"] == "working", "it waits for the answer"
    sidecar.published(status="idle")
    assert time.monotonic() - started < 1.5
    eventually(lambda: not psutil.Process(sidecar.process.pid).children(recursive=True))
    sidecar.leave()


def _words(process: psutil.Process) -> list[str]:
    try:
        words: list[str] = process.cmdline()
    except psutil.Error:
        return []
    return words
