"""The current branch of a session file: the chain of records from the last one upwards, found from lines read backwards."""

import re
from collections import deque
from typing import NamedTuple

import orjson

from tank.records import fields
from tank.records.fields import Record

PROMPTS = 2
"""Prompts after which no earlier record is wanted."""
ENTRIES = 4000
"""Records of the branch after which no earlier one is wanted."""
HEAD_BYTES = 1024
"""How much of a line that is too long is looked at."""

HEAD = re.compile(rb'\{"type":"(\w+)","id":"([^"\\]+)","parentId":(?:null|"([^"\\]+)")')
ROLE = re.compile(rb'"message":\{"role":"(\w+)"(?:,"toolCallId":"([^"\\]+)")?')
START = re.compile(rb'\{"type":"')
SALVAGES = 16


class Unread(NamedTuple):
    """Bytes of the file that are no record."""

    size_bytes: int


class Branch:
    """Takes lines, first backwards with `before`, then with `after` as the file grows. Lines come without their LF."""

    def __init__(self) -> None:
        self.records: deque[Record | Unread] = deque()
        self.reached_start = False
        """Set by the reader once there is no line before those taken."""
        self._leaf: str | None = None
        self._wanted: str | None = None
        self._prompts = 0
        self._taken = 0

    @property
    def wants_more(self) -> bool:
        """Whether an earlier line could still belong to what is shown."""
        is_open = self._leaf is None or self._wanted is not None
        return is_open and self._prompts < PROMPTS and self._taken < ENTRIES

    @property
    def is_whole(self) -> bool:
        """Whether the records reach back to the prompt before the last one, or to the beginning of the branch."""
        begins = self.reached_start if self._leaf is None else self._wanted is None
        return begins or self._prompts >= PROMPTS

    def before(self, line: bytes, size_bytes: int) -> None:
        """The line before those taken so far; of one that is too long only its head."""
        record, unread = read(line, size_bytes)
        if record is not None and (self._leaf is None or record["id"] == self._wanted):
            self.records.appendleft(record)
            self._leaf = self._leaf or fields.string(record, "id")
            self._wanted = fields.string(record, "parentId") or None
            self._prompts += is_prompt(record)
            self._taken += 1
        if unread and self.wants_more:
            first = self.records.popleft() if self.records and isinstance(self.records[0], Unread) else None
            self.records.appendleft(_joined(unread, first))

    def after(self, line: bytes, size_bytes: int) -> bool:
        """The line after those taken so far. False when it doesn't continue this branch: read anew."""
        record, unread = read(line, size_bytes)
        if unread:
            last = self.records.pop() if self.records and isinstance(self.records[-1], Unread) else None
            self.records.append(_joined(unread, last))
        if record is None:
            return True
        if self._leaf is None or record.get("parentId") != self._leaf or self._taken >= 2 * ENTRIES:
            return False
        self.records.append(record)
        self._leaf = fields.string(record, "id")
        self._prompts += is_prompt(record)
        self._taken += 1
        if self._prompts >= PROMPTS:
            self._forget_what_came_before()
        return True

    def _forget_what_came_before(self) -> None:
        while self._prompts > PROMPTS or not is_prompt(self.records[0]):
            forgotten = self.records.popleft()
            self._prompts -= is_prompt(forgotten)
            self._taken -= not isinstance(forgotten, Unread)


def _joined(unread: Unread, neighbour: Record | Unread | None) -> Unread:
    return Unread(unread.size_bytes + neighbour.size_bytes) if isinstance(neighbour, Unread) else unread


def is_prompt(record: Record | Unread) -> bool:
    """Whether a user asked something here."""
    if isinstance(record, Unread):
        return False
    message = fields.mapping(record, "message")
    return record["type"] == "message" and message is not None and message.get("role") == "user"


def read(line: bytes, size_bytes: int) -> tuple[Record | None, Unread | None]:
    """The record of a line, and what of it can't be read; neither for a blank line and the file's header.

    A record of the tree has `type` and `id`; one too long to be read has `unread_bytes` in place of what it says.
    An interrupted write can leave its half, or NULs, before a whole record.
    """
    if size_bytes > len(line):
        record = _head(line, size_bytes)
        return record, None if record else Unread(size_bytes)
    record = _loaded(line)
    if record is not None:
        return (record, None) if record["type"] != "session" else (None, None)
    if not line.strip():
        return None, None
    for start in list(START.finditer(line, 1))[-SALVAGES:]:
        record = _loaded(line[start.start() :])
        if record is not None and "parentId" in record:
            return record, Unread(start.start())
    return None, Unread(size_bytes)


def is_record(line: bytes) -> bool:
    """Whether a line that isn't ended yet already holds a whole record."""
    return _loaded(line) is not None


def _loaded(line: bytes) -> dict[str, object] | None:
    try:
        record = orjson.loads(line)
    except orjson.JSONDecodeError:
        return None
    is_one = isinstance(record, dict) and all(isinstance(record.get(name), str) for name in ("type", "id"))
    return record if is_one else None


def _head(line: bytes, size_bytes: int) -> Record | None:
    """What Pi writes first of a record, enough to follow the branch past it."""
    heads = list(HEAD.finditer(line))
    if not heads:
        return None
    head = heads[-1]
    kind, identity, parent = (part and part.decode(errors="replace") for part in head.groups())
    record: dict[str, object] = {"type": kind, "id": identity, "parentId": parent, "unread_bytes": size_bytes}
    role = ROLE.search(line, head.end())
    if role:
        record["message"] = {"role": role[1].decode(), "toolCallId": role[2] and role[2].decode()}
    return record
