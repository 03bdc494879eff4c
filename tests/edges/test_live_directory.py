import json
import os
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tank.edges import processes
from tank.edges.entry_file import LIMIT_BYTES
from tank.edges.live_directory import LiveDirectory
from tank.roster.roster import Life
from tests.support.entries import NOBODY, as_ordinary_user, here, record, write

GONE = 2**22 + 5
"""A pid that no process can have."""
DAY_S = 24 * 3600
ELSEWHERE = {"machine": "m", "boot": "b", "pidns": "pid:[1]"}

Spawn = Callable[[], int]


@pytest.fixture
def live(tmp_path: Path) -> Path:
    folder = tmp_path / "live"
    folder.mkdir(mode=0o700)
    return folder


@pytest.fixture
def ordinary() -> Iterator[Path]:
    """A live directory of a user who is not root."""
    with tempfile.TemporaryDirectory() as name:
        if os.geteuid() == 0:
            os.chown(name, NOBODY, NOBODY)
        yield Path(name)


@pytest.fixture
def spawn() -> Iterator[Spawn]:
    """Starts a process that lives until the test ends."""
    children: list[subprocess.Popen[bytes]] = []

    def start() -> int:
        children.append(subprocess.Popen(["sleep", "300"]))
        return children[-1].pid

    yield start
    for child in children:
        child.kill()
        child.wait()


def pids(live: Path) -> list[int]:
    return [session.entry.pid for session in LiveDirectory(live).scan().sessions]


def names(live: Path) -> set[str]:
    return {path.name for path in live.iterdir()}


def aged(path: Path, seconds: float) -> Path:
    os.utime(path, (time.time() - seconds,) * 2)
    return path


def bind(path: Path) -> socket.socket:
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(path))
    listener.listen()
    return listener


def dead_socket(path: Path) -> Path:
    bind(path).close()
    return path


# One pid's sessions


def test_the_session_of_a_pid_is_found_without_the_others(live: Path, spawn: Spawn) -> None:
    pid, other = spawn(), spawn()
    entry = record(pid)
    path = write(live, f"{pid}.json", entry)
    write(live, f"{other}.json", record(other))
    reader = LiveDirectory(live)
    assert reader.sessions_of(pid) == [reader.scan().sessions[0]]
    assert (reader.sessions_of(pid)[0].file, reader.sessions_of(pid)[0].raw) == (str(path), entry)


def test_the_session_of_a_pid_is_found_beside_another_host_s(live: Path, spawn: Spawn) -> None:
    pid = spawn()
    write(live, f"{pid}.json", record(pid, host=ELSEWHERE, label="theirs"))
    write(live, f"{pid}-{processes.host().digest()}.json", record(pid, label="ours"))
    assert [session.entry.label for session in LiveDirectory(live).sessions_of(pid)] == ["theirs", "ours"]


def test_a_pid_without_a_living_session_has_none_and_nothing_is_deleted(live: Path, spawn: Spawn) -> None:
    pid, other = spawn(), spawn()
    write(live, f"{GONE}.json", record(GONE, processStart=None))
    write(live, f"{pid}.json", record(other))
    write(live, f"{other}.json", {"pid": other})
    before = names(live)
    for asked in (GONE, pid, other, GONE + 1):
        assert LiveDirectory(live).sessions_of(asked) == []
    assert names(live) == before


# What is shown


def test_living_sessions_come_in_the_order_of_their_start_then_pid(live: Path, spawn: Spawn) -> None:
    first, second, third, fourth = sorted(spawn() for _ in range(4))
    write(live, "a.json", record(third, startedAt="2026-07-01T10:00:00Z"))
    write(live, "b.json", record(second, startedAt="2026-07-01T13:00:00+02:00"))
    write(live, "c.json", record(first, startedAt="2026-07-01T11:00:00Z"))
    write(live, "d.json", record(fourth, startedAt="2026-07-01T12:00:00+03:00"))
    roster = LiveDirectory(live).scan()
    assert [session.entry.pid for session in roster.sessions] == [fourth, third, first, second]
    assert roster.problems == ()


