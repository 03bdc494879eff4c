"""Where Rex shows each session, which words title a tab and when, and what a person is told where Rex refuses."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from tank.records import text
from tank.terminals.rex_replies import Block, Failure, View, Window

TITLE_CELLS = 60
"""Rex keeps what is as short as this as it is; a title that came back different would count as the person's."""
TELLING = 4
"""Characters of its id by which one of several sessions of one label is told."""
NAMELESS = "Rex"
COVERED = "another program is in front in its pane, which may show no session: look for it by hand"
LOCAL = "unix"
"""How an app on this machine is connected."""


class RexSession(NamedTuple):
    """`detached` are blocks that Rex keeps without showing them in a tab."""

    session_id: str
    label: str
    windows: tuple[Window, ...]
    detached: tuple[str, ...] = ()


class Snapshot(NamedTuple):
    """One server's sessions, in its order. Another order of the app's sidebar can't be read."""

    sessions: tuple[RexSession, ...] = ()


class RexPlace(NamedTuple):
    """Where a block is; `window_id` is None while it is detached. `order` sorts: the session's place, its tab's, the block's.

    `session_label` tells the server's sessions apart, `window_label` is the tab's as it is.
    """

    session_id: str
    session_label: str
    window_id: str | None
    window_label: str | None
    order: tuple[int, int, int]


def endpoint(server: str) -> str:
    """One spelling of a server's address: blanks in a socket's path come as they are or as %20."""
    return text.line(server.strip().replace(" ", "%20"))


def session(session_id: str, label: str, view: View, listing: Mapping[str, str | None]) -> RexSession:
    """A view with the list of blocks, which knows those too that no tab shows: detached, or beside one shown enlarged."""
    shown = view.blocks()
    hidden = {block: window_id for block, window_id in listing.items() if block not in shown}
    windows = tuple(
        window._replace(
            blocks=(*window.blocks, *(Block(b) for b, w in hidden.items() if w == window.window_id))
        )
        for window in view.windows
    )
    return RexSession(session_id, label, windows, tuple(b for b, w in hidden.items() if w is None))


def unsettled(snapshot: Snapshot, blocks: Collection[str]) -> set[str]:
    """Which of these blocks no session shows, or several do: they are detached, hidden or gone, or move just now."""
    found = [block for session in snapshot.sessions for block, *_ in _standing(session)]
    return {block for block in blocks if found.count(block) != 1}


def place(snapshot: Snapshot, block_id: str) -> RexPlace | None:
    """None when the block is gone, also while several sessions claim it."""
    found = [
        RexPlace(session.session_id, label, window_id, window_label, (number, *order))
        for number, (session, label) in enumerate(zip(snapshot.sessions, _labels(snapshot), strict=True))
        for block, window_id, window_label, order in _standing(session)
        if block == block_id
    ]
    return found[0] if len(found) == 1 else None


def titling(snapshot: Snapshot, blocks: Collection[str]) -> dict[str, str]:
    """By tab the one of these blocks whose session titles it: the first, a floating one only where none is tiled."""
    chosen: dict[str, str] = {}
    for session in snapshot.sessions:
        for block, window_id, *_ in _standing(session):
            if block in blocks and window_id is not None:
                chosen.setdefault(window_id, block)
    return chosen


def title(current: str | None, last: str | None, wanted: str) -> str | None:
    """What the tab is to be titled; None leaves it alone: it is right, or neither Rex's own nor the `last` that Tank set there."""
    is_ours = current is None or current == last
    return wanted if wanted and is_ours and current != wanted else None


def title_words(label: str, priority: int | None) -> str:
    """A session's label after its priority, as a tab shows it."""
    return text.short(label if priority is None else f"p{priority} · {label}", TITLE_CELLS)


def refusal(why: Failure, server: str, command: str, said: str) -> str:
    """Why Rex did not do it and what the person can do; `said` are Rex's own words. Goes after what can't be done."""
    match why:
        case Failure.MISSING:
            return "there is no `rex` command: put Rex's folder on PATH"
        case Failure.FOREIGN:
            return f"{command} does not answer as Rex does: put the folder of Rex's own `rex` first on PATH"
        case Failure.NO_SERVER:
            return f"no Rex server answers at {server}: start Rex, and resume there what ran in it"
        case Failure.GONE:
            return "its tab, or the app that shows it, was closed just now: press r, then try again"
        case Failure.CONTROL_OFF:
            return "Rex lets no program do that: turn on Remote Control in Rex's Settings under Rex Server"
        case Failure.SLOW:
            return "Rex did not answer within 3 s: try again"
        case Failure.UNCONFIRMED:
            return "Rex did not confirm it in time, and may have done it: look there before you try again"
        case Failure.OTHER:
            return f"Rex says ‘{said}’" if said else "Rex failed without a word: `rex whoami` may say more"


def absent(found: RexPlace | None) -> str:
    """Why a block can't be gone to; empty when a tab shows it."""
    if found is None:
        return "Rex has its pane no more: it was closed, or Rex was started anew; press r"
    return "" if found.window_id else "its pane is detached, so no tab shows it: put it into one in Rex"


def half_way(found: RexPlace) -> str:
    """What can't be done once the server has focused the block there."""
    return f"its pane has the focus in its tab of ‘{found.session_label}’, but Tank can't bring that tab before you"


def only_app(apps: Sequence[str]) -> str:
    """Why none of these apps can be told to show a tab; empty when there is just one."""
    if not apps:
        return "no Rex app is connected: open Rex"
    return (
        ""
        if len(apps) == 1
        else f"{len(apps)} Rex apps are connected: close all but one, or go there by hand"
    )


def local_app(transport: str) -> str:
    """Why this app can't be told to; empty for one on this machine."""
    if not transport:
        return "Rex does not say on which machine its app runs: go there by hand"
    return (
        ""
        if transport == LOCAL
        else "the Rex app that is connected runs on another machine: go there by hand"
    )


def _standing(session: RexSession) -> Iterator[tuple[str, str | None, str | None, tuple[int, int]]]:
    """Each block with its tab, that tab's label, and its place in the session; the detached ones come last."""
    for number, window in enumerate(session.windows):
        for at, block in enumerate(window.blocks):
            yield block.block_id, window.window_id, window.label, (number, at)
    for at, detached in enumerate(session.detached):
        yield detached, None, None, (len(session.windows), at)


def _labels(snapshot: Snapshot) -> list[str]:
    """What each session is called. Where several would be called the same, each shows as much of its id as tells them apart."""
    names = [session.label or NAMELESS for session in snapshot.sessions]
    ids = [session.session_id.partition(":")[2] or session.session_id for session in snapshot.sessions]
    length = TELLING
    while len({each[:length] for each in ids}) < len(set(ids)):
        length += 1
    return [
        name if names.count(name) == 1 else f"{name} · {identity[:length]}"
        for name, identity in zip(names, ids, strict=True)
    ]
