"""What the keys of the list do: an act and a state give the next state and what is to be done outside."""

import shlex
from collections.abc import Callable
from dataclasses import replace

from tank.board import layout, peek, said
from tank.board.bindings import COPIES, PRIORITIES, Act
from tank.board.compose import Text
from tank.board.groups import Who, who
from tank.board.state import (
    Copy,
    CopyReply,
    Draft,
    Effect,
    FindTank,
    LoadPeek,
    Locate,
    Mode,
    Quit,
    Refresh,
    SetPriority,
    Show,
    State,
    Step,
    Suspend,
    is_own,
    opened,
    peeked_session,
    session,
)
from tank.records.entry import TANK, Entry
from tank.roster import target
from tank.roster.roster import Session


def _moved(steps: int) -> Callable[[State], Step]:
    """In reading order."""

    def act(state: State) -> Step:
        shown = [who(each) for each in state.listed.sessions]
        if state.selected not in shown:
            return state, ()
        at = min(max(shown.index(state.selected) + steps, 0), len(shown) - 1)
        return replace(state, selected=shown[at]), ()

    return act


def _down(steps: int) -> Callable[[State], Step]:
    """To the card in the same column, else to the last of its line."""

    def act(state: State) -> Step:
        lines = [block.sessions for block in layout.blocks(state) if block and block.sessions]
        for at, line in enumerate(lines):
            column = next((place for place, each in enumerate(line) if who(each) == state.selected), None)
            if column is not None:
                there = lines[min(max(at + steps, 0), len(lines) - 1)]
                return replace(state, selected=who(there[min(column, len(there) - 1)])), ()
        return state, ()

    return act


def _right(steps: int) -> Callable[[State], Step]:
    def act(state: State) -> Step:
        return (_moved if layout.areas(state).cards else _to_group)(steps)(state)

    return act


def _to_group(steps: int) -> Callable[[State], Step]:
    def act(state: State) -> Step:
        groups = [[who(each) for each in group.sessions] for group in state.listed.groups]
        at = next((at for at, group in enumerate(groups) if state.selected in group), None)
        if at is None:
            return state, ()
        return replace(state, selected=groups[min(max(at + steps, 0), len(groups) - 1)][0]), ()

    return act


