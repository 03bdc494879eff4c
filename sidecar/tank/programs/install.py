"""`tank install` and `tank uninstall`: Pi's list of packages and `launch.json`, nothing else."""

import sys
from collections.abc import Sequence
from pathlib import Path

from tank.agent import commands
from tank.edges import launch, paths, pi
from tank.errors import RefusedError
from tank.version import OLDEST_PI, __version__


def install(keys: Sequence[str] | None = None) -> list[str]:
    """What was done, a line each. Repeating it changes nothing; another Tank's extension gives way to this one's.

    `keys` open the board in Pi beside Hyper+T; None leaves them as they are.
    """
    extension = paths.shipped("pi-extension").absolute()
    if not (extension / "package.json").is_file():
        raise RefusedError(
            f"{extension} is missing: this installation of Tank is incomplete, install it again"
        )
    found = pi.find()
    if found.number < OLDEST_PI:
        oldest = ".".join(map(str, OLDEST_PI))
        raise RefusedError(
            f"Pi {found.version} is too old, Tank needs {oldest}: update it with `{pi.GET_PI}`"
        )
    python = _python()
    launch.write(python, keys)
    for other in pi.tank_extensions():
        if other != extension:
            pi.run(found.command, "remove", str(other))
    pi.run(found.command, "install", str(extension))
    return [
        f"Tank {__version__} is installed in Pi {found.version}.",
        f"Pi starts it with {python}, as {launch.file()} says.",
        "New sessions have it; type /reload in open ones.",
        f"`tank` shows the board in a terminal; /tank{_keys()} or Hyper+T in Pi.",
    ]


def uninstall() -> list[str]:
    """What was done, a line each. Repeating it changes nothing."""
    extensions = pi.tank_extensions()
    if extensions:
        found = pi.find()
        for extension in extensions:
            pi.run(found.command, "remove", str(extension))
    if not launch.remove() and not extensions:
        return ["Tank is not installed in Pi."]
    return ["Tank is no longer installed in Pi. Open sessions keep theirs until /reload or their end."]


def _keys() -> str:
    chosen = launch.keys()
    return "".join(f", {key}" for key in (commands.SECOND_KEYS if chosen is None else chosen))


def _python() -> str:
    """This Python's own path: a virtual environment's link is not resolved, or its packages would be out of reach."""
    python = str(Path(sys.executable).absolute())
    try:
        version = launch.version(python)
    except OSError as error:
        raise RefusedError(
            f"`{python} -I -m tank` doesn't work: {error}. Pi starts it without PYTHONPATH and user packages: "
            "install Tank into a virtual environment, with `pipx` or `uv tool`"
        ) from error
    if version != __version__:
        raise RefusedError(
            f"`{python} -I -m tank` is Tank {version}, this is {__version__}: remove one of them"
        )
    return python
