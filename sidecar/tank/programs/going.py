"""`tank focus` and `tank attach`: the way to a session's terminal from a shell."""

import os
from typing import NoReturn

from tank.edges import tmux, tty
from tank.errors import RefusedError
from tank.programs import jumping, talking
from tank.roster.roster import Session


def focus(word: str) -> list[str]:
    """Raises `RefusedError`, which says what can be run instead where there is something."""
    session = talking.find(word)
    outcome = jumping.show(session, jumping.here(can_attach=False), os.getpid())
    if outcome.command:
        raise _refused(session, _outside(session))
    if outcome.error:
        raise _refused(session, outcome.error)
    return [f"{talking.name(session.entry)} is before you."]


def _outside(session: Session) -> str:
    """A terminal that isn't in tmux may be handed to it, but only when that is asked for."""
    there = f"`tank attach {session.entry.pid}`"
    if os.environ.get("TMUX"):
        return f"{jumping.ELSEWHERE}: in a terminal that is in no tmux run {there}"
    return f"it runs in tmux, and this terminal isn't: {there} enters it here"


def attach(word: str) -> NoReturn:
    """Becomes tmux, which has the terminal until it is detached. Raises `RefusedError`."""
    session = talking.find(word)
    socket = session.entry.tmux_socket
    if not socket:
        raise _refused(
            session, "it runs in no tmux, and nothing else can be attached: `tank focus` may go there"
        )
    if os.environ.get("TMUX"):
        raise _refused(session, "this terminal is in tmux already: `tank focus` goes there, or detach first")
    if not tty.usable():
        raise _refused(session, "there is no terminal here that tmux could draw on")
    argv = tmux.attach_command(socket, session.entry.pid, session.entry.process_start)
    os.execvp(argv[0], argv)  # noqa: S606 - no shell, as wanted


def _refused(session: Session, why: str) -> RefusedError:
    return RefusedError(f"{talking.name(session.entry)}: {why}")