def _paged(direction: int) -> Callable[[State], Step]:
    def act(state: State) -> Step:
        chosen = peeked_session(state)
        if not state.peeked or not chosen:
            return _down(direction * page(state))(state)
        size = layout.peek_size(state)
        most = peek.most_back(state, chosen, size)
        back = min(max(state.peeked.back - direction * max(size.rows // 2, 1), 0), most)
        return replace(state, peeked=replace(state.peeked, back=back)), ()

    return act


def page(state: State) -> int:
    """How many lines of the list, of cards or of rows, a page moves."""
    parts = layout.areas(state)
    return max(parts.list // layout.CARD_ROWS if parts.cards else parts.list - 1, 1)


def _next(state: State) -> Step:
    """In reading order and round; a session that already is selected counts last."""
    ordered = state.listed.sessions
    at = next((at for at, each in enumerate(ordered) if who(each) == state.selected), -1)
    for each in ordered[at + 1 :] + ordered[: at + 1]:
        if each.entry.status == "needs-you":
            return replace(state, selected=who(each)), ()
    hidden = said.waiting(state.roster.sessions)
    if hidden:
        return replace(
            state,
            notice=f"none of these needs you; the filter hides {len(hidden)} that need{'s' * (len(hidden) == 1)} you",
        ), ()
    return replace(state, notice="no session needs you"), ()


def _show(state: State) -> Step:
    chosen = session(state, state.selected)
    if not chosen:
        return state, ()
    if is_own(state, chosen):
        return state, (Quit(),)
    if state.going:
        return state, ()
    return replace(state, notice="going there…", going=True), (Show(chosen),)


def _tank(state: State) -> Step:
    """His card is selected too, whatever the filter says."""
    his = next((each for each in state.roster.sessions if each.entry.role == TANK), None)
    if his is None:
        return (state, ()) if state.going else (replace(state, going=True), (FindTank(),))
    return _show(replace(state, filter="", selected=who(his)))


def _peek(state: State) -> Step:
    chosen = session(state, state.selected)
    if state.peeked or not chosen:
        return replace(state, peeked=None), ()
    return replace(state, peeked=opened(chosen)), (LoadPeek(chosen),)


def _asking(mode: Mode) -> Callable[[State], Step]:
    """One more key says what to do with the selected session."""

    def act(state: State) -> Step:
        chosen = session(state, state.selected)
        if not chosen:
            return state, ()
        if mode is Mode.PRIORITY and (why := target.unreachable(chosen)):
            return replace(state, notice=why), ()
        return replace(state, mode=mode, asked=state.selected), ()

    return act


def _message(state: State) -> Step:
    """Takes up what was written and not sent before."""
    chosen = session(state, state.selected)
    if not chosen:
        return state, ()
    if why := target.unreachable(chosen):
        return replace(state, notice=why), ()
    text = Text(state.drafts.get(chosen.entry.session_id, ""))
    draft = Draft(who(chosen), chosen.entry.session_id, text)
    return replace(state, mode=Mode.MESSAGE, draft=draft), ()


def _back(state: State) -> Step:
    if state.peeked:
        return replace(state, peeked=None), ()
    if state.filter:
        return replace(state, filter=""), ()
    return state, (Quit(),)


LIST: dict[Act, Callable[[State], Step]] = {
    Act.UP: _down(-1),
    Act.DOWN: _down(1),
    Act.LEFT: _right(-1),
    Act.RIGHT: _right(1),
    Act.FIRST: _moved(-1_000_000),
    Act.LAST: _moved(1_000_000),
    Act.PAGE_UP: _paged(-1),
    Act.PAGE_DOWN: _paged(1),
    Act.NEXT: _next,
    Act.SHOW: _show,
    Act.PEEK: _peek,
    Act.MESSAGE: _message,
    Act.PRIORITY: _asking(Mode.PRIORITY),
    Act.COPY: _asking(Mode.COPY),
    Act.FILTER: lambda state: (replace(state, mode=Mode.FILTER), ()),
    Act.TANK: _tank,
    Act.REFRESH: lambda state: (
        replace(state, checkouts={}),
        (Refresh(), Locate(state.roster.sessions)),
    ),
    Act.HELP: lambda state: (replace(state, mode=Mode.HELP), ()),
    Act.BACK: _back,
    Act.CLOSE: lambda state: (state, (Quit(),)),
    Act.SUSPEND: lambda state: (state, () if state.overlay else (Suspend(),)),
}


def set_priority(state: State, asked: Who | None, key: str) -> Step:
    """The key after `p`."""
    chosen = session(state, asked)
    if key not in PRIORITIES or not chosen:
        return state, ()
    waiting = replace(state, mode=Mode.LIST, asked=None, notice="setting the priority…")
    return waiting, (SetPriority(chosen, PRIORITIES[key]),)


def copy(state: State, asked: Who | None, key: str) -> Step:
    """The key after `y`."""
    chosen = session(state, asked)
    if key not in COPIES or not chosen:
        return state, ()
    done = replace(state, mode=Mode.LIST, asked=None)
    copied = _copied(chosen, key)
    if copied is None:
        return replace(done, notice=f"it has no {COPIES[key]} yet: it was not prompted"), ()
    return done, (copied,)


def _copied(chosen: Session, key: str) -> Effect | None:
    entry, what = chosen.entry, COPIES[key]
    if key == "i":
        return Copy(what, entry.session_id)
    if entry.session_file is None:
        return None
    if key == "l":
        return CopyReply(chosen)
    return Copy(what, entry.session_file if key == "p" else resume_command(entry, entry.session_file))


def resume_command(entry: Entry, file: str) -> str:
    """What to type in a shell to go on with the transcript."""
    home, rest = ("~/", file[2:]) if file.startswith("~/") else ("", file)
    return f"cd -- {shlex.quote(entry.cwd)} && pi --session {home}{shlex.quote(rest)}"
