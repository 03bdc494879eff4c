"""The system's clipboard, through the commands that systems have for it. Never through a shell, never without a limit in time."""

import base64
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence

TIMEOUT_S = 2.0
TERMINAL_LIMIT_BYTES = 74_000
"""What terminals take by OSC 52; of a longer text some take nothing."""
PROGRAMS: Mapping[str, Sequence[str]] = {
    "pbcopy": (),
    "wl-copy": (),
    "xclip": ("-selection", "clipboard"),
    "xsel": ("--clipboard", "--input"),
}
"""What each needs to take standard input as the clipboard; some stay in the background and hold it."""


def programs(environment: Mapping[str, str], platform: str = sys.platform) -> list[str]:
    """The commands for the screen that this environment names, in the order in which they are to be tried."""
    if platform == "darwin":
        return ["pbcopy"]
    found = ["wl-copy"] if environment.get("WAYLAND_DISPLAY") else []
    return [*found, "xclip", "xsel"] if environment.get("DISPLAY") else found


def by_terminal(text: str) -> str:
    """The sequence that asks a terminal to copy the text (OSC 52), which it may refuse without a word; empty for a text too long."""
    encoded = base64.b64encode(text.encode("utf-8", "replace")).decode()
    return f"\x1b]52;c;{encoded}\x07" if len(encoded) <= TERMINAL_LIMIT_BYTES else ""


def copy(text: str) -> bool:
    """Whether a command took it. Blocks for at most `TIMEOUT_S` a command."""
    environment = os.environ
    took = any(_took([program, *PROGRAMS[program]], text) for program in programs(environment))
    # In tmux its buffer too, from where it goes to the terminals that show it; before 3.2 there was no -w.
    if environment.get("TMUX"):
        took |= _took(["tmux", "load-buffer", "-w", "-"], text) or _took(["tmux", "load-buffer", "-"], text)
    return took


def _took(command: Sequence[str], text: str) -> bool:
    if not shutil.which(command[0]):
        return False
    try:
        done = subprocess.run(
            command,
            input=text.encode("utf-8", "replace"),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",
            timeout=TIMEOUT_S,
            check=False,
            start_new_session=True,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0
