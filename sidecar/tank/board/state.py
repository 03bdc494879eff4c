"""What the board knows, what can happen to it, and what it wants done: values only."""

from dataclasses import dataclass
from datetime import datetime
from enum import Enum, auto
from typing import NamedTuple

from tank.board.keys import Key, Pasted
from tank.roster.roster import Roster, Session
from tank.roster.transcript import Peek


class Size(NamedTuple):
    columns: int
    rows: int


class Who(NamedTuple):
    """A process, as the selection follows it: through a new session, a rename, a move in the order."""

    file: str
    """The entry's path, which tells equal pids of two hosts apart."""
    pid: int
    start: str | None


def who(session: Session) -> Who:
    return Who(session.file, session.entry.pid, session.entry.process_start)


class Mode(Enum):
    """Who gets the next key."""

    LIST = auto()
    FILTER = auto()
    PRIORITY = auto()
    HELP = auto()


@dataclass(frozen=True, slots=True)
class Peeked:
    """The open peek. `peek` is None until the transcript was read, or when there is none; `back`: lines scrolled up."""

    who: Who
    session_id: str
    file: str | None
    peek: Peek | None = None
    error: str = ""
    read: bool = False
    back: int = 0


UNREAD = Roster()


@dataclass(frozen=True, slots=True)
class State:
    """`own`: id of the session the board was opened from. `twice`: entries (`Session.file`) whose transcript is open twice."""

    now: datetime
    size: Size
    own: str | None = None
    roster: Roster = UNREAD
    twice: frozenset[str] = frozenset()
    mode: Mode = Mode.LIST
    filter: str = ""
    selected: Who | None = None
    top: int = 0
    peeked: Peeked | None = None
    help_top: int = 0
    asked: Who | None = None
    notice: str = ""


class Rostered(NamedTuple):
    """The live directory was read."""

    roster: Roster
    twice: frozenset[str]
    now: datetime


class Tick(NamedTuple):
    """Time has passed that a shown age tells."""

    now: datetime


class Resized(NamedTuple):
    size: Size


class PeekLoaded(NamedTuple):
    """What `LoadPeek` brought: a peek, or why there is none."""

    session_id: str
    file: str | None
    peek: Peek | None
    error: str = ""


class TranscriptGrew(NamedTuple):
    """The file of the open peek changed."""

    file: str


class PriorityDone(NamedTuple):
    """`SetPriority` was carried out, or failed for this reason."""

    error: str = ""


Event = Key | Pasted | Rostered | Tick | Resized | PeekLoaded | TranscriptGrew | PriorityDone


class LoadPeek(NamedTuple):
    """Read the end of the session's transcript; answered by `PeekLoaded`."""

    session: Session


class SetPriority(NamedTuple):
    """Ask the session to set its priority; answered by `PriorityDone`."""

    session: Session
    priority: int | None


class Refresh(NamedTuple):
    """Read everything anew and draw every line anew."""


class Suspend(NamedTuple):
    """Hand the terminal back to the shell until the board is brought to the foreground."""


class Quit(NamedTuple):
    pass


Effect = LoadPeek | SetPriority | Refresh | Suspend | Quit

Step = tuple[State, tuple[Effect, ...]]
"""The next state, and effects in the order they are to be done."""


def session(state: State, wanted: Who | None) -> Session | None:
    """The session of this process now, None when it's gone."""
    return next((each for each in state.roster.sessions if who(each) == wanted), None)


def peeked_session(state: State) -> Session | None:
    """Whose transcript is to be watched: there is one only while the peek is open."""
    return session(state, state.peeked.who) if state.peeked else None


def opened(chosen: Session) -> Peeked:
    """A peek at this session, its transcript not read yet."""
    return Peeked(who(chosen), chosen.entry.session_id, chosen.entry.session_file)
