"""Uncommitted changes counted with real git."""

import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tank.edges import checkouts
from tank.edges.checkouts import Checkouts, top_of
from tank.edges.loop import Loop
from tests.support.turning import turn

Answer = tuple[str, str, int | None]


def git(folder: Path, *words: str) -> None:
    identity = ["-c", "user.name=x", "-c", "user.email=x@example.org"]
    subprocess.run(["git", "-C", str(folder), *identity, *words], check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "app"
    folder.mkdir()
    git(folder, "init", "-q")
    for name in ("one", "two", "old name"):
        (folder / name).write_text(f"{name}\n" * 20)
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "first")
    return folder


def answers(*cwds: Path, until: Callable[[list[Answer]], bool] | None = None) -> list[Answer]:
    """What is told of these directories, asked for at once."""
    loop, told = Loop(), []

    def tell(cwd: str, top: str, changed: int | None) -> None:
        told.append((cwd, top, changed))
        if until(told) if until else len(told) == len(cwds):
            loop.stop()

    counting = Checkouts(loop, tell)

    def ask() -> None:
        for cwd in cwds:
            counting.count(str(cwd))

    loop.later(0, ask)
    loop.later(10, loop.stop)
    loop.run()
    counting.close()
    loop.later(0.2, loop.stop)
    loop.run()
    return told


def test_changed_new_deleted_and_renamed_paths_count_once_each(repository: Path) -> None:
    assert answers(repository) == [(str(repository), str(repository), 0)]
    (repository / "one").write_text("changed")
    (repository / "new").touch()
    git(repository, "rm", "-q", "two")
    git(repository, "mv", "old name", "new name")
    assert answers(repository) == [(str(repository), str(repository), 4)]


def test_directories_of_one_tree_share_one_answer(repository: Path, tmp_path: Path) -> None:
    deep = repository / "deep" / "deeper"
    deep.mkdir(parents=True)
    (deep / "x").touch()
    told = answers(repository, deep)
    assert sorted(told) == [(str(repository), str(repository), 1), (str(deep), str(repository), 1)]


def test_a_tree_reached_through_a_link_is_the_same_tree(repository: Path, tmp_path: Path) -> None:
    (repository / "deep").mkdir()
    link = tmp_path / "link"
    link.symlink_to(repository / "deep")
    assert top_of(str(link)) == str(repository)


def test_a_linked_worktree_has_its_own_count(repository: Path, tmp_path: Path) -> None:
    linked = tmp_path / "linked"
    git(repository, "worktree", "add", "-q", str(linked), "-b", "other")
    (linked / "new").touch()
    assert sorted(answers(repository, linked)) == [
        (str(repository), str(repository), 0),
        (str(linked), str(linked), 1),
    ]


@pytest.mark.parametrize("cwd", ["/nowhere/at/all", "relative", "/with\0nul", ""])
def test_a_directory_in_no_repository_is_told_as_such(cwd: str) -> None:
    assert top_of(cwd) is None
    loop, told = Loop(), []

    def tell(*answer: object) -> None:
        told.append(answer)
        loop.stop()

    Checkouts(loop, tell).count(cwd)
    loop.run()
    assert told == [(cwd, "", None)]


def test_a_git_file_that_points_nowhere_has_no_count(tmp_path: Path) -> None:
    (tmp_path / ".git").write_text("gitdir: /nowhere\n")
    assert answers(tmp_path) == [(str(tmp_path), str(tmp_path), None)]


def test_a_program_that_a_clone_brings_is_not_run(repository: Path, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    program = tmp_path / "monitor"
    program.write_text(f"#!/bin/sh\ntouch {ran}\n")
    program.chmod(0o755)
    git(repository, "config", "core.fsmonitor", str(program))
    (repository / "new").touch()
    assert answers(repository)[0][2] == 1
    assert not ran.exists()
    subprocess.run(["git", "-C", str(repository), "status"], check=True, capture_output=True)
    assert ran.exists()


def test_a_git_that_hangs_delays_only_itself_and_ends_with_the_board(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pids = tmp_path / "pids"
    program = tmp_path / "bin" / "git"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\necho $$ >> {pids}\ncase "$*" in */stuck" "*) exec sleep 60;; esac\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")
    hangs, quick = tmp_path / "stuck", tmp_path / "quick"
    for folder in (hangs, quick):
        (folder / ".git").mkdir(parents=True)
    start = time.monotonic()
    assert answers(hangs, quick, until=bool) == [(str(quick), str(quick), 0)]
    assert time.monotonic() - start < checkouts.TIMEOUT_S
    for pid in pids.read_text().split():
        assert not Path(f"/proc/{pid}/status").exists() or "Z" in Path(f"/proc/{pid}/status").read_text()


def test_no_more_than_two_run_at_once_and_all_are_answered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "log"
    program = tmp_path / "bin" / "git"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\necho + >> {log}\nsleep 0.05\necho - >> {log}\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")
    folders = [tmp_path / f"tree{number}" for number in range(6)]
    for folder in folders:
        (folder / ".git").mkdir(parents=True)
    assert {told[2] for told in answers(*folders)} == {0}
    running = most = 0
    for mark in log.read_text().split():
        running += 1 if mark == "+" else -1
        most = max(most, running)
    assert most == checkouts.AT_ONCE


def test_a_tree_that_is_asked_for_all_the_time_is_counted_once_a_second(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log, program = tmp_path / "log", tmp_path / "bin" / "git"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\necho x >> {log}\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")
    monkeypatch.setattr(checkouts, "REST_S", 0.5)
    (tmp_path / ".git").mkdir()
    loop, told = Loop(), []
    asked: list[float] = []
    counting = Checkouts(loop, lambda *answer: told.append(answer))

    def ask() -> None:
        counting.count(str(tmp_path))
        asked.append(time.monotonic())
        if len(asked) < 100:
            loop.later(0.01, ask)

    ask()
    turn(loop, lambda: len(asked) == 100 and told)
    assert len(told) == len(log.read_text().split()) <= 4
    assert set(told) == {(str(tmp_path), str(tmp_path), 0)}


def test_what_a_git_says_without_end_is_no_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "bin" / "git"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\nexec yes '?? some/path'\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")
    (tmp_path / ".git").mkdir()
    start = time.monotonic()
    assert answers(tmp_path) == [(str(tmp_path), str(tmp_path), None)]
    assert time.monotonic() - start < checkouts.TIMEOUT_S


def test_no_program_of_a_submodule_is_run(repository: Path, tmp_path: Path) -> None:
    outer, ran, program = tmp_path / "outer", tmp_path / "ran", tmp_path / "monitor"
    program.write_text(f"#!/bin/sh\ntouch {ran}\n")
    program.chmod(0o755)
    outer.mkdir()
    git(outer, "init", "-q")
    git(outer, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(repository), "inner")
    git(outer, "commit", "-qm", "first")
    git(outer / "inner", "config", "core.fsmonitor", str(program))
    (outer / "inner" / "new").touch()
    assert sorted(answers(outer, outer / "inner")) == [
        (str(outer), str(outer), 1),
        (str(outer / "inner"), str(outer / "inner"), 1),
    ]
    assert not ran.exists()


def test_what_the_person_configured_for_status_changes_no_count(repository: Path) -> None:
    for name in ("status.branch", "status.showStash", "status.short"):
        git(repository, "config", name, "true")
    (repository / "new").touch()
    assert answers(repository)[0][2] == 1
