"""What the open peek says: the question that a session waits with, and the last prompts with what came of them."""

from functools import lru_cache
from itertools import chain
from typing import NamedTuple

from tank.board import cells, said
from tank.board.state import Peeked, Size, State, asks_here, is_own, odd
from tank.records.entry import Entry
from tank.roster.ages import age
from tank.roster.roster import Session
from tank.roster.transcript import Gap, Item, Note, Outcome, Prompt, Reply, ToolCall

INDENT = "  "
TEXT_ROWS = 400
"""Rows of one text; the transcript holds the rest."""
ERROR_ROWS = 4
ROOMY_ROWS = 10
"""A pane of more rows sets the question apart from what came before it."""
KEPT_ITEMS = 512

OUTCOMES = {Outcome.OPEN: "◐", Outcome.OK: "✓", Outcome.FAILED: "✗"}
WAITS = "▷"
"""A call that hasn't begun: the person is asked about it."""
LOOKS = {Outcome.OPEN: "working", Outcome.OK: "dim", Outcome.FAILED: "problem"}


class Line(NamedTuple):
    """`look` names a field of the theme; empty for plain."""

    text: str
    look: str = ""


class Shown(NamedTuple):
    """`question` stands still above `body`, which scrolls."""

    question: list[Line]
    body: list[Line]


def shown(state: State, session: Session, columns: int, rows: int) -> Shown:
    """All lines of the peek in a pane of `rows` rows below its rule. A long question is cut, and whole in the body."""
    items = state.peeked.peek.items if state.peeked and state.peeked.peek else ()
    calls = _waiting(session.entry, items)
    asked = chain(*(_call(call, columns, WAITS) for call in calls))
    whole = [*_facts(state, session, columns), *asked]
    room = max(rows * 2 // 3, 1)
    fits = len(whole) <= room
    body = chain(*(_item(item, columns) for item in items if not (fits and item in calls)))
    question = whole if fits else [*whole[: room - 1], Line(f"{INDENT} …", "dim")]
    if len(question) > 1 and rows > ROOMY_ROWS:
        question.append(Line(""))
    return Shown(question, [*body] or _nothing(state.peeked, columns))


def most_back(state: State, session: Session, size: Size) -> int:
    """How far the body can be scrolled up, in a pane of this size with its rule."""
    question, body = shown(state, session, size.columns, size.rows - 1)
    return max(len(body) - max(size.rows - 1 - len(question), 1), 0)


def _waiting(entry: Entry, items: tuple[Item, ...]) -> list[ToolCall]:
    """The calls that the person is asked about: those without a result."""
    if entry.status != "needs-you":
        return []
    return [item for item in items if isinstance(item, ToolCall) and item.outcome is Outcome.OPEN]


def _facts(state: State, session: Session, columns: int) -> list[Line]:
    """What is odd about the session, and why it needs the person."""
    entry = session.entry
    marks = " · ".join(odd(state, session))
    lines = _hanging(" ! ", marks, "warning", columns) if marks else []
    if entry.status == "needs-you":
        since = age(entry.status_since, state.now)
        told = (said.WORDS[entry.status], since, entry.status_detail)
        lines += _hanging(
            f" {said.GLYPHS[entry.status]} ", " · ".join(filter(None, told)), "needs_you", columns
        )
    if said.asks(entry) and said.where(session) and not is_own(state, session):
        lines += _hanging("   ", f"answer it {said.where(session)}", "dim", columns)
    if asks_here(state, session):
        lines += _hanging(" ! ", said.ASKS_HERE, "problem", columns)
    return lines


def _nothing(peeked: Peeked | None, columns: int) -> list[Line]:
    if not peeked or not peeked.read:
        return [Line(" reading…", "dim")]
    if peeked.error:
        return _hanging(" ", f"the transcript can't be read: {peeked.error}", "problem", columns)
    return [Line(" no prompt yet", "dim")]


@lru_cache(KEPT_ITEMS)
def _item(item: Item, columns: int) -> tuple[Line, ...]:
    return tuple(_lines(item, columns))


def _lines(item: Item, columns: int) -> list[Line]:
    match item:
        case Prompt():
            head = [Line(" " + cells.clean(item.header, columns - 2), "warning")] if item.header else []
            return [Line(""), *head, *_hanging(" › ", item.text or "(no text)", "prompt", columns)]
        case Reply():
            return _hanging(INDENT + " ", item.text, "", columns)
        case ToolCall():
            return _call(item, columns, OUTCOMES[item.outcome])
        case Note():
            look = "problem" if item.kind == "failed" else "dim"
            return _hanging(
                INDENT + " ", f"{item.kind}: {item.text}" if item.text else item.kind, look, columns
            )
        case Gap():
            return [Line(f"{INDENT} ⋯ {item.text}", "dim")]


def _call(call: ToolCall, columns: int, glyph: str) -> list[Line]:
    """A call that went well takes one line, one that waits or failed as many as it needs."""
    first, look = f"{INDENT} {glyph} ", LOOKS[call.outcome]
    told = f"{call.name}: {call.argument}" if call.argument else call.name
    if call.outcome is Outcome.OK:
        return [Line(first + cells.clean(told, max(columns - len(first) - 1, 1)), look)]
    rows = ERROR_ROWS if call.outcome is Outcome.FAILED else TEXT_ROWS
    detail = _hanging(" " * len(first), call.detail, "dim", columns, rows) if call.detail else []
    return [*_hanging(first, told, look, columns), *detail]


def _hanging(first: str, text: str, look: str, columns: int, rows: int = TEXT_ROWS) -> list[Line]:
    """Text that hangs under its first line's beginning."""
    room = max(columns - cells.width(first) - 1, 1)
    lines = cells.wrapped(text, room, rows)
    return [
        Line(((" " * len(first) if at else first) + line).rstrip(), look) for at, line in enumerate(lines)
    ]
