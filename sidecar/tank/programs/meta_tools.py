"""The meta agent's tools carried out: each blocks, for seconds at most, and ends in words for the model."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import NamedTuple

from tank.agent import notes, reading, sessions, tools
from tank.edges import home_files, pages, transcripts
from tank.edges.home_files import Changed, Unchanged
from tank.edges.homes import Home
from tank.edges.live_directory import LiveDirectory
from tank.errors import TankError
from tank.programs import asking, jumping
from tank.records import fields
from tank.records.fields import Record
from tank.roster import target
from tank.roster.pages import cursor
from tank.roster.roster import Session

NO_SESSION = "session must name one of the live sessions: its id as tank_sessions shows it, its pid, its exact label, or project/label."
NO_PRIORITY = "priority must be 0, 1, 2, 3 or null. Nothing was changed."


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
    except (TankError, OSError) as error:
        return Result(str(error), is_error=True)
    except Exception as error:  # noqa: BLE001 - a thread's exception would leave the call without an answer
        return Result(f"Tank failed at this: {error!r}", is_error=True)


def _list(_arguments: Record, context: Context) -> Result:
    roster = LiveDirectory().scan()
    places, problems = jumping.locate(roster.sessions)
    own = next((each.file for each in roster.sessions if each.entry.pid == context.pid), None)
    whole = roster._replace(problems=(*roster.problems, *problems))
    now, twice = datetime.now(UTC), transcripts.shared(roster)
    return Result(sessions.listed(whole, places, twice, now, context.since, own))


def _read(arguments: Record, _context: Context) -> Result:
    session = _named(arguments)
    word = arguments.get("before")
    since = cursor(word) if isinstance(word, str) else None
    if word is not None and since is None:
        return Result(reading.WRONG_CURSOR, is_error=True)
    path = transcripts.path_of(session)
    if path is None:
        return Result("Its transcript can't be read from this machine.", is_error=True)
    try:
        found = pages.read(path, since)
    except FileNotFoundError:
        return Result("It has no transcript yet: it was not prompted.")
    return Result(reading.page(session.entry, found, datetime.now(UTC)))


def _set_priority(arguments: Record, _context: Context) -> Result:
    session, priority = _named(arguments), arguments.get("priority")
    if not (priority is None or (fields.integer(arguments, "priority") in range(4))):
        return Result(NO_PRIORITY, is_error=True)
    reply = asking.ask(session, {"type": "priority", "priority": priority})
    if reply["ok"] is not True:
        return Result(f"The priority was not set: {asking.why(reply)}.", is_error=True)
    told = "has no priority now" if priority is None else f"is p{priority} now"
    return Result(f"{_called(session)} {told}. The person sees it on the board.")


def _focus(arguments: Record, context: Context) -> Result:
    session = _named(arguments)
    outcome = jumping.show(session, jumping.here(can_attach=False), context.pid)
    if outcome.error:
        run = f" They can run: {outcome.command}" if outcome.command else ""
        return Result(f"The person is not there: {outcome.error}.{run}", is_error=True)
    return Result(f"{_called(session)} is before the person now.")


def _write(arguments: Record, context: Context) -> Result:
    edit = notes.edit(arguments.get("file"), arguments.get("text"), arguments.get("why"))
    if isinstance(edit, notes.Wrong):
        return Result(edit.said, is_error=True)
    seen = context.seen.get(edit.file)
    try:
        done = home_files.write(context.home.path, edit.file, edit.text, edit.message, seen)
    except TankError as error:
        return Result(notes.refused(edit.file, str(error)), is_error=True)
    shown = ((edit.file, done.revision),)
    if isinstance(done, Changed):
        return Result(notes.changed(edit.file, done.text), is_error=True, seen=shown)
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
    return target.resolve(word or "", LiveDirectory().scan().sessions)


def _called(session: Session) -> str:
    return session.entry.label or session.entry.session_id
