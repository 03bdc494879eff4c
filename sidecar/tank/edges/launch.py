"""`launch.json`, written by `tank install` and read by Pi's extension: which Python it starts, which keys open the board."""

import json
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tank.edges import paths

TIMEOUT_S = 20


def file() -> Path:
    return paths.config_directory() / "launch.json"


def python() -> str | None:
    """The Python that the extension would start, by its own rule; None when nothing names one."""
    named = os.environ.get("TANK_PYTHON", "")
    if Path(named).is_absolute():
        return named
    checkout = paths.shipped("pi-extension").parent
    own = checkout / ".venv" / "bin" / "python"
    if (checkout / "pyproject.toml").exists() and own.exists():
        return str(own)
    said = _read().get("python")
    return said if isinstance(said, str) and Path(said).is_absolute() else None


def keys() -> list[str] | None:
    """The keys that open the board in Pi beside Hyper+T; None when none were chosen."""
    said = _read().get("keys")
    return [key for key in said if isinstance(key, str)] if isinstance(said, list) else None


def _read() -> dict[str, Any]:
    """Empty when there is no file, or none that can be read."""
    try:
        said = json.loads(file().read_bytes())
    except (OSError, ValueError):
        return {}
    return said if isinstance(said, dict) else {}


def write(python: str, keys: Sequence[str] | None = None) -> None:
    """Atomically, 0600; what it isn't given stays. The directory may be a link, as keepers of dotfiles make it."""
    known = _read() | {"python": python} | ({} if keys is None else {"keys": list(keys)})
    folder = file().parent.resolve()
    paths.private_directory(folder)
    fresh = folder / f".tmp-{os.getpid()}"
    fresh.unlink(missing_ok=True)
    with open(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as out:
        out.write(json.dumps(known, ensure_ascii=False) + "\n")
    fresh.rename(folder / file().name)


def remove() -> bool:
    """Whether there was one. An empty directory goes too."""
    try:
        file().unlink()
    except FileNotFoundError:
        return False
    if not file().parent.is_symlink() and not any(file().parent.iterdir()):
        file().parent.rmdir()
    return True


def version(python: str) -> str:
    """What this Python's Tank says of itself, started as the extension starts it. Raises `OSError` with the reason."""
    try:
        ran = subprocess.run(
            [python, "-I", "-m", "tank", "--version"],
            cwd="/",
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=TIMEOUT_S,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise OSError(f"did not answer within {TIMEOUT_S} s") from error
    if ran.returncode:
        raise OSError((ran.stderr.strip().splitlines() or [f"exit code {ran.returncode}"])[-1])
    return ran.stdout.strip().removeprefix("tank ")
