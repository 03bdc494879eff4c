"""What happens to the board: a state and an event give the next state, and what is to be done outside."""

from collections.abc import Callable
from dataclasses import replace

from tank.board import layout, peek
from tank.board.bindings import ACTS, PRIORITIES, Act, help_lines
from tank.board.groups import Group, groups
from tank.board.keys import Key, Pasted
from tank.board.state import (
    Effect,
    Event,
    LoadPeek,
    Mode,
    Peeked,
    PeekLoaded,
    PriorityDone,
    Quit,
    Refresh,
    Resized,
    Rostered,
    SetPriority,
    State,
    Suspend,
    Tick,
    TranscriptGrew,
    Who,
    who,
)
from tank.records import text
from tank.roster.roster import Life, Session

FILTER_LIMIT = 200
"""Characters of a filter."""

Step = tuple[State, tuple[Effect, ...]]


def update(state: State, event: Event) -> Step:
    """The next state, and effects in the order they are to be done. Never raises."""
    after, effects = _react(state, event)
    settled, more = _settled(state, after)
    return settled, (*effects, *more)


def peeked_session(state: State) -> Session | None:
    """Whose transcript is to be watched: there is one only while the peek is open."""
    return session(state, state.peeked.who) if state.peeked else None


def session(state: State, wanted: Who | None) -> Session | None:
    """The session of this process now, None when it's gone."""
    return next((each for each in state.roster.sessions if who(each) == wanted), None)


def _react(state: State, event: Event) -> Step:
    match event:
        case Key():
            return MODES[state.mode](state, event.name)
        case Pasted():
            return (_filtered(state, state.filter + event.text) if state.mode is Mode.FILTER else state), ()
        case Rostered():
            return replace(state, roster=event.roster, twice=event.twice, now=event.now), ()
        case Tick():
            return replace(state, now=event.now), ()
        case Resized():
            return replace(state, size=event.size), ()
        case PeekLoaded():
            return _loaded(state, event), ()
        case TranscriptGrew():
            watched = peeked_session(state)
            return state, (LoadPeek(watched),) if watched and watched.entry.session_file == event.file else ()
        case PriorityDone():
            return replace(state, notice=f"priority not set: {event.error}" if event.error else ""), ()


def _loaded(state: State, event: PeekLoaded) -> State:
    peeked = state.peeked
    if not peeked or (peeked.session_id, peeked.file) != (event.session_id, event.file):
        return state
    return replace(state, peeked=replace(peeked, peek=event.peek, error=event.error, read=True))


# Keys


def _in_list(state: State, key: str) -> Step:
    act = ACTS.get(key)
    return LIST[act](replace(state, notice="")) if act else (state, ())


def _in_filter(state: State, key: str) -> Step:
    if key == "escape":
        return replace(state, filter="", mode=Mode.LIST), ()
    if key == "enter":
        return replace(state, mode=Mode.LIST), ()
    if key in ("ctrl+c", "ctrl+z", "up", "down"):
        return LIST[ACTS[key]](state)
    if key == "backspace":
        return _filtered(state, "".join(text.clusters(state.filter)[:-1])), ()
    if key == "ctrl+u":
        return _filtered(state, ""), ()
    if key == "ctrl+w":
        return _filtered(state, state.filter.rstrip().rpartition(" ")[0]), ()
    typed = " " if key == "space" else key
    return _filtered(state, state.filter + typed) if len(typed) == 1 else state, ()


def _filtered(state: State, words: str) -> State:
    flat = text.lines(words[:FILTER_LIMIT]).replace("\n", " ")
    return replace(state, filter=flat)


def _in_priority(state: State, key: str) -> Step:
    chosen, back = session(state, state.asked), replace(state, mode=Mode.LIST, asked=None)
    if key == "ctrl+c":
        return back, (Quit(),)
    if key in PRIORITIES and chosen:
        waiting = replace(back, notice="setting the priority…")
        return waiting, (SetPriority(chosen, PRIORITIES[key]),)
    return (back if key == "escape" else state), ()


