"""Rex through its `rex` command. Never starts a server; all the calls of one act share `LIMIT_S`."""

import os
import shutil
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

import orjson

from tank.edges import children, processes
from tank.edges.children import End, Ran
from tank.errors import TerminalError
from tank.terminals import rex, rex_replies
from tank.terminals.rex import Snapshot
from tank.terminals.rex_replies import Failure, UnreadableError, View

LIMIT_S = 3.0
AT_ONCE = 4
OUTPUT_LIMIT_BYTES = 2 * 1024 * 1024
"""Rex itself answers with at most 1 MiB."""
INHERITED = ("REX_SERVER", "REX_SESSION", "REX_BLOCK")
"""They would aim a call at the pane that it comes from."""
APPS = ("/Applications/Rex.app", "/Applications/Rex Beta.app")
TERMINAL = "com.superlogical.terminal"
BUNDLES = "Library/Application Support/com.superlogical.rex"
FAILURES = {End.MISSING: Failure.MISSING, End.SLOW: Failure.SLOW, End.FLOODED: Failure.FOREIGN}

READING = "Rex can't be read"
GOING = "Tank can't go there"
TITLING = "Tank can't title its tab"

Call = tuple[str, ...]
T = TypeVar("T")


def find(environment: Mapping[str, str]) -> str | None:
    """The `rex` command that is asked first; None when there is none. It may yet be another program of that name."""
    return next(iter(_commands(environment)), None)


def snapshot(server: str, blocks: Collection[str] = ()) -> Snapshot:
    """What the server shows where. Of `blocks` those too are found that no tab shows, which costs more calls.

    Raises `TerminalError`.
    """
    return _snapshot(_Rex(server), READING, blocks)


def focus(server: str, block_id: str, *, pid: int | None = None) -> None:
    """Bring the block's tab before the person, the block with the keyboard. Raises `TerminalError`, which says how far it came.

    `pid` is the session's process on this machine: refused when Rex names one in front there that isn't akin to it.
    """
    asked = _Rex(server)
    found = rex.place(_snapshot(asked, GOING, [block_id]), block_id)
    why = rex.absent(found)
    if found is None or why:
        raise TerminalError(f"{GOING}: {why}")
    if pid is not None and not _in_front(asked, found.session_id, block_id, pid):
        raise TerminalError(f"{GOING}: {rex.COVERED}")
    asked.act(GOING, _api("session.focus_block", found.session_id, block_id=block_id))
    showing = rex.half_way(found)
    app = _app(asked, showing)
    there = (f"session_id={found.session_id}", f"window_id={found.window_id}")
    asked.act(showing, ("-C", app, "do", "session.select", *there))


def set_title(server: str, session_id: str, window_id: str, title: str, *, instead_of: str | None) -> bool:
    """Whether the tab got this title: only while its label still is `instead_of`. Raises `TerminalError`."""
    asked = _Rex(server)
    view = asked.answer(TITLING, _api("session.view", session_id), rex_replies.view)
    if (window_id, instead_of) not in {(window.window_id, window.label) for window in view.windows}:
        return False
    asked.act(TITLING, _api("session.set_window_label", session_id, window_id=window_id, label=title))
    return True


class _Rex:
    """One act on one server. The first command that answers as Rex does is the one that is asked from then on."""

    def __init__(self, server: str) -> None:
        self._server = rex.endpoint(server)
        self._commands = _commands(os.environ)
        self._environment = {name: value for name, value in os.environ.items() if name not in INHERITED}
        self._deadline = time.monotonic() + LIMIT_S

    def answers(self, doing: str, calls: Sequence[Call], parse: Callable[[bytes], T]) -> list[T | None]:
        """What is read from each, in their order; None where its target is gone. Any other failure raises."""
        return [self._parsed(doing, ran, parse) for ran in self._run(calls)]

    def answer(self, doing: str, call: Call, parse: Callable[[bytes], T]) -> T:
        """The same of one, whose target must be there."""
        (found,) = self.answers(doing, [call], parse)
        if found is None:
            raise self._refused(doing, Failure.GONE)
        return found

    def act(self, doing: str, call: Call) -> None:
        """Do what can't be taken back; only an answer says that it was done."""
        (ran,) = self._run([call])
        failure = _failure(ran)
        if failure:
            slow = failure is Failure.SLOW
            raise self._refused(doing, Failure.UNCONFIRMED if slow else failure, ran.errors)

    def _parsed(self, doing: str, ran: Ran, parse: Callable[[bytes], T]) -> T | None:
        failure = _failure(ran)
        if failure is Failure.GONE:
            return None
        if failure:
            raise self._refused(doing, failure, ran.errors)
        try:
            return parse(ran.output)
        except UnreadableError:
            raise self._refused(doing, Failure.FOREIGN) from None

    def _refused(self, doing: str, failure: Failure, errors: bytes = b"") -> TerminalError:
        command = next(iter(self._commands), "")
        why = rex.refusal(failure, self._server, command, rex_replies.complaint(errors))
        return TerminalError(f"{doing}: {why}")

    def _run(self, calls: Sequence[Call]) -> list[Ran]:
        ran = [Ran(End.MISSING)] * len(calls)
        for command in self._commands:
            ran = children.run(
                [(command, "-S", self._server, "--autostart=false", *call) for call in calls],
                self._environment,
                self._deadline - time.monotonic(),
                OUTPUT_LIMIT_BYTES,
                AT_ONCE,
            )
            if not any(map(_is_foreign, ran)):
                self._commands = [command]
                break
        return ran


