"""A transcript in pages: a stretch of the current branch, read backwards from its end, or from where the one after it begins."""

from typing import NamedTuple

from tank.records import fields
from tank.records.fields import Record
from tank.roster import branch
from tank.roster.branch import ENTRIES, Unread

TEXT_LIMIT = 2000
"""Code points of one text on a page."""
WEIGHT = 20_000
"""About the characters that are shown of a stretch: with so many it is long enough for a page."""
RECORD_WEIGHT = 40
WORD_LIMIT = 200


class Cursor(NamedTuple):
    """Where to read on: the record that is wanted next ends at `end` or before. Written as `id@end`."""

    wanted: str
    end: int

    def __str__(self) -> str:
        return f"{self.wanted}@{self.end}"


class Placed(NamedTuple):
    """A record, or what can't be read, and where its line begins."""

    record: Record | Unread
    start: int

    @property
    def older(self) -> Cursor | None:
        """Where what came before it is read; None for the first of the branch."""
        parent = None if isinstance(self.record, Unread) else fields.string(self.record, "parentId")
        return Cursor(parent, self.start) if parent else None


class Page(NamedTuple):
    """Records in their order. `older`: where to read on, None when nothing came before. `lost`: what came before isn't in the file.

    `newest`: these are the last of the branch.
    """

    records: tuple[Placed, ...]
    older: Cursor | None
    newest: bool
    lost: bool = False


def cursor(word: str) -> Cursor | None:
    """As one was written; None for anything else."""
    wanted, _, end = word.strip().rpartition("@")
    is_one = wanted and len(word) <= WORD_LIMIT and end.isascii() and end.isdecimal()
    return Cursor(wanted, int(end)) if is_one else None


class Stretch:
    """Takes lines backwards. Lines come without their LF."""

    def __init__(self, since: Cursor | None, end: int, weight: int = WEIGHT) -> None:
        self._newest = since is None
        self._wanted = since.wanted if since else None
        self._is_open = True
        self._start = end
        self._left = weight
        self._records: list[Placed] = []

    @property
    def wants_more(self) -> bool:
        """Whether an earlier line is wanted for the page."""
        return self._is_open and self._left > 0 and len(self._records) < ENTRIES

    def before(self, line: bytes, size_bytes: int, start: int) -> None:
        """The line before those taken so far, which begins at `start`; of one that is too long only its head."""
        self._start = start
        record, unread = branch.read(line, size_bytes)
        if record is not None and self._is_open and self._wanted in (None, record["id"]):
            self._records.append(Placed(record, start))
            self._left -= _weight(record)
            self._wanted = fields.string(record, "parentId") or None
            self._is_open = self._wanted is not None
        if unread and self._is_open:
            last = self._records[-1].record if self._records else None
            if isinstance(last, Unread):
                self._records.pop()
                unread = Unread(unread.size_bytes + last.size_bytes)
            self._records.append(Placed(unread, start))

    def page(self, *, reached_start: bool) -> Page:
        """Of what was taken. `reached_start`: the file has no line before those."""
        older = Cursor(self._wanted, self._start) if self._wanted and not reached_start else None
        lost = self._is_open and older is None and (self._wanted is not None or not reached_start)
        return Page(tuple(reversed(self._records)), older, self._newest, lost)


def _weight(record: Record) -> int:
    message = fields.mapping(record, "message") or record
    if message.get("role") == "toolResult":
        return 0
    blocks = [block for block in fields.items(message, "content") if isinstance(block, dict)]
    whole = fields.string(message, "content") or fields.string(message, "summary") or ""
    texts = [whole, *(fields.string(block, "text") or "" for block in blocks)]
    return sum(RECORD_WEIGHT + min(len(each), TEXT_LIMIT) for each in texts)
