"""What happens to the board: a state and an event give the next state, and what is to be done outside."""

from collections.abc import Callable, Iterator
from dataclasses import replace

from tank.board import acts, changes, compose, layout, peek
from tank.board.acts import LIST, page
from tank.board.bindings import ACTS, Act, help_lines
from tank.board.compose import Text
from tank.board.groups import Who, listed, who
from tank.board.keys import Key, Pasted
from tank.board.state import (
    ChangesCounted,
    Copied,
    Copy,
    Draft,
    Event,
    LoadPeek,
    Locate,
    Mode,
    PeekLoaded,
    Placed,
    PriorityDone,
    Quit,
    Resized,
    Rostered,
    Send,
    Sent,
    Shown,
    State,
    Step,
    Tick,
    TranscriptGrew,
    is_own,
    opened,
    peeked_session,
    session,
)
from tank.records import delivery, text
from tank.records.limits import MESSAGE_LIMIT_BYTES
from tank.records.naming import called

CLOSES = [key for key, act in ACTS.items() if act is Act.CLOSE]
NOT_SENT = ("no", "unknown")
FILTER_LIMIT = 200
"""Characters of a filter."""
TOO_LONG = "a message takes 16 KiB at most: put the text into a file and send its path"


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
            return _pasted(state, event)
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
        case Sent():
            return _sent(state, event), ()
        case Copied():
            return replace(state, notice=event.notice), ()
        case ChangesCounted():
            return replace(state, checkouts={**state.checkouts, event.cwd: event.checkout}), ()
        case Placed():
            return replace(state, places=event.places, unplaced=event.problems), ()
        case Shown():
            return _shown(state, event)


def _loaded(state: State, event: PeekLoaded) -> State:
    """A peek that is scrolled back keeps its place when lines are added below."""
    peeked, chosen = state.peeked, peeked_session(state)
    if not peeked or not chosen or (peeked.session_id, peeked.file) != (event.session_id, event.file):
        return state
    after = replace(state, peeked=replace(peeked, peek=event.peek, error=event.error, read=True))
    if not peeked.back or not after.peeked:
        return after
    size = layout.peek_size(state)
    grown = peek.most_back(after, chosen, size) - peek.most_back(state, chosen, size)
    return replace(after, peeked=replace(after.peeked, back=max(peeked.back + grown, 0)))


def _sent(state: State, event: Sent) -> State:
    """Says what became of the message; the text of one that may not have arrived is kept for another try."""
    name = next(
        (
            state.listed.labels.get(each.file)
            for each in state.roster.sessions
            if each.entry.session_id == event.session_id
        ),
        None,
    )
    delivered = event.delivered or "no"
    told, why = delivery.sentence(called(name, event.session_id), delivered), event.error or event.note
    if delivered in NOT_SENT:
        told += " m takes it up again."
        written = [event.text, state.drafts.get(event.session_id, "")]
        state = replace(state, drafts={**state.drafts, event.session_id: "\n\n".join(filter(None, written))})
    return replace(state, notice=f"{told} ({why})" if why else told)


def _shown(state: State, event: Shown) -> Step:
    """The person is elsewhere now, and the board is done; or it says what they can do. Who writes is left to it."""
    state = replace(state, going=False)
    if event.error:
        return replace(state, notice=event.error, command=event.command), ()
    if event.back or state.mode is not Mode.LIST:
        return replace(state, notice=""), ()
    return state, (Quit(),)


def _in_list(state: State, key: str) -> Step:
    act, calm = ACTS.get(key), replace(state, notice="", command="")
    if act is Act.COPY and state.command:
        return calm, (Copy("command", state.command),)
    return LIST[act](calm) if act else (state, ())


def _in_filter(state: State, key: str) -> Step:
    if key == "escape":
        return replace(state, filter="", mode=Mode.LIST), ()
    if key == "enter":
        return replace(state, mode=Mode.LIST), ()
    if key in (*CLOSES, "ctrl+z", "up", "down"):
        return LIST[ACTS[key]](state)
    if key in ("left", "right", "home", "end", "delete"):
        return state, ()
    edited = compose.typed(Text(state.filter), key)
    return (_filtered(state, edited.whole) if edited else state), ()


def _filtered(state: State, words: str) -> State:
    flat = text.lines(words[:FILTER_LIMIT]).replace("\n", " ")
    return replace(state, filter=flat)


def _pasted(state: State, pasted: Pasted) -> Step:
    if state.mode is Mode.FILTER:
        return _filtered(state, state.filter + pasted.text), ()
    if state.mode is Mode.MESSAGE and pasted.in_parts:
        return replace(state, notice=TOO_LONG), ()
    if state.mode is Mode.MESSAGE and state.draft:
        return _written(state, state.draft, compose.pasted(state.draft.text, pasted.text)), ()
    return state, ()


def _in_question(answer: Callable[[State, Who | None, str], Step]) -> Callable[[State, str], Step]:
    """One key answers it; Esc asks no more."""

    def react(state: State, key: str) -> Step:
        if key in (*CLOSES, "escape"):
            back = replace(state, mode=Mode.LIST, asked=None)
            return back, (Quit(),) if key in CLOSES else ()
        return answer(state, state.asked, key)

    return react


