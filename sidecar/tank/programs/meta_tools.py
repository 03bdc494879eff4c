"""The meta agent's tools carried out: each blocks, for seconds at most, and ends in words for the model."""

import threading
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from queue import Empty, SimpleQueue
from typing import NamedTuple

from tank.agent import notes, quoting, reading, sessions, tools
from tank.edges import home_files, pages, transcripts
from tank.edges.home_files import Changed, Unchanged
from tank.edges.homes import Home
from tank.edges.live_directory import LiveDirectory
from tank.errors import NoSuchSessionError, RefusedError, TankError
from tank.programs import asking, jumping
from tank.programs.errands import SEND_S
from tank.records import fields, text
from tank.records.fields import Record
from tank.roster import target
from tank.roster.pages import cursor
from tank.roster.place import Place
from tank.roster.roster import Session

LOCATE_S = 4.0
"""How long all terminals together may take to say where the sessions are."""
NOT_LOCATED = (
    "The terminals did not say in time where their sessions are: tabs and tmux names are missing here."
)
RESULT_LIMIT = 4096
REASON_CELLS = 400
CANDIDATES_BYTES = 8 * 1024
LABEL_CELLS = 160
NO_SESSION = "session must name one of the live sessions: its id as tank_sessions shows it, its pid, its exact label, or project/label."
NO_PRIORITY = "priority must be 0, 1, 2, 3 or null. Nothing was changed."
NO_TRANSCRIPT = "It has no transcript yet: it was not prompted."
NOT_READABLE = "Its transcript can't be read from this machine."
WRITING = threading.Lock()
"""Calls of one turn are carried out side by side, and git takes one at a time."""
WRITING_S = 3.0


class Context(NamedTuple):
    """`pid`: Tank's own Pi. `since`: when the person typed before the prompt at hand. `seen`: revisions by file."""

    home: Home
    pid: int
    since: datetime | None
    seen: Mapping[str, str]


class Result(NamedTuple):
    """For the model. `seen`: the revisions of files that it is shown by it."""

    text: str
    is_error: bool = False
    seen: tuple[tuple[str, str], ...] = ()


def carry_out(tool: str, arguments: Record, context: Context) -> Result:
    """Never raises."""
    try:
        return TOOLS[tool](arguments, context)
    except NoSuchSessionError as error:
        return Result(_quoted(str(error)), is_error=True)
    except TankError as error:
        return Result(text.lines(str(error))[:RESULT_LIMIT], is_error=True)
    except Exception as error:  # noqa: BLE001 - a thread's exception would leave the call without an answer
        return Result(f"Tank failed at this: {text.short(repr(error), REASON_CELLS)}", is_error=True)


def _list(_arguments: Record, context: Context) -> Result:
    roster = LiveDirectory().scan()
    places, problems = _places(roster.sessions)
    own = next((each.file for each in roster.sessions if each.entry.pid == context.pid), None)
    whole = roster._replace(problems=(*roster.problems, *problems))
    now, twice = datetime.now(UTC), transcripts.shared(roster)
    return Result(sessions.listed(whole, places, twice, now, context.since, own))


def _places(found: Sequence[Session]) -> tuple[dict[str, Place], list[str]]:
    """As `jumping.locate`; nothing of it when servers that hang take too long together."""
    located: SimpleQueue[tuple[dict[str, Place], list[str]]] = SimpleQueue()
    threading.Thread(target=lambda: located.put(jumping.locate(found)), daemon=True).start()
    try:
        return located.get(timeout=LOCATE_S)
    except Empty:
        return {}, [NOT_LOCATED]


def _read(arguments: Record, _context: Context) -> Result:
    session = _named(arguments)
    word = arguments.get("before")
    since = cursor(word) if isinstance(word, str) else None
    if word is not None and since is None:
        return Result(reading.WRONG_CURSOR, is_error=True)
    path = transcripts.path_of(session)
    if path is None:
        return Result(NOT_READABLE, is_error=True)
    try:
        found = pages.read(path, since)
    except FileNotFoundError:
        return Result(NO_TRANSCRIPT)
    except OSError as error:
        return Result(f"Its transcript can't be read: {error.strerror}.", is_error=True)
    return Result(reading.page(session.entry, found, datetime.now(UTC)))


