"""Keeps a board true while it is open: feeds it with sessions, transcripts and time, and does what it wants done.

The frontends add what differs: where keys come from and where lines go.
"""

import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime
from queue import Empty, SimpleQueue

from tank.board.ages import soonest
from tank.board.state import (
    Effect,
    Event,
    LoadPeek,
    PeekLoaded,
    PriorityDone,
    Quit,
    Refresh,
    Rostered,
    SetPriority,
    State,
    Tick,
    TranscriptGrew,
    peeked_session,
)
from tank.board.update import update
from tank.edges import socket_client, transcripts
from tank.edges.live_directory import LiveDirectory
from tank.edges.loop import Loop
from tank.edges.transcripts import Transcript
from tank.roster.roster import Roster, Session

POLL_S = 0.1
"""Between two looks at the directory, and at the transcript of an open peek."""
AGAIN_S = 0.02
"""After a change: two changes within one tick of the file system's clock look like one."""
VERIFY_S = 5.0
"""Between two looks at the processes; also the longest an age can be wrong after the clock was set."""


def now() -> datetime:
    return datetime.now(UTC)


class Board:
    """One open board. `draw` shows the state; `act` does the effects that are the frontend's; `wake` ends the loop's sleep.

    Everything belongs to the loop's thread; others only `_deliver`.
    """

    def __init__(
        self,
        state: State,
        loop: Loop,
        draw: Callable[[State], None],
        act: Callable[[Effect], None],
        wake: Callable[[], None],
    ) -> None:
        self.state = state
        self._loop, self._draw, self._act, self._wake = loop, draw, act, wake
        self._directory = LiveDirectory()
        self._roster: Roster | None = None
        self._verify_at = self._age_at = self._retry_at = 0.0
        self._transcript: Transcript | None = None
        self._loading = False
        self._wanted: Session | None = None
        self._delivered: SimpleQueue[Event] = SimpleQueue()

    def start(self) -> None:
        """Reads the sessions, shows them, and keeps them current from then on."""
        self._scan()
        self.draw()
        self._poll()

    def feed(self, *events: Event) -> None:
        """Lets these events happen, then shows what came of them. What was typed after the closing key isn't the board's."""
        for event in events:
            self.state, effects = update(self.state, event)
            for effect in effects:
                self._do(effect)
            if Quit() in effects:
                return
        self.draw()

    def draw(self) -> None:
        """Ages are of this moment, whatever else is drawn for."""
        self.state, _ = update(self.state, Tick(now()))
        self._draw(self.state)
        began = [each.entry.status_since for each in self.state.roster.sessions]
        self._age_at = time.monotonic() + soonest(began, self.state.now, VERIFY_S)

    def collect(self) -> None:
        """Takes in what the threads delivered."""
        found: list[Event] = []
        while True:
            try:
                found.append(self._delivered.get_nowait())
            except Empty:
                break
        loaded = [event for event in found if isinstance(event, PeekLoaded)]
        if loaded:
            self._loading = False
            self._retry_at = time.monotonic() + VERIFY_S if loaded[-1].error else 0.0
            wanted, self._wanted = self._wanted, None
            if wanted:
                self._load(wanted)
        if found:
            self.feed(*found)

    def _deliver(self, event: Event) -> None:
        self._delivered.put(event)
        self._wake()

    def _poll(self) -> None:
        if self._directory.changed():
            self._rescan()
            self._loop.later(AGAIN_S, self._rescan)
        elif time.monotonic() >= self._verify_at:
            self._rescan()
        self._watch_transcript()
        if time.monotonic() >= self._age_at:
            self.draw()
        self._loop.later(POLL_S, self._poll)

    def _rescan(self) -> None:
        if self._scan():
            self.draw()

    def _scan(self) -> bool:
        """Whether anything is different."""
        self._verify_at = time.monotonic() + VERIFY_S
        roster = self._directory.scan()
        if roster == self._roster:
            return False
        self._roster = roster
        self.state, effects = update(self.state, Rostered(roster, transcripts.shared(roster), now()))
        for effect in effects:
            self._do(effect)
        return True

    def _watch_transcript(self) -> None:
        session = peeked_session(self.state)
        if not session:
            self._transcript = None
        elif self._loading or not self._transcript or time.monotonic() < self._retry_at:
            return
        elif self._transcript.changed():
            self.feed(TranscriptGrew(session.entry.session_file or ""))

    def _do(self, effect: Effect) -> None:
        match effect:
            case LoadPeek():
                self._load(effect.session)
            case SetPriority():
                threading.Thread(target=self._set_priority, args=effect, daemon=True).start()
            case Refresh():
                self._roster = None
                self._scan()
                self._act(effect)
            case _:
                self._act(effect)

    def _load(self, session: Session) -> None:
        """One at a time, and of those that wait only the latest: selecting fast through a long list reads few."""
        path = transcripts.path_of(session)
        if self._loading:
            self._wanted = session
        elif path is None:
            self._transcript = None
            self._deliver(PeekLoaded(session.entry.session_id, session.entry.session_file, None))
        else:
            if not self._transcript or self._transcript.path != path:
                self._transcript = Transcript(path)
            self._loading = True
            threading.Thread(target=self._read, args=(session, self._transcript), daemon=True).start()

    def _read(self, session: Session, transcript: Transcript) -> None:
        peek, error = None, ""
        try:
            peek = transcript.peek()
        except FileNotFoundError:
            pass  # it comes with the session's first prompt
        except Exception as failure:  # noqa: BLE001 - a transcript that can't be read must not end the board
            error = str(failure)
        self._deliver(PeekLoaded(session.entry.session_id, session.entry.session_file, peek, error))

    def _set_priority(self, session: Session, priority: int | None) -> None:
        path = session.entry.socket or ""
        try:
            reply = socket_client.request(path, {"type": "priority", "priority": priority})
            error = "" if reply.get("ok") is True else str(reply.get("error"))
        except Exception as failure:  # noqa: BLE001 - a socket that can't be asked must not end the board
            error = str(failure).removeprefix(f"{path}: ")
        self._deliver(PriorityDone(error))
