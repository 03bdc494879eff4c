import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tank.edges import processes
from tests.support.entries import as_ordinary_user


@pytest.fixture
def child() -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(["sleep", "300"])
    yield process
    process.kill()
    process.wait()


def state_of(pid: int) -> str | None:
    process = processes.look(pid)
    return process.state if process else None


def becomes(pid: int, state: str | None) -> bool:
    deadline = time.monotonic() + 5
    while time.monotonic() < deadline:
        if state_of(pid) == state:
            return True
        time.sleep(0.005)
    return False


def test_a_process_shows_its_parent_and_one_start_for_all_its_life(child: subprocess.Popen[bytes]) -> None:
    seen, again = processes.look(child.pid), processes.look(child.pid)
    assert seen
    assert seen.start
    assert (seen.pid, seen.parent) == (child.pid, os.getpid())
    assert seen == again


@pytest.mark.skipif(sys.platform != "linux", reason="the form on Linux")
def test_the_start_is_the_boot_and_field_22_of_stat(child: subprocess.Popen[bytes]) -> None:
    boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    ticks = Path(f"/proc/{child.pid}/stat").read_text().split()[21]
    seen = processes.look(child.pid)
    assert seen
    assert seen.start == f"linux:{boot}:{ticks}"


def test_another_process_has_another_start(child: subprocess.Popen[bytes]) -> None:
    time.sleep(0.02)
    with subprocess.Popen(["sleep", "300"]) as later:
        one, other = processes.look(child.pid), processes.look(later.pid)
        later.kill()
    assert one
    assert other
    assert one.start != other.start


def test_a_program_may_have_any_name(tmp_path: Path) -> None:
    odd = tmp_path / "a) Z 1 (b"
    shutil.copy(shutil.which("sleep") or "", odd)
    with subprocess.Popen([odd, "300"]) as process:
        assert becomes(process.pid, "S")
        seen = processes.look(process.pid)
        process.kill()
    assert seen
    assert seen.parent == os.getpid()


def test_a_stopped_process_and_a_zombie_are_told(child: subprocess.Popen[bytes]) -> None:
    child.send_signal(signal.SIGSTOP)
    assert becomes(child.pid, "T")
    child.kill()
    assert becomes(child.pid, "Z")
    child.wait()
    assert processes.look(child.pid) is None


@pytest.mark.parametrize("pid", [2**22 + 5, 2**31, 2**63, 2**80])
def test_a_pid_that_no_process_can_have_is_nobody(pid: int) -> None:
    assert processes.look(pid) is None


def test_a_process_of_another_user_exists() -> None:
    seen = as_ordinary_user(lambda: processes.look(1))
    assert seen
    assert seen.pid == 1


@pytest.mark.skipif(sys.platform != "linux" or os.geteuid() != 0, reason="mounts its own /proc")
def test_a_process_that_proc_hides_exists_without_a_start() -> None:
    hidden = (
        "mount -t proc -o hidepid=invisible proc /proc && exec " + sys.executable + " -c '" + HIDDEN + "'"
    )
    found = subprocess.run(["unshare", "--mount", "sh", "-c", hidden], capture_output=True, text=True)
    assert found.stdout == "Process(pid=1, parent=0, start=None, state='?') None\n", found.stderr


HIDDEN = """
import os
from tank.edges import processes
os.setgroups([]); os.setgid(65534); os.setuid(65534)
print(processes.look(1), processes.look(2**22 + 5))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="namespaces of Linux")
def test_another_pid_namespace_is_another_host_of_the_same_machine_and_boot() -> None:
    asked = [sys.executable, "-c", "from tank.edges import processes; print(tuple(processes.host()))"]
    namespace = ["unshare", "--user", "--map-root-user", "--pid", "--fork", "--mount-proc"]
    found = subprocess.run([*namespace, *asked], capture_output=True, text=True)
    if "unshare" in found.stderr:
        pytest.skip(found.stderr)
    ours = processes.host()
    machine, boot, pidns = eval(found.stdout)  # noqa: S307 - our own child wrote it
    assert (machine, boot) == (ours.machine, ours.boot)
    assert pidns != ours.pidns
    assert pidns.startswith("pid:[")


def test_the_terminal_of_a_process_is_the_one_that_controls_it() -> None:
    leader, follower = os.openpty()
    taking = "import fcntl, signal, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); print(end='!', flush=True); signal.pause()"
    command = [sys.executable, "-c", taking]
    with subprocess.Popen(command, stdin=follower, stdout=follower, start_new_session=True) as process:
        assert os.read(leader, 1) == b"!"
        found = processes.tty_of(process.pid)
        process.kill()
    assert found == os.ttyname(follower)
    os.close(leader)
    os.close(follower)


def test_a_process_in_a_session_of_its_own_has_no_terminal() -> None:
    with subprocess.Popen(["sleep", "300"], start_new_session=True) as process:
        found = processes.tty_of(process.pid)
        process.kill()
    assert found is None


def test_what_a_sidecar_shares_imports_nothing_heavy() -> None:
    edges = "from tank.edges import git, live_directory, log, own_entry, paths, processes"
    heavy = "print([m for m in ('pydantic', 'psutil', 'asyncio', 'click') if m in sys.modules])"
    said = subprocess.run([sys.executable, "-I", "-c", f"{edges}; import sys; {heavy}"], capture_output=True)
    assert said.stdout.decode().strip() == ("[]" if sys.platform == "linux" else "['psutil']")


def test_the_ancestors_are_the_process_its_parent_and_so_on_up(child: subprocess.Popen[bytes]) -> None:
    assert processes.ancestors(child.pid)[:3] == [child.pid, os.getpid(), os.getppid()]
    assert 1 not in processes.ancestors(child.pid)
    assert processes.ancestors(1) == []
    child.kill()
    child.wait()
    assert processes.ancestors(child.pid) == [child.pid]