def _in_help(state: State, key: str) -> Step:
    act = ACTS.get(key)
    if act in (Act.BACK, Act.HELP):
        return replace(state, mode=Mode.LIST, help_top=0), ()
    steps = {Act.UP: -1, Act.DOWN: 1, Act.PAGE_UP: -_page(state), Act.PAGE_DOWN: _page(state)}
    if act in steps:
        most = max(len(help_lines(state.size.columns)) - layout.areas(state, state.size).list, 0)
        return replace(state, help_top=min(max(state.help_top + steps[act], 0), most)), ()
    return LIST[act](state) if act in (Act.CLOSE, Act.SUSPEND) else (state, ())


MODES: dict[Mode, Callable[[State, str], Step]] = {
    Mode.LIST: _in_list,
    Mode.FILTER: _in_filter,
    Mode.PRIORITY: _in_priority,
    Mode.HELP: _in_help,
}


# What the keys of the list do


def _moved(steps: int) -> Callable[[State], Step]:
    def act(state: State) -> Step:
        order = _order(groups(state.roster, state.filter))
        if state.selected not in order:
            return state, ()
        at = min(max(order.index(state.selected) + steps, 0), len(order) - 1)
        return replace(state, selected=order[at]), ()

    return act


def _paged(direction: int) -> Callable[[State], Step]:
    def act(state: State) -> Step:
        chosen = peeked_session(state)
        if not state.peeked or not chosen:
            return _moved(direction * _page(state))(state)
        rows = layout.areas(state, state.size).peek
        most = peek.most_back(state, chosen, state.size.columns, rows)
        back = min(max(state.peeked.back - direction * max(rows // 2, 1), 0), most)
        return replace(state, peeked=replace(state.peeked, back=back)), ()

    return act


def _page(state: State) -> int:
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
    return replace(state, peeked=_opened(chosen)), (LoadPeek(chosen),)


def _priority(state: State) -> Step:
    chosen = session(state, state.selected)
    if not chosen:
        return state, ()
    if chosen.life is Life.ELSEWHERE:
        return replace(state, notice="it runs on another machine: set its priority there"), ()
    if chosen.entry.socket is None:
        return replace(state, notice="it has no message socket: its priority can't be set from here"), ()
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


# What holds after every event


def _settled(before: State, after: State) -> Step:
    """The selection names a shown session, the list shows it, the peek shows the selected one's transcript."""
    if after.roster is before.roster and after.now is not before.now:
        return after, ()
    grouped = groups(after.roster, after.filter)
    after = replace(after, selected=_selected(before, after, _order(grouped)))
    if after.asked and not session(after, after.asked):
        after = replace(after, mode=Mode.LIST, asked=None, notice="the session has ended")
    after, effects = _following(after)
    height = layout.areas(after, after.size).list
    whole = layout.rows(after, grouped)
    return replace(after, top=layout.scrolled(whole, after.selected, after.top, height)), effects


def _order(grouped: tuple[Group, ...]) -> list[Who]:
    return [who(each) for group in grouped for each in group.sessions]


def _selected(before: State, after: State, order: list[Who]) -> Who | None:
    """The same process; where it's gone the next in reading order, else the last before it."""
    if after.selected in order or not order:
        return after.selected
    former = _order(groups(before.roster, before.filter))
    if after.selected in former:
        at = former.index(after.selected)
        for candidate in former[at + 1 :] + former[:at][::-1]:
            if candidate in order:
                return candidate
    return _first(after, order)


def _first(state: State, order: list[Who]) -> Who:
    """On opening: the first that needs the person, else the session the board was opened from."""
    shown = {who(each): each.entry for each in state.roster.sessions}
    wants = [each for each in order if shown[each].status == "needs-you"]
    own = [each for each in order if shown[each].session_id == state.own]
    return (wants or own or order)[0]


def _following(state: State) -> Step:
    """The peek follows the selection, and a process into its next session."""
    if not state.peeked:
        return state, ()
    chosen = session(state, state.selected)
    if not chosen:
        return replace(state, peeked=None), ()
    opened, peeked = _opened(chosen), state.peeked
    if (peeked.who, peeked.session_id, peeked.file) == (opened.who, opened.session_id, opened.file):
        return state, ()
    return replace(state, peeked=opened), (LoadPeek(chosen),)


def _opened(chosen: Session) -> Peeked:
    return Peeked(who(chosen), chosen.entry.session_id, chosen.entry.session_file)
