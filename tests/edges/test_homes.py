"""Which directories are Tank's homes."""

import os
import time
from pathlib import Path

import pytest

from tank.edges import homes, paths
from tank.edges.homes import Home, Problem
from tank.errors import RefusedError


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return paths.tank_state()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A directory with the marker."""
    return marked(tmp_path / "a home", b'{"notes": true}')


def marked(folder: Path, said: bytes) -> Path:
    (folder / ".pi").mkdir(parents=True, exist_ok=True)
    (folder / ".pi/tank.json").write_bytes(said)
    return folder


def test_a_directory_with_the_marker_is_a_home_once_it_is_listed(folder: Path) -> None:
    assert homes.is_home(folder) == Home(folder, notes=True, listed=False)
    homes.add(folder)
    homes.add(folder)
    assert homes.is_home(str(folder)) == Home(folder, notes=True, listed=True)


def test_a_declined_one_is_an_ordinary_directory_until_it_is_listed(folder: Path) -> None:
    homes.decline(folder)
    assert homes.is_home(folder) is None
    marked(folder, b"broken")
    assert homes.is_home(folder) is None, "nobody is bothered with it again"
    assert isinstance(homes.could_be_home(folder), Problem)
    marked(folder, b"{}")
    assert homes.could_be_home(folder) == Home(folder, notes=True, listed=False)
    assert homes.could_be_home(folder.parent) is None
    homes.add(folder)
    assert homes.is_home(folder) == Home(folder, notes=True, listed=True)
    homes.decline(folder)
    assert homes.is_home(folder) is None


def test_the_real_path_counts(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(folder)
    homes.add(tmp_path / "link")
    assert homes.is_home(tmp_path / "link") == homes.is_home(folder) == Home(folder, notes=True, listed=True)
    folder.rename(tmp_path / "moved")
    assert homes.is_home(tmp_path / "link") is None
    assert homes.is_home(tmp_path / "moved") == Home(tmp_path / "moved", notes=True, listed=False)


def test_no_parent_child_or_variable_makes_a_home(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    homes.add(folder)
    (folder / "topics").mkdir()
    for name in ("PWD", "TANK_HOME", "PI_TANK_HOME", "HOME"):
        monkeypatch.setenv(name, str(folder))
    for ordinary in (folder / "topics", folder / ".pi", tmp_path, folder / "gone", Path("/")):
        assert homes.is_home(ordinary) is None


def test_a_listed_directory_without_the_marker_is_none(folder: Path) -> None:
    homes.add(folder)
    (folder / ".pi/tank.json").unlink()
    assert homes.is_home(folder) is None


@pytest.mark.parametrize(("said", "notes"), [(b"{}", True), (b'{"notes": false, "x": 1}', False)])
def test_notes_are_on_unless_the_marker_says_no(folder: Path, said: bytes, notes: bool) -> None:  # noqa: FBT001
    assert homes.is_home(marked(folder, said)) == Home(folder, notes=notes, listed=False)


@pytest.mark.parametrize(
    ("said", "why"),
    [
        (b"", "is no JSON:"),
        (b'{"notes": true', "is no JSON:"),
        (b'{"notes": "\xff"}', "is no JSON:"),
        (b"[" * 10_000, "is no JSON:"),
        (b"[]", "is no JSON object"),
        (b"null", "is no JSON object"),
        (b'{"notes": "no"}', "notes must be true or false"),
        (b'{"notes": null}', "notes must be true or false"),
        (b'{"notes": 1}', "notes must be true or false"),
        (b"{}" + b" " * homes.LIMIT_BYTES, "over 64 KiB"),
    ],
)
def test_a_malformed_marker_is_named_with_its_error(folder: Path, said: bytes, why: str) -> None:
    homes.add(folder)
    found = homes.is_home(marked(folder, said))
    assert isinstance(found, Problem)
    assert why in found.said
    assert f"{folder}/.pi/tank.json" in found.said


def test_what_is_no_regular_file_is_named_and_not_waited_for(folder: Path) -> None:
    marker = folder / ".pi/tank.json"
    (folder / "other").write_text("{}")
    for lay in (os.mkfifo, os.mkdir, lambda path: path.symlink_to("../other")):
        marker.unlink()
        lay(marker)
        started = time.monotonic()
        found = homes.is_home(folder)
        assert isinstance(found, Problem)
        assert "no regular file" in found.said
        assert time.monotonic() - started < 1
        if marker.is_dir():
            marker.rmdir()
            marker.touch()


@pytest.mark.parametrize("broken", ["{", "[]", '{"homes": "/"}', '{"homes": [5]}', '{"declined": {}}'])
def test_a_list_that_can_not_be_read_is_named_and_kept(folder: Path, state: Path, broken: str) -> None:
    state.mkdir(parents=True, mode=0o700)
    (state / "homes.json").write_text(broken)
    found = homes.is_home(folder)
    assert isinstance(found, Problem)
    assert "homes.json" in found.said
    with pytest.raises(RefusedError, match=r"homes\.json"):
        homes.add(folder)
    assert (state / "homes.json").read_text() == broken


def test_a_path_that_can_not_be_written_down_is_refused(tmp_path: Path) -> None:
    odd = marked(tmp_path / os.fsdecode(b"\xff"), b"{}")
    with pytest.raises(RefusedError, match="no UTF-8"):
        homes.add(odd)
    assert homes.is_home(odd) == Home(odd, notes=True, listed=False)
