"""`tank home`: a real git repository in a private home."""

import os
import subprocess
from pathlib import Path
from typing import Any

import orjson
import pytest

from tank.edges import homes, paths
from tests.support.desk import Desk

STARTER = [".pi/tank.json", "AGENTS.md", "NOTES.md", "topics/README.md"]


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def git(folder: Path, *arguments: str) -> str:
    command = ["git", "-C", str(folder), *arguments]
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder.parent)}
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout


def listed(desk: Desk) -> list[str]:
    try:
        found = orjson.loads((desk.home / ".local/state/pi/tank/homes.json").read_bytes())["homes"]
    except FileNotFoundError:
        return []
    assert isinstance(found, list)
    return found


@pytest.mark.parametrize(
    "name", ["tank", "a b", "家 é", 'it\'s "quoted" $(touch probe)', "-rf", "--help", "a:b", ";x"]
)
def test_a_home_is_a_repository_with_one_commit_and_listed(desk: Desk, name: str) -> None:
    ran = desk.tank("home", "--", name)
    home = desk.home / name
    assert (ran.returncode, ran.stderr) == (0, "")
    assert git(home, "log", "--format=%an <%ae> %s") == "Tank <tank@localhost> Start Tank's home\n"
    assert git(home, "ls-files").splitlines() == STARTER
    assert git(home, "status", "--porcelain") == ""
    assert listed(desk) == [str(home)]
    assert home.stat().st_mode & 0o777 == 0o700
    assert not (desk.home / "probe").exists()


def test_the_next_step_can_be_pasted_into_a_shell(desk: Desk) -> None:
    told = desk.tank("home", "it's mine").stdout.splitlines()
    assert told[0] == f"{desk.home}/it's mine is Tank's home now."
    assert "made as Tank <tank@localhost>: git knows no name" in told[1]
    desk.fake("pi", "pwd")
    assert told[2].startswith("Next: ")
    shell = ["sh", "-c", told[2].removeprefix("Next: ")]
    ran = subprocess.run(shell, env=desk.environment, capture_output=True, text=True, check=True)
    assert ran.stdout == f"{desk.home}/it's mine\n"


def test_the_person_s_own_name_is_used_where_git_knows_it(desk: Desk) -> None:
    (desk.home / ".gitconfig").write_text("[user]\nname = You\nemail = you@h.test\n")
    told = desk.tank("home", "tank").stdout
    assert git(desk.home / "tank", "log", "--format=%an <%ae>") == "You <you@h.test>\n"
    assert "It is a git repository with one commit.\n" in told


def test_half_an_identity_is_none(desk: Desk) -> None:
    (desk.home / ".gitconfig").write_text("[user]\nname = You\nuseConfigOnly = true\n")
    assert "made as Tank" in desk.tank("home", "tank").stdout


def test_settings_of_the_person_s_hinder_nothing_and_run_nothing(desk: Desk) -> None:
    hook = desk.fake("hook", f"touch {desk.home}/probe; exit 1")
    for folder in ("template/hooks", "hooks"):
        (desk.home / folder).mkdir(parents=True)
        (desk.home / folder / "pre-commit").symlink_to(hook)
    (desk.home / "ignore").write_text("*\n")
    settings = f"""
[init]
templateDir = {desk.home}/template
[core]
hooksPath = {desk.home}/hooks
excludesFile = {desk.home}/ignore
fsmonitor = {hook}
[commit]
gpgSign = true
cleanup = strip
[gpg]
program = {hook}
"""
    (desk.home / ".gitconfig").write_text(settings)
    ran = desk.tank("home", "tank")
    assert (ran.returncode, ran.stderr) == (0, "")
    assert not (desk.home / "probe").exists()
    assert not list((desk.home / "tank/.git").glob("hooks/*"))
    assert git(desk.home / "tank", "ls-files").splitlines() == STARTER


def test_the_directory_one_stands_in_may_become_a_home(desk: Desk) -> None:
    (desk.home / "tank").mkdir()
    inode = (desk.home / "tank").stat().st_ino
    assert desk.tank("home", ".", cwd=desk.home / "tank").returncode == 0
    assert (desk.home / "tank").stat().st_ino == inode
    assert listed(desk) == [str(desk.home / "tank")]


def test_a_link_to_an_empty_directory_lists_what_it_names(desk: Desk) -> None:
    (desk.home / "real").mkdir()
    (desk.home / "link").symlink_to("real")
    assert desk.tank("home", "link").returncode == 0
    assert listed(desk) == [str(desk.home / "real")]


def test_a_home_inside_another_repository_is_its_own(desk: Desk) -> None:
    git(desk.home, "init", "-q")
    assert desk.tank("home", "tank").returncode == 0
    assert git(desk.home / "tank", "rev-parse", "--show-toplevel") == f"{desk.home}/tank\n"
    variables: dict[str, Any] = {
        "GIT_DIR": str(desk.home / ".git"),
        "GIT_INDEX_FILE": str(desk.home / "index"),
    }
    assert desk.tank("home", "second", **variables).returncode == 0
    assert git(desk.home / "second", "ls-files").splitlines() == STARTER


def test_a_home_that_is_listed_already_is_told_so_and_left_alone(desk: Desk) -> None:
    desk.tank("home", "tank")
    (desk.home / "tank/NOTES.md").write_text("mine")
    (desk.home / "link").symlink_to("tank")
    for name in ("tank", "tank/", "link", "./tank/../tank"):
        ran = desk.tank("home", name)
        assert (ran.returncode, ran.stderr) == (0, "")
        assert "is Tank's home already.\nNext: cd " in ran.stdout
    assert (desk.home / "tank/NOTES.md").read_text() == "mine"
    assert listed(desk) == [str(desk.home / "tank")]