def _in_message(state: State, key: str) -> Step:
    draft = state.draft
    if not draft or key == "escape":
        return _put_away(state, ""), ()
    if key in (*CLOSES, "ctrl+z"):
        return LIST[ACTS[key]](state)
    if key == "tab":
        other = draft._replace(mode="follow_up" if draft.mode == "steer" else "steer")
        return replace(state, draft=other), ()
    if key == "enter":
        return _posted(state, draft)
    edited = compose.typed(draft.text, key)
    return (_written(state, draft, edited) if edited else state), ()


def _written(state: State, draft: Draft, edited: Text) -> State:
    """A paste that would make the message too long is refused whole, so that no half of it is sent unseen."""
    longer = len(edited.whole) > len(draft.text.whole)
    if longer and len(edited.whole.encode()) > MESSAGE_LIMIT_BYTES:
        return replace(state, notice=TOO_LONG)
    return replace(state, draft=draft._replace(text=edited), notice="")


def _posted(state: State, draft: Draft) -> Step:
    chosen = session(state, draft.to)
    if not draft.text.whole.strip():
        return replace(state, notice="there is nothing to send yet"), ()
    if not chosen or chosen.entry.session_id != draft.session_id:
        return replace(state, notice="that session has ended: nothing was sent"), ()
    sending = Send(chosen, draft.session_id, draft.text.whole, draft.mode)
    drafts = {key: kept for key, kept in state.drafts.items() if key != draft.session_id}
    return replace(state, mode=Mode.LIST, draft=None, drafts=drafts, notice="sending…"), (sending,)


def _put_away(state: State, notice: str) -> State:
    """What was written stays for this session as long as the board is open."""
    after = replace(state, mode=Mode.LIST, draft=None, notice=notice)
    if not state.draft:
        return after
    kept, written = dict(state.drafts), state.draft.text.whole
    if written.strip():
        kept[state.draft.session_id] = written
    else:
        kept.pop(state.draft.session_id, None)
    return replace(after, drafts=kept)


def _in_help(state: State, key: str) -> Step:
    act = ACTS.get(key)
    if act in (Act.BACK, Act.HELP):
        return replace(state, mode=Mode.LIST, help_top=0), ()
    whole = len(help_lines(state.size.columns, overlay=state.overlay))
    most = max(whole - layout.areas(state).list, 0)
    steps = {Act.UP: -1, Act.DOWN: 1, Act.PAGE_UP: -page(state), Act.PAGE_DOWN: page(state)}
    steps |= {Act.FIRST: -whole, Act.LAST: whole}
    if act in steps:
        return replace(state, help_top=min(max(state.help_top + steps[act], 0), most)), ()
    return LIST[act](state) if act in (Act.CLOSE, Act.SUSPEND) else (state, ())


MODES: dict[Mode, Callable[[State, str], Step]] = {
    Mode.LIST: _in_list,
    Mode.FILTER: _in_filter,
    Mode.PRIORITY: _in_question(acts.set_priority),
    Mode.COPY: _in_question(acts.copy),
    Mode.MESSAGE: _in_message,
    Mode.HELP: _in_help,
}


def _settled(before: State, after: State) -> Step:
    """After every event: the selection names a listed session, the list shows it, the peek shows its transcript."""
    if after.roster is before.roster and after.now is not before.now:
        return after, ()  # time alone moves nothing
    if (
        after.roster is not before.roster
        or after.filter != before.filter
        or after.places is not before.places
    ):
        after = replace(after, listed=listed(after.roster, after.filter, after.places))
    after = replace(after, crowded=changes.crowded(after))
    after = replace(after, selected=_selected(before, after))
    if after.asked and not session(after, after.asked):
        after = replace(after, mode=Mode.LIST, asked=None, notice="the session has ended")
    after, effects = _following(after)
    top = layout.scrolled(layout.blocks(after), after.selected, after.top, layout.areas(after).list)
    after, more = changes.wanted(before, replace(after, top=top))
    return after, (*effects, *more, *_lost(before, after))


def _lost(before: State, after: State) -> Iterator[Locate]:
    """Where the terminals show the sessions is asked anew whenever one comes or goes."""
    if before.roster is after.roster:
        return
    if {who(each) for each in before.roster.sessions} != {who(each) for each in after.roster.sessions}:
        yield Locate(after.roster.sessions)


def _selected(before: State, after: State) -> Who | None:
    """The same process; where it's gone the next in reading order, else the last before it."""
    shown = [who(each) for each in after.listed.sessions]
    if after.selected in shown or not shown:
        return after.selected
    former = [who(each) for each in before.listed.sessions]
    if after.selected in former:
        at = former.index(after.selected)
        for candidate in former[at + 1 :] + former[:at][::-1]:
            if candidate in shown:
                return candidate
    return _first(after)


def _first(state: State) -> Who:
    """On opening: the first that needs the person, else the session the board was opened from."""
    shown = state.listed.sessions
    wants = [each for each in shown if each.entry.status == "needs-you"]
    own = [each for each in shown if is_own(state, each)]
    return who((wants or own or shown)[0])


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