def test_a_session_keeps_its_file_and_what_was_read(live: Path, spawn: Spawn) -> None:
    entry = record(spawn(), unknownField={"x": [1]})
    path = write(live, "a.json", entry)
    session = LiveDirectory(live).scan().sessions[0]
    assert (session.life, session.file, session.raw) == (Life.ALIVE, str(path), entry)


def test_a_directory_that_is_not_there_is_an_empty_roster(tmp_path: Path) -> None:
    reader = LiveDirectory(tmp_path / "live")
    assert reader.scan() == ((), ())
    assert not reader.changed()
    assert not (tmp_path / "live").exists()


def test_a_directory_that_vanishes_and_comes_back_is_followed(live: Path, spawn: Spawn) -> None:
    pid = spawn()
    reader = LiveDirectory(live)
    for _ in range(2):
        path = write(live, "a.json", record(pid))
        assert reader.changed()
        assert len(reader.scan().sessions) == 1
        path.unlink()
        live.rmdir()
        assert reader.changed()
        assert reader.scan() == ((), ())


def test_a_directory_that_can_t_be_read_is_a_problem_with_its_reason(ordinary: Path) -> None:
    locked = ordinary / "locked"
    locked.mkdir(mode=0o700)
    ordinary.chmod(0o000)
    roster = as_ordinary_user(lambda: LiveDirectory(locked).scan())
    ordinary.chmod(0o700)
    assert roster == ((), (f"cannot read {locked}: Permission denied",))


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_a_directory_of_another_user_is_not_read(live: Path, spawn: Spawn) -> None:
    write(live, "a.json", record(spawn()))
    os.chown(live, NOBODY, NOBODY)
    roster = LiveDirectory(live).scan()
    assert roster.sessions == ()
    assert roster.problems[0].startswith(f"{live} belongs to another user")


def test_a_linked_directory_is_not_read(live: Path, spawn: Spawn, tmp_path: Path) -> None:
    write(live, "a.json", record(spawn()))
    (tmp_path / "link").symlink_to(live)
    roster = LiveDirectory(tmp_path / "link").scan()
    assert roster == (
        (),
        (f"{tmp_path / 'link'} is a symbolic link: put a directory of your own in its place",),
    )


def test_a_directory_that_others_may_enter_is_closed_and_read(live: Path, spawn: Spawn) -> None:
    live.chmod(0o777)
    write(live, "a.json", record(spawn()))
    assert len(pids(live)) == 1
    assert stat.S_IMODE(live.stat().st_mode) == 0o700


# Who lives


def test_a_pid_that_another_process_has_now_is_dead_and_that_process_untouched(
    live: Path, spawn: Spawn
) -> None:
    pid = spawn()
    write(live, f"{pid}.json", record(pid, processStart="linux:some-boot:1"))
    assert pids(live) == []
    assert names(live) == set()
    os.kill(pid, 0)


def test_a_minimal_entry_lives_by_its_pid_alone(live: Path, spawn: Spawn) -> None:
    few = {"v": 1, "sessionId": "s", "cwd": "/", "status": "idle", "startedAt": "2026-07-01T10:00:00Z"}
    pid = spawn()
    write(live, "a.json", few | {"pid": pid})
    write(live, "b.json", few | {"pid": GONE})
    assert pids(live) == [pid]
    assert names(live) == {"a.json"}


def test_a_process_of_another_user_lives(ordinary: Path) -> None:
    write(ordinary, "1.json", record(1)).chmod(0o644)
    assert as_ordinary_user(lambda: pids(ordinary)) == [1]