def marked(desk: Desk, name: str, marker: str = "{}") -> Path:
    """A directory with the marker, as a clone brings it."""
    (desk.home / name / ".pi").mkdir(parents=True)
    (desk.home / name / ".pi/tank.json").write_text(marker)
    return desk.home / name


@pytest.mark.parametrize("declined", [True, False])
def test_a_directory_with_the_marker_is_listed_as_it_is(desk: Desk, declined: bool) -> None:  # noqa: FBT001
    clone = marked(desk, "clone")
    git(clone, "init", "-q")
    before = sorted(clone.rglob("*"))
    state = desk.home / ".local/state/pi/tank"
    state.mkdir(parents=True, mode=0o700)
    (state / "homes.json").write_bytes(orjson.dumps({"declined": [str(clone)] * declined, "homes": []}))
    ran = desk.tank("home", "clone")
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.splitlines() == [
        f"{clone} has the marker, and is Tank's home now; nothing in it was changed.",
        "A session that is open there takes it up with /reload.",
        f"Next: cd {clone} && pi",
    ]
    assert listed(desk) == [str(clone)]
    assert orjson.loads((state / "homes.json").read_bytes())["declined"] == []
    assert sorted(clone.rglob("*")) == before
    assert f"{clone} is Tank's home already." in desk.tank("home", "clone").stdout


def test_a_home_without_a_repository_is_told_what_it_lacks(desk: Desk) -> None:
    marked(desk, "copied")
    for _ in range(2):
        assert "run `git init` there, or no note can be written" in desk.tank("home", "copied").stdout


def test_a_listed_home_that_is_gone_is_made_anew(desk: Desk) -> None:
    desk.tank("home", "tank")
    (desk.home / "tank").rename(desk.home / "elsewhere")
    assert desk.tank("home", "tank").stdout.startswith(f"{desk.home}/tank is Tank's home now.")
    assert listed(desk) == [str(desk.home / "tank")]


def refused(desk: Desk, *arguments: str, **environment: Any) -> str:
    before = sorted(path for path in desk.home.rglob("*") if ".local" not in path.parts)
    ran = desk.tank("home", *arguments, **environment)
    assert (ran.returncode, ran.stdout) == (1, "")
    assert sorted(path for path in desk.home.rglob("*") if ".local" not in path.parts) == before
    assert listed(desk) == []
    return ran.stderr


def test_what_is_in_the_way_is_named_and_stays(desk: Desk) -> None:
    (desk.home / "file").write_text("x")
    (desk.home / "full").mkdir()
    (desk.home / "full/.hidden").write_text("x")
    (desk.home / "dangling").symlink_to("nowhere")
    marked(desk, "broken", "{")
    marked(desk, "old", '{"notes": 5}')
    assert f"{desk.home}/file is no directory" in refused(desk, "file")
    assert f"{desk.home}/full isn't empty" in refused(desk, "full")
    assert f"{desk.home}/dangling is no directory" in refused(desk, "dangling")
    assert f"{desk.home}/missing is no directory: make it first" in refused(desk, "missing/tank")
    assert f"{desk.home}/file is no directory: make it first" in refused(desk, "file/tank")
    assert f"{desk.home}/broken/.pi/tank.json is no JSON" in refused(desk, "broken")
    assert "notes must be true or false" in refused(desk, "old")
    assert "can't be shown" in refused(desk, "a\nb")
    assert "can't be shown" in refused(desk, "a\x1b[2J")


def test_without_git_nothing_is_made(desk: Desk) -> None:
    assert "git is missing: install it; nothing was made" in refused(desk, "tank", PATH=str(desk.bin))


@pytest.mark.parametrize("stop", ["init", "add", "commit"])
@pytest.mark.parametrize("existing", [True, False])
def test_a_git_that_fails_leaves_nothing_half_made(desk: Desk, stop: str, existing: bool) -> None:  # noqa: FBT001
    if existing:
        (desk.home / "tank").mkdir()
    script = f'for word; do [ "$word" = {stop} ] && echo "fatal: broken" >&2 && exit 128; done; exec /usr/bin/git "$@"'
    desk.fake("git", script)
    assert "git refused in" in refused(desk, "tank")
    assert (desk.home / "tank").is_dir() is existing


def test_a_list_that_can_not_be_read_is_named_kept_and_nothing_is_made(desk: Desk) -> None:
    state = desk.home / ".local/state/pi/tank"
    state.mkdir(parents=True, mode=0o700)
    for broken, why in (
        ("{", "is no JSON"),
        ("[]", "is no JSON object"),
        ('{"homes": 5}', "no list of paths"),
    ):
        (state / "homes.json").write_text(broken)
        ran = desk.tank("home", "tank")
        assert ran.returncode == 1
        assert why in ran.stderr
        assert (state / "homes.json").read_text() == broken
        assert not (desk.home / "tank").exists()


def test_the_starter_is_a_valid_home_with_short_notes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    starter = paths.shipped("tank-home")
    assert homes.is_home(starter) == homes.Home(starter.resolve(), notes=True, listed=False)
    notes = (starter / "NOTES.md").read_text()
    assert [line[2:] for line in notes.splitlines() if line.startswith("# ")] == [
        "Directives",
        "Priorities",
        "Follow-ups",
    ]
    assert len(notes) < 1000
    assert sorted(str(each.relative_to(starter)) for each in starter.rglob("*") if each.is_file()) == STARTER
