"""What the board does outside, blocking, each in a thread of its own: ends in an event that says what came of it."""

from tank.board.state import Copied, Copy, Event, HandOver, Placed, PriorityDone, Send, Sent, Shown
from tank.edges import clipboard, transcripts
from tank.edges.transcripts import Transcript
from tank.programs import asking, home, jumping
from tank.roster.roster import Session
from tank.terminals.route import Here


def show(session: Session, here: Here, pid: int) -> Event | HandOver:
    outcome = jumping.show(session, here, pid)
    return HandOver(outcome.attach) if outcome.attach else Shown(outcome.error, outcome.command)


def find_tank() -> Event:
    return Shown(*home.how_to_start())


def locate(sessions: tuple[Session, ...]) -> Event:
    places, problems = jumping.locate(sessions)
    return Placed(places, tuple(problems))


def set_priority(session: Session, priority: int | None) -> Event:
    reply = asking.ask(session, {"type": "priority", "priority": priority})
    return PriorityDone("" if reply["ok"] is True else asking.why(reply))


def send(wanted: Send) -> Event:
    reply = asking.send(wanted.session, wanted.session_id, wanted.text, steer=wanted.mode == "steer")
    became = asking.answer(reply)
    return Sent(wanted.session_id, became.delivered, became.error, became.note, wanted.text)


def copy(wanted: Copy, *, by_terminal: bool) -> Event:
    """Only a command says whether it took the text; a terminal that was asked to says nothing."""
    if clipboard.copy(wanted.text):
        return Copied(f"copied the {wanted.what}")
    if by_terminal:
        return Copied(f"asked the terminal to copy the {wanted.what} (OSC 52)")
    return Copied(
        f"nothing copied: the {wanted.what} is too long for the terminal's clipboard (OSC 52), "
        "and no pbcopy, wl-copy, xclip or xsel took it"
    )


def last_reply(session: Session) -> Event | Copy:
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
