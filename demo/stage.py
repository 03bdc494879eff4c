"""A private stage for real Pi: its own folder as home, its own tmux server, and nothing left behind when it closes.

Every process started here carries `XDG_TANK_STAGE=<folder>` in its environment, Tank's sidecars too, which get none
but known variables and XDG ones: that is how the processes left are found.
"""

import contextlib
import os
import shlex
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Self, TypeVar

import libtmux
import psutil

from demo import agent_dir
from demo.waiting import NeverError, eventually

ROOT = Path(__file__).resolve().parent.parent
EXTENSION = ROOT / "pi-extension"
PI_BIN = EXTENSION / "node_modules" / ".bin"
MARK = "XDG_TANK_STAGE"
RUN_MARK = "XDG_TANK_TEST_RUN"
"""Set by whoever runs many stages, to find what any of them left."""
TYPING_S = 0.15
"""Pi takes an Enter that follows the text at once for a part of it."""
START_S = 30
"""A first start compiles the extension, and two cores may be busy."""
TMUX_CONF = """
set -g remain-on-exit on
set -g status off
set -g extended-keys on
set -g escape-time 0
set -g default-terminal screen-256color
set -g history-limit 2000
"""
TERMINAL_VARIABLES = ("TMUX", "TMUX_PANE", "TERM_PROGRAM", "TERM_PROGRAM_VERSION")
"""What tmux tells its programs."""
KEPT_VARIABLES = ("LANG", "LC_ALL", "LC_CTYPE", "TZ", "USER", "LOGNAME", RUN_MARK)


T = TypeVar("T")


class Terminal:
    """One pane of the stage with one program in it."""

    def __init__(self, stage: "Stage", name: str, pane: libtmux.Pane, pid: int) -> None:
        self.stage = stage
        self.name = name
        self.pane = pane
        self.pid = pid
        """The program's process: the pane's shell has become it."""

    def type(self, text: str) -> None:
        """Literal keys, as if typed; no Enter."""
        safe = text[:-1] + "\\;" if text.endswith(";") else text
        self.pane.cmd("send-keys", "-l", "--", safe)

    def submit(self, text: str) -> None:
        """Type a line and press Enter."""
        self.type(text)
        self.pause()
        self.press("Enter")

    def command(self, text: str) -> None:
        """Paste a line and press Enter: of what is typed, completion would take the first Enter."""
        self.paste(text)
        self.pause()
        self.press("Enter")

    def paste(self, text: str) -> None:
        self.stage.server.cmd("set-buffer", "-b", self.name, "--", text)
        self.pane.cmd("paste-buffer", "-p", "-d", "-b", self.name)

    def pause(self) -> None:
        """Between text and the key that ends it."""
        time.sleep(TYPING_S)

    def press(self, *keys: str) -> None:
        """Keys by tmux's names: Enter, Escape, C-z, M-Enter."""
        self.pane.cmd("send-keys", *keys)

    def send_bytes(self, data: bytes) -> None:
        """What a terminal would send, byte for byte."""
        self.pane.cmd("send-keys", "-H", *(f"{byte:02x}" for byte in data))

    def screen(self) -> str:
        return "\n".join(self.pane.cmd("capture-pane", "-p").stdout)

    def wait_for(self, text: str, timeout: float = 15) -> str:
        """The screen, once it shows the text."""
        self.wait_until(lambda: text in self.screen(), f"{text!r} on the screen", timeout)
        return self.screen()

    def wait_without(self, text: str, timeout: float = 15) -> None:
        self.wait_until(lambda: text not in self.screen(), f"a screen without {text!r}", timeout)

    def wait_until(self, look: Callable[[], object], wanted: str, timeout: float = 15) -> None:
        """As `eventually`; a failure shows the screen."""
        eventually(look, timeout, lambda: f"{self.name}: {wanted}\n{self.screen()}")

    def ready(self) -> None:
        """Wait until Pi shows its editor: the footer names the model."""
        self.wait_for(agent_dir.MODEL, START_S)

    def alive(self) -> bool:
        return runs(self.pid)

    def wait_gone(self, timeout: float = 10) -> None:
        self.wait_until(lambda: not self.alive(), "its process gone", timeout)

    def kill(self, number: int = signal.SIGKILL) -> None:
        os.kill(self.pid, number)

    def close(self) -> None:
        """As a terminal window that is closed: its program gets a hang-up."""
        self.pane.cmd("kill-pane")


