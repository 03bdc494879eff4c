"""A home's notes, in a real git repository."""

import os
import subprocess
import time
from pathlib import Path

import pytest

from tank.edges import home_files
from tank.edges.home_files import Changed, Shown, Unchanged, Written, revision
from tank.errors import RefusedError

NOTES = "NOTES.md"


@pytest.fixture(autouse=True)
def own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No settings of the person or the machine."""
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "gitconfig"))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    (tmp_path / "gitconfig").write_text("[user]\nname = You\nemail = you@h.test\n")


def git(home: Path, *arguments: str) -> str:
    command = ["git", "-C", str(home), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A repository with committed notes."""
    folder = tmp_path / "a home"
    (folder / "topics").mkdir(parents=True)
    (folder / NOTES).write_text("old\n")
    (folder / "AGENTS.md").write_text("agents\n")
    git(folder, "init", "-q")
    git(folder, "add", "--all")
    git(folder, "commit", "-q", "-m", "Start")
    return folder


def log(home: Path) -> list[str]:
    return git(home, "log", "--format=%s", "--reverse").splitlines()[1:]


def committed(home: Path, file: str = NOTES, at: str = "HEAD") -> str:
    return git(home, "show", f"{at}:{file}")


SEEN = revision("old\n")


# Reading


def test_what_is_read_goes_out_with_its_revision(home: Path) -> None:
    assert home_files.read(home, NOTES) == Shown("old\n", "", SEEN)


def test_missing_notes_are_said_to_be(home: Path, tmp_path: Path) -> None:
    (home / NOTES).unlink()
    assert home_files.read(home, NOTES) == Shown("", "NOTES.md is missing", None)
    assert home_files.read(tmp_path / "gone", NOTES).problem == "NOTES.md is missing"


def test_of_notes_that_are_too_long_the_beginning_is_shown_and_that_is_said(home: Path) -> None:
    (home / NOTES).write_text("é" * 4000)
    assert home_files.read(home, NOTES).problem == ""
    (home / NOTES).write_text("é" * 4001)
    found = home_files.read(home, NOTES)
    assert (found.text, found.revision) == ("é" * 4000, None)
    assert found.problem == "NOTES.md has 4001 characters, and only the first 4000 are shown: shorten it"


def test_what_can_not_be_read_is_named(home: Path) -> None:
    notes = home / NOTES
    for lay, why in (
        (lambda: notes.write_bytes(b"a\xffb"), "no UTF-8 from byte 1 on"),
        (lambda: notes.write_bytes(b"x" * 65_537), "over 64 KiB"),
        (lambda: notes.symlink_to("AGENTS.md"), "is a symbolic link"),
        (notes.mkdir, "no regular file"),
    ):
        notes.unlink(missing_ok=True)
        lay()
        found = home_files.read(home, NOTES)
        assert (found.text, found.revision) == ("", None)
        assert why in found.problem
    notes.rmdir()
    os.mkfifo(notes)
    started = time.monotonic()
    assert "no regular file" in home_files.read(home, NOTES).problem
    assert time.monotonic() - started < 1


# Writing


def test_an_edit_is_one_commit_of_that_file_alone(home: Path) -> None:
    (home / "AGENTS.md").write_text("changed by the person\n")
    (home / "staged").write_text("x")
    git(home, "add", "staged")
    (home / "untracked").write_text("x")
    before = git(home, "status", "--porcelain")
    assert home_files.write(home, NOTES, "new\n", "Say new", SEEN) == Written(revision("new\n"), kept=False)
    assert log(home) == ["Say new"]
    assert git(home, "show", "--name-only", "--format=", "HEAD").split() == [NOTES]
    assert committed(home) == (home / NOTES).read_text() == "new\n"
    assert git(home, "status", "--porcelain") == before


def test_one_edit_after_another(home: Path) -> None:
    seen: str | None = SEEN
    for number in range(3):
        outcome = home_files.write(home, NOTES, f"{number}\n", f"Say {number}", seen)
        assert isinstance(outcome, Written)
        seen = outcome.revision
    assert log(home) == ["Say 0", "Say 1", "Say 2"]