def _set_priority(arguments: Record, _context: Context) -> Result:
    session, priority = _named(arguments), fields.integer(arguments, "priority")
    if priority not in range(4) and arguments.get("priority", "") is not None:
        return Result(NO_PRIORITY, is_error=True)
    reply = asking.ask(session, {"type": "priority", "priority": priority}, SEND_S)
    if reply["ok"] is not True:
        taken = asking.answer(reply).delivered == "unknown"
        what = "It isn't known whether the priority was set" if taken else "The priority was not set"
        return Result(_why(what, asking.why(reply)), is_error=True)
    told = "has no priority now" if priority is None else f"is p{priority} now"
    return Result(_told(session, f"{told}, and the person sees it on the board"))


def _focus(arguments: Record, context: Context) -> Result:
    session = _named(arguments)
    outcome = jumping.show(session, jumping.here(can_attach=False), context.pid)
    if outcome.command:
        said = f"The person is not there: {jumping.ELSEWHERE}. They can run: {outcome.command}"
        return Result(said, is_error=True)
    if outcome.error:
        return Result(_why("The person is not there", outcome.error), is_error=True)
    return Result(_told(session, "is before the person now"))


def _write(arguments: Record, context: Context) -> Result:
    edit = notes.edit(arguments.get("file"), arguments.get("text"), arguments.get("why"))
    if isinstance(edit, notes.Wrong):
        return Result(edit.said, is_error=True)
    if not WRITING.acquire(timeout=WRITING_S):
        return Result(notes.refused(edit.file, "another edit takes long; try again"), is_error=True)
    seen = context.seen.get(edit.file)
    try:
        done = home_files.write(context.home.path, edit.file, edit.text, edit.message, seen)
    except RefusedError as error:
        return Result(notes.refused(edit.file, text.short(str(error), REASON_CELLS)), is_error=True)
    finally:
        WRITING.release()
    shown = ((edit.file, done.revision),)
    if isinstance(done, Changed):
        said = notes.changed(edit.file, done.text)
        return Result(said, is_error=True, seen=shown if done.text in said else ())
    if isinstance(done, Unchanged):
        return Result(notes.unchanged(edit.file), seen=shown)
    return Result(notes.written(edit, kept=done.kept), seen=shown)


TOOLS: Mapping[str, Callable[[Record, Context], Result]] = {
    tools.SESSIONS: _list,
    tools.READ: _read,
    tools.PRIORITY: _set_priority,
    tools.FOCUS: _focus,
    tools.NOTES: _write,
}


def _named(arguments: Record) -> Session:
    """Raises `NoSuchSessionError`, which lists the candidates, and `RefusedError`."""
    word = fields.string(arguments, "session")
    if not word or not word.strip():
        raise RefusedError(NO_SESSION)
    return target.resolve(word, LiveDirectory().scan().sessions)


def _told(session: Session, what: str) -> str:
    """Ids first; how the session calls itself comes quoted."""
    label = session.entry.label
    return (
        f"{session.entry.session_id} {what}. {quoting.quoted(label, LABEL_CELLS) if label else ''}".rstrip()
    )


def _quoted(error: str) -> str:
    """A sentence, and the candidates as the sessions call themselves."""
    said, *candidates = error.split("\n")
    if not candidates:
        return said
    lines = [quoting.quoted(each, REASON_CELLS) for each in candidates]
    return "\n".join([said, quoting.RULE, *quoting.middle_cut(lines, CANDIDATES_BYTES)])


def _why(what: str, reason: str) -> str:
    return f"{what}: {text.short(reason, REASON_CELLS).rstrip('.')}."
