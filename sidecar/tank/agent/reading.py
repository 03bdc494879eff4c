"""What `tank_read` tells a model: one page of another session's transcript."""

from collections.abc import Iterator
from datetime import datetime

from tank.agent import quoting
from tank.agent.quoting import LIMIT_BYTES, MARK
from tank.records import text
from tank.records.entry import Entry
from tank.roster import pages, transcript
from tank.roster.ages import age
from tank.roster.branch import Unread
from tank.roster.pages import Page
from tank.roster.transcript import Gap, Item, Note, Outcome, Prompt, Reply, ToolCall

FRAME_BYTES = 1024
"""Room for what Tank says around a page."""
RECORD_BYTES = 8 * 1024
CALL_CELLS = 200
KIND_CELLS = 60

OUTCOMES = {
    Outcome.OK: "ok",
    Outcome.FAILED: "failed",
    Outcome.OPEN: "open (it runs, or waits for the person)",
}
COMPACTION = "compaction"
COMPACTED = "compaction: from here on the session's model knows what came before by this summary alone"

WRONG_CURSOR = "before must be a cursor as tank_read gave it, such as 3fa9c1d2@104857. Nothing was read."


def page(entry: Entry, found: Page, now: datetime) -> str:
    """As many of the page's records as fit, the newest ones; the rest is on the page that the cursor names."""
    blocks = _blocks(found)
    first = _first_that_fits(blocks)
    shown = [line for block in blocks[first:] for line in block]
    since = age(entry.status_since, now)
    status = f"{entry.status} {since}".strip()
    which = "the newest page" if found.newest else "an older page"
    head = f"Session {entry.session_id}, {status}: {which} of its transcript, times in UTC."
    return "\n".join([head, quoting.RULE, *(shown or ["(nothing was said here)"]), _end(found, first)])


def _blocks(found: Page) -> list[list[str]]:
    """The lines of each record, none for one that shows nothing."""
    records = [placed.record for placed in found.records]
    items = transcript.items(records, pages.TEXT_LIMIT, is_end=found.newest)
    return [
        quoting.middle_cut([line for item in each for line in _lines(item)], RECORD_BYTES) for each in items
    ]


def _first_that_fits(blocks: list[list[str]]) -> int:
    """The oldest record that is shown. It shows something, so that no call is parted from its results."""
    room = LIMIT_BYTES - FRAME_BYTES
    first = len(blocks)
    for place in range(len(blocks) - 1, -1, -1):
        room -= quoting.size(blocks[place])
        if room < 0:
            break
        if blocks[place]:
            first = place
    else:
        first = 0
    return first


def _end(found: Page, first: int) -> str:
    """How to go on."""
    shown = (placed for placed in found.records[first:] if not isinstance(placed.record, Unread))
    oldest = next(shown, None) if first else None
    older = oldest.older if oldest else found.older
    if older:
        return f'Older: tank_read with before "{older}".'
    return "What came before can't be found in the file." if found.lost else "The session begins here."


def _lines(item: Item) -> Iterator[str]:
    match item:
        case Prompt(said, None, at):
            yield f"{MARK} user{_at(at)}:"
            yield from _indented(said or "(no text)")
        case Prompt(said, header, at):
            yield f"{MARK} message, not typed by a person{_at(at)}:"
            yield from _indented(f"{header}\n{said}")
        case Reply(said, at):
            yield f"{MARK} assistant{_at(at)}:"
            yield from _indented(said)
        case ToolCall(name, argument, outcome, detail, _):
            told = f"{name}: {argument}" if argument else name
            yield f"{MARK} tool {OUTCOMES[outcome]}: {text.short(told, CALL_CELLS)}"
            if detail and outcome is not Outcome.OK:
                yield f"{MARK}   {text.short(detail, CALL_CELLS)}"
        case Note(kind, said, at):
            what = COMPACTED if kind == COMPACTION else f"note, {text.short(kind, KIND_CELLS)}"
            yield f"{MARK} {what}{_at(at)}:"
            yield from _indented(said)
        case Gap(said):
            yield f"⋯ {said}"


def _indented(said: str) -> Iterator[str]:
    """Lines of a text; no text begins at the column where Tank names who speaks."""
    return (f"{MARK}   {line}".rstrip() for line in said.split("\n")) if said else iter(())


def _at(moment: datetime | None) -> str:
    return f", {moment:%Y-%m-%d %H:%M}" if moment else ""
