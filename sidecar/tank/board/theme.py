"""What each colour means. A theme gives, for each meaning, the escape sequence that switches its look on."""

from collections.abc import Mapping
from dataclasses import dataclass, fields


@dataclass(frozen=True, slots=True)
class Theme:
    """Empty: drawn as plain text. The look ends with a reset of all attributes."""

    strong: str = ""
    dim: str = ""
    selected: str = ""
    selected_border: str = ""
    needs_you: str = ""
    working: str = ""
    done: str = ""
    idle: str = ""
    p0: str = ""
    p1: str = ""
    p2: str = ""
    p3: str = ""
    warning: str = ""
    problem: str = ""
    prompt: str = ""
    tool: str = ""

    def status(self, status: str) -> str:
        """The look of a status, named as in an entry."""
        looks = {"needs-you": self.needs_you, "working": self.working, "done": self.done}
        return looks.get(status, self.idle)

    def priority(self, priority: int | None) -> str:
        return "" if priority is None else (self.p0, self.p1, self.p2, self.p3)[priority]


PLAIN = Theme()
COLOURLESS = Theme(
    strong="\x1b[1m",
    selected="\x1b[7m",
    selected_border="\x1b[1m",
    needs_you="\x1b[1m",
    p0="\x1b[1m",
    problem="\x1b[1m",
)
COLOURS = Theme(
    strong="\x1b[1m",
    dim="\x1b[2m",
    selected="\x1b[7m",
    selected_border="\x1b[1m",
    needs_you="\x1b[1;33m",
    working="\x1b[36m",
    done="\x1b[32m",
    idle="\x1b[2m",
    p0="\x1b[1;31m",
    p1="\x1b[33m",
    p2="",
    p3="\x1b[2m",
    warning="\x1b[33m",
    problem="\x1b[1;31m",
    prompt="\x1b[1m",
    tool="\x1b[36m",
)
"""The eight colours that every terminal of colours has, so that the person's own palette decides how they look."""

MONOCHROME = ("vt", "xterm-mono", "screen-bw", "ansi-m")
"""Beginnings of TERM for terminals without colours."""


def chosen(environment: Mapping[str, str]) -> Theme:
    """The theme for a terminal, by `NO_COLOR` (set to anything but nothing) and `TERM`."""
    term = environment.get("TERM", "")
    if term in ("", "dumb"):
        return PLAIN
    if environment.get("NO_COLOR") or term.startswith(MONOCHROME):
        return COLOURLESS
    return COLOURS


def read(prefixes: Mapping[str, str]) -> Theme:
    """A theme from escape sequences by meaning, such as another program's theme gives; what it lacks is plain."""
    return Theme(**{name.name: prefixes[name.name] for name in fields(Theme) if name.name in prefixes})
