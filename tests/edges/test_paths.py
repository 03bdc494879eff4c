import os
import pwd
import socket
import stat
from pathlib import Path

import pytest

from tank.edges import paths
from tank.errors import RefusedError
from tests.support.entries import NOBODY

HERE = Path(pwd.getpwuid(os.getuid()).pw_dir)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


@pytest.mark.parametrize("said", [None, "", "relative/dir", "~/state", "./x"])
def test_a_state_home_that_is_not_absolute_counts_as_none(
    said: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", "/home/you")
    if said is None:
        monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    else:
        monkeypatch.setenv("XDG_STATE_HOME", said)
    assert paths.live_directory() == Path("/home/you/.local/state/pi/live")
    assert paths.tank_state() == Path("/home/you/.local/state/pi/tank")
    assert paths.log(7) == Path("/home/you/.local/state/pi/tank/log/7.log")


@pytest.mark.parametrize("said", ["/var/my state", "/var/my state/", "/var//my state"])
def test_an_absolute_state_home_is_taken_however_it_is_written(
    said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", said)
    assert paths.live_directory() == Path("/var/my state/pi/live")


@pytest.mark.parametrize("said", [None, "", "relative"])
def test_without_a_home_in_the_environment_the_password_database_knows(
    said: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    if said is None:
        monkeypatch.delenv("HOME")
    else:
        monkeypatch.setenv("HOME", said)
    assert paths.state_home() == HERE / ".local/state"
    assert paths.config_directory() == HERE / ".config/pi-tank"


def test_sockets_are_tried_beside_the_entry_then_in_the_runtime_directory_then_in_tmp(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", "/state")
    monkeypatch.setenv("XDG_RUNTIME_DIR", "/run/user/7")
    in_tmp = Path(f"/tmp/pi-live-{os.getuid()}/12.sock")
    assert paths.sockets(12) == [Path("/state/pi/live/12.sock"), Path("/run/user/7/pi-live/12.sock"), in_tmp]
    monkeypatch.setenv("XDG_RUNTIME_DIR", "relative")
    assert paths.sockets(12) == [Path("/state/pi/live/12.sock"), in_tmp]


@pytest.mark.parametrize("letter", ["x", "é"])
@pytest.mark.parametrize("excess", [-1, 0, 1, 100])
def test_a_socket_path_is_offered_exactly_when_the_system_can_bind_it(
    excess: int, letter: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rest = paths.SOCKET_PATH_BYTES + excess - len(f"{tmp_path}//pi/live/7.sock")
    name = letter * (rest // len(letter.encode()))
    monkeypatch.setenv("XDG_STATE_HOME", f"{tmp_path}/{name}{'y' * (rest - len(name.encode()))}")
    path = paths.live_directory() / "7.sock"
    assert len(os.fsencode(path)) == paths.SOCKET_PATH_BYTES + excess
    path.parent.mkdir(parents=True)
    with socket.socket(socket.AF_UNIX) as listener:
        try:
            listener.bind(str(path))
        except OSError:
            bound = False
        else:
            bound = True
    assert (path in paths.sockets(7)) is bound is (excess <= 0)


def test_what_comes_with_tank_is_found_in_a_checkout() -> None:
    assert (paths.shipped("pi-extension") / "package.json").is_file()


@pytest.mark.parametrize("mask", [0, 0o022, 0o077, 0o777])
def test_a_private_directory_and_its_parents_are_made_for_their_user_alone(mask: int, tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / "live"
    before = os.umask(mask)
    try:
        paths.private_directory(path)
    finally:
        os.umask(before)
    assert [mode(path), mode(path.parent), mode(path.parent.parent)] == [0o700] * 3


def test_a_directory_of_ours_that_others_may_enter_is_closed(tmp_path: Path) -> None:
    tmp_path.chmod(0o777)
    paths.private_directory(tmp_path)
    assert mode(tmp_path) == 0o700


def test_a_symbolic_link_is_refused_and_what_it_names_stays_as_it_was(tmp_path: Path) -> None:
    target, link = tmp_path / "target", tmp_path / "link"
    target.mkdir()
    target.chmod(0o755)
    link.symlink_to(target)
    with pytest.raises(RefusedError, match=f"{link} is a symbolic link: put"):
        paths.private_directory(link)
    assert mode(target) == 0o755


def test_a_link_to_nothing_and_a_file_are_refused(tmp_path: Path) -> None:
    link, file = tmp_path / "link", tmp_path / "file"
    link.symlink_to(tmp_path / "nothing")
    file.touch()
    with pytest.raises(RefusedError, match="symbolic link"):
        paths.private_directory(link)
    with pytest.raises(RefusedError, match="not a directory: move it away"):
        paths.private_directory(file)
    assert not (tmp_path / "nothing").exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_a_directory_of_another_user_is_refused(tmp_path: Path) -> None:
    theirs = tmp_path / "theirs"
    theirs.mkdir(mode=0o755)
    os.chown(theirs, NOBODY, NOBODY)
    with pytest.raises(RefusedError, match=rf"{theirs} belongs to another user \(uid {NOBODY}\)"):
        paths.private_directory(theirs)
    assert mode(theirs) == 0o755
