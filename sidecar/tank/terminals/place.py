"""Which terminal a session runs in, by the environment it was started with."""

from collections.abc import Mapping
from typing import NamedTuple


class TerminalPlace(NamedTuple):
    """`tmux` is the server's socket and the pane's id; `rex_block` only when Rex is the innermost terminal."""

    program: str | None
    tmux: tuple[str, str] | None
    rex_block: str | None


def of_environment(environment: Mapping[str, str]) -> TerminalPlace:
    """What TERM_PROGRAM, TMUX, TMUX_PANE and REX_BLOCK say together; tmux inherits the variables of what it runs in."""
    program = environment.get("TERM_PROGRAM") or None
    socket, pane = environment.get("TMUX", "").split(",")[0], environment.get("TMUX_PANE", "")
    in_tmux = bool(environment.get("TMUX"))
    block = environment.get("REX_BLOCK") or None
    return TerminalPlace(
        program=program,
        tmux=(socket, pane) if socket and pane else None,
        rex_block=block if program == "rex" and not in_tmux else None,
    )
