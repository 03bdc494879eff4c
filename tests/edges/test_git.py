import os
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from demo.waiting import eventually
from tank.edges import git
from tank.roster.git_facts import GitFacts

Git = Callable[..., None]
URL = "https://user:s3cr3t@h.test/g/app.git"


@pytest.fixture(autouse=True)
def own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No settings of the person or the machine, and names for commits."""
    settings = tmp_path / "gitconfig"
    settings.write_text(
        "[user]\nname=t\nemail=t@h.test\n[init]\ndefaultBranch=main\n[protocol.file]\nallow=always\n"
    )
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(settings))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))


def run(cwd: Path, *command: str) -> None:
    subprocess.run(["git", *command], cwd=cwd, check=True, capture_output=True)


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A repository with one commit and the remote `origin`."""
    folder = tmp_path / "app"
    folder.mkdir()
    run(folder, "init", "-q")
    run(folder, "commit", "-q", "--allow-empty", "-m", "first")
    run(folder, "remote", "add", "origin", URL)
    return folder


def test_a_clone_tells_its_remote_and_common_directory(clone: Path) -> None:
    (clone / "deep" / "down").mkdir(parents=True)
    assert git.facts(str(clone)) == GitFacts({"origin": URL}, None, str(clone / ".git"))
    assert git.facts(str(clone / "deep" / "down")) == git.facts(str(clone))


def test_a_repository_without_remote_commit_or_branch_is_one(tmp_path: Path, clone: Path) -> None:
    run(tmp_path, "init", "-q", "fresh")
    assert git.facts(str(tmp_path / "fresh")) == GitFacts({}, None, str(tmp_path / "fresh" / ".git"))
    run(clone, "checkout", "-q", "--detach")
    assert git.facts(str(clone)) == GitFacts({"origin": URL}, None, str(clone / ".git"))


def test_the_upstream_s_remote_is_that_of_the_current_branch_even_if_never_fetched(clone: Path) -> None:
    run(clone, "remote", "add", "fork", "git@h.test:me/app.git")
    run(clone, "branch", "other")
    for branch, remote in (("main", "fork"), ("other", "origin")):
        run(clone, "config", f"branch.{branch}.remote", remote)
        run(clone, "config", f"branch.{branch}.merge", f"refs/heads/{branch}")
    found = git.facts(str(clone))
    assert found
    assert found.upstream == "fork"
    assert sorted(found.remotes) == ["fork", "origin"]
    run(clone, "checkout", "-q", "other")
    assert (git.facts(str(clone)) or found).upstream == "origin"


def test_a_linked_worktree_shares_the_common_directory_and_its_branch_counts(
    clone: Path, tmp_path: Path
) -> None:
    run(clone, "remote", "add", "fork", "git@h.test:me/app.git")
    run(clone, "worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    run(clone, "config", "branch.side.remote", "fork")
    run(clone, "config", "branch.side.merge", "refs/heads/side")
    found = git.facts(str(tmp_path / "side"))
    assert found
    assert (found.upstream, found.common_dir) == ("fork", str(clone / ".git"))


def test_a_submodule_is_its_own_repository(clone: Path, tmp_path: Path) -> None:
    run(tmp_path, "init", "-q", "library")
    run(tmp_path / "library", "commit", "-q", "--allow-empty", "-m", "first")
    run(clone, "submodule", "--quiet", "add", str(tmp_path / "library"), "inner")
    found = git.facts(str(clone / "inner"))
    assert found == GitFacts(
        {"origin": str(tmp_path / "library")}, "origin", str(clone / ".git/modules/inner")
    )


def test_a_bare_repository_is_one(tmp_path: Path) -> None:
    run(tmp_path, "init", "-q", "--bare", "bare.git")
    assert git.facts(str(tmp_path / "bare.git")) == GitFacts({}, None, str(tmp_path / "bare.git"))


def test_where_there_is_no_repository_nothing_is_known(tmp_path: Path, clone: Path) -> None:
    for name in ("plain", "-C", "pointing nowhere"):
        (tmp_path / name).mkdir()
    (tmp_path / "pointing nowhere" / ".git").write_text("gitdir: /nowhere\n")
    shutil.rmtree(clone)
    for name in ("plain", "-C", "pointing nowhere", "app", "never there"):
        assert git.facts(str(tmp_path / name)) is None


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_a_repository_of_another_user_is_not_asked(clone: Path) -> None:
    for path in (clone, clone / ".git"):
        os.chown(path, 65534, 65534)
    assert git.facts(str(clone)) is None


def test_variables_that_speak_of_another_repository_are_not_heard(
    clone: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(tmp_path, "init", "-q", "other")
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "other" / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(tmp_path / "other"))
    monkeypatch.setenv("GIT_COMMON_DIR", str(tmp_path / "other" / ".git"))
    monkeypatch.setenv("GIT_TRACE", str(tmp_path / "trace"))
    monkeypatch.setenv("GIT_CONFIG_COUNT", "x")
    assert git.facts(str(clone)) == GitFacts({"origin": URL}, None, str(clone / ".git"))
    assert not (tmp_path / "trace").exists()


def test_a_monitor_that_a_clone_brings_is_not_run(clone: Path, tmp_path: Path) -> None:
    monitor = tmp_path / "monitor"
    monitor.write_text(f"#!/bin/sh\ntouch {tmp_path}/probe\n")
    monitor.chmod(0o755)
    run(clone, "config", "core.fsmonitor", str(monitor))
    assert git.facts(str(clone))
    assert not (tmp_path / "probe").exists()


def stand_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    """A program called git, first on PATH."""
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "git").write_text(f"#!/bin/sh\n{script}\n")
    (folder / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")


def test_without_git_nothing_is_known(clone: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert git.facts(str(clone)) is None


def test_a_git_that_hangs_is_ended_with_its_children(
    clone: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stand_in(tmp_path, monkeypatch, f"sleep 60 & echo $! > {tmp_path}/pid; sleep 60")
    started = time.monotonic()
    assert git.facts(str(clone), timeout_s=0.3) is None
    assert time.monotonic() - started < 2
    child = int((tmp_path / "pid").read_text())
    # The signal is sent; the system carries it out in its own time.
    eventually(
        lambda: not psutil.pid_exists(child) or psutil.Process(child).status() == psutil.STATUS_ZOMBIE, 2
    )


def test_a_child_that_keeps_git_s_output_open_takes_no_longer_than_the_limit(
    clone: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stand_in(tmp_path, monkeypatch, "sleep 60 & echo /x/.git")
    started = time.monotonic()
    assert git.facts(str(clone), timeout_s=0.3) is None
    assert time.monotonic() - started < 2


def test_the_limit_counts_over_all_questions(
    clone: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stand_in(tmp_path, monkeypatch, "sleep 0.4; echo /x/.git")
    started = time.monotonic()
    git.facts(str(clone), timeout_s=0.6)
    assert time.monotonic() - started < 1.1


def test_no_command_holds_an_address() -> None:
    assert all("s3cr3t" not in word for command in git.commands("/home/you/app") for word in command)
