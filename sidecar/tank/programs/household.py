"""What the sidecar of a session in Tank's home does besides: his tools, his notes, and the question whether he may live there.

Loaded only where the marker is: no other session pays for it, and none gets the tools.
"""

from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from tank.agent import notes, tools
from tank.edges import home_files, homes, typed
from tank.edges.homes import Home, Problem
from tank.edges.loop import Loop
from tank.edges.workers import Workers
from tank.errors import RefusedError
from tank.programs import meta_tools
from tank.programs.meta_tools import Context, Result
from tank.records import fields, header
from tank.records.fields import Record
from tank.records.text import line

HOME_TOOLS = tuple(str(tool["name"]) for tool in tools.HOME_TOOLS)
NOT_HERE = "Tank's own tools are only for the session in his home. Nothing was done."
NO_NOTES = "Notes are off in this home: its .pi/tank.json says so. Nothing was done."
TITLE = "Is this Tank's home?"
QUESTION = (
    "{} has the marker of Tank's home, and isn't listed. In his home the agent sees every Pi session on this machine. "
    "Yes lists it; No leaves this an ordinary session, and isn't asked again."
)


class Household:
    """Serves one Pi process through its sessions: only those in a home are Tank's."""

    def __init__(
        self,
        loop: Loop,
        order: Callable[[Record], None],
        moved_in: Callable[[], None],
        clock: Callable[[], datetime],
    ) -> None:
        self._workers = Workers(loop)
        self._order, self._moved_in, self._clock = order, moved_in, clock
        self._home: Home | None = None
        self._asking: Home | None = None
        self._asked = 0
        """Counts down, one a question: every other order's id is above zero."""
        self._problem = ""
        self._session, self._pid = "", 0
        self._typed: typed.Times = ()
        self._seen: dict[str, str] = {}

    def enter(self, session_id: str, cwd: str, pid: int) -> bool:
        """At each hello, before anything is published of its session, which may be another one: whether it is Tank's."""
        if session_id != self._session:
            self._seen = {}
        self._session, self._pid = session_id, pid
        found = homes.is_home(cwd)
        self._problem = found.said if isinstance(found, Problem) else ""
        self._asking = found if isinstance(found, Home) and not found.listed else None
        self._live_in(found if isinstance(found, Home) and found.listed else None)
        return self._home is not None

    def greet(self) -> None:
        """After the welcome: what the extension is to have, to say and to ask."""
        if self._problem:
            self._warn(f"This stays an ordinary session: {self._problem}.")
        if self._asking:
            self._asked -= 1
            text = QUESTION.format(line(str(self._asking.path)))
            self._order({"type": "ask", "id": self._asked, "title": TITLE, "text": text})
        self._equip()

    def hear(self, record: Record) -> bool:
        """Whether the record was his alone, and nobody else's business."""
        kind, number = record.get("type"), fields.integer(record, "id") or 0
        if kind == "input" and record.get("source") == "interactive":
            if self._home and not header.begins(fields.string(record, "text") or ""):
                self._note_typed(self._home.path)
            return False
        if kind == "asked":
            self._answered(number, record.get("confirmed"))
            return True
        if kind == "prepare":
            self._prepare(number)
            return True
        if kind == "call" and record.get("tool") in HOME_TOOLS:
            self._order({"type": "taken", "id": number})
            self._call(number, str(record["tool"]), fields.mapping(record, "arguments") or {})
            return True
        return False

    def _live_in(self, home: Home | None) -> None:
        if home and (self._home is None or self._home.path != home.path):
            self._typed = typed.read(home.path)
        self._home = home

    def _equip(self) -> None:
        """What the extension is to have; no tool in an ordinary session."""
        home = self._home
        has_notes = home is not None and home.notes
        names = [name for name in HOME_TOOLS if home and (has_notes or name != tools.NOTES)]
        self._order({"type": "home", "tools": names, "notes": has_notes})

    def _note_typed(self, home: Path) -> None:
        times = self._typed = (*self._typed[1 - typed.KEPT :], self._clock())

        def keep() -> None:
            with suppress(RefusedError, OSError):
                typed.keep(home, times)

        self._workers.start(keep, lambda _: None)

    def _answered(self, number: int, confirmed: object) -> None:
        """A question that could not be put is put again by the next session here."""
        asked = self._asking
        if asked is None or number != self._asked:
            return
        self._asking = None
        try:
            if confirmed is True:
                homes.add(asked.path)
                self._live_in(asked._replace(listed=True))
                self._moved_in()
                self._equip()
            elif confirmed is False:
                homes.decline(asked.path)
        except (RefusedError, OSError) as error:
            self._warn(f"The answer could not be kept: {error}.")

    def _prepare(self, number: int) -> None:
        home, session = self._home, self._session
        if home is None or not home.notes:
            self._order({"type": "notes", "id": number, "text": None})
            return

        def shown(read: home_files.Shown) -> None:
            self._remember(session, notes.NOTES, read.revision)
            self._order({"type": "notes", "id": number, "text": notes.section(read.text, read.problem)})

        self._workers.start(lambda: home_files.read(home.path, notes.NOTES), shown)

    def _call(self, number: int, tool: str, arguments: Record) -> None:
        home, session = self._home, self._session
        if home is None or (tool == tools.NOTES and not home.notes):
            said = NOT_HERE if home is None else NO_NOTES
            self._order({"type": "result", "id": number, "text": said, "isError": True})
            return

        def ended(result: Result) -> None:
            for file, revision in result.seen:
                self._remember(session, file, revision)
            self._order({"type": "result", "id": number, "text": result.text, "isError": result.is_error})

        since = self._typed[-typed.KEPT] if len(self._typed) == typed.KEPT else None
        context = Context(home, self._pid, since, dict(self._seen))
        self._workers.start(lambda: meta_tools.carry_out(tool, arguments, context), ended)

    def _remember(self, session: str, file: str, revision: str | None) -> None:
        """What the model of this session was shown; the next session's model wasn't."""
        if session != self._session:
            return
        if revision is None:
            self._seen.pop(file, None)
        else:
            self._seen[file] = revision

    def _warn(self, said: str) -> None:
        self._order({"type": "notify", "text": line(said), "level": "warning"})
