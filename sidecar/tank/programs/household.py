"""What the sidecar of a session in Tank's home does besides: his tools, his notes, and the question whether he may live there.

Loaded only where the marker is: no other session pays for it, and none gets the tools.
"""

from collections.abc import Callable
from datetime import datetime

from tank.agent import notes, tools
from tank.edges import home_files, homes
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
NOT_HERE = "Tank's own tools are only for the session in his home."
TITLE = "Is this Tank's home?"
QUESTION = (
    "{} has the marker of Tank's home, and isn't listed. In his home the agent sees every Pi session on this machine. "
    "Yes lists it; No leaves this an ordinary session, and isn't asked again."
)
ASK_ID = -1
"""The one question there is; every other order's id is above zero."""


class Household:
    """Serves one Pi process through its sessions: only those in a home are Tank's."""

    def __init__(
        self,
        loop: Loop,
        order: Callable[[Record], None],
        became: Callable[[bool], None],
        clock: Callable[[], datetime],
    ) -> None:
        self._workers = Workers(loop)
        self._order, self._became, self._clock = order, became, clock
        self._home: Home | None = None
        self._asking: Home | None = None
        self._pid = 0
        self._typed: list[datetime] = []
        self._seen: dict[str, str] = {}

    def greet(self, cwd: str, pid: int) -> None:
        """At each hello: the session may be another one now, elsewhere."""
        self._pid, self._asking = pid, None
        found = homes.is_home(cwd)
        if isinstance(found, Problem):
            self._warn(f"This stays an ordinary session: {found.said}.")
        if isinstance(found, Home) and not found.listed:
            self._asking = found
            self._order(
                {"type": "ask", "id": ASK_ID, "title": TITLE, "text": QUESTION.format(line(str(found.path)))}
            )
        self._settle(found if isinstance(found, Home) and found.listed else None)

    def hear(self, record: Record) -> bool:
        """Whether the record was his alone, and nobody else's business."""
        kind, number = record.get("type"), fields.integer(record, "id") or 0
        if kind == "input" and record.get("source") == "interactive":
            if not header.begins(fields.string(record, "text") or ""):
                self._typed = [*self._typed[-1:], self._clock()]
            return False
        if kind == "asked":
            self._answered(fields.boolean(record, "confirmed"))
            return True
        if kind == "prepare":
            self._prepare(number)
            return True
        if kind == "call" and record.get("tool") in HOME_TOOLS:
            self._order({"type": "taken", "id": number})
            self._call(number, str(record["tool"]), fields.mapping(record, "arguments") or {})
            return True
        return False

    def _settle(self, home: Home | None) -> None:
        self._home = home
        self._became(home is not None)
        has_notes = home is not None and home.notes
        names = [name for name in HOME_TOOLS if home and (has_notes or name != tools.NOTES)]
        self._order({"type": "home", "tools": names, "notes": has_notes})

    def _answered(self, confirmed: bool | None) -> None:  # noqa: FBT001 - as the record has it
        """A question that could not be put is put again by the next session here."""
        asked, self._asking = self._asking, None
        if asked is None or confirmed is None:
            return
        try:
            if confirmed:
                homes.add(asked.path)
                self._settle(asked._replace(listed=True))
            else:
                homes.decline(asked.path)
        except (RefusedError, OSError) as error:
            self._warn(f"The answer could not be kept: {error}.")

    def _prepare(self, number: int) -> None:
        home = self._home
        if home is None or not home.notes:
            self._order({"type": "notes", "id": number, "text": None})
            return

        def read(shown: home_files.Shown) -> None:
            self._remember(notes.NOTES, shown.revision)
            text = "\n\n".join(
                part for part in (shown.text.strip(), f"({shown.problem})" if shown.problem else "") if part
            )
            self._order({"type": "notes", "id": number, "text": text})

        self._workers.start(lambda: home_files.read(home.path, notes.NOTES), read)

    def _remember(self, file: str, revision: str | None) -> None:
        if revision is None:
            self._seen.pop(file, None)
        else:
            self._seen[file] = revision

    def _call(self, number: int, tool: str, arguments: Record) -> None:
        home = self._home
        if home is None:
            self._tell(number, Result(NOT_HERE, is_error=True))
            return
        since = self._typed[0] if len(self._typed) > 1 else None
        context = Context(home, self._pid, since, dict(self._seen))
        self._workers.start(
            lambda: meta_tools.carry_out(tool, arguments, context), lambda result: self._tell(number, result)
        )

    def _tell(self, number: int, result: Result) -> None:
        for file, revision in result.seen:
            self._seen[file] = revision
        self._order({"type": "result", "id": number, "text": result.text, "isError": result.is_error})

    def _warn(self, said: str) -> None:
        self._order({"type": "notify", "text": line(said), "level": "warning"})
