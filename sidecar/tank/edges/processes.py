"""What the system says of this host and of a process. Nothing is remembered about a process: pids are used again."""

import functools
import os
import sys
from pathlib import Path

from tank.records.identity import Host, Process

UNKNOWN = "?"
"""State of a process that exists and can't be looked at."""
GENERATIONS = 100
"""So many ancestors are looked for: parents that end meanwhile could make the way up endless."""

if sys.platform == "linux":
    MACHINE_IDS = ("/etc/machine-id", "/var/lib/dbus/machine-id")
    BOOT_ID = "/proc/sys/kernel/random/boot_id"
    TERMINALS = {4: "/dev/tty", 136: "/dev/pts/"}
    """Major device numbers of terminals; 137 to 143 continue 136."""

    @functools.cache
    def host() -> Host:
        """Where this process runs."""
        machine = next((found for path in MACHINE_IDS if (found := _content(path))), None)
        try:
            namespace = str(Path("/proc/self/ns/pid").readlink())
        except OSError:
            namespace = None
        return Host(machine, _content(BOOT_ID), namespace)

    def look(pid: int) -> Process | None:
        """The process now, None when there is none. What exists and can't be read has no start: it isn't dead."""
        stat = _stat(pid)
        if stat is None:
            return Process(pid, 0, None, UNKNOWN) if exists(pid) else None
        boot = host().boot
        start = f"linux:{boot}:{stat[19].decode()}" if boot else None
        return Process(pid, int(stat[1]), start, stat[0].decode())

    def tty_of(pid: int) -> str | None:
        """The process's controlling terminal."""
        stat = _stat(pid)
        number = int(stat[4]) if stat else 0
        major, minor = os.major(number), os.minor(number)
        if 137 <= major <= 143:
            major, minor = 136, minor + 256 * (major - 136)
        path = Path(f"{TERMINALS.get(major, '')}{minor}")
        try:
            return str(path) if number and path.stat().st_rdev == number else None
        except OSError:
            return None

    def _stat(pid: int) -> list[bytes] | None:
        """Fields of /proc/PID/stat from the state on; None when they can't be read."""
        try:
            descriptor = os.open(f"/proc/{pid}/stat", os.O_RDONLY | os.O_CLOEXEC)
            try:
                data = os.read(descriptor, 4096)
            finally:
                os.close(descriptor)
        except OSError:
            return None
        # A program's name may hold anything, blanks and parentheses included.
        fields = data[data.rfind(b")") + 2 :].split(None, 20)
        return fields if len(fields) > 20 else None

    def _content(path: str) -> str | None:
        try:
            content = Path(path).read_bytes().decode().strip()
        except (OSError, UnicodeDecodeError):
            return None
        return None if content in ("", "uninitialized") else content

else:
    import ctypes
    import subprocess

    import psutil

    STATES = {psutil.STATUS_ZOMBIE: "Z", psutil.STATUS_STOPPED: "T"}

    @functools.cache
    def host() -> Host:
        """Where this process runs."""
        return Host(_machine(), _boot(), None)

    def look(pid: int) -> Process | None:
        """The process now, None when there is none. What exists and can't be read has no start: it isn't dead."""
        try:
            process = psutil.Process(pid)
            start = f"macos:{process.create_time():.6f}"
            return Process(pid, process.ppid(), start, STATES.get(process.status(), "S"))
        except psutil.ZombieProcess:
            return Process(pid, 0, None, "Z")
        except psutil.NoSuchProcess:
            return None
        except psutil.Error:
            return Process(pid, 0, None, UNKNOWN) if exists(pid) else None

    def tty_of(pid: int) -> str | None:
        """The process's controlling terminal."""
        try:
            return psutil.Process(pid).terminal()
        except psutil.Error:
            return None

    def _machine() -> str | None:
        identity = (ctypes.c_ubyte * 16)()
        patience = (ctypes.c_long * 2)(1, 0)
        if ctypes.CDLL(None).gethostuuid(identity, patience) != 0:
            return None
        return bytes(identity).hex()

    def _boot() -> str | None:
        asked = ["/usr/sbin/sysctl", "-n", "kern.bootsessionuuid"]
        try:
            return subprocess.run(asked, capture_output=True, text=True, timeout=2).stdout.strip() or None
        except (OSError, subprocess.TimeoutExpired):
            return None


def ancestors(pid: int) -> list[int]:
    """The process, its parent, and so on up, without the first of all processes; as far as they can be read."""
    found: list[int] = []
    while pid > 1 and pid not in found and len(found) < GENERATIONS:
        found.append(pid)
        process = look(pid)
        pid = process.parent if process else 0
    return found


def exists(pid: int) -> bool:
    """Whether a process has this pid. Signal 0 is refused by another user's, which therefore exists."""
    try:
        os.kill(pid, 0)
    except PermissionError:
        return True
    except (OSError, OverflowError):
        return False
    return True
