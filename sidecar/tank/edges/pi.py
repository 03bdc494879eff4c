"""The `pi` command and the packages that its settings name; run only to ask its version and to change that list."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple

from tank.edges import paths
from tank.errors import RefusedError
from tank.records import text

TIMEOUT_S = 60
EXTENSION_NAME = "pi-tank-extension"
GET_PI = "npm install -g @earendil-works/pi-coding-agent"
GONE = ("tank", "data", "pi-extension")
"""How the path of an extension ends that came with a wheel; says whose it was once the folder is gone."""


class Pi(NamedTuple):
    command: str
    version: str

    @property
    def number(self) -> tuple[int, ...]:
        return tuple(int(part) for part in re.findall(r"\d+", self.version)[:3])


def find() -> Pi:
    """The `pi` on PATH. Raises `RefusedError` when there is none, or when it doesn't start."""
    command = shutil.which("pi")
    if command is None:
        raise RefusedError(f"pi is not on PATH: install it with `{GET_PI}`, or add its folder to PATH")
    said = run(command, "--version")
    version = re.search(r"^v?(\d+\.\d+\.\d+\S*)\s*$", said, re.MULTILINE)
    if version is None:
        raise RefusedError(
            f"{command} is not the Pi coding agent: `pi --version` says {text.short(said, 60)!r}"
        )
    return Pi(command, version[1])


def run(command: str, *arguments: str) -> str:
    """What Pi says on success. Raises `RefusedError` with Pi's own words."""
    asked = " ".join(["pi", *arguments])
    try:
        ran = subprocess.run(
            [command, *arguments],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=TIMEOUT_S,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise RefusedError(f"`{asked}` did not end within {TIMEOUT_S} s") from error
    except OSError as error:
        raise RefusedError(f"{command} can't be run: {error.strerror}") from error
    if ran.returncode:
        raise RefusedError(f"`{asked}` failed: {_reason(ran.stderr or ran.stdout)}")
    return ran.stdout


def _reason(said: str) -> str:
    """The line that names an error, else the last one."""
    lines = [line for line in map(text.line, said.splitlines()) if line]
    named = [line for line in lines if re.match(r"\w*Error\b", line)]
    return (named or lines or ["it gave no reason"])[-1 if not named else 0]


def settings_file() -> Path:
    """Pi's own settings of this user."""
    named = os.environ.get("PI_CODING_AGENT_DIR")
    folder = Path(_expanded(named)) if named else paths.home() / ".pi" / "agent"
    return folder.absolute() / "settings.json"


def tank_extensions() -> list[Path]:
    """Tank's extensions among the packages that Pi's settings name, gone ones included. Raises `RefusedError` on junk."""
    file = settings_file()
    try:
        settings = json.loads(file.read_bytes())
    except FileNotFoundError:
        return []
    except (OSError, ValueError) as error:
        raise RefusedError(f"{file} can't be read: {error}") from error
    named = settings.get("packages") if isinstance(settings, dict) else None
    sources = [each.get("source") if isinstance(each, dict) else each for each in named or []]
    folders = [os.path.normpath(file.parent / _expanded(each)) for each in sources if isinstance(each, str)]
    return [folder for folder in map(Path, folders) if _is_tank(folder)]


def _is_tank(folder: Path) -> bool:
    try:
        return bool(json.loads((folder / "package.json").read_bytes()).get("name") == EXTENSION_NAME)
    except (OSError, ValueError, AttributeError):
        return folder.parts[-3:] == GONE


def _expanded(path: str) -> str:
    """As Pi reads it: a leading ~ is the home directory."""
    return str(paths.home()) + path[1:] if path == "~" or path.startswith("~/") else path
