"""`tank peek`: the end of a session's transcript, for a person or a script."""

from collections.abc import Iterator
from dataclasses import asdict
from datetime import datetime

from tank.board import said
from tank.edges import transcripts
from tank.edges.transcripts import Transcript
from tank.errors import RefusedError
from tank.programs import listing, talking
from tank.records import text
from tank.roster.roster import Session
from tank.roster.transcript import Gap, Item, Note, Outcome, Peek, Prompt, Reply, ToolCall

OUTCOMES = {Outcome.OK: "", Outcome.FAILED: " ✗", Outcome.OPEN: " …"}
INDENT = "  "


def peek(word: str, *, as_json: bool) -> Iterator[str]:
    """Raises `RefusedError` when the session has no transcript, or none that can be read."""
    session = talking.find(word)
    entry, found = session.entry, read(session)
    if as_json:
        yield listing.as_json(record(found))
        return
    yield f"{talking.name(entry)}: {said.WORDS[entry.status]}" + (
        f", {entry.status_detail}" if entry.status_detail else ""
    )
    for item in found.items:
        yield from shown(item)


def read(session: Session) -> Peek:
    name = talking.name(session.entry)
    if session.entry.session_file is None:
        raise RefusedError(f"{name} keeps no transcript")
    path = transcripts.path_of(session)
    if path is None:
        raise RefusedError(f"{text.line(session.entry.session_file)} can't be read from here")
    try:
        return Transcript(path).peek()
    except FileNotFoundError as error:
        raise RefusedError(f"{name} has no transcript yet: Pi writes it with the first prompt") from error
    except OSError as error:
        raise RefusedError(f"{path} can't be read: {error.strerror}") from error


def record(found: Peek) -> dict[str, object]:
    """As JSON: each item with its kind, in the words of `roster.transcript`."""
    kinds = {Prompt: "prompt", Reply: "reply", ToolCall: "tool", Note: "note", Gap: "gap"}
    items = [
        {"type": kinds[type(item)], **{name: _plain(value) for name, value in asdict(item).items()}}
        for item in found.items
    ]
    return {"items": items}


def shown(item: Item) -> Iterator[str]:
    """Lines of one item. Prompts stand at the left, what came of them is indented."""
    match item:
        case Prompt():
            yield ""
            yield from (
                f"> {line}".rstrip() for line in [*filter(None, [item.header]), *item.text.split("\n")]
            )
        case Reply():
            yield from _indented(item.text)
        case ToolCall():
            first, *rest = item.argument.split("\n")
            yield f"{INDENT}{item.name}{': ' if first else ''}{first}{OUTCOMES[item.outcome]}"
            yield from _indented("\n".join([*rest, item.detail]), INDENT * 2)
        case Note():
            yield from _indented(f"[{item.kind}] {item.text}")
        case Gap():
            yield f"{INDENT}({item.text})"


def _indented(lines: str, indent: str = INDENT) -> Iterator[str]:
    return (f"{indent}{line}".rstrip() for line in lines.split("\n") if line)


def _plain(value: object) -> object:
    return value.isoformat() if isinstance(value, datetime) else value
