"""What the end of a transcript says, for people: prompts, replies, tool calls, and marks where something is missing."""

import itertools
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

import orjson

from tank.records import entry, fields, header, text
from tank.records.fields import Record
from tank.roster.branch import Branch, Unread

TEXT_LIMIT = 16 * 1024
"""Code points of one text; of a longer one its beginning and end are kept."""
ARGUMENT_LIMIT = 4 * 1024
LINE_CELLS = 200

TELLING = ("command", "path", "file_path", "pattern", "query", "url", "target", "name", "title", "question")
"""Arguments that say what a tool works on, the most telling first."""
SKILL = re.compile(r'\A<skill name="([^"]+)"[^>]*>\n.*?\n</skill>\s*', re.DOTALL)
EARLIER = "earlier not shown"


class Outcome(StrEnum):
    """What became of a tool call."""

    OPEN = "open"
    """It has no result: it runs, or waits for the person."""
    OK = "ok"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a user message says. `header`: the first line of a message that Tank delivered; `text` is the rest."""

    text: str
    header: str | None
    at: datetime | None


@dataclass(frozen=True, slots=True)
class Reply:
    """One text of an answer."""

    text: str
    at: datetime | None


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool that the model called, or `!` with the command that the person ran.

    `argument` says what it works on; `detail` of an open call is all its other arguments, of a failed one the error.
    """

    name: str
    argument: str
    outcome: Outcome
    detail: str
    at: datetime | None


@dataclass(frozen=True, slots=True)
class Note:
    """Something that is neither: `kind` is compaction, branch summary, failed, aborted, or a custom message's type."""

    kind: str
    text: str
    at: datetime | None


@dataclass(frozen=True, slots=True)
class Gap:
    """Something is missing here; `text` says what."""

    text: str


Item = Prompt | Reply | ToolCall | Note | Gap


@dataclass(frozen=True, slots=True)
class Peek:
    """The last two prompts and what came of them, oldest first; all text is clean. `closing`: last line of the last reply."""

    items: tuple[Item, ...] = ()
    closing: str | None = None


def peek(branch: Branch) -> Peek:
    """What the branch shows."""
    found = list(itertools.chain(*items(branch.records)))
    if not branch.is_whole:
        found = [Gap(EARLIER), *itertools.dropwhile(lambda item: isinstance(item, Gap), found)]
    replies = (item.text for item in reversed(found) if isinstance(item, Reply))
    return Peek(tuple(found), closing(next(replies, "")))


def items(
    records: Iterable[Record | Unread], limit: int = TEXT_LIMIT, *, is_end: bool = True
) -> list[list[Item]]:
    """What each of these records shows, texts in at most `limit` code points.

    `is_end`: the last one is the session's last, so that its calls can still be open.
    """
    known = _known(records, limit, is_end=is_end)
    return [list(_items(record, known)) for record in records]


def last_reply(branch: Branch) -> str | None:
    """The texts of the newest answer that has one, whole and as they were written; None when none was read."""
    for record in reversed(branch.records):
        message = {} if isinstance(record, Unread) else fields.mapping(record, "message") or {}
        if message.get("role") == "assistant":
            if "unread_bytes" in record:
                return None
            if said := "\n\n".join(_texts(message)):
                return said
    return None


def closing(reply: str) -> str | None:
    """The last line of an answer that says something."""
    spoken = (line for line in reversed(clean(reply).split("\n")) if any(c.isalnum() for c in line))
    return text.short(next(spoken, ""), LINE_CELLS) or None


