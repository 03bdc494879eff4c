"""What a command prints, and its errors as exit codes: 0 done, 1 failed, 2 wrong usage, 3 no such session or an ambiguous one."""

import os
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NoReturn

from tank.errors import TankError
from tank.records import text


def run(command: Callable[[], int]) -> NoReturn:
    """Ends the process with what the command returns."""
    # Python has no object for a stream that was closed before it started.
    sys.stderr = sys.stderr or Path(os.devnull).open("w")  # noqa: SIM115 - it is the stream from now on
    if sys.stdout is None:
        complain(["tank: standard output is closed: nothing can be printed"])
        sys.exit(1)
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="replace")  # type: ignore[union-attr] # a terminal of few letters shows ? for the rest
    try:
        sys.exit(command())
    except TankError as error:
        complain([f"tank: {error}"])
        sys.exit(error.code)
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        complain([f"tank: {where}{error.strerror or error}"])
        sys.exit(1)


def say(lines: Iterable[str]) -> None:
    """Lines of ours, whose foreign parts are clean already."""
    for line in lines:
        sys.stdout.write(line + "\n")
    sys.stdout.flush()


def complain(lines: Iterable[Any]) -> None:
    for line in lines:
        sys.stderr.write(text.lines(str(line)) + "\n")
