"""Whatever is published and whatever is pressed, the board stays inside the screen and nothing of it reaches the terminal raw."""

import re
import unicodedata
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import wcwidth
from hypothesis import given, settings
from hypothesis import strategies as st

from tank.board import cells, compose, layout
from tank.board.bindings import ACTS, COPIES, PRIORITIES
from tank.board.keys import Key, Pasted
from tank.board.state import (
    ChangesCounted,
    Checkout,
    Copied,
    Event,
    Mode,
    PeekLoaded,
    Placed,
    PriorityDone,
    Resized,
    Rostered,
    Sent,
    Shown,
    Size,
    State,
    Tick,
    TranscriptGrew,
)
from tank.board.theme import COLOURS, PLAIN
from tank.board.update import update
from tank.board.view.screen import printed, view
from tank.records.entry import STATUSES, Entry
from tank.records.identity import Host
from tank.roster.place import Place, Tab
from tank.roster.roster import Life, Roster, Session
from tank.roster.transcript import Gap, Note, Outcome, Peek, Prompt, Reply, ToolCall
from tests.board.sample import NOW

SGR = re.compile(r"\x1b\[[0-9;]*m")
HOSTILE = [
    "\x1b]52;c;cm0gLXJmIC8=\x07",
    "\x1b[2J",
    "\x9b31m",
    "\x9d0;x\x9c",
    "a\rb\nc\bd",
    "\u202egnp.exe",
    "\u2066x\u2069",
    "\u200b",
    "#(touch /tmp/x)#{pane_id}",
    "$(touch /tmp/x)",
    "-rf",
    "<b>&",
    "家" * 60,
    "👨‍👩‍👧‍👦👨‍👩‍👧‍👦",
    "🇩🇪🇫🇷🇯",
    "1️⃣#️⃣☎️✓\ufe0f",
    "e" + "\u0301" * 50,
    "\ufe0fx",
    "\u200d👩",
    "a\u200d👩\u200d",
    "\t\t",
    "",
    " ",
    "\ud800",
    "\U000e0041",
    "क्षि",
    "x" * 100_000,
    "\u2028\u2029\x85",
]
TEXTS = st.one_of(st.sampled_from(HOSTILE), st.text(max_size=40), st.sampled_from(["app", "fix it", "needs"]))
MAYBE = st.none() | TEXTS
MOMENTS = st.sampled_from(
    [
        NOW,
        NOW + timedelta(hours=1),
        NOW - timedelta(days=3),
        datetime(1970, 1, 1, tzinfo=UTC),
        datetime.max.replace(tzinfo=UTC),
        datetime.min.replace(tzinfo=UTC),
    ]
)
NUMBERS = st.none() | st.sampled_from([0, 7.5, 100, 1e300, -5, 10**30])
PIDS = st.integers(1, 6)

ENTRIES = st.builds(
    Entry,
    v=st.just(1),
    pid=PIDS,
    session_id=TEXTS.filter(bool),
    cwd=TEXTS,
    status=st.sampled_from(STATUSES),
    started_at=MOMENTS,
    newer=st.booleans(),
    tank=st.none() | st.sampled_from(["0.0.1", "9.9", "x.y", "", "1.٣"]),
    process_start=st.none() | st.sampled_from(["linux:a:1", "linux:a:2"]),
    host=st.just(Host(None, None, None)),
    socket=MAYBE,
    session_file=st.none() | st.sampled_from(["/a", "/b"]),
    project_key=st.none() | TEXTS,
    project_name=MAYBE,
    label=MAYBE,
    status_since=st.none() | MOMENTS,
    status_detail=MAYBE,
    activity=MAYBE,
    priority=st.none() | st.integers(0, 3),
    recap=MAYBE,
    last_reply=MAYBE,
    context_percent=NUMBERS,
    model=MAYBE,
    messages_since_input=st.none() | st.integers(0, 10**9),
)
SESSIONS = st.builds(
    lambda entry, life, number: Session(entry, life, f"/live/{entry.pid}-{number}.json", {}),
    ENTRIES,
    st.sampled_from(Life),
    st.integers(0, 1),
)
ROSTERS = st.builds(
    Roster,
    st.lists(SESSIONS, max_size=7, unique_by=lambda session: session.file).map(tuple),
    st.lists(TEXTS, max_size=2).map(tuple),
)
ITEMS = st.one_of(
    st.builds(Prompt, TEXTS, MAYBE, st.none()),
    st.builds(Reply, TEXTS, st.none()),
    st.builds(ToolCall, TEXTS, TEXTS, st.sampled_from(Outcome), TEXTS, st.none()),
    st.builds(Note, TEXTS, TEXTS, st.none()),
    st.builds(Gap, TEXTS),
)
PEEKS = st.none() | st.builds(Peek, st.lists(ITEMS, max_size=6).map(tuple))
SIZES = st.builds(Size, st.integers(1, 220), st.integers(1, 60))
FILES = [f"/live/{pid}-{number}.json" for pid in range(1, 7) for number in range(2)]
ORDERS = st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 3))
PLACES = st.builds(Place, TEXTS, st.none() | st.builds(Tab, st.sampled_from(["one", "two"]), TEXTS, ORDERS))
KEYS = [*ACTS, *PRIORITIES, *COPIES, *compose.EDITS, "tab", "alt+enter", "x", "家"]
EVENTS = st.one_of(
    st.builds(Key, st.sampled_from(KEYS)),
    st.builds(Pasted, TEXTS),
    st.builds(
        Rostered, ROSTERS, st.frozensets(st.sampled_from(["/live/1-0.json", "/live/2-0.json"])), MOMENTS
    ),
    st.builds(Tick, MOMENTS),
    st.builds(Resized, SIZES),
    st.builds(PriorityDone, TEXTS),
    st.builds(Sent, TEXTS, st.sampled_from([None, "started", "no", "unknown", "else"]), TEXTS, TEXTS),
    st.builds(Copied, TEXTS),
    st.builds(
        Placed, st.dictionaries(st.sampled_from(FILES), PLACES), st.lists(TEXTS, max_size=2).map(tuple)
    ),
    st.builds(Shown, TEXTS, TEXTS, st.booleans()),
    st.builds(ChangesCounted, TEXTS, st.none() | st.builds(Checkout, TEXTS, st.integers(0, 10**9))),
    st.builds(TranscriptGrew, st.sampled_from(["/a", "/b"])),
    PEEKS,
)


