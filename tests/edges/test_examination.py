import os
from pathlib import Path

import pytest

from tank.edges import examination


@pytest.mark.parametrize(
    ("script", "line"),
    [
        ("echo one; echo two", "one"),
        ("printf ' a\\033[1mb \\377'", "a[1mb \ufffd"),
        ("echo only here >&2", ""),
        ("echo one; exit 3", None),
        ("echo one; kill -9 $$", None),
    ],
)
def test_a_program_is_asked_for_one_clean_line(script: str, line: str | None) -> None:
    assert examination.first_line("sh", "-c", script) == line


def test_a_program_that_is_not_there_says_nothing() -> None:
    assert examination.first_line("no-such-program-of-tank") is None
    assert examination.command("no-such-program-of-tank") is None


def test_a_folder_is_seen_as_it_stands(tmp_path: Path) -> None:
    folder, link, file = tmp_path / "folder", tmp_path / "link", tmp_path / "file"
    folder.mkdir()
    folder.chmod(0o2750)
    link.symlink_to(folder)
    file.touch()
    found = examination.folder(folder)
    assert found == (True, os.geteuid(), 0o2750)
    assert found
    assert found.is_ours
    assert [each and each.is_directory for each in map(examination.folder, (link, file))] == [False, False]
    assert examination.folder(tmp_path / "none") is None
    with pytest.raises(OSError, match="Not a directory"):
        examination.folder(file / "below")
