"""How a client of tmux gets to a pane, so that no other client moves and nothing ends by it. In doubt it stays."""

import re
import shlex
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from tank.errors import TerminalError
from tank.terminals.tmux_replies import LEFT, VISIT, Client, Pane

NAME_LENGTH = 30


class Way(NamedTuple):
    """`pane`: as the session holds it that is entered. `name`: of a session to be made for this one visit.

    Sessions of one group share their windows, and each has a current window of its own: one made for the visit lets
    its client look elsewhere than the clients of the session it is grouped with. `visits`: those made before that may be over.
    """

    pane: Pane
    name: str | None = None
    visits: tuple[str, ...] = ()


def pane_of(panes: Sequence[Pane], ancestors: Iterable[int]) -> Pane | None:
    """The pane whose program is the nearest of `ancestors` (a process, its parent, and so on up); None unless it's one.

    As a session that lasts holds it, where there is one.
    """
    for pid in ancestors:
        found = sorted(
            (each for each in panes if each.pid == pid and not each.dead), key=lambda each: each.visit
        )
        if found:
            return found[0] if len({each.pane for each in found}) == 1 else None
    return None


def showing(clients: Iterable[Client], own: Pane) -> list[Client]:
    """The clients that a key typed into this pane may have come from."""
    return [
        client
        for client in clients
        if not client.keyless
        and (client.window == own.window if client.own_pane else client.pane == own.pane)
    ]


def way(panes: Sequence[Pane], clients: Sequence[Client], goal: Pane, mine: Client | None) -> Way:
    """How `mine`, or a client that attaches anew, gets to the pane. Raises where another client would be moved, or a session end."""
    others = [client for client in clients if client != mine]
    if not goal.active and any(client.window == goal.window for client in others):
        raise TerminalError(
            "another terminal shows its window with another pane selected, and would be moved too: select the pane there"
        )
    held = [pane for pane in panes if pane.pane == goal.pane]
    moved = {client.session for client in others if client.window != goal.window}
    here = mine.session if mine else None
    attached = {client.session for client in others}
    best = min(
        held,
        key=lambda each: (each.session in moved, each.session != here, each.visit, each.session in attached),
    )
    name = _free_name(best.session_name, panes) if best.session in moved else None
    if mine and mine.ends and mine.session not in attached and (name or best.session != here):
        raise TerminalError(
            "leaving the tmux session here would end it: destroy-unattached is on, and no other terminal is attached to it"
        )
    visits = {pane.session for pane in panes if pane.visit} - attached - {best.session}
    return Way(best, name, tuple(sorted(visits)))


def entering(chosen: Way, go: Sequence[str], folder: str) -> list[str]:
    """The commands of tmux that make `go` (switch-client or attach-session) enter the pane if it's still the same pane.

    tmux runs them as one: the proof, and what follows from it. `folder`: where new windows of a session that is made for
    the visit start. Such a session ends as its client detaches, or else at the next visit to any.
    """
    pane, name, visits = chosen
    place = _target(pane.session, pane)
    entered = place if name is None else _target(f"={name}", pane)
    steps = [["select-pane", "-Z", "-t", entered], [*go, "-t", entered]]
    if name is not None:
        steps = [*_visit(name, pane.session, folder), *steps]
    steps += [["if-shell", "-F", "-t", f"{visit}:", LEFT, f"kill-session -t '{visit}'"] for visit in visits]
    same = "#{session_id} #{window_id} #{pane_id} #{pane_pid} #{pane_dead}"
    was = f"{pane.session} {pane.window} {pane.pane} {pane.pid} 0"
    # A session that can't exist: tmux says so and fails, which if-shell alone would not.
    otherwise = ["has-session", "-t", f"=the one in pane {pane.pane} with process {pane.pid}"]
    return ["if-shell", "-F", "-t", place, f"#{{==:{same},{was}}}", _joined(*steps), _joined(otherwise)]


def _visit(name: str, session: str, folder: str) -> list[list[str]]:
    """Not by destroy-unattached: servers crash when that ends a session whose client is just leaving (seen on tmux 3.3a)."""
    of = ["-t", f"={name}:"]
    where = ["-c", folder.replace("#", "##")] if folder else []
    return [
        ["new-session", "-d", "-s", name, *where, "-t", session],
        ["set-option", *of, "destroy-unattached", "off"],
        ["set-option", *of, VISIT, "1"],
        ["set-hook", *of, "client-detached", _joined(["if-shell", "-F", LEFT, "kill-session"])],
    ]


def _target(session: str, pane: Pane) -> str:
    return f"{session}:{pane.window}.{pane.pane}"


def _joined(*commands: Sequence[str]) -> str:
    """tmux reads what `shlex` quotes as a shell does."""
    return " ; ".join(map(shlex.join, commands))


def _free_name(near: str, panes: Iterable[Pane]) -> str:
    """As tmux names sessions of a group. Plain letters only: tmux expands a new session's name as a format."""
    taken = {pane.session_name for pane in panes}
    stem = re.sub(r"[^A-Za-z0-9_]+", "-", near[:NAME_LENGTH]).strip("-") or "tank"
    number = 1
    while f"{stem}-{number}" in taken:
        number += 1
    return f"{stem}-{number}"
