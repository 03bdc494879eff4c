"""What the keys of the list do: an act and a state give the next state and what is to be done outside."""

from collections.abc import Callable
from dataclasses import replace

from tank.board import layout, peek
from tank.board.bindings import Act
from tank.board.groups import groups, order
from tank.board.state import (
    LoadPeek,
    Mode,
    Quit,
    Refresh,
    State,
    Step,
    Suspend,
    opened,
    peeked_session,
    session,
    who,
)
from tank.roster import target


def _moved(steps: int) -> Callable[[State], Step]:
    def act(state: State) -> Step:
        shown = order(state.roster, state.filter)
        if state.selected not in shown:
            return state, ()
        at = min(max(shown.index(state.selected) + steps, 0), len(shown) - 1)
        return replace(state, selected=shown[at]), ()

    return act


def _paged(direction: int) -> Callable[[State], Step]:
    def act(state: State) -> Step:
        chosen = peeked_session(state)
        if not state.peeked or not chosen:
            return _moved(direction * page(state))(state)
        rows = layout.areas(state, state.size).peek
        most = peek.most_back(state, chosen, state.size.columns, rows)
        back = min(max(state.peeked.back - direction * max(rows // 2, 1), 0), most)
        return replace(state, peeked=replace(state.peeked, back=back)), ()

    return act


def page(state: State) -> int:
    return max(layout.areas(state, state.size).list - 1, 1)


def _to_group(steps: int) -> Callable[[State], Step]:
    def act(state: State) -> Step:
        firsts = [[who(each) for each in group.sessions] for group in groups(state.roster, state.filter)]
        at = next((at for at, group in enumerate(firsts) if state.selected in group), None)
        if at is None:
            return state, ()
        return replace(state, selected=firsts[min(max(at + steps, 0), len(firsts) - 1)][0]), ()

    return act


def _next(state: State) -> Step:
    """Goes round; a session that already is selected counts last."""
    ordered = [each for group in groups(state.roster, state.filter) for each in group.sessions]
    at = next((at for at, each in enumerate(ordered) if who(each) == state.selected), -1)
    for each in ordered[at + 1 :] + ordered[: at + 1]:
        if each.entry.status == "needs-you":
            return replace(state, selected=who(each)), ()
    return replace(state, notice="no session needs you"), ()


def _peek(state: State) -> Step:
    chosen = session(state, state.selected)
    if state.peeked or not chosen:
        return replace(state, peeked=None), ()
    return replace(state, peeked=opened(chosen)), (LoadPeek(chosen),)


def _priority(state: State) -> Step:
    chosen = session(state, state.selected)
    if not chosen:
        return state, ()
    if why := target.unreachable(chosen):
        return replace(state, notice=why), ()
    return replace(state, mode=Mode.PRIORITY, asked=state.selected), ()


def _back(state: State) -> Step:
    if state.peeked:
        return replace(state, peeked=None), ()
    if state.filter:
        return replace(state, filter=""), ()
    return state, (Quit(),)


LIST: dict[Act, Callable[[State], Step]] = {
    Act.UP: _moved(-1),
    Act.DOWN: _moved(1),
    Act.GROUP_BEFORE: _to_group(-1),
    Act.GROUP_AFTER: _to_group(1),
    Act.FIRST: _moved(-1_000_000),
    Act.LAST: _moved(1_000_000),
    Act.PAGE_UP: _paged(-1),
    Act.PAGE_DOWN: _paged(1),
    Act.NEXT: _next,
    Act.PEEK: _peek,
    Act.PRIORITY: _priority,
    Act.FILTER: lambda state: (replace(state, mode=Mode.FILTER), ()),
    Act.REFRESH: lambda state: (state, (Refresh(),)),
    Act.HELP: lambda state: (replace(state, mode=Mode.HELP), ()),
    Act.BACK: _back,
    Act.CLOSE: lambda state: (state, (Quit(),)),
    Act.SUSPEND: lambda state: (state, (Suspend(),)),
}
