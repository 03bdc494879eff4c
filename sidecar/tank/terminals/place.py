"""Which terminal a session runs in, by the environment it was started with."""

from collections.abc import Mapping
from typing import NamedTuple

from tank.records import text

NAME_CELLS = 60
REX_SOCKET = "Library/Application Support/rex/server.sock"


class TerminalPlace(NamedTuple):
    """`tmux` is the server's socket and the pane's id; `rex_block` and its server only when Rex is the innermost terminal."""

    program: str | None
    tmux: tuple[str, str] | None
    rex_block: str | None
    rex_server: str | None = None


def of_environment(environment: Mapping[str, str]) -> TerminalPlace:
    """What TERM_PROGRAM, TMUX, TMUX_PANE, REX_BLOCK and REX_SERVER say together; tmux inherits the variables of what it runs in."""
    program = text.short(environment.get("TERM_PROGRAM", ""), NAME_CELLS) or None
    block = text.short(environment.get("REX_BLOCK", ""), NAME_CELLS) or None
    in_rex = program == "rex" and block is not None and not environment.get("TMUX")
    return TerminalPlace(
        program=program,
        tmux=_in_tmux(environment.get("TMUX", ""), environment.get("TMUX_PANE", "")),
        rex_block=block if in_rex else None,
        rex_server=_rex_server(environment) if in_rex else None,
    )


def _rex_server(environment: Mapping[str, str]) -> str | None:
    """A server that was started by hand names itself nowhere: then its usual place counts. An address with a user in it may hold a token."""
    named = text.line(environment.get("REX_SERVER", "")) or (
        f"unix://{environment['HOME']}/{REX_SOCKET}" if environment.get("HOME") else ""
    )
    return named if named and "@" not in named else None


def _in_tmux(value: str, pane: str) -> tuple[str, str] | None:
    """TMUX is `<socket>,<server's pid>,<session's number>`. A socket whose path is no text can't be published."""
    socket = value.rsplit(",", 2)[0]
    try:
        f"{socket}{pane}".encode()
    except UnicodeEncodeError:
        return None
    return (socket, pane) if socket and pane else None
