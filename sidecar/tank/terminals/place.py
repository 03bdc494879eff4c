"""Which terminal a session runs in, by the environment it was started with."""

from collections.abc import Mapping
from typing import NamedTuple

from tank.records import text

NAME_CELLS = 60


class TerminalPlace(NamedTuple):
    """`tmux` is the server's socket and the pane's id; `rex_block` only when Rex is the innermost terminal."""

    program: str | None
    tmux: tuple[str, str] | None
    rex_block: str | None


def of_environment(environment: Mapping[str, str]) -> TerminalPlace:
    """What TERM_PROGRAM, TMUX, TMUX_PANE and REX_BLOCK say together; tmux inherits the variables of what it runs in."""
    program = text.short(environment.get("TERM_PROGRAM", ""), NAME_CELLS) or None
    block = text.short(environment.get("REX_BLOCK", ""), NAME_CELLS) or None
    inside_tmux = bool(environment.get("TMUX"))
    return TerminalPlace(
        program=program,
        tmux=_in_tmux(environment.get("TMUX", ""), environment.get("TMUX_PANE", "")),
        rex_block=block if program == "rex" and not inside_tmux else None,
    )


def _in_tmux(value: str, pane: str) -> tuple[str, str] | None:
    """TMUX is `<socket>,<server's pid>,<session's number>`. A socket whose path is no text can't be published."""
    socket = value.rsplit(",", 2)[0]
    try:
        f"{socket}{pane}".encode()
    except UnicodeEncodeError:
        return None
    return (socket, pane) if socket and pane else None