def is_safe(line: str, columns: int) -> bool:
    shown = SGR.sub("", line)
    kept = all(unicodedata.category(c) not in ("Cc", "Cs", "Zl", "Zp") for c in shown)
    formats = {c for c in shown if unicodedata.category(c) == "Cf"} <= {"\u200c", "\u200d"}
    fits = cells.width(shown) <= columns and wcwidth.width(shown, control_codes="ignore") <= columns
    return kept and formats and fits


def after(state: State, event: Event | Peek | None) -> State:
    """What the event leads to; a peek is the answer for the session that the board asks about."""
    if event is None or isinstance(event, Peek):
        peeked = state.peeked
        return update(state, PeekLoaded(peeked.session_id, peeked.file, event))[0] if peeked else state
    return update(state, event)[0]


@settings(max_examples=120, deadline=None)
@given(ROSTERS, SIZES, st.lists(EVENTS, max_size=12))
def test_every_line_fits_and_is_clean_whatever_happens(
    roster: Roster, size: Size, events: list[Event | Peek | None]
) -> None:
    state, _ = update(State(NOW, size, own=1, overlay=True), Rostered(roster, frozenset(), NOW))
    for event in events:
        state = after(state, event)
        for theme in (PLAIN, COLOURS):
            lines = view(state, state.size, theme)
            assert len(lines) == state.size.rows
            assert all(is_safe(line, state.size.columns) for line in lines)
    assert all(is_safe(line, size.columns) for line in printed(state, size.columns))


@settings(max_examples=80, deadline=None)
@given(ROSTERS, SIZES, st.lists(EVENTS, max_size=12), SIZES)
def test_a_screen_of_another_size_than_the_state_knows_is_respected(
    roster: Roster, size: Size, events: list[Event | Peek | None], other: Size
) -> None:
    state, _ = update(State(NOW, size), Rostered(roster, frozenset(), NOW))
    for event in events:
        state = after(state, event)
    lines = view(state, other, COLOURS)
    assert len(lines) == other.rows
    assert all(is_safe(line, other.columns) for line in lines)


@settings(max_examples=120, deadline=None)
@given(ROSTERS, SIZES, st.lists(EVENTS, max_size=12))
def test_the_selection_is_always_one_of_those_shown_and_in_sight(
    roster: Roster, size: Size, events: list[Event | Peek | None]
) -> None:
    state, _ = update(State(NOW, size), Rostered(roster, frozenset(), NOW))
    for event in events:
        state = after(state, event)
        whole = layout.blocks(state)
        if any(whole):
            height = layout.areas(state).list
            shown = layout.window(whole, state.top, height)
            assert layout.place(shown, state.selected) is not None


@given(SIZES, st.booleans(), st.sampled_from(Mode))
def test_the_parts_of_the_screen_add_up(size: Size, problem: bool, mode: Mode) -> None:  # noqa: FBT001 - drawn
    state = replace(State(NOW, size), mode=mode, roster=Roster(problems=("unreadable",) if problem else ()))
    parts = layout.areas(state)
    beside = parts.columns < size.columns
    stacked = (parts.title, parts.notes, parts.above, parts.list, parts.below, parts.detail, parts.footer)
    assert sum(stacked) + (0 if beside else parts.peek) == size.rows
    assert parts.list >= 1
