"""What the `rex` command answers, parsed. Rex is newer than its reader: unknown keys are ignored, missing ones are None or empty."""

from collections.abc import Iterator, Mapping
from enum import Enum, auto
from typing import NamedTuple

import orjson

from tank.records import fields, text
from tank.records.fields import Record

LABEL_CELLS = 200
SAID_CELLS = 160
GONE, UNREACHABLE = 3, 4
"""Exit codes of Rex for a target that is missing or ambiguous, and for a server that can't be reached."""
FOREIGN = (
    "unknown command",
    "unknown flag",
    "unknown shorthand",
    "unrecognized",
    "invalid choice",
    "no such command",
    "no such option",
    "usage:",
)
"""What programs say in their first line to a command line that isn't theirs."""


class Failure(Enum):
    """Why Rex did not do what it was asked."""

    MISSING = auto()
    """There is no such command."""
    FOREIGN = auto()
    """Another program is called rex, or this Rex has other commands."""
    NO_SERVER = auto()
    GONE = auto()
    CONTROL_OFF = auto()
    SLOW = auto()
    UNCONFIRMED = auto()
    """What it was to do may be done, or may come yet."""
    OTHER = auto()


class UnreadableError(ValueError):
    """The output is no JSON object, as every answer of Rex is."""


class Block(NamedTuple):
    block_id: str
    floats: bool = False


class Window(NamedTuple):
    """A tab. `label` is None while nobody has named it; tiled blocks come first."""

    window_id: str
    label: str | None
    blocks: tuple[Block, ...]


class View(NamedTuple):
    """The tabs of one session in their order. Each change of the layout changes `revision`."""

    revision: int | None
    windows: tuple[Window, ...]

    def blocks(self) -> set[str]:
        """Those that a tab shows."""
        return {block.block_id for window in self.windows for block in window.blocks}


def failure(code: int, errors: bytes) -> Failure:
    """What an exit code other than 0 means, together with what was said. Texts differ between builds: they are matched loosely."""
    said = errors.decode("utf-8", "replace").strip().casefold()
    if code == UNREACHABLE or said.startswith("error: connecting to"):
        return Failure.NO_SERVER
    if code == GONE:
        return Failure.GONE
    if "not accepting actions" in said or "remote control" in said:
        return Failure.CONTROL_OFF
    return Failure.FOREIGN if any(sign in said.partition("\n")[0] for sign in FOREIGN) else Failure.OTHER


def complaint(errors: bytes) -> str:
    """The first line of what Rex said, for the person; empty when it said nothing."""
    said = errors[: SAID_CELLS * 64].decode("utf-8", "replace").strip()
    return text.short(said.partition("\n")[0].removeprefix("Error: "), SAID_CELLS)


def sessions(output: bytes) -> list[tuple[str, str]]:
    """Answer of `session.list`: ids with their labels, in the server's order. Labels aren't unique and may be empty."""
    return [(found, _label(each) or "") for each, found in _named(_record(output), "sessions", "session_id")]


def view(output: bytes) -> View:
    """Answer of `session.view`."""
    record = _record(output)
    windows = (
        Window(found, _window_label(each), tuple(sorted(_blocks(each), key=lambda block: block.floats)))
        for each, found in _named(record, "windows", "window_id")
    )
    return View(fields.integer(record, "revision"), tuple(windows))


def listing(output: bytes) -> dict[str, str | None]:
    """Answer of `session.list_blocks`: each block's tab, None for a block that is detached."""
    return {
        found: fields.string(each, "window_id") or None
        for each, found in _named(_record(output), "blocks", "block_id")
    }


def apps(output: bytes) -> list[str]:
    """Answer of `client list`: the ids of clients that are apps. The command itself is a client too."""
    clients = _named(_record(output), "clients", "client_id")
    return [found for each, found in clients if (fields.mapping(each, "info") or {}).get("kind") == "app"]


def transport(output: bytes) -> str:
    """Answer of `client.inspect`: how the client is connected, `unix` from this machine; empty when Rex doesn't tell."""
    client = fields.mapping(_record(output), "client") or {}
    return fields.string(fields.mapping(client, "principal") or {}, "transport") or ""


def foreground(output: bytes) -> int:
    """Answer of a terminal's `process`: the process that the terminal's keys go to; 0 when Rex doesn't tell."""
    return fields.integer(fields.mapping(_record(output), "foreground") or {}, "pid") or 0


def _record(output: bytes) -> Record:
    try:
        found = orjson.loads(output)
    except orjson.JSONDecodeError:
        found = None
    if not isinstance(found, dict):
        raise UnreadableError
    return found


def _named(record: Record, name: str, identity: str) -> Iterator[tuple[Record, str]]:
    """Objects of a list with their ids. An empty list may come as null or {}; what has no id that a command can name is left out."""
    for each in fields.items(record, name):
        found = fields.string(each, identity) if isinstance(each, dict) else None
        if isinstance(each, dict) and found and found.isprintable():
            yield each, found


def _blocks(window: Mapping[str, object]) -> Iterator[Block]:
    for layer in fields.items(window, "layers"):
        if isinstance(layer, dict):
            floats = layer.get("kind") != "tiled"
            yield from (Block(found, floats) for _, found in _named(layer, "blocks", "block_id"))


def _label(record: Record) -> str | None:
    return text.short(fields.string(record, "label") or "", LABEL_CELLS) or None


def _window_label(window: Record) -> str | None:
    """Rex calls a tab that nobody has named `Window` and a number in hexadecimal digits."""
    label = _label(window)
    first, _, number = (label or "").partition(" ")
    return None if first == "Window" and number and not number.strip("0123456789abcdef") else label
