"""What happens to the board: a state and an event give the next state, and what is to be done outside."""

from collections.abc import Callable
from dataclasses import replace

from tank.board import layout, peek
from tank.board.acts import LIST, page
from tank.board.bindings import ACTS, PRIORITIES, Act, help_lines
from tank.board.groups import groups, order
from tank.board.keys import Key, Pasted
from tank.board.state import (
    ChangesCounted,
    Copied,
    Event,
    LoadPeek,
    Mode,
    PeekLoaded,
    PriorityDone,
    Quit,
    Resized,
    Rostered,
    Sent,
    SetPriority,
    State,
    Step,
    Tick,
    TranscriptGrew,
    Who,
    opened,
    peeked_session,
    session,
    who,
)
from tank.records import text

FILTER_LIMIT = 200
"""Characters of a filter."""


def update(state: State, event: Event) -> Step:
    """The next state, and effects in the order they are to be done. Never raises."""
    after, effects = _react(state, event)
    settled, more = _settled(state, after)
    return settled, (*effects, *more)


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
        case Sent() | Copied() | ChangesCounted():
            return state, ()


def _loaded(state: State, event: PeekLoaded) -> State:
    """A peek that is scrolled back keeps its place when lines are added below."""
    peeked, chosen = state.peeked, peeked_session(state)
    if not peeked or not chosen or (peeked.session_id, peeked.file) != (event.session_id, event.file):
        return state
    after = replace(state, peeked=replace(peeked, peek=event.peek, error=event.error, read=True))
    if not peeked.back or not after.peeked:
        return after
    columns, rows = state.size.columns, layout.areas(state, state.size).peek
    grown = peek.most_back(after, chosen, columns, rows) - peek.most_back(state, chosen, columns, rows)
    return replace(after, peeked=replace(after.peeked, back=max(peeked.back + grown, 0)))


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
    steps = {Act.UP: -1, Act.DOWN: 1, Act.PAGE_UP: -page(state), Act.PAGE_DOWN: page(state)}
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


def _settled(before: State, after: State) -> Step:
    """After every event: the selection names a shown session, the list shows it, the peek shows its transcript."""
    if after.roster is before.roster and after.now is not before.now:
        return after, ()  # time alone moves nothing
    after = replace(after, selected=_selected(before, after))
    if after.asked and not session(after, after.asked):
        after = replace(after, mode=Mode.LIST, asked=None, notice="the session has ended")
    after, effects = _following(after)
    whole = layout.rows(after, groups(after.roster, after.filter))
    height = layout.areas(after, after.size).list
    return replace(after, top=layout.scrolled(whole, after.selected, after.top, height)), effects


def _selected(before: State, after: State) -> Who | None:
    """The same process; where it's gone the next in reading order, else the last before it."""
    shown = order(after.roster, after.filter)
    if after.selected in shown or not shown:
        return after.selected
    former = order(before.roster, before.filter)
    if after.selected in former:
        at = former.index(after.selected)
        for candidate in former[at + 1 :] + former[:at][::-1]:
            if candidate in shown:
                return candidate
    return _first(after, shown)


def _first(state: State, shown: list[Who]) -> Who:
    """On opening: the first that needs the person, else the session the board was opened from."""
    entries = {who(each): each.entry for each in state.roster.sessions}
    wants = [each for each in shown if entries[each].status == "needs-you"]
    own = [each for each in shown if state.own in (entries[each].pid, entries[each].session_id)]
    return (wants or own or shown)[0]


def _following(state: State) -> Step:
    """The peek follows the selection, and a process into its next session."""
    if not state.peeked:
        return state, ()
    chosen = session(state, state.selected)
    if not chosen:
        return replace(state, peeked=None), ()
    fresh, peeked = opened(chosen), state.peeked
    if (peeked.who, peeked.session_id, peeked.file) == (fresh.who, fresh.session_id, fresh.file):
        return state, ()
    return replace(state, peeked=fresh), (LoadPeek(chosen),)