def clean(said: str, limit: int = TEXT_LIMIT) -> str:
    """Text of several lines that is safe to draw, its middle left out when it's long."""
    left_out = len(said) - 2 * (limit // 2)
    if len(said) > limit:
        said = (
            f"{said[: limit // 2]}\n{text.ELLIPSIS} {left_out} characters left out\n{said[-(limit // 2) :]}"
        )
    return text.lines(said).strip("\n")


class _Known(NamedTuple):
    """Results by the id of their call, the last message of user or model: only its calls can still be open, and how long a text may be."""

    results: dict[str, Record]
    last: Record | None
    limit: int


def _known(records: Iterable[Record | Unread], limit: int, *, is_end: bool) -> _Known:
    results: dict[str, Record] = {}
    last = None
    for record in records:
        message = {} if isinstance(record, Unread) else fields.mapping(record, "message") or {}
        call = fields.string(message, "toolCallId")
        if message.get("role") == "toolResult" and call:
            results[call] = message
        elif message.get("role") in ("user", "assistant"):
            last = message
    return _Known(results, last if is_end else None, limit)


def _items(record: Record | Unread, known: _Known) -> Iterator[Item]:
    if isinstance(record, Unread):
        yield Gap(f"{_size(record.size_bytes)} can't be read")
    elif size_bytes := fields.integer(record, "unread_bytes"):
        yield Gap(f"a record of {_size(size_bytes)} not shown")
    else:
        yield from _said(record, entry.time(record, "timestamp"), known)


def _said(record: Record, at: datetime | None, known: _Known) -> Iterator[Item]:
    message = fields.mapping(record, "message") or {}
    match record["type"], message.get("role"):
        case "message", "user":
            yield _prompt(_content(message), at, known.limit)
        case "message", "assistant":
            yield from _answer(message, at, known)
        case "message", "bashExecution":
            yield _command(message, at)
        case ("compaction" | "branch_summary") as summary, _:
            yield Note(
                summary.replace("_", " "), clean(fields.string(record, "summary") or "", known.limit), at
            )
        case "custom_message", _ if fields.boolean(record, "display"):
            kind = text.short(fields.string(record, "customType") or "", LINE_CELLS)
            yield Note(kind, clean(_content(record), known.limit), at)


def _prompt(said: str, at: datetime | None, limit: int) -> Prompt:
    if header.begins(said):
        first, _, rest = said.lstrip().partition("\n")
        return Prompt(clean(rest, limit), text.short(first, LINE_CELLS), at)
    return Prompt(clean(SKILL.sub(lambda found: f"/skill:{found[1]} ", said), limit), None, at)


def _answer(message: Record, at: datetime | None, known: _Known) -> Iterator[Item]:
    stopped = message.get("stopReason") in ("error", "aborted")
    for block in fields.items(message, "content"):
        if not isinstance(block, dict):
            continue
        if block.get("type") == "text" and (said := clean(fields.string(block, "text") or "", known.limit)):
            yield Reply(said, at)
        elif block.get("type") == "toolCall":
            result = known.results.get(fields.string(block, "id") or "")
            yield _call(block, result, at, may_be_open=message is known.last and not stopped)
    if stopped:
        kind = "failed" if message["stopReason"] == "error" else "aborted"
        yield Note(kind, clean(fields.string(message, "errorMessage") or "", known.limit), at)


def _texts(answer: Record) -> list[str]:
    blocks = [block for block in fields.items(answer, "content") if isinstance(block, dict)]
    said = [fields.string(block, "text") or "" for block in blocks if block.get("type") == "text"]
    return [each for each in said if each.strip()]


def _call(block: Record, result: Record | None, at: datetime | None, *, may_be_open: bool) -> ToolCall:
    name = text.short(fields.string(block, "name") or "", LINE_CELLS)
    arguments = fields.mapping(block, "arguments") or {}
    telling = next((key for key in TELLING if fields.string(arguments, key)), None)
    argument = clean(fields.string(arguments, telling) or "", ARGUMENT_LIMIT) if telling else ""
    if result is None and may_be_open:
        others = "\n".join(f"{key}: {_plain(value)}" for key, value in arguments.items() if key != telling)
        return ToolCall(name, argument, Outcome.OPEN, clean(others, ARGUMENT_LIMIT), at)
    if result is None or fields.boolean(result, "isError"):
        error = closing(_content(result)) if result else "no result"
        return ToolCall(name, argument, Outcome.FAILED, error or "", at)
    return ToolCall(name, argument, Outcome.OK, "", at)


def _command(message: Record, at: datetime | None) -> ToolCall:
    """`!` and the command that the person ran."""
    code = fields.integer(message, "exitCode")
    failed = fields.boolean(message, "cancelled") or code != 0
    detail = "cancelled" if fields.boolean(message, "cancelled") else f"exit {code}"
    argument = clean(fields.string(message, "command") or "", ARGUMENT_LIMIT)
    return ToolCall("!", argument, Outcome.FAILED if failed else Outcome.OK, detail if failed else "", at)


def _content(message: Record) -> str:
    """The text of a message's content, which is one string or a list of blocks."""
    whole = fields.string(message, "content")
    if whole is not None:
        return whole
    blocks = [block for block in fields.items(message, "content") if isinstance(block, dict)]
    return "\n".join(
        "[image]" if block.get("type") == "image" else fields.string(block, "text") or "" for block in blocks
    )


def _plain(value: object) -> str:
    return value if isinstance(value, str) else orjson.dumps(value).decode()


def _size(size_bytes: int) -> str:
    if size_bytes < 1024:
        return f"{size_bytes} bytes"
    return f"{size_bytes / 1024:.0f} KB" if size_bytes < 1024 * 1024 else f"{size_bytes / 1024 / 1024:.0f} MB"
