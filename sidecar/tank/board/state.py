"""What the board knows, what can happen to it, and what it wants done: values only."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum, auto
from typing import Literal, NamedTuple

from tank.board import said
from tank.board.compose import Text
from tank.board.groups import Listed, Who, who
from tank.board.keys import Key, Pasted
from tank.roster.groups import NOWHERE, Places
from tank.roster.marks import marks
from tank.roster.roster import Life, Roster, Session
from tank.roster.transcript import Peek


class Size(NamedTuple):
    columns: int
    rows: int


class Mode(Enum):
    """Who gets the next key."""

    LIST = auto()
    FILTER = auto()
    PRIORITY = auto()
    MESSAGE = auto()
    COPY = auto()
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


SendMode = Literal["follow_up", "steer"]


class Draft(NamedTuple):
    """A message being written. It is meant for one session, not for whatever its process serves later."""

    to: Who
    session_id: str
    text: Text = Text()
    mode: SendMode = "follow_up"


class Checkout(NamedTuple):
    """The working tree that holds a directory, and how many paths in it differ from its last commit; None: git didn't say."""

    top: str
    changed: int | None


UNREAD = Roster()
NOTHING = Listed()


@dataclass(frozen=True, slots=True)
class State:
    """`own`: pid of the Pi, else id of the session, that the board was opened from; `overlay`: it lies over that Pi.

    By `Session.file`: `twice`, whose transcript is open twice; `crowded`, which work in a checkout where another works
    too; `places`, where terminals show them, and `unplaced`, why some couldn't be asked. `checkouts`: by a session's
    directory; None while asked for, or outside of any. `command`: what the notice advises to run. `going`: `Show` or
    `FindTank` isn't answered yet. `drafts`: texts of messages that weren't sent, by session id.
    `listed` and `crowded` follow from the rest; `update` sees to it.
    """

    now: datetime
    size: Size
    own: int | str | None = None
    overlay: bool = False
    roster: Roster = UNREAD
    twice: frozenset[str] = frozenset()
    places: Places = field(default_factory=lambda: NOWHERE)
    unplaced: tuple[str, ...] = ()
    mode: Mode = Mode.LIST
    filter: str = ""
    selected: Who | None = None
    top: int = 0
    peeked: Peeked | None = None
    help_top: int = 0
    asked: Who | None = None
    draft: Draft | None = None
    drafts: Mapping[str, str] = field(default_factory=dict)
    listed: Listed = NOTHING
    checkouts: Mapping[str, Checkout | None] = field(default_factory=dict)
    crowded: frozenset[str] = frozenset()
    notice: str = ""
    command: str = ""
    going: bool = False


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


class Sent(NamedTuple):
    """`Send` was carried out: the receiver's word for what became of the message and its note; without one, why not. `text` was sent."""

    session_id: str
    delivered: str | None
    error: str = ""
    note: str = ""
    text: str = ""


class Copied(NamedTuple):
    """`Copy` or `CopyReply` was carried out: a sentence that says what came of it."""

    notice: str


class ChangesCounted(NamedTuple):
    """`CountChanges` brought this; None when the directory is in no repository."""

    cwd: str
    checkout: Checkout | None


class Placed(NamedTuple):
    """`Locate` brought this; `problems` are sentences that say what couldn't be asked, and why."""

    places: Places
    problems: tuple[str, ...] = ()


class Shown(NamedTuple):
    """`Show` was carried out; or why not, and `command` is what can be run instead. `back`: they were there and came back."""

    error: str = ""
    command: str = ""
    back: bool = False


Event = (
    Key
    | Pasted
    | Rostered
    | Tick
    | Resized
    | PeekLoaded
    | TranscriptGrew
    | PriorityDone
    | Sent
    | Copied
    | ChangesCounted
    | Placed
    | Shown
)


class LoadPeek(NamedTuple):
    """Read the end of the session's transcript; answered by `PeekLoaded`."""

    session: Session


class SetPriority(NamedTuple):
    """Ask the session to set its priority; answered by `PriorityDone`."""

    session: Session
    priority: int | None


class Send(NamedTuple):
    """Send it to the process, which refuses when it serves another session than `session_id` now; answered by `Sent`."""

    session: Session
    session_id: str
    text: str
    mode: SendMode


class Copy(NamedTuple):
    """Put the text on the clipboard; `what` names it for the person. Answered by `Copied`."""

    what: str
    text: str


class CopyReply(NamedTuple):
    """Put the session's last reply on the clipboard, whole, from its transcript. Answered by `Copied`."""

    session: Session


class CountChanges(NamedTuple):
    """Count the uncommitted changes around this directory after so many seconds; answered by `ChangesCounted`."""

    cwd: str
    after_s: float = 0.0


class Locate(NamedTuple):
    """Ask the terminals' servers where these sessions are; answered by `Placed`."""

    sessions: tuple[Session, ...]


class Show(NamedTuple):
    """Bring the session's tab and pane before the person; answered by `Shown`, also when they come back."""

    session: Session


class FindTank(NamedTuple):
    """Find out how the meta agent is started; answered by `Shown`."""


class HandOver(NamedTuple):
    """Let this program have the terminal until it ends. The board's driver asks for it when `Show` needs it; answered by `Shown`."""

    argv: tuple[str, ...]


class Refresh(NamedTuple):
    """Read everything anew and draw every line anew."""


class Suspend(NamedTuple):
    """Hand the terminal back to the shell until the board is brought to the foreground."""


class Quit(NamedTuple):
    pass


FrontendEffect = HandOver | Copy | Refresh | Suspend | Quit
"""What differs between a terminal and an overlay."""
Effect = (
    LoadPeek
    | SetPriority
    | Send
    | Copy
    | CopyReply
    | CountChanges
    | Locate
    | Show
    | FindTank
    | Refresh
    | Suspend
    | Quit
)

Step = tuple[State, tuple[Effect, ...]]
"""The next state, and effects in the order they are to be done."""


def session(state: State, wanted: Who | None) -> Session | None:
    """The session of this process now, None when it's gone."""
    return next((each for each in state.roster.sessions if who(each) == wanted), None)


def is_own(state: State, session: Session) -> bool:
    """Whether the board was opened from this session. Elsewhere the same pid is another process."""
    here = session.life is not Life.ELSEWHERE
    return here and state.own is not None and state.own in (session.entry.pid, session.entry.session_id)


def odd(state: State, session: Session) -> list[str]:
    """What a person should know before acting on the session, the gravest first."""
    file = session.file
    return marks(session, state.now, twice=file in state.twice, crowded=file in state.crowded)


def asks_here(state: State, session: Session) -> bool:
    """Whether a dialog waits under the board, where no key reaches it."""
    return state.overlay and is_own(state, session) and said.asks(session.entry)


def peeked_session(state: State) -> Session | None:
    """Whose transcript is to be watched: there is one only while the peek is open."""
    return session(state, state.peeked.who) if state.peeked else None


def opened(chosen: Session) -> Peeked:
    """A peek at this session, its transcript not read yet."""
    return Peeked(who(chosen), chosen.entry.session_id, chosen.entry.session_file)
