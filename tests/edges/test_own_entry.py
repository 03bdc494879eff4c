import errno
import os
import resource
import socket
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import orjson
import pytest

from tank.edges import processes
from tank.edges.live_directory import LiveDirectory
from tank.edges.own_entry import OwnEntry
from tank.errors import RefusedError
from tank.records.identity import Host
from tests.support.entries import here, record, write

GONE = 2**22 + 5
OTHER = Host("other machine", "other boot", "pid:[9]")
US = os.getpid()


@pytest.fixture
def live(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state" / "pi" / "live"


@pytest.fixture
def own(live: Path) -> OwnEntry:
    entry = OwnEntry(US, live)
    entry.clear()
    return entry


def data(pid: int = US, **fields: Any) -> bytes:
    return orjson.dumps(record(pid, **fields))


def names(live: Path) -> set[str]:
    return {path.name for path in live.iterdir()}


def label(path: Path) -> str:
    return str(orjson.loads(path.read_bytes())["label"])


def dead_socket(path: Path) -> Path:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
    return path


@pytest.mark.parametrize("mask", [0, 0o022, 0o777])
def test_an_entry_is_its_user_s_alone_whatever_the_umask(live: Path, mask: int) -> None:
    before = os.umask(mask)
    try:
        entry = OwnEntry(US, live)
        entry.clear()
        entry.publish(data())
    finally:
        os.umask(before)
    assert stat.S_IMODE((live / f"{US}.json").stat().st_mode) == 0o600
    assert stat.S_IMODE(live.stat().st_mode) == 0o700
    assert names(live) == {f"{US}.json"}


def test_a_new_publication_replaces_the_last_one_and_readers_see_it(own: OwnEntry, live: Path) -> None:
    for status in ("idle", "working"):
        own.publish(data(status=status))
        assert [session.entry.status for session in LiveDirectory(live).scan().sessions] == [status]


def test_readers_always_find_one_whole_entry(own: OwnEntry, live: Path) -> None:
    own.publish(data())
    writer = subprocess.Popen([sys.executable, "-c", WRITER, str(live)], stdin=subprocess.PIPE)
    reader = LiveDirectory(live)
    while writer.poll() is None:
        found = reader.scan()
        assert found.problems == ()
        assert US in [session.entry.pid for session in found.sessions]
    assert writer.returncode == 0
    assert writer.stdin
    writer.stdin.close()


WRITER = f"""
import sys
from pathlib import Path
import orjson
from tank.edges.own_entry import OwnEntry
from tests.support.entries import record
own = OwnEntry({US}, Path(sys.argv[1]))
for turn in range(1000):
    own.publish(orjson.dumps(record({US}, label="x" * (turn % 97) * 100)))
"""


def test_the_directory_is_made_anew_when_it_was_deleted(own: OwnEntry, live: Path) -> None:
    own.publish(data())
    (live / f"{US}.json").unlink()
    live.rmdir()
    own.publish(data())
    assert names(live) == {f"{US}.json"}
    assert stat.S_IMODE(live.stat().st_mode) == 0o700


def test_a_linked_directory_is_refused(live: Path, tmp_path: Path) -> None:
    live.parent.mkdir(parents=True)
    live.symlink_to(tmp_path)
    with pytest.raises(RefusedError, match="symbolic link"):
        OwnEntry(US, live).clear()


def test_a_link_in_the_entry_s_place_is_replaced_and_not_followed(
    own: OwnEntry, live: Path, tmp_path: Path
) -> None:
    precious = tmp_path / "precious"
    precious.write_text("mine")
    (live / f"{US}.json").symlink_to(precious)
    own.publish(data())
    assert precious.read_text() == "mine"
    assert not (live / f"{US}.json").is_symlink()


# Failing


def test_a_write_that_fails_leaves_the_last_entry_whole_and_no_litter(own: OwnEntry, live: Path) -> None:
    own.publish(data(label="before"))
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (200, limits[1]))
    try:
        with pytest.raises(OSError, match="File too large") as failure:
            own.publish(data(label="after"))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert failure.value.errno == errno.EFBIG
    assert names(live) == {f"{US}.json"}
    assert label(live / f"{US}.json") == "before"
    own.publish(data(label="after"))
    assert label(live / f"{US}.json") == "after"


@pytest.mark.skipif(sys.platform != "linux", reason="mounts a small disk")
def test_a_full_and_a_read_only_disk_are_told_and_forgotten(tmp_path: Path) -> None:
    mounting = 'mount -t tmpfs -o size=64k,mode=700 tmpfs $0 && exec $1 -c "$2" $0'
    command = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", mounting]
    tried = subprocess.run(
        [*command, tmp_path, sys.executable, ON_A_SMALL_DISK], capture_output=True, text=True
    )
    if "unshare" in tried.stderr:
        pytest.skip(tried.stderr)
    assert tried.stdout.splitlines() == [
        "full: No space left on device, still 'first', nothing else",
        "freed: 'third'",
        "read-only: Read-only file system, still 'third', nothing else",
        "writable: 'fifth'",
    ], tried.stderr


ON_A_SMALL_DISK = """
import os, subprocess, sys
from contextlib import suppress
from pathlib import Path
import orjson
from tank.edges.own_entry import OwnEntry
from tests.support.entries import record
disk = Path(sys.argv[1])
live, ballast = disk / "live", disk / "ballast"
own = OwnEntry(os.getpid(), live)
own.clear()

def publish(label):
    own.publish(orjson.dumps(record(os.getpid(), label=label, cwd="x" * 9000)))

def failing(label):
    try:
        publish(label)
    except OSError as error:
        return f"{error.strerror}, still {shown()!r}, nothing else"

def shown():
    [path] = live.iterdir()
    return orjson.loads(path.read_bytes())["label"]

publish("first")
with suppress(OSError), ballast.open("wb", buffering=0) as file:
    while True:
        file.write(b"x" * 512)
print("full:", failing("second"))
ballast.unlink()
publish("third")
print("freed:", repr(shown()))
subprocess.run(["mount", "-o", "remount,ro", disk], check=True)
print("read-only:", failing("fourth"))
subprocess.run(["mount", "-o", "remount,rw", disk], check=True)
publish("fifth")
print("writable:", repr(shown()))
"""


