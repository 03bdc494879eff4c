"""Where a sidecar publishes and listens: long, odd, foreign, full, read-only and missing directories."""

import json
import os
import shutil
import socket
import stat
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from demo.waiting import eventually
from tank.edges import paths
from tests.support.conversation import Conversation, Json, after
from tests.support.entries import NOBODY

Converse = Callable[..., Conversation]
ROOT = {"key": "/", "name": "/"}
"""The project of the directory that the sessions stand in: once it's published, nothing changes by itself."""
NAMESPACE = ["unshare", *([] if os.geteuid() == 0 else ["--user", "--map-root-user"]), "--mount"]


@pytest.fixture
def short() -> Iterator[Path]:
    """A folder whose own path is short."""
    made = Path(tempfile.mkdtemp(dir="/tmp"))
    yield made
    shutil.rmtree(made)


@pytest.fixture
def mounts() -> list[str]:
    """The prefix of a program that may mount what it likes, seen by nobody else."""
    if sys.platform != "linux":
        pytest.skip("mount namespaces are Linux's")
    tried = subprocess.run(
        [*NAMESPACE, "mount", "-t", "tmpfs", "tmpfs", "/mnt"], capture_output=True, text=True
    )
    if tried.returncode:
        pytest.skip(f"nothing can be mounted here: {tried.stderr}")
    return NAMESPACE