def test_a_stopped_process_is_suspended_until_it_goes_on(live: Path, spawn: Spawn) -> None:
    pid = spawn()
    write(live, "a.json", record(pid))
    reader = LiveDirectory(live)
    os.kill(pid, signal.SIGSTOP)
    assert eventually(lambda: reader.scan().sessions[0].life is Life.SUSPENDED)
    os.kill(pid, signal.SIGCONT)
    assert eventually(lambda: reader.scan().sessions[0].life is Life.ALIVE)


def test_a_session_whose_sidecar_is_gone_lives_and_claims_no_status(live: Path, spawn: Spawn) -> None:
    told = {"status": "working", "activity": "bash: make", "statusSince": "2026-07-01T10:00:00Z"}
    file = write(live, "a.json", record(spawn(), **told, sidecarPid=GONE))
    (session,) = LiveDirectory(live).scan().sessions
    assert (session.life, session.entry.status) == (Life.UNREPORTED, "unknown")
    assert (session.entry.activity, session.entry.status_since, session.entry.status_detail) == (
        None,
        None,
        None,
    )
    assert session.raw["status"] == "working"
    assert file.exists()


def eventually(holds: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + 5
    while time.monotonic() < deadline:
        if holds():
            return True
        time.sleep(0.005)
    return False


def test_every_scan_asks_anew_who_lives(live: Path) -> None:
    child = subprocess.Popen(["sleep", "300"])
    path = aged(write(live, "a.json", record(child.pid)), 60)
    reader = LiveDirectory(live)
    assert len(reader.scan().sessions) == len(reader.scan().sessions) == 1
    child.kill()
    child.wait()
    assert reader.scan().sessions == ()
    assert not path.exists()


@pytest.mark.parametrize(
    "said", ["2026-07-01T10:00:00Z", "9999-12-31T23:59:59Z", "0001-01-01T00:00:00Z", 0, "x", ...]
)
def test_no_time_in_an_entry_ends_a_local_session(live: Path, spawn: Spawn, said: Any) -> None:
    pid = spawn()
    path = write(live, "a.json", record(pid, statusSince=said, updatedAt=said))
    for age_s in (-3600 * 24 * 365, 0, 3600 * 24 * 365):
        aged(path, age_s)
        assert pids(live) == [pid]


def test_an_entry_of_an_earlier_boot_is_deleted(live: Path, spawn: Spawn) -> None:
    pid = spawn()
    write(live, "a.json", record(pid, host=here() | {"boot": "earlier"}))
    assert pids(live) == []
    assert names(live) == set()


@pytest.mark.parametrize("pid", [GONE, os.getpid()])
def test_an_entry_of_another_machine_is_shown_a_day_and_kept_a_month(live: Path, pid: int) -> None:
    path = write(live, "a.json", record(pid, host=ELSEWHERE))
    assert LiveDirectory(live).scan().sessions[0].life is Life.ELSEWHERE
    aged(path, DAY_S + 60)
    reader = LiveDirectory(live)
    assert reader.scan().sessions == ()
    assert not reader.changed()
    assert path.exists()
    aged(path, 30 * DAY_S + 60)
    assert pids(live) == []
    assert not path.exists()


def test_an_entry_of_another_machine_ages_by_what_it_says_too(live: Path) -> None:
    old, future = "2020-01-01T00:00:00Z", "2999-01-01T00:00:00Z"
    write(live, "a.json", record(1, host=ELSEWHERE, updatedAt=old))
    write(live, "b.json", record(2, host=ELSEWHERE, updatedAt=future))
    assert pids(live) == [2]
    assert names(live) == {"b.json"}


def test_in_another_namespace_a_session_lives_while_its_socket_accepts(live: Path) -> None:
    beside = here() | {"pidns": "pid:[1]"}
    listener = bind(live / "2.sock")
    write(live, "2.json", record(2, host=beside, socket=str(live / "2.sock")))
    assert LiveDirectory(live).scan().sessions[0].life is Life.ALIVE
    listener.close()
    assert pids(live) == []
    assert names(live) == set()


def test_a_socket_seen_under_another_path_there_is_found_beside_the_entry(live: Path) -> None:
    beside = here() | {"machine": "container", "pidns": "pid:[1]"}
    write(live, "2.json", record(2, host=beside, socket="/home/there/.local/state/pi/live/2.sock"))
    with bind(live / "2.sock"):
        assert pids(live) == [2]
    assert pids(live) == []


@pytest.mark.parametrize("path", [None, "/nowhere/pi-live/2.sock", "/tmp/pi-live-4242/2.sock"])
def test_a_session_in_another_namespace_that_can_t_be_asked_is_elsewhere(
    live: Path, path: str | None
) -> None:
    write(live, "2.json", record(2, host=here() | {"pidns": "pid:[1]"}, socket=path))
    assert LiveDirectory(live).scan().sessions[0].life is Life.ELSEWHERE


@pytest.mark.parametrize("path", ["/gone/live/2.sock", "a\0b", "x" * 5000, ""])
def test_a_socket_path_that_leads_nowhere_is_no_socket(live: Path, path: str) -> None:
    write(live, "2.json", record(2, host=here() | {"pidns": "pid:[1]"}, socket=path))
    assert pids(live) == []


@pytest.mark.skipif(sys.platform != "linux", reason="namespaces of Linux")
def test_a_session_in_a_real_pid_namespace_is_neither_deleted_nor_taken_for_a_local_one(
    live: Path, tmp_path: Path
) -> None:
    namespace = ["unshare", "--user", "--map-root-user", "--pid", "--fork", "--kill-child", "--mount-proc"]
    with subprocess.Popen(
        [*namespace, sys.executable, "-c", INSIDE, str(live)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as inside:
        assert inside.stdin
        assert inside.stdout
        if not inside.stdout.readline():
            pytest.skip("namespaces can't be made here")
        session = LiveDirectory(live).scan().sessions[0]
        assert (session.entry.pid, session.life) == (1, Life.ALIVE)
        inside.stdin.close()
    assert pids(live) == []
    assert names(live) == set()


INSIDE = """
import os, socket, sys
from pathlib import Path
from tests.support.entries import record, write
live = Path(sys.argv[1])
listener = socket.socket(socket.AF_UNIX)
listener.bind(str(live / "1.sock"))
listener.listen()
write(live, "1.json", record(os.getpid(), socket=str(live / "1.sock")))
print(os.getpid(), flush=True)
sys.stdin.read()
"""


# Deleting


def test_the_socket_of_a_dead_session_goes_with_its_entry(live: Path) -> None:
    path = dead_socket(live / f"{GONE}.sock")
    write(live, f"{GONE}.json", record(GONE, socket=str(path)))
    assert pids(live) == []
    assert names(live) == set()


def test_a_socket_that_accepts_stays(live: Path) -> None:
    with bind(live / f"{GONE}.sock") as listener:
        write(live, f"{GONE}.json", record(GONE, socket=listener.getsockname()))
        assert pids(live) == []
        assert names(live) == {f"{GONE}.sock"}


def test_a_file_or_link_in_a_socket_s_place_stays(live: Path, tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.write_text("mine")
    (live / f"{GONE}.sock").symlink_to(precious)
    (live / f"{GONE - 1}.sock").write_text("a file")
    for pid in (GONE, GONE - 1):
        write(live, f"{pid}.json", record(pid, socket=str(live / f"{pid}.sock")))
    assert pids(live) == []
    assert names(live) == {f"{GONE}.sock", f"{GONE - 1}.sock"}
    assert precious.read_text() == "mine"


def test_a_socket_at_a_path_that_isn_t_derived_from_the_pid_stays(live: Path, tmp_path: Path) -> None:
    others = dead_socket(tmp_path / "other.sock")
    neighbour = dead_socket(live / "77.sock")
    write(live, "a.json", record(GONE, socket=str(others)))
    write(live, "b.json", record(GONE, socket=str(neighbour)))
    assert pids(live) == []
    assert others.exists()
    assert neighbour.exists()


def test_a_dead_socket_that_the_dead_entry_doesn_t_name_stays(live: Path) -> None:
    path = dead_socket(live / f"{GONE}.sock")
    write(live, f"{GONE}-aaaa.json", record(GONE, socket="/tmp/pi-live-0/x.sock"))
    assert pids(live) == []
    assert path.exists()


def test_an_entry_that_is_published_anew_while_it_is_judged_stays(live: Path) -> None:
    """A writer keeps giving one name, by turns, to a dead and to a living entry, while readers delete the dead one."""
    dead, living = json.dumps(record(GONE)), json.dumps(record(os.getpid()))
    writer = subprocess.Popen([sys.executable, "-c", WRITER, str(live / "7.json"), dead, living])
    readers = [LiveDirectory(live) for _ in range(2)]
    try:
        while writer.poll() is None:
            for reader in readers:
                reader.scan()
    finally:
        writer.kill()
        writer.wait()
    assert writer.returncode == 0
    assert pids(live) == [os.getpid()]
    assert names(live) == {"7.json"}


WRITER = """
import os, sys, time
path, dead, living = sys.argv[1:]
for turn in range(600):
    for content in (dead, living):
        with open(path + ".new", "w") as file:
            file.write(content)
        os.rename(path + ".new", path)
        if content == living:
            deadline = time.monotonic() + 10
            while not os.path.exists(path):
                if time.monotonic() > deadline:
                    sys.exit("the living entry vanished")
"""


@pytest.mark.parametrize("name", [".dead-7-1", ".tmp-7-abcd"])
def test_leftovers_go_after_a_minute(live: Path, name: str) -> None:
    path = write(live, name, record(GONE))
    aged(path, 3600)
    LiveDirectory(live).scan()
    assert path.exists(), "a renamed file keeps its time of modification"
    assert eventually(lambda: bool(LiveDirectory(live, leftover_s=0).scan()) and not path.exists())


# Junk


def junk(live: Path) -> list[Path]:
    """One of each kind; none may be deleted, opened for long, or shown."""
    kinds: dict[str, Any] = {
        "empty": b"",
        "truncated": json.dumps(record(os.getpid())).encode()[:-9],
        "huge": json.dumps(record(os.getpid(), label="x" * 70_000)).encode(),
        "list": b"[]",
        "foreign": b'{"name": "something else"}',
        "nul": b"\0" * 100,
        "latin": b'{"v": 1, "pid": 1, "cwd": "\xff"}',
        "text": record(os.getpid()) | {"pid": "12"},
        "zero": record(0),
        "negative": record(-1),
        "future": record(os.getpid(), startedAt=1_700_000_000),
        "status": record(os.getpid(), status="busy"),
        "deep": b"[" * 50_000,
    }
    for name, content in kinds.items():
        write(live, f"{name}.json", content)
    os.mkfifo(live / "fifo.json")
    (live / "directory.json").mkdir()
    target = write(live.parent, "target.json", record(os.getpid()))
    (live / "link.json").symlink_to(target)
    (live / "loop.json").symlink_to(live / "loop.json")
    dead_socket(live / "socket.json")
    return list(live.iterdir())


def test_junk_is_counted_never_deleted_and_blocks_nothing(live: Path, spawn: Spawn) -> None:
    pid = spawn()
    files = junk(live)
    write(live, f"{pid}.json", record(pid))
    reader = LiveDirectory(live)
    for _ in range(2):
        roster = reader.scan()
        assert [session.entry.pid for session in roster.sessions] == [pid]
        assert roster.problems == (f"{len(files)} files in the live directory could not be read",)
    assert all(os.path.lexists(path) for path in files)


def test_a_pipe_is_not_even_opened(live: Path) -> None:
    """Opening it would let go a writer that waits for its reader."""
    os.mkfifo(live / "fifo.json")
    with subprocess.Popen(["sh", "-c", "echo x > fifo.json"], cwd=live) as writer:
        time.sleep(0.1)
        assert len(LiveDirectory(live).scan().problems) == 1
        time.sleep(0.1)
        assert writer.poll() is None
        writer.kill()


def test_an_entry_may_be_as_long_as_the_limit_and_no_longer(live: Path) -> None:
    entry = json.dumps(record(os.getpid())).encode()
    write(live, "a.json", entry.ljust(LIMIT_BYTES))
    write(live, "b.json", entry.ljust(LIMIT_BYTES + 1))
    assert [session.file for session in LiveDirectory(live).scan().sessions] == [str(live / "a.json")]


def test_one_file_is_counted_as_one(live: Path) -> None:
    write(live, "a.json", b"{}")
    assert LiveDirectory(live).scan().problems == ("1 file in the live directory could not be read",)


def test_an_unreadable_file_is_counted(ordinary: Path) -> None:
    write(ordinary, "a.json", record(os.getpid())).chmod(0o000)
    problems = as_ordinary_user(lambda: LiveDirectory(ordinary).scan().problems)
    assert problems == ("1 file in the live directory could not be read",)


def test_what_isn_t_named_like_an_entry_is_none_of_ours(live: Path) -> None:
    for name in ("notes.txt", ".hidden.json", "7.sock", "x.json.bak"):
        write(live, name, b"{}")
    assert LiveDirectory(live).scan() == ((), ())
    assert len(names(live)) == 4


def test_junk_that_becomes_an_entry_is_shown(live: Path, spawn: Spawn) -> None:
    pid = spawn()
    path = aged(write(live, "a.json", b"{}"), 60)
    reader = LiveDirectory(live)
    reader.scan()
    write(live, "a.json", record(pid))
    assert [session.entry.pid for session in reader.scan().sessions] == [pid]
    assert path.exists()


# Following changes


def publish(live: Path, name: str, entry: dict[str, Any]) -> None:
    write(live, ".tmp-x", entry).rename(live / name)


def test_each_publication_changes_the_directory_s_state(live: Path, spawn: Spawn) -> None:
    pid = spawn()
    reader = LiveDirectory(live)
    for status in ("idle", "working", "needs-you", "done") * 3:
        time.sleep(0.02)
        publish(live, "a.json", record(pid, status=status))
        assert reader.changed()
        assert reader.scan().sessions[0].entry.status == status
        assert not reader.changed()


def test_two_publications_within_one_tick_are_told_apart_by_a_later_scan(live: Path, spawn: Spawn) -> None:
    """Their files can have the same size, time and even inode, so a young one is read again; here all three are the same."""
    pid = spawn()
    reader = LiveDirectory(live)
    tick = time.time_ns() + 10**10
    for label in ("one", "two", "six"):
        path = write(live, "a.json", record(pid, label=label))
        os.utime(path, ns=(tick, tick))
        assert reader.scan().sessions[0].entry.label == label


def test_a_file_written_in_place_is_read_anew(live: Path, spawn: Spawn) -> None:
    pid = spawn()
    reader = LiveDirectory(live)
    for label in ("one", "two", "six"):
        write(live, "a.json", record(pid, label=label))
        assert reader.scan().sessions[0].entry.label == label


def test_a_change_that_hides_in_the_tick_of_the_one_before_the_scan_is_to_be_looked_for(live: Path) -> None:
    reader = LiveDirectory(live)
    (live / "x").touch()
    tick = live.stat().st_mtime_ns
    reader.scan()
    (live / "y").touch()
    os.utime(live, ns=(tick, tick))
    assert not reader.changed()
    assert not reader.settled


@pytest.mark.parametrize("away_s", [-3600, -1, 3600])
def test_a_scan_long_after_the_last_change_is_settled_whatever_the_clock_did(
    live: Path, away_s: float
) -> None:
    then = time.time() + away_s
    os.utime(live, (then, then))
    reader = LiveDirectory(live)
    reader.scan()
    assert reader.settled
