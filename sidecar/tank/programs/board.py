"""Keeps a board true while it is open: feeds it with sessions, transcripts and time, and does what it wants done.

The frontends add what differs: where keys come from and where lines go.
"""

import os
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime
from queue import Empty, SimpleQueue

from tank.board import said
from tank.board.ages import soonest
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
from tank.programs import asking, jumping
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
        act: Callable[[Effect], None],
        wake: Callable[[], None],
    ) -> None:
        self.state = state
        self._loop, self._draw, self._act, self._wake = loop, draw, act, wake
        self._directory = LiveDirectory()
        self._roster: Roster | None = None
        self._transcripts: list[tuple[str, str | None, Life]] | None = None
        self._verify_at = self._age_at = self._retry_at = 0.0
        self._transcript: Transcript | None = None
        self._loading = False
        self._wanted: Session | None = None
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
            self.state, effects = update(self.state, event)
            for effect in effects:
                self._do(effect)
            if any(isinstance(effect, Quit) for effect in effects):
                return
        self.draw()

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
        self.state, effects = update(self.state, Rostered(roster, self._twice(roster), now()))
        for effect in effects:
            self._do(effect)
        return True

    def _twice(self, roster: Roster) -> frozenset[str]:
        """Follows links only when a transcript came, went or changed its name."""
        named = [(each.file, each.entry.session_file, each.life) for each in roster.sessions]
        if named == self._transcripts:
            return self.state.twice
        self._transcripts = named
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
                self._start(_set_priority, *effect)
            case Send():
                self._start(_send, effect)
            case Copy():
                self._copy(effect)
            case CopyReply():
                self._start(_last_reply, effect.session)
            case Show():
                self._start(_show, effect.session, *self._here())
            case FindTank():
                self._deliver(Shown(*jumping.how_to_start_tank()))
            case Locate():
                self._locate(effect)
            case CountChanges():
                self._loop.later(effect.after_s, lambda: self._checkouts.count(effect.cwd))
            case Refresh():
                self._roster = self._transcripts = None
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
            self._start(_located, wanted)

    def _copy(self, wanted: Copy) -> None:
        """By the terminal and by a command: which of them the person's paste will ask can't be told."""
        clean = Copy(wanted.what, "\t".join(map(text.lines, wanted.text.split("\t"))))
        asked = bool(clipboard.by_terminal(clean.text))
        if asked:
            self._act(clean)
        self._start(_copied, clean, asked)

    def _start(self, act: Callable[..., Event | Copy | HandOver], *values: object) -> None:
        """What may take long has a thread of its own, and its answer comes back as an event."""
        threading.Thread(target=lambda: self._deliver(act(*values)), daemon=True).start()

    def _counted(self, cwd: str, top: str, changed: int | None) -> None:
        """Never while another event is being taken in."""
        counted = ChangesCounted(cwd, Checkout(top, changed) if top else None)
        self._loop.later(0, lambda: self._learn(counted))

    def _learn(self, counted: ChangesCounted) -> None:
        """What is known already draws nothing."""
        if self.state.checkouts.get(counted.cwd) != counted.checkout:
            self.feed(counted)


def _show(session: Session, here: Here, pid: int) -> Event | HandOver:
    outcome = jumping.show(session, here, pid)
    return HandOver(outcome.attach) if outcome.attach else Shown(outcome.error, outcome.command)


def _located(wanted: Locate) -> Event:
    places, problems = jumping.locate(wanted.sessions)
    return Placed(places, tuple(problems))


def _set_priority(session: Session, priority: int | None) -> Event:
    reply = asking.ask(session, {"type": "priority", "priority": priority})
    return PriorityDone("" if reply["ok"] is True else asking.why(reply))


def _send(wanted: Send) -> Event:
    reply = asking.send(wanted.session, wanted.session_id, wanted.text, steer=wanted.mode == "steer")
    became = asking.answer(reply)
    return Sent(wanted.session_id, became.delivered, became.error, became.note)


def _copied(wanted: Copy, by_terminal: bool) -> Event:  # noqa: FBT001 - a thread's argument
    """Only a command says whether it took the text; a terminal that was asked to says nothing."""
    if clipboard.copy(wanted.text):
        return Copied(f"copied the {wanted.what}")
    if by_terminal:
        return Copied(f"asked the terminal to copy the {wanted.what} (OSC 52)")
    return Copied(
        f"nothing copied: the {wanted.what} is too long for the terminal's clipboard (OSC 52), "
        "and no pbcopy, wl-copy, xclip or xsel took it"
    )


def _last_reply(session: Session) -> Event | Copy:
    path = transcripts.path_of(session)
    if path is None:
        return Copied("nothing copied: its transcript can't be read from here")
    try:
        reply = Transcript(path).last_reply()
    except FileNotFoundError:
        return Copied("nothing copied: it was not prompted yet")
    except Exception as failure:  # noqa: BLE001 - a transcript that can't be read must not end the board
        return Copied(f"nothing copied: the transcript can't be read: {failure}")
    if reply is None:
        return Copied("nothing copied: the end of its transcript holds no reply")
    return Copy("last reply", reply)