def mode(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


def litter(live: Path) -> list[str]:
    return [path.name for path in live.iterdir() if path.name.startswith(".")]


def notices(sidecar: Conversation) -> list[str]:
    return [order["text"] for order in sidecar.read() if order["type"] == "notify"]


def read(path: Path) -> Json | None:
    try:
        found = json.loads(path.read_bytes())
    except FileNotFoundError:
        return None
    assert isinstance(found, dict)
    return found


# Paths that are too long for a socket


@pytest.mark.parametrize("letter", ["h", "é"])
@pytest.mark.parametrize("size", [103, 104, 107, 108, 109, 200])
def test_a_home_of_any_length_has_its_card_and_a_socket_that_answers(
    size: int, letter: str, short: Path, converse: Converse
) -> None:
    rest = size - len(os.fsencode(short / "x" / f".local/state/pi/live/{os.getpid()}.sock")) + 1
    home = short / (letter * (rest // len(letter.encode()))).ljust(
        rest - rest // 2 if letter == "é" else rest, "y"
    )
    sidecar = converse(pid=os.getpid(), folder=short, environment={"HOME": str(home), "XDG_STATE_HOME": None})
    sidecar.hello()
    live = home / ".local/state/pi/live"
    entry = eventually(lambda: read(live / f"{os.getpid()}.json"))
    beside = live / f"{os.getpid()}.sock"
    assert len(os.fsencode(beside)) == size
    fits = size <= paths.SOCKET_PATH_BYTES
    assert entry["socket"] == str(beside if fits else short / "run" / "pi-live" / beside.name)
    path = Path(entry["socket"])
    assert mode(path) == 0o600
    assert mode(path.parent) == 0o700
    assert sidecar.line(path).ask({"type": "ping"})["data"]["socket"] == str(path)
    sidecar.hang_up()
    assert sidecar.wait() == 0
    assert not path.exists()
    assert list(live.iterdir()) == []


def too_long(folder: Path) -> Path:
    """A state home under which no socket can be bound."""
    return folder / ("x" * 100)


def test_the_last_resort_is_a_private_directory_in_tmp(converse: Converse, tmp_path: Path) -> None:
    sidecar = converse(environment={"XDG_STATE_HOME": str(too_long(tmp_path)), "XDG_RUNTIME_DIR": None})
    sidecar.hello()
    entry = eventually(lambda: read(too_long(tmp_path) / "pi" / "live" / f"{sidecar.pid}.json"))
    path = Path(f"/tmp/pi-live-{os.getuid()}/{sidecar.pid}.sock")
    assert entry["socket"] == str(path)
    assert mode(path.parent) == 0o700
    assert sidecar.line(path).ask({"type": "ping"})["ok"]
    sidecar.hang_up()
    assert sidecar.wait() == 0
    assert not path.exists()


def test_without_any_place_for_a_socket_the_card_says_so(
    converse: Converse, tmp_path: Path, mounts: list[str]
) -> None:
    resort = Path(f"/tmp/pi-live-{os.getuid()}")
    resort.mkdir(mode=0o700, exist_ok=True)
    sidecar = converse(
        prefix=[*mounts, *after(f"set -e; mount -t tmpfs -o ro,mode=700 tmpfs {resort}")],
        environment={"XDG_STATE_HOME": str(too_long(tmp_path)), "XDG_RUNTIME_DIR": None},
    )
    sidecar.hello()
    file = too_long(tmp_path) / "pi" / "live" / f"{sidecar.pid}.json"
    assert eventually(lambda: read(file))["socket"] is None
    sidecar.run()
    eventually(lambda: (read(file) or {})["status"] == "working")
    sidecar.hang_up()
    assert sidecar.wait() == 0


# Who may enter, and what stands there already


@pytest.mark.parametrize("mask", ["000", "022", "077", "777"])
def test_what_it_makes_is_its_user_s_alone_from_the_first_instant(mask: str, converse: Converse) -> None:
    sidecar = converse(prefix=after(f"umask {mask}"))
    modes: set[tuple[str, int]] = set()

    def look() -> None:
        while sidecar.entry() is None and time.monotonic() < late:
            for path in sidecar.live.iterdir() if sidecar.live.exists() else ():
                with suppress(FileNotFoundError):
                    modes.add((path.suffix, mode(path)))

    late = time.monotonic() + 10
    looking = threading.Thread(target=look)
    looking.start()
    sidecar.hello()
    looking.join()
    modes |= {(path.suffix, mode(path)) for path in sidecar.live.iterdir()}
    assert {(".json", 0o600), (".sock", 0o600)} <= modes
    assert {number for _, number in modes} == {0o600}
    state = sidecar.folder / "state"
    assert {mode(folder) for folder in (state, state / "pi", sidecar.live)} == {0o700}


def test_a_directory_that_others_may_enter_is_closed(converse: Converse, tmp_path: Path) -> None:
    live = tmp_path / "state" / "pi" / "live"
    live.mkdir(parents=True)
    live.chmod(0o777)
    sidecar = converse()
    sidecar.hello()
    sidecar.published()
    assert mode(live) == 0o700


def test_a_directory_that_is_a_link_is_refused_with_one_notice(converse: Converse, tmp_path: Path) -> None:
    (tmp_path / "state" / "pi").mkdir(parents=True)
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "state" / "pi" / "live").symlink_to(tmp_path / "elsewhere")
    sidecar = converse()
    sidecar.hello()
    assert "is a symbolic link: put a directory of your own in its place" in sidecar.order("notify")["text"]
    sidecar.run()
    sidecar.settle()
    sidecar.hello("reload")
    assert list((tmp_path / "elsewhere").iterdir()) == []
    assert notices(sidecar) == []
    (tmp_path / "state" / "pi" / "live").unlink()
    sidecar.run()
    sidecar.published(status="working")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives directories away")
def test_a_directory_of_another_user_is_refused(converse: Converse, tmp_path: Path) -> None:
    live = tmp_path / "state" / "pi" / "live"
    live.mkdir(parents=True)
    os.chown(live, NOBODY, NOBODY)
    sidecar = converse()
    sidecar.hello()
    assert f"belongs to another user (uid {NOBODY})" in sidecar.order("notify")["text"]
    assert list(live.iterdir()) == []


def test_a_dead_socket_under_its_pid_is_replaced(converse: Converse, tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as dead:
        live = tmp_path / "state" / "pi" / "live"
        live.mkdir(parents=True)
        dead.bind(str(live / f"{os.getpid()}.sock"))
    sidecar = converse(pid=os.getpid())
    sidecar.hello()
    sidecar.published(socket=str(sidecar.socket_file))
    assert sidecar.ask({"type": "ping"})["ok"]
    sidecar.leave()


@pytest.mark.parametrize("kind", ["file", "link", "folder"])
def test_what_is_no_socket_of_ours_is_neither_followed_nor_touched(
    kind: str, converse: Converse, tmp_path: Path
) -> None:
    live, precious = tmp_path / "state" / "pi" / "live", tmp_path / "precious"
    live.mkdir(parents=True)
    precious.write_text("precious")
    at = live / f"{os.getpid()}.sock"
    if kind == "file":
        at.write_text("precious")
    elif kind == "link":
        at.symlink_to(precious)
    else:
        at.mkdir()
    before = at.lstat()
    sidecar = converse(pid=os.getpid())
    sidecar.hello()
    entry = sidecar.published(socket=str(tmp_path / "run" / "pi-live" / at.name))
    assert sidecar.line(entry["socket"]).ask({"type": "ping"})["ok"]
    sidecar.hang_up()
    assert sidecar.wait() == 0
    assert at.lstat() == before
    assert precious.read_text() == "precious"


def test_an_entry_and_socket_that_a_killed_one_left_are_replaced(converse: Converse) -> None:
    sidecar = converse()
    sidecar.hello()
    before = sidecar.published(project=ROOT)
    sidecar.kill()
    assert sidecar.entry() == before
    assert sidecar.socket_file.exists()
    sidecar.start()
    sidecar.hello("restart")
    sidecar.published(sidecarPid=sidecar.process.pid)
    assert sidecar.ask({"type": "ping"})["ok"]
    sidecar.leave()


def test_of_two_for_one_session_each_removes_only_its_own(converse: Converse) -> None:
    first = converse(pid=os.getpid())
    first.hello()
    first.published(project=ROOT)
    second = converse(pid=os.getpid())
    second.hello()
    entry = second.published(sidecarPid=second.process.pid, project=ROOT)
    assert entry["socket"] != str(first.socket_file)
    assert first.line(entry["socket"]).ask({"type": "ping"})["data"]["sidecarPid"] == second.process.pid
    assert first.ask({"type": "ping"})["data"]["sidecarPid"] == first.process.pid
    first.hang_up()
    assert first.wait() == 0
    assert second.entry() == entry
    assert not first.socket_file.exists()
    second.run()
    second.published(status="working")
    second.hang_up()
    assert second.wait() == 0
    assert list(second.live.iterdir()) == []


# Which directory it is


@pytest.mark.parametrize("value", [None, "", "relative/dir", "./state"])
def test_without_an_absolute_state_home_it_is_the_default(value: str | None, converse: Converse) -> None:
    sidecar = converse(environment={"XDG_STATE_HOME": value})
    sidecar.hello()
    live = sidecar.folder / "home/.local/state/pi/live"
    entry = eventually(lambda: read(live / f"{sidecar.pid}.json"))
    assert entry["socket"] == str(live / f"{sidecar.pid}.sock")
    assert not Path("/relative").exists()


@pytest.mark.parametrize("name", ["state/", "a b ", "x\ny", "日本"])
def test_an_odd_state_home_is_a_directory_like_any_other(
    name: str, converse: Converse, tmp_path: Path
) -> None:
    sidecar = converse(environment={"XDG_STATE_HOME": f"{tmp_path}/{name}"})
    sidecar.hello()
    live = tmp_path / name / "pi" / "live"
    entry = eventually(lambda: read(live / f"{sidecar.pid}.json"))
    assert entry["socket"] == str(live / f"{sidecar.pid}.sock")
    assert sidecar.line(entry["socket"]).ask({"type": "ping"})["ok"]


def test_a_state_home_whose_path_is_no_text_has_its_card_and_another_socket(
    converse: Converse, tmp_path: Path
) -> None:
    home = os.fsdecode(os.fsencode(tmp_path) + b"/\xff")
    sidecar = converse(environment={"XDG_STATE_HOME": home, "TERM_PROGRAM": "\udcff", "TMUX": "/\udcff,1,1"})
    sidecar.hello()
    entry = eventually(lambda: read(Path(home, "pi", "live", f"{sidecar.pid}.json")))
    assert entry["socket"] == str(tmp_path / "run" / "pi-live" / f"{sidecar.pid}.sock")
    sidecar.hang_up()
    assert sidecar.wait() == 0


def test_a_state_home_whose_path_is_no_text_can_be_complained_of(converse: Converse, tmp_path: Path) -> None:
    home = Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff"))
    (home / "pi").mkdir(parents=True)
    (home / "pi" / "live").touch()
    sidecar = converse(environment={"XDG_STATE_HOME": str(home)})
    sidecar.hello()
    assert "\ufffd/pi/live is not a directory: move it away" in sidecar.order("notify")["text"]
    sidecar.hello("reload")


def test_without_home_the_password_database_tells(
    converse: Converse, tmp_path: Path, mounts: list[str]
) -> None:
    (tmp_path / "passwd").write_text(f"somebody:x:0:0::{tmp_path}/there:/bin/sh\n")
    sidecar = converse(
        prefix=[*mounts, *after(f"set -e; mount --bind {tmp_path}/passwd /etc/passwd")],
        environment={"HOME": None, "XDG_STATE_HOME": None},
    )
    sidecar.hello()
    live = tmp_path / "there/.local/state/pi/live"
    assert eventually(lambda: read(live / f"{sidecar.pid}.json"))


def test_an_unknown_home_is_one_notice_and_no_end(
    converse: Converse, tmp_path: Path, mounts: list[str]
) -> None:
    (tmp_path / "passwd").touch()
    (tmp_path / "nsswitch.conf").write_text("passwd: files\n")
    nobody_known = "".join(
        f"mount --bind {tmp_path}/{name} /etc/{name}\n" for name in ("passwd", "nsswitch.conf")
    )
    sidecar = converse(
        prefix=[*mounts, *after(f"set -e\n{nobody_known}")],
        environment={"HOME": None, "XDG_STATE_HOME": None},
    )
    sidecar.hello()
    assert "your home directory is unknown: set HOME" in sidecar.order("notify")["text"]
    sidecar.send(b"no record")
    sidecar.run()
    sidecar.settle()
    sidecar.hello("reload")
    assert notices(sidecar) == []
    sidecar.hang_up()
    assert sidecar.wait() == 0


# Disks


def test_a_deleted_directory_comes_back_with_the_next_event(converse: Converse) -> None:
    sidecar = converse()
    sidecar.hello()
    sidecar.published()
    line = sidecar.line()
    shutil.rmtree(sidecar.folder / "state")
    sidecar.run()
    sidecar.published(status="working", socket=str(sidecar.socket_file))
    assert line.ask({"type": "ping"})["ok"], "who was connected stays so"
    assert sidecar.ask({"type": "ping"})["ok"]
    assert mode(sidecar.live) == 0o700
    assert litter(sidecar.live) == []
    assert notices(sidecar) == []
    sidecar.leave()


def test_a_deleted_entry_or_socket_comes_back_with_the_next_event(converse: Converse) -> None:
    sidecar = converse()
    sidecar.hello()
    sidecar.published()
    sidecar.entry_file.unlink()
    sidecar.run()
    sidecar.published(status="working")
    sidecar.socket_file.unlink()
    sidecar.settle()
    sidecar.published(status="idle", socket=str(sidecar.socket_file))
    assert sidecar.ask({"type": "ping"})["ok"]
    sidecar.leave()


def test_a_dead_socket_in_the_place_of_its_own_is_replaced(converse: Converse) -> None:
    sidecar = converse()
    sidecar.hello()
    sidecar.published()
    sidecar.socket_file.unlink()
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(sidecar.socket_file))
    sidecar.run()
    sidecar.published(status="working", socket=str(sidecar.socket_file))
    assert sidecar.ask({"type": "ping"})["ok"]
    sidecar.leave()


def test_a_full_disk_keeps_the_old_entry_whole_and_is_one_notice(
    converse: Converse, tmp_path: Path, mounts: list[str]
) -> None:
    live = tmp_path / "state" / "pi" / "live"
    live.mkdir(parents=True, mode=0o700)
    sidecar = converse(prefix=[*mounts, *after(f"mount -t tmpfs -o size=64k,mode=700 tmpfs {live}")])
    sidecar.hello(name="before")
    inside = Path(f"/proc/{sidecar.process.pid}/root{live}")
    file = inside / f"{sidecar.pid}.json"
    eventually(lambda: (read(file) or {}).get("label") == "before")
    filler = inside / "filler"
    with suppress(OSError), filler.open("wb", buffering=0) as full:
        while full.write(b"x" * 512):
            pass
    for number in range(50):
        sidecar.event("session_info_changed", name=f"while full {number}")
    assert "No space left on device. It tries again by itself." in sidecar.order("notify")["text"]
    sidecar.hello("reload", name="while full")
    assert (read(file) or {})["label"] == "before"
    assert litter(inside) == []
    assert notices(sidecar) == []
    assert sidecar.line(inside / f"{sidecar.pid}.sock").ask({"type": "ping"})["data"]["label"] == "while full"
    filler.unlink()
    eventually(lambda: (read(file) or {})["label"] == "while full", timeout=8)
    assert litter(inside) == []
    assert sidecar.log().count("No space left") == 1


def remount(sidecar: Conversation, mounts: list[str], how: str, path: Path) -> None:
    inside = ["nsenter", "--target", str(sidecar.process.pid), "--mount"]
    inside += ["--user", "--preserve-credentials"] if "--user" in mounts else []
    subprocess.run([*inside, "mount", "-o", f"remount,bind,{how}", path], check=True)


def test_a_read_only_directory_is_one_notice_and_publishing_resumes(
    converse: Converse, tmp_path: Path, mounts: list[str]
) -> None:
    live = tmp_path / "state" / "pi" / "live"
    live.mkdir(parents=True, mode=0o700)
    closed = f"set -e; mount --bind {live} {live}; mount -o remount,bind,ro {live}"
    sidecar = converse(prefix=[*mounts, *after(closed)])
    sidecar.hello()
    assert "Read-only file system" in sidecar.order("notify")["text"]
    sidecar.run()
    sidecar.settle()
    sidecar.hello("reload")
    assert notices(sidecar) == []
    assert list(live.iterdir()) == []
    remount(sidecar, mounts, "rw", live)
    sidecar.run()
    entry = sidecar.published(status="working")
    assert sidecar.line(entry["socket"]).ask({"type": "ping"})["ok"]


def test_a_directory_that_becomes_read_only_keeps_its_entry_whole_and_holds_no_end_up(
    converse: Converse, tmp_path: Path, mounts: list[str]
) -> None:
    live = tmp_path / "state" / "pi" / "live"
    live.mkdir(parents=True, mode=0o700)
    sidecar = converse(prefix=[*mounts, *after(f"set -e; mount --bind {live} {live}")])
    sidecar.hello()
    entry = sidecar.published(project=ROOT)
    remount(sidecar, mounts, "ro", live)
    sidecar.run()
    assert "Read-only file system" in sidecar.order("notify")["text"]
    assert sidecar.entry() == entry
    assert sidecar.ask({"type": "ping"})["data"]["status"] == "working"
    sidecar.hang_up()
    assert sidecar.wait() == 0