def test_a_new_topic_needs_nothing_seen_and_makes_its_folder(home: Path) -> None:
    (home / "topics").rmdir()
    assert isinstance(home_files.write(home, "topics/new.md", "x\n", "Begin", None), Written)
    assert committed(home, "topics/new.md") == "x\n"
    assert git(home, "status", "--porcelain") == ""


def test_an_ignored_topic_is_committed_too(home: Path) -> None:
    (home / ".gitignore").write_text("topics/\n")
    (home / "topics/mine.md").write_text("mine\n")
    outcome = home_files.write(home, "topics/mine.md", "x\n", "Take over", revision("mine\n"))
    assert outcome == Written(revision("x\n"), kept=True)
    assert committed(home, "topics/mine.md", "HEAD^") == "mine\n"


def test_what_says_this_already_is_left_alone(home: Path) -> None:
    assert home_files.write(home, NOTES, "old\n", "x", None) == Unchanged(SEEN)
    assert log(home) == []


@pytest.mark.parametrize("seen", [None, revision("shown long ago")])
def test_what_the_model_was_not_shown_is_never_replaced(home: Path, seen: str | None) -> None:
    (home / NOTES).write_text("by the person\n")
    outcome = home_files.write(home, NOTES, "new\n", "x", seen)
    assert outcome == Changed("by the person\n", revision("by the person\n"))
    assert (home / NOTES).read_text() == "by the person\n"
    assert log(home) == []
    merged = home_files.write(home, NOTES, "by the person\nnew\n", "Merge", outcome.revision)
    assert merged == Written(revision("by the person\nnew\n"), kept=True)


def test_what_the_person_had_not_committed_gets_a_commit_of_its_own_before(home: Path) -> None:
    for stage in (False, True):
        (home / NOTES).write_text(f"by hand {stage}\n")
        if stage:
            git(home, "add", NOTES)
        home_files.write(home, NOTES, "new\n", "Say new", revision(f"by hand {stage}\n"))
        assert log(home)[-2:] == ["Keep NOTES.md as the person left it", "Say new"]
        assert committed(home, at="HEAD^") == f"by hand {stage}\n"


def test_a_text_that_is_staged_and_was_written_on_is_left_to_the_person(home: Path) -> None:
    (home / NOTES).write_text("staged\n")
    git(home, "add", NOTES)
    (home / NOTES).write_text("later\n")
    with pytest.raises(RefusedError, match="staged in one version"):
        home_files.write(home, NOTES, "new\n", "x", revision("later\n"))
    assert git(home, "show", f":{NOTES}") == "staged\n"
    assert (home / NOTES).read_text() == "later\n"


def test_a_deleted_file_is_written_anew(home: Path) -> None:
    for stage in (False, True):
        (home / NOTES).unlink()
        if stage:
            git(home, "add", NOTES)
        text = f"new {stage}\n"
        assert isinstance(home_files.write(home, NOTES, text, "x", SEEN), Written)
        assert committed(home) == text


def test_a_repository_without_a_commit_gets_its_first(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "fresh")
    assert isinstance(home_files.write(tmp_path / "fresh", NOTES, "x\n", "Begin", None), Written)
    assert git(tmp_path / "fresh", "log", "--format=%s") == "Begin\n"


def test_a_worktree_is_a_home_like_another(home: Path, tmp_path: Path) -> None:
    git(home, "worktree", "add", "-q", str(tmp_path / "tree"))
    assert isinstance(home_files.write(tmp_path / "tree", NOTES, "x\n", "There", SEEN), Written)
    assert committed(tmp_path / "tree") == "x\n"
    assert committed(home) == "old\n"


def test_the_mode_of_the_file_stays(home: Path) -> None:
    (home / NOTES).chmod(0o600)
    home_files.write(home, NOTES, "x\n", "x", SEEN)
    assert (home / NOTES).stat().st_mode & 0o777 == 0o600
    assert sorted(path.name for path in home.iterdir()) == [".git", "AGENTS.md", NOTES, "topics"]


@pytest.mark.parametrize("message", ["#1 is done", "-m", "--amend", "fixup! x", "Signed-off-by: x", "é 家"])
def test_any_line_may_be_the_message(home: Path, message: str) -> None:
    home_files.write(home, NOTES, "x\n", message, SEEN)
    assert log(home) == [message]