def _snapshot(asked: _Rex, doing: str, blocks: Collection[str]) -> Snapshot:
    """All views, then, for blocks that aren't in just one of them, the lists of blocks.

    A list is good for a view of the same revision: of a session that names such a block both are read once more if it changed.
    """
    labels = dict(asked.answer(doing, _api("session.list"), rex_replies.sessions))
    views = _of_each(asked, doing, "session.view", labels, rex_replies.view)
    found = _assembled(labels, views, {})
    open_blocks = rex.unsettled(found, blocks)
    if not open_blocks:
        return found
    lists = _of_each(asked, doing, "session.list_blocks", views, rex_replies.listing)
    concerned = [each for each in lists if open_blocks & (lists[each].keys() | views[each].blocks())]
    again = _of_each(asked, doing, "session.view", concerned, rex_replies.view)
    changed = [each for each in again if again[each].revision != views[each].revision]
    lists |= _of_each(asked, doing, "session.list_blocks", changed, rex_replies.listing)
    kept = {each: again.get(each, views[each]) for each in lists if each in again or each not in concerned}
    return _assembled(labels, kept, lists)


def _assembled(
    labels: Mapping[str, str], views: Mapping[str, View], lists: Mapping[str, Mapping[str, str | None]]
) -> Snapshot:
    return Snapshot(
        tuple(rex.session(each, labels[each], views[each], lists.get(each, {})) for each in views)
    )


def _of_each(
    asked: _Rex, doing: str, method: str, sessions: Iterable[str], parse: Callable[[bytes], T]
) -> dict[str, T]:
    """The method's answer for each session that is still there."""
    wanted = list(sessions)
    answers = asked.answers(doing, [_api(method, each) for each in wanted], parse)
    return {each: answer for each, answer in zip(wanted, answers, strict=True) if answer is not None}


def _in_front(asked: _Rex, session_id: str, block_id: str, pid: int) -> bool:
    """Whether the process that has the block's keyboard is this one, its ancestor or its child's; also when Rex doesn't tell."""
    call = _api(f"{TERMINAL}.process", session_id, block_id=block_id, args={})
    front = asked.answer(GOING, call, rex_replies.foreground)
    return not front or front in processes.ancestors(pid) or pid in processes.ancestors(front)


def _app(asked: _Rex, doing: str) -> str:
    """The one app that is connected, if it is on this machine."""
    apps = asked.answer(doing, ("client", "list", "--json"), rex_replies.apps)
    why = rex.only_app(apps)
    if not why:
        inspect = _api("client.inspect", client_id=apps[0])
        why = rex.local_app(asked.answer(doing, inspect, rex_replies.transport))
    if why:
        raise TerminalError(f"{doing}: {why}")
    return apps[0]


def _commands(environment: Mapping[str, str]) -> list[str]:
    """Every `rex` there is, in the order in which Rex itself would have them found."""
    home = Path(environment.get("HOME", "/"))
    bundled = [path for depth in ("rex", "*/rex", "*/*/rex") for path in (home / BUNDLES).glob(depth)]
    places = [
        Path(environment.get("REX_BIN_DIR", ""), "rex"),
        Path(shutil.which("rex", path=environment.get("PATH", os.defpath)) or ""),
        *sorted(bundled, key=_changed, reverse=True),
        *(Path(app, "Contents/Helpers/rex") for app in APPS),
    ]
    found = (
        str(place)
        for place in places
        if place.is_absolute() and os.access(place, os.X_OK) and place.is_file()
    )
    return list(dict.fromkeys(found))


def _changed(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


def _api(method: str, session_id: str = "", **payload: object) -> Call:
    session = ("-s", session_id) if session_id else ()
    return ("api", "call", *session, method, *((orjson.dumps(payload).decode(),) if payload else ()))


def _failure(ran: Ran) -> Failure | None:
    if ran.end is not End.EXITED:
        return FAILURES[ran.end]
    return rex_replies.failure(ran.code, ran.errors) if ran.code else None


def _is_foreign(ran: Ran) -> bool:
    """Whether it was no answer of Rex, which answers every question with an object."""
    failure = _failure(ran)
    return failure in (Failure.MISSING, Failure.FOREIGN) or (not failure and ran.output.lstrip()[:1] != b"{")