# Beside other hosts


def test_a_living_entry_of_another_host_keeps_its_name(own: OwnEntry, live: Path) -> None:
    theirs = write(live, f"{US}.json", record(US, host=OTHER._asdict(), label="theirs"))
    for turn in ("one", "two"):
        own.publish(data(label=turn))
    ours = live / f"{US}-{processes.host().digest()}.json"
    assert (label(theirs), label(ours)) == ("theirs", "two")
    assert names(live) == {theirs.name, ours.name}
    own.remove()
    assert names(live) == {theirs.name}


@pytest.mark.parametrize(
    "standing",
    [
        record(GONE, label="dead"),
        record(US, host=here() | {"boot": "earlier"}),
        record(US, host=OTHER._asdict(), updatedAt="2020-01-01T00:00:00Z"),
        record(US, label="ours, from a sidecar that was killed"),
        b"junk",
    ],
)
def test_what_is_dead_ours_or_junk_gives_up_the_name(own: OwnEntry, live: Path, standing: Any) -> None:
    write(live, f"{US}.json", standing)
    own.publish(data(label="new"))
    assert names(live) == {f"{US}.json"}
    assert label(live / f"{US}.json") == "new"


def test_another_host_that_took_the_name_over_is_noticed(own: OwnEntry, live: Path) -> None:
    own.publish(data(label="ours"))
    write(live, "x", record(US, host=OTHER._asdict(), label="theirs")).rename(live / f"{US}.json")
    own.publish(data(label="ours"))
    assert label(live / f"{US}.json") == "theirs"
    assert label(live / f"{US}-{processes.host().digest()}.json") == "ours"


def test_hosts_that_start_at_the_same_moment_don_t_overwrite_one_another(live: Path) -> None:
    for turn in range(5):
        command = [sys.executable, "-c", STARTING, str(live)]
        starting = [
            subprocess.Popen([*command, f"host {n}"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            for n in range(6)
        ]
        for process in starting:
            assert process.stdout
            process.stdout.read(1)
        for process in starting:
            process.communicate(b"go")
        found = {session.entry.label for session in LiveDirectory(live).scan().sessions}
        assert found == {f"host {n}" for n in range(6)}, f"turn {turn}: {names(live)}"
        for path in live.iterdir():
            path.unlink()


STARTING = """
import sys
from pathlib import Path
import orjson
from tank.edges.own_entry import OwnEntry
from tank.records.identity import Host
from tests.support.entries import record
host = Host(sys.argv[2], "boot", "pid:[1]")
own = OwnEntry(2, Path(sys.argv[1]), host)
own.clear()
entry = orjson.dumps(record(2, host=host._asdict(), label=sys.argv[2]))
print("r", end="", flush=True)
sys.stdin.read()
own.publish(entry)
"""


# Removing and clearing


def test_an_entry_is_removed_while_it_names_this_sidecar(own: OwnEntry, live: Path) -> None:
    own.remove()
    own.publish(data())
    own.remove()
    assert names(live) == set()
    own.remove()


def test_an_entry_of_a_successor_stays(own: OwnEntry, live: Path) -> None:
    own.publish(data())
    write(live, f"{US}.json", record(US, sidecarPid=GONE))
    before = live.stat().st_mtime_ns
    own.remove()
    assert names(live) == {f"{US}.json"}
    assert live.stat().st_mtime_ns == before, "it was out of sight for a moment"


def test_a_start_clears_the_entry_and_socket_of_a_predecessor(live: Path) -> None:
    live.mkdir(parents=True)
    path = dead_socket(live / f"{US}.sock")
    write(live, f"{US}.json", record(US, socket=str(path)))
    write(live, f"{US}-{processes.host().digest()}.json", record(US))
    neighbours = {write(live, f"{US}1.json", record(US)).name, dead_socket(live / f"{US}1.sock").name}
    OwnEntry(US, live).clear()
    assert names(live) == neighbours


def test_a_start_leaves_what_may_be_another_host_s(live: Path) -> None:
    live.mkdir(parents=True)
    path = dead_socket(live / f"{US}.sock")
    write(live, f"{US}.json", record(US, host=OTHER._asdict(), socket=str(path)))
    own = OwnEntry(US, live)
    own.clear()
    own.clear_socket(path)
    assert names(live) == {f"{US}.json", f"{US}.sock"}


def test_a_start_leaves_a_socket_that_accepts_and_what_is_no_socket(live: Path, tmp_path: Path) -> None:
    live.mkdir(parents=True)
    precious = tmp_path / "precious"
    precious.write_text("mine")
    (live / "7.sock").symlink_to(precious)
    (live / "8.sock").write_text("a file")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(live / f"{US}.sock"))
        listener.listen()
        for pid in (US, 7, 8):
            OwnEntry(pid, live).clear()
    assert names(live) == {f"{US}.sock", "7.sock", "8.sock"}
    assert precious.read_text() == "mine"


def test_a_start_clears_its_socket_in_a_fallback_directory(
    live: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    (tmp_path / "pi-live").mkdir()
    path = dead_socket(tmp_path / "pi-live" / f"{US}.sock")
    OwnEntry(US, live).clear()
    assert not path.exists()


@pytest.fixture(autouse=True)
def no_runtime_directory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("XDG_RUNTIME_DIR", raising=False)