def test_without_a_name_tank_commits(home: Path, tmp_path: Path) -> None:
    (tmp_path / "gitconfig").write_text("[user]\nuseConfigOnly = true\n")
    home_files.write(home, NOTES, "x\n", "x", SEEN)
    assert git(home, "log", "-1", "--format=%an <%ae>") == "Tank <tank@localhost>\n"


# Refusals: the file and the repository are as before


def refused(home: Path, file: str = NOTES, timeout_s: float = 3.0) -> str:
    before = {path: path.read_bytes() for path in home.rglob("*.md") if path.is_file()}
    history = git(home, "log", "--format=%H", "--all") if (home / ".git").exists() else ""
    with pytest.raises(RefusedError) as caught:
        home_files.write(home, file, "new\n", "x", SEEN, timeout_s)
    assert {path: path.read_bytes() for path in home.rglob("*.md") if path.is_file()} == before
    if history:
        assert git(home, "log", "--format=%H", "--all") == history
    return str(caught.value)


def test_a_link_is_not_followed(home: Path, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/a.md").write_text("theirs")
    (home / "topics/a.md").symlink_to(tmp_path / "outside/a.md")
    assert "topics/a.md is a symbolic link" in refused(home, "topics/a.md")
    (home / "topics/new.md").symlink_to(tmp_path / "outside/new.md")
    assert "topics/new.md is a symbolic link" in refused(home, "topics/new.md")
    for link in ("a.md", "new.md"):
        (home / "topics" / link).unlink()
    (home / "topics").rmdir()
    (home / "topics").symlink_to(tmp_path / "outside")
    assert "topics is a symbolic link" in refused(home, "topics/a.md")
    assert sorted(path.name for path in (tmp_path / "outside").iterdir()) == ["a.md"]
    assert (tmp_path / "outside/a.md").read_text() == "theirs"


@pytest.mark.parametrize(
    "file", ["../a.md", "/tmp/a.md", "topics/../../a.md", "topics//a.md", "", "topics/", ".git/config"]
)
def test_a_path_out_of_the_home_is_refused(home: Path, file: str) -> None:
    assert "no file of the home" in refused(home, file)


def test_a_directory_or_a_fifo_in_its_place_is_named(home: Path) -> None:
    (home / "topics/a.md").mkdir()
    assert "no regular file" in refused(home, "topics/a.md")
    os.mkfifo(home / "topics/b.md")
    assert "no regular file" in refused(home, "topics/b.md")
    (home / "topics/a.md").rmdir()
    (home / "topics/b.md").unlink()
    (home / "topics").rmdir()
    (home / "topics").write_text("x")
    assert refused(home, "topics/a.md") == "topics/a.md: Not a directory"


def test_a_file_that_is_no_text_is_left_to_the_person(home: Path) -> None:
    (home / NOTES).write_bytes(b"\xff")
    assert "no UTF-8" in refused(home)


def test_a_repository_in_which_another_git_works_is_not_touched(home: Path) -> None:
    lock = home / ".git/index.lock"
    lock.touch()
    said = refused(home)
    assert "git is at work" in said
    assert str(lock) in said
    assert lock.exists()


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("MERGE_HEAD", "a merge"),
        ("CHERRY_PICK_HEAD", "a cherry-pick"),
        ("REVERT_HEAD", "a revert"),
        ("rebase-merge", "a rebase"),
    ],
)
def test_what_is_not_finished_is_named(home: Path, name: str, what: str) -> None:
    (home / ".git" / name).write_text(git(home, "rev-parse", "HEAD"))
    assert f"{what} isn't finished" in refused(home)
    (home / ".git" / name).unlink()


def test_a_merge_with_conflicts_is_left_to_the_person(home: Path) -> None:
    git(home, "checkout", "-q", "-b", "side")
    git(home, "commit", "-q", "--allow-empty", "-m", "x")
    (home / NOTES).write_text("side\n")
    git(home, "commit", "-q", "-am", "side")
    git(home, "checkout", "-q", "-")
    (home / NOTES).write_text("main\n")
    git(home, "commit", "-q", "-am", "main")
    subprocess.run(["git", "-C", str(home), "merge", "-q", "side"], capture_output=True, check=False)
    assert "a merge isn't finished" in refused(home)