class Stage:
    """Made with its folder and closed with everything in it. `base_url` is a scripted model's."""

    def __init__(self, base_url: str, **settings: object) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="tank-", dir="/tmp")).resolve()
        for name in ("home", "state", "config", "run", "bin", "work"):
            (self.folder / name).mkdir(mode=0o700)
        self.agent_dir = self.folder / "agent"
        agent_dir.write(self.agent_dir, base_url, **settings)
        conf = self.folder / "tmux.conf"
        conf.write_text(TMUX_CONF)
        self.server = libtmux.Server(socket_path=str(self.folder / "tmux"), config_file=str(conf))
        self._server_pid: int | None = None

    @property
    def live(self) -> Path:
        """Where the sessions of this stage publish themselves."""
        return self.folder / "state" / "pi" / "live"

    @property
    def bin(self) -> Path:
        """The first folder on PATH, for fake programs."""
        return self.folder / "bin"

    def environment(self, **more: str) -> dict[str, str]:
        """The whole environment of the stage's programs; nothing of the caller's own Pi or terminal is in it."""
        kept = {name: os.environ[name] for name in KEPT_VARIABLES if name in os.environ}
        places = [self.bin, PI_BIN, Path(sys.executable).parent, os.environ.get("PATH", os.defpath)]
        return {
            "LANG": "C.UTF-8",
            **kept,
            "PATH": os.pathsep.join(map(str, places)),
            "HOME": str(self.folder / "home"),
            "SHELL": "/bin/sh",
            "TERM": "screen-256color",
            "XDG_STATE_HOME": str(self.folder / "state"),
            "XDG_CONFIG_HOME": str(self.folder / "config"),
            "XDG_RUNTIME_DIR": str(self.folder / "run"),
            "PI_CODING_AGENT_DIR": str(self.agent_dir),
            "PI_OFFLINE": "1",
            MARK: str(self.folder),
            **more,
        }

    def open(
        self,
        name: str,
        command: Sequence[str],
        *,
        cwd: Path | None = None,
        environment: Mapping[str, str] | None = None,
        size: tuple[int, int] = (120, 35),
        kind: Callable[["Stage", str, libtmux.Pane, int], T],
    ) -> T:
        """Run a command in a new tmux session of this name."""
        variables = self.environment(**(environment or {}))
        words = ["env", "-i", *(f"{key}={value}" for key, value in variables.items())]
        script = self.folder / f"{name}.sh"
        inherited = " ".join(f'{name}="${name}"' for name in TERMINAL_VARIABLES)
        script.write_text(f"exec {shlex.join(words)} {inherited} {shlex.join(command)}\n")
        script.chmod(0o700)
        columns, rows = size
        created = self.server.cmd(
            *("new-session", "-d", "-P", "-F", "#{pane_id} #{pane_pid} #{pid}", "-s", name),
            *("-x", str(columns), "-y", str(rows), "-c", str(cwd or self.folder / "work")),
            f"exec sh {shlex.quote(str(script))}",
        )
        if created.returncode or not created.stdout:
            raise RuntimeError(f"tmux could not start {name}: {' '.join(created.stderr)}")
        pane_id, pid, server_pid = created.stdout[0].split()
        self._server_pid = int(server_pid)
        return kind(self, name, libtmux.Pane.from_pane_id(self.server, pane_id), int(pid))

    def start_pi(
        self,
        name: str,
        *arguments: str,
        extensions: Sequence[Path] = (EXTENSION,),
        cwd: Path | None = None,
        environment: Mapping[str, str] | None = None,
        size: tuple[int, int] = (120, 35),
        kind: Callable[["Stage", str, libtmux.Pane, int], T],
    ) -> T:
        """Start Pi; returns at once, so that several can start side by side (`ready` waits for one)."""
        command = ["pi", *(word for path in extensions for word in ("-e", str(path))), *arguments]
        return self.open(name, command, cwd=cwd, environment=environment, size=size, kind=kind)

    def processes(self) -> list[psutil.Process]:
        """Every process that was started on this stage and still runs."""
        return [process for process in psutil.process_iter() if variable(process, MARK) == str(self.folder)]

    def close(self) -> list[str]:
        """Ends the terminals and removes the folder; describes the processes that had to be ended one by one."""
        if self._server_pid is not None:
            self.server.cmd("kill-server")
            server_pid = self._server_pid
            eventually(lambda: not runs(server_pid), 5, f"tmux server {server_pid} gone")
        with contextlib.suppress(NeverError):
            eventually(lambda: not self.processes(), 5)
        left = [f"{process.pid} {' '.join(_command(process))}" for process in self.processes()]
        end(self.processes())
        shutil.rmtree(self.folder, ignore_errors=True)
        return left

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def end(processes: Sequence[psutil.Process]) -> None:
    """End these processes by their ids, stopped ones too."""
    for process in processes:
        try:
            process.kill()
        except psutil.NoSuchProcess:
            continue
    psutil.wait_procs(processes, timeout=5)


def runs(pid: int) -> bool:
    """Whether the process exists and is no zombie."""
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def variable(process: psutil.Process, name: str) -> str | None:
    """A variable of another process as it was started; None when it can't be read."""
    try:
        return process.environ().get(name)
    except (psutil.Error, OSError):
        return None


def _command(process: psutil.Process) -> list[str]:
    try:
        return process.cmdline()
    except psutil.Error:
        return []
