"""Keeps a board true while it is open: feeds it with sessions, transcripts and time, and does what it wants done.

The frontends add what differs: where keys come from and where lines go.
"""

import os
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime
from queue import Empty, SimpleQueue
from typing import assert_never

from tank.board import said
from tank.board.ages import soonest
from tank.board.keys import Key, Pasted
from tank.board.state import (
    ChangesCounted,
    Checkout,
    Copied,
    Copy,
    CopyReply,
    CountChanges,
    Effect,
    Event,
    FindTank,
    FrontendEffect,
    HandOver,
    LoadPeek,
    Locate,
    PeekLoaded,
    Placed,
    PriorityDone,
    Quit,
    Refresh,
    Rostered,
    Send,
    Sent,
    SetPriority,
    Show,
    Shown,
    State,
    Suspend,
    Tick,
    TranscriptGrew,
    peeked_session,
)
from tank.board.update import update
from tank.edges import clipboard, transcripts
from tank.edges.checkouts import Checkouts
from tank.edges.live_directory import LiveDirectory
from tank.edges.loop import Loop
from tank.edges.transcripts import Transcript
from tank.programs import board_errands, jumping
from tank.records import text
from tank.roster.roster import Life, Roster, Session
from tank.terminals.route import Here

POLL_S = 0.08
"""Between two looks at the directory, and at the transcript of an open peek: a change is read and drawn within 100 ms."""
AGAIN_S = 0.02
"""Until the second look after a change that another one could hide behind."""
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
        act: Callable[[FrontendEffect], None],
        wake: Callable[[], None],
    ) -> None:
        self.state = state
        self._loop, self._draw, self._act, self._wake = loop, draw, act, wake
        self._directory = LiveDirectory()
        self._roster: Roster | None = None
        self._named_transcripts: list[tuple[str, str | None, Life]] | None = None
        self._verify_at = self._age_at = self._retry_at = 0.0
        self._transcript: Transcript | None = None
        self._loading = False
        self._wanted: Session | None = None
        self._keys = 0
        self._locating = False
        self._to_locate: Locate | None = None
        self._delivered: SimpleQueue[Event | Copy | HandOver] = SimpleQueue()
        self._checkouts = Checkouts(loop, self._counted)

    def start(self) -> None:
        """Reads the sessions, shows them, and keeps them current from then on."""
        self._scan()
        self.draw()
        self._loop.later(AGAIN_S, self._poll)

    def close(self) -> None:
        """Ends what it started."""
        self._checkouts.close()

    def feed(self, *events: Event) -> None:
        """Lets these events happen, then shows what came of them. What was typed after the closing key isn't the board's."""
        for event in events:
            self._keys += isinstance(event, Key | Pasted)
            if any(isinstance(effect, Quit) for effect in self._happen(event)):
                return
        self.draw()

    def _happen(self, event: Event) -> tuple[Effect, ...]:
        self.state, effects = update(self.state, event)
        for effect in effects:
            self._do(effect)
        return effects

    def draw(self) -> None:
        """Ages are of this moment, whatever else is drawn for."""
        self.state, _ = update(self.state, Tick(now()))
        self._draw(self.state)
        began = [moment for each in self.state.roster.sessions for moment in said.beginnings(each)]
        self._age_at = time.monotonic() + soonest(began, self.state.now, VERIFY_S)

    def collect(self) -> None:
        """Takes in what the threads delivered."""
        found: list[Event] = []
        while True:
            try:
                delivered = self._delivered.get_nowait()
            except Empty:
                break
            if isinstance(delivered, Copy):
                self._copy(delivered)
            elif isinstance(delivered, HandOver):
                self._act(delivered)
            else:
                found.append(delivered)
        if any(isinstance(event, Placed) for event in found):
            self._locating, again, self._to_locate = False, self._to_locate, None
            if again:
                self._locate(again)
        loaded = [event for event in found if isinstance(event, PeekLoaded)]
        if loaded:
            self._loading = False
            self._retry_at = time.monotonic() + VERIFY_S if loaded[-1].error else 0.0
            wanted, self._wanted = self._wanted, None
            if wanted:
                self._load(wanted)
        if found:
            self.feed(*found)

    def _deliver(self, event: Event | Copy | HandOver) -> None:
        self._delivered.put(event)
        self._wake()

    def _poll(self) -> None:
        """Among changes without end it reads no more often than it looks."""
        was_settled, pause_s = self._directory.settled, POLL_S
        if not was_settled or self._directory.changed() or time.monotonic() >= self._verify_at:
            if self._scan():
                self.draw()
            if was_settled and not self._directory.settled:
                pause_s = AGAIN_S
        self._watch_transcript()
        if time.monotonic() >= self._age_at:
            self.draw()
        self._loop.later(pause_s, self._poll)

    def _scan(self) -> bool:
        """Whether anything is different."""
        self._verify_at = time.monotonic() + VERIFY_S
        roster = self._directory.scan()
        if roster == self._roster:
            return False
        self._roster = roster
        self._happen(Rostered(roster, self._twice(roster), now()))
        return True

    def _twice(self, roster: Roster) -> frozenset[str]:
        """Follows links only when a transcript came, went or changed its name."""
        named = [(each.file, each.entry.session_file, each.life) for each in roster.sessions]
        if named == self._named_transcripts:
            return self.state.twice
        self._named_transcripts = named
        return transcripts.shared(roster)

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
                self._start(_not_set, lambda: board_errands.set_priority(*effect))
            case Send():
                self._start(_not_sent(effect), lambda: board_errands.send(effect))
            case Copy():
                self._copy(effect)
            case CopyReply():
                self._start(_not_copied, lambda: board_errands.last_reply(effect.session))
            case Show():
                here, pid, keys = *self._here(), self._keys
                self._start(
                    _not_shown, lambda: self._timely(board_errands.show(effect.session, here, pid), keys)
                )
            case FindTank():
                self._start(_not_shown, board_errands.find_tank)
            case Locate():
                self._locate(effect)
            case CountChanges():
                self._loop.later(effect.after_s, lambda: self._checkouts.count(effect.cwd))
            case Refresh():
                self._roster = self._named_transcripts = None
                self._scan()
                self._act(effect)
            case Suspend() | Quit():
                self._act(effect)
            case _:
                assert_never(effect)

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

    def _here(self) -> tuple[Here, int]:
        """Where the person is, and a process in their terminal."""
        own, over = self.state.own, self.state.overlay
        return jumping.here(can_attach=not over), own if over and isinstance(own, int) else os.getpid()

    def _locate(self, wanted: Locate) -> None:
        """One at a time, and of those that wait only the latest."""
        if self._locating:
            self._to_locate = wanted
        else:
            self._locating = True
            self._start(_not_placed, lambda: board_errands.locate(wanted.sessions))

    def _copy(self, wanted: Copy) -> None:
        """By the terminal and by a command: which of them the person's paste will ask can't be told."""
        clean = Copy(wanted.what, "\t".join(map(text.lines, wanted.text.split("\t"))))
        asked = bool(clipboard.by_terminal(clean.text))
        if asked:
            self._act(clean)
        self._start(_not_copied, lambda: board_errands.copy(clean, by_terminal=asked))

    def _start(self, failed: Callable[[str], Event], act: Callable[[], Event | Copy | HandOver]) -> None:
        """What may take long has a thread of its own, and its answer comes back; so does an exception, as `failed` tells it."""

        def work() -> None:
            try:
                done = act()
            except Exception as error:  # noqa: BLE001 - what waits for the answer would wait for ever
                done = failed(f"{type(error).__name__}: {error}")
            self._deliver(done)

        threading.Thread(target=work, daemon=True).start()

    def _timely(self, done: Event | HandOver, keys: int) -> Event | HandOver:
        """Who has gone on typing isn't taken away from what they type."""
        if isinstance(done, HandOver) and keys != self._keys:
            return Shown("stayed here: a key was pressed meanwhile. Enter again goes there")
        return done

    def _counted(self, cwd: str, top: str, changed: int | None) -> None:
        """Never while another event is being taken in."""
        counted = ChangesCounted(cwd, Checkout(top, changed) if top else None)
        self._loop.later(0, lambda: self._learn(counted))

    def _learn(self, counted: ChangesCounted) -> None:
        """What is known already draws nothing."""
        if self.state.checkouts.get(counted.cwd) != counted.checkout:
            self.feed(counted)


def _not_set(why: str) -> Event:
    return PriorityDone(why)


def _not_sent(wanted: Send) -> Callable[[str], Event]:
    return lambda why: Sent(wanted.session_id, "unknown", why, text=wanted.text)


def _not_copied(why: str) -> Event:
    return Copied(f"nothing copied: {why}")


def _not_shown(why: str) -> Event:
    return Shown(why)


def _not_placed(why: str) -> Event:
    return Placed({}, (f"where the sessions run can't be told: {why}",))