def test_without_a_repository_it_says_what_to_do(home: Path, tmp_path: Path) -> None:
    (home / ".git").rename(tmp_path / "taken")
    assert "is no git repository: run `git init` there" in refused(home)
    git(tmp_path, "init", "-q")
    assert "run `git init` there" in refused(home), "a parent's repository is another one"
    (home / ".git").mkdir()
    with pytest.raises(RefusedError, match=r"git refused in .*not a git repository"):
        home_files.write(home, NOTES, "x", "x", SEEN)


def test_without_git_it_says_what_to_do(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(RefusedError, match="git is missing"):
        home_files.write(home, NOTES, "x", "x", SEEN)


def stand_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    """A program called git, first on PATH; `git` at the end of the script is the real one."""
    folder = tmp_path / "bin"
    folder.mkdir()
    program = folder / "git"
    program.write_text(f'#!/bin/sh\n{script}\nexec /usr/bin/git "$@"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")


COMMITS = 'for word; do [ "$word" = commit ] && is_commit=1; done; [ "$is_commit" ] && '


def test_a_commit_that_fails_is_taken_back(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stand_in(tmp_path, monkeypatch, COMMITS + "{ echo 'fatal: disk full' >&2; exit 128; }")
    assert refused(home).endswith("fatal: disk full")
    assert refused(home, "topics/new.md").endswith("fatal: disk full")
    monkeypatch.undo()
    assert git(home, "status", "--porcelain") == ""


def test_a_git_that_hangs_is_ended_in_time(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stand_in(tmp_path, monkeypatch, COMMITS + "sleep 60")
    started = time.monotonic()
    assert "took too long" in refused(home, timeout_s=0.5)
    assert time.monotonic() - started < 2


def test_a_person_who_saves_while_git_commits_keeps_their_text(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stand_in(tmp_path, monkeypatch, COMMITS + f"echo 'saved just now' > '{home}/NOTES.md'")
    outcome = home_files.write(home, NOTES, "new\n", "x", SEEN)
    assert outcome == Changed("saved just now\n", revision("saved just now\n"))
    assert (home / NOTES).read_text() == "saved just now\n"


def test_a_person_who_saves_while_a_commit_fails_keeps_their_text(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stand_in(tmp_path, monkeypatch, COMMITS + f"{{ echo 'saved just now' > '{home}/NOTES.md'; exit 1; }}")
    with pytest.raises(RefusedError):
        home_files.write(home, NOTES, "new\n", "x", SEEN)
    assert (home / NOTES).read_text() == "saved just now\n"


def test_nothing_that_a_clone_brings_is_run(home: Path, tmp_path: Path) -> None:
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {tmp_path}/probe\n")
    program.chmod(0o755)
    for hook in (
        "pre-commit",
        "post-commit",
        "commit-msg",
        "prepare-commit-msg",
        "reference-transaction",
        "post-index-change",
    ):
        (home / ".git/hooks" / hook).unlink(missing_ok=True)
        (home / ".git/hooks" / hook).symlink_to(program)
    for setting in ("core.fsmonitor", "gpg.program", "core.editor"):
        git(home, "config", setting, str(program))
    git(home, "config", "commit.gpgSign", "true")
    (tmp_path / "probe").unlink(missing_ok=True)
    assert isinstance(home_files.write(home, NOTES, "x\n", "x", SEEN), Written)
    assert not (tmp_path / "probe").exists()


def test_variables_that_speak_of_another_repository_are_not_heard(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git(tmp_path, "init", "-q", "other")
    for name, value in (("GIT_DIR", "other/.git"), ("GIT_WORK_TREE", "other"), ("GIT_INDEX_FILE", "index")):
        monkeypatch.setenv(name, str(tmp_path / value))
    assert isinstance(home_files.write(home, NOTES, "x\n", "x", SEEN), Written)
    for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"):
        monkeypatch.delenv(name)
    assert committed(home) == "x\n"
