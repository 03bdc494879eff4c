"""When uncommitted changes are counted: for projects on screen, and again after a session there has settled. Pure."""

from dataclasses import replace

from tank.board import layout
from tank.board.groups import who
from tank.board.state import CountChanges, State, Step
from tank.roster.groups import Group
from tank.roster.roster import Life

SETTLED_S = 1.0
"""After a run has settled: what its last tool started may still write."""
BUSY = ("working", "needs-you")


def wanted(before: State, after: State) -> Step:
    """Asks for every directory on screen that wasn't asked for, and anew for those where a run came to rest."""
    shown = {each.entry.cwd for group in layout.on_screen(after) for each in group.sessions}
    fresh = sorted(shown - after.checkouts.keys())
    settled = sorted(_settled(before, after) & shown - set(fresh))
    if not fresh and not settled:
        return after, ()
    asked = replace(after, checkouts={**after.checkouts, **dict.fromkeys(fresh)})
    effects = [CountChanges(cwd) for cwd in fresh] + [CountChanges(cwd, SETTLED_S) for cwd in settled]
    return asked, tuple(effects)


def _settled(before: State, after: State) -> set[str]:
    """Directories of sessions that came to rest, also of those whose run fell between two looks."""
    if before.roster is after.roster:
        return set()
    known = {who(each): (each.entry.status, each.entry.status_since) for each in before.roster.sessions}
    rests = [each for each in after.roster.sessions if each.entry.status not in BUSY]
    return {
        each.entry.cwd
        for each in rests
        if who(each) in known and known[who(each)] != (each.entry.status, each.entry.status_since)
    }


def count(state: State, group: Group) -> tuple[int, int]:
    """Changed paths and how many working trees they lie in; what couldn't be told counts as nothing."""
    trees = {state.checkouts.get(each.entry.cwd) for each in group.sessions}
    tops = {tree.top: tree.changed for tree in trees if tree and tree.changed}
    return sum(tops.values()), len(tops)


def crowded(state: State) -> frozenset[str]:
    """Sessions (`Session.file`) that work in one checkout at the same time as another."""
    working: dict[str, list[str]] = {}
    for session in state.roster.sessions:
        if session.entry.status == "working" and session.life is Life.ALIVE:
            tree = state.checkouts.get(session.entry.cwd)
            working.setdefault(tree.top if tree else session.entry.cwd, []).append(session.file)
    return frozenset(file for files in working.values() if len(files) > 1 for file in files)
