"""What keys and events do."""

from dataclasses import replace
from datetime import timedelta

import pytest

from tank.board import bindings
from tank.board.acts import LIST
from tank.board.bindings import ACTS, BINDINGS, Act
from tank.board.groups import who
from tank.board.keys import Key, Pasted
from tank.board.state import (
    ChangesCounted,
    Checkout,
    Copied,
    Copy,
    CopyReply,
    Effect,
    Event,
    FindTank,
    LoadPeek,
    Locate,
    Mode,
    PeekLoaded,
    Placed,
    PriorityDone,
    Quit,
    Refresh,
    Resized,
    Rostered,
    Send,
    Sent,
    SetPriority,
    Show,
    Shown,
    Size,
    State,
    Suspend,
    Tick,
    TranscriptGrew,
    peeked_session,
)
from tank.board.theme import PLAIN
from tank.board.update import update
from tank.board.view.screen import view
from tank.records.entry import Entry
from tank.roster.place import Place, Tab
from tank.roster.roster import Life, Roster, Session
from tests.board.sample import NOW, PEEK, ROSTERS, SIX, loaded, session, state

SIZE = Size(80, 24)
APP = tuple(session(pid) for pid in (1, 2, 3))


def pressed(found: State, *names: str) -> State:
    for name in names:
        found, _ = update(found, Key(name))
    return found


def effects(found: State, event: Event) -> tuple[Effect, ...]:
    return update(found, event)[1]


def rostered(*sessions: Session) -> Rostered:
    return Rostered(Roster(sessions), frozenset(), NOW)


def changed(of: Session, **fields: object) -> Session:
    return of._replace(entry=replace(of.entry, **fields))  # type: ignore[arg-type]


def selected(found: State) -> Entry:
    return next(each.entry for each in found.roster.sessions if who(each) == found.selected)


def test_the_first_that_needs_the_person_is_selected_on_opening() -> None:
    found = state(Roster((session(1), session(2, status="needs-you"), session(3, status="needs-you"))), SIZE)
    assert selected(found).pid == 2


def test_else_the_session_the_board_was_opened_from() -> None:
    own = State(NOW, SIZE, own=APP[2].entry.session_id)
    assert selected(update(own, rostered(*APP))[0]).pid == 3


def test_else_the_first() -> None:
    assert selected(state(Roster(APP), SIZE, Tick(NOW))).pid == 1


def test_the_selection_follows_the_process_through_a_new_session_and_a_move() -> None:
    found = pressed(state(Roster(APP), SIZE), "j")
    moved = changed(
        APP[1], session_id="other", label="new", project_key="a/aa", project_name="aa", priority=0
    )
    after, _ = update(found, rostered(APP[0], moved, APP[2]))
    assert selected(after).session_id == "other"


def test_another_process_under_the_same_pid_is_not_the_selected_one() -> None:
    found = pressed(state(Roster(APP), SIZE), "j")
    after, _ = update(found, rostered(APP[0], changed(APP[1], process_start="linux:boot:later"), APP[2]))
    assert selected(after).pid == 3


def test_when_the_selected_one_is_gone_the_next_in_reading_order_is_selected() -> None:
    found = pressed(state(Roster(APP), SIZE), "j")
    assert selected(update(found, rostered(APP[0], APP[2]))[0]).pid == 3
    last = pressed(found, "j")
    assert selected(update(last, rostered(APP[0], APP[1]))[0]).pid == 2
    assert selected(update(last, rostered(APP[0]))[0]).pid == 1


def test_a_board_that_was_empty_selects_as_on_opening() -> None:
    found = state(Roster(), SIZE)
    assert found.selected is None
    after, _ = update(found, rostered(session(1), session(2, status="needs-you")))
    assert selected(after).pid == 2


@pytest.mark.parametrize(
    ("keys", "pid"),
    [
        ("j", 102),
        ("jj", 106),
        ("jk", 101),
        ("k", 101),
        ("G", 105),
        ("Gg", 101),
        ("Gj", 105),
        ("l", 106),
        ("ll", 103),
        ("lll", 103),
        ("lljh", 106),
        ("h", 101),
        ("n", 104),
        ("nn", 101),
    ],
)
def test_keys_move_the_selection(keys: str, pid: int) -> None:
    assert selected(pressed(state(ROSTERS[6], SIZE), *keys)).pid == pid


def test_arrows_home_and_end_do_as_the_letters() -> None:
    pairs = {"down": "j", "up": "k", "left": "h", "right": "l", "home": "g", "end": "G"}
    assert all(ACTS[arrow] is ACTS[letter] for arrow, letter in pairs.items())


def test_with_nobody_in_need_n_says_so_until_the_next_key() -> None:
    found = pressed(state(Roster(APP), SIZE), "n")
    assert found.notice == "no session needs you"
    assert selected(found).pid == 1
    assert pressed(found, "j").notice == ""


def test_pages_move_by_what_the_list_shows() -> None:
    found = state(ROSTERS[60], Size(80, 14), Key("g"))
    down = pressed(found, "pagedown")
    assert down.top > found.top
    assert pressed(down, "pageup").selected == found.selected


def test_keys_of_an_empty_board_do_nothing_and_quit_works() -> None:
    found = state(Roster(), SIZE)
    for name in ACTS:
        if ACTS[name] not in (Act.BACK, Act.CLOSE, Act.SUSPEND, Act.REFRESH, Act.TANK):
            assert not effects(found, Key(name))
    assert effects(found, Key("escape")) == (Quit(),)


def test_space_opens_the_peek_and_closes_it() -> None:
    found = state(ROSTERS[6], SIZE)
    opened, asked = update(found, Key("space"))
    assert asked == (LoadPeek(SIX[0]),)
    assert peeked_session(opened) == SIX[0]
    assert not pressed(opened, "space").peeked


def test_the_peek_follows_the_selection() -> None:
    opened = state(ROSTERS[6], SIZE, Key("space"), loaded(SIX[0]))
    moved, asked = update(opened, Key("j"))
    assert asked == (LoadPeek(SIX[1]),)
    assert moved.peeked
    assert not moved.peeked.read


def test_the_peek_follows_a_process_into_its_next_session() -> None:
    opened = state(Roster(APP), SIZE, Key("space"), loaded(APP[0]))
    after = changed(APP[0], session_id="other", session_file="/other")
    assert effects(opened, rostered(after, *APP[1:])) == (LoadPeek(after),)


def test_a_change_of_the_peeked_session_leaves_the_peek() -> None:
    opened = state(Roster(APP), SIZE, Key("space"), loaded(APP[0]))
    after, asked = update(opened, rostered(changed(APP[0], status="working"), *APP[1:]))
    assert not asked
    assert after.peeked == opened.peeked


def test_a_peek_that_comes_late_is_not_shown_for_another_session() -> None:
    opened = state(ROSTERS[6], SIZE, Key("space"), Key("j"), loaded(SIX[0]))
    assert opened.peeked
    assert not opened.peeked.read


def test_the_peek_is_read_again_when_its_file_grew_and_only_then() -> None:
    opened = state(ROSTERS[6], SIZE, Key("space"), loaded(SIX[0]))
    assert effects(opened, TranscriptGrew(str(SIX[0].entry.session_file))) == (LoadPeek(SIX[0]),)
    assert not effects(opened, TranscriptGrew("/another"))
    assert not effects(pressed(opened, "space"), TranscriptGrew(str(SIX[0].entry.session_file)))


def test_a_peek_that_is_read_again_stays_where_it_was_scrolled() -> None:
    opened = state(ROSTERS[6], Size(80, 20), Key("space"), loaded(SIX[0]), Key("pageup"))
    assert opened.peeked
    assert opened.peeked.back > 0
    again, _ = update(opened, loaded(SIX[0]))
    assert again.peeked == opened.peeked


def test_the_peek_scrolls_no_further_than_it_has_lines() -> None:
    found = state(ROSTERS[6], Size(80, 20), Key("space"), loaded(SIX[0]), *[Key("pageup")] * 50)
    assert found.peeked
    top = found.peeked.back
    assert pressed(found, "pageup").peeked == found.peeked
    down = pressed(found, *["pagedown"] * 50)
    assert top > 0
    assert down.peeked
    assert down.peeked.back == 0


def test_the_peek_closes_with_its_last_session() -> None:
    opened = state(Roster(APP[:1]), SIZE, Key("space"), loaded(APP[0]))
    after, asked = update(opened, rostered())
    assert not after.peeked
    assert asked == (Locate(()),)


def test_escape_closes_the_peek_then_drops_the_filter_then_closes_the_board() -> None:
    found = pressed(state(ROSTERS[6], SIZE), "/", "s", "i", "t", "e", "enter", "space")
    first, _ = update(found, Key("escape"))
    assert (first.peeked, first.filter) == (None, "site")
    second, _ = update(first, Key("escape"))
    assert second.filter == ""
    assert effects(second, Key("escape")) == (Quit(),)


@pytest.mark.parametrize(("key", "priority"), [("0", 0), ("3", 3), ("-", None)])
def test_p_and_a_digit_set_the_priority_of_the_selected_session(key: str, priority: int | None) -> None:
    asking = pressed(state(ROSTERS[6], SIZE), "p")
    assert asking.mode is Mode.PRIORITY
    after, asked = update(asking, Key(key))
    assert asked == (SetPriority(SIX[0], priority),)
    assert after.mode is Mode.LIST
    assert after.notice


def test_a_digit_without_p_sets_nothing() -> None:
    assert not effects(state(ROSTERS[6], SIZE), Key("0"))


def test_escape_cancels_and_other_keys_do_nothing_while_a_priority_is_asked_for() -> None:
    asking = pressed(state(ROSTERS[6], SIZE), "p")
    assert pressed(asking, "j", "space", "q") == asking
    cancelled, asked = update(asking, Key("escape"))
    assert cancelled.mode is Mode.LIST
    assert not asked


def test_the_priority_is_for_the_session_that_was_selected_when_p_was_pressed() -> None:
    asking = pressed(state(Roster(APP), SIZE), "j", "p")
    urgent = session(9, project_key="a", project_name="a", priority=0, status="needs-you")
    after, _ = update(asking, rostered(urgent, *APP))
    assert effects(after, Key("1")) == (SetPriority(APP[1], 1),)


def test_a_session_that_ends_takes_the_question_with_it() -> None:
    asking = pressed(state(Roster(APP), SIZE), "j", "p")
    after, _ = update(asking, rostered(APP[0], APP[2]))
    assert (after.mode, after.notice) == (Mode.LIST, "the session has ended")
    assert not effects(after, Key("0"))


def test_a_session_that_takes_no_messages_is_not_asked() -> None:
    deaf = state(Roster((session(1, socket=None),)), SIZE, Key("p"))
    away = state(Roster((session(1, Life.ELSEWHERE),)), SIZE, Key("p"))
    assert (deaf.mode, away.mode) == (Mode.LIST, Mode.LIST)
    assert "socket" in deaf.notice
    assert "another machine" in away.notice


def test_what_came_of_a_priority_is_told_only_when_it_failed() -> None:
    waiting = pressed(state(ROSTERS[6], SIZE), "p", "1")
    assert update(waiting, PriorityDone())[0].notice == ""
    assert update(waiting, PriorityDone("refused"))[0].notice == "priority not set: refused"


def test_slash_filters_while_it_is_typed_and_the_filter_stays_while_live() -> None:
    found = pressed(state(ROSTERS[6], SIZE), "/", *"site")
    assert selected(found).project_name == "site"
    after, _ = update(pressed(found, "enter"), rostered(*SIX, session(999)))
    assert (after.filter, after.mode) == ("site", Mode.LIST)
    assert selected(after).project_name == "site"


def test_keys_are_letters_while_the_filter_is_typed() -> None:
    found = pressed(state(ROSTERS[6], SIZE), "/", "q", "space", "p", "0", "?")
    assert found.filter == "q p0?"
    assert pressed(found, "backspace").filter == "q p0"
    assert pressed(found, "ctrl+w").filter == "q "
    assert pressed(found, "ctrl+u").filter == ""
    assert pressed(found, "f5", "ctrl+x").filter == "q p0?"


def test_backspace_takes_a_whole_cluster() -> None:
    found = update(pressed(state(ROSTERS[6], SIZE), "/"), Pasted("a👨‍👩‍👧"))[0]
    assert pressed(found, "backspace").filter == "a"


def test_escape_drops_the_filter_that_is_typed() -> None:
    found = pressed(state(ROSTERS[6], SIZE), "/", "x", "escape")
    assert (found.filter, found.mode) == ("", Mode.LIST)


def test_a_filter_that_hides_all_keeps_the_selection_for_later() -> None:
    before = pressed(state(ROSTERS[6], SIZE), "j")
    hidden = pressed(before, "/", "ž")
    assert pressed(hidden, "escape").selected == before.selected


def test_pasted_text_goes_into_the_filter_and_nowhere_else() -> None:
    found = state(ROSTERS[6], SIZE)
    assert update(found, Pasted("p0\x1b[2J"))[0] == found
    assert update(pressed(found, "/"), Pasted("two\nlines\x1b[2J"))[0].filter == "two lines[2J"


def test_help_opens_scrolls_and_closes() -> None:
    found = pressed(state(ROSTERS[6], Size(40, 10)), "?")
    assert found.mode is Mode.HELP
    down = pressed(found, *["j"] * 99)
    rows = len(bindings.help_lines(40, overlay=False))
    assert 0 < down.help_top < rows
    assert pressed(down, *["pageup"] * 9).help_top == 0
    assert pressed(down, "?").mode is Mode.LIST
    assert pressed(down, "escape").mode is Mode.LIST


def test_ctrl_c_closes_the_board_from_everywhere() -> None:
    for keys in ("", "/", "p", "y", "m", "?"):
        for close in ("ctrl+c", "ctrl+alt+c"):
            assert effects(pressed(state(ROSTERS[6], SIZE), *keys), Key(close)) == (Quit(),)


def test_ctrl_z_gives_the_terminal_back_and_r_reads_anew() -> None:
    found = state(ROSTERS[6], SIZE)
    assert effects(found, Key("ctrl+z")) == (Suspend(),)
    assert effects(found, Key("r"))[0] == Refresh()


def test_unbound_keys_do_nothing() -> None:
    found = state(ROSTERS[6], SIZE)
    for name in ("q", "x", "ctrl+d", "f1", "家"):
        assert update(found, Key(name)) == (found, ())


def test_a_tick_moves_nothing_but_the_time() -> None:
    found = pressed(state(ROSTERS[60], SIZE), "G")
    later = NOW + timedelta(hours=1)
    assert update(found, Tick(later)) == (replace(found, now=later), ())


def test_a_smaller_screen_keeps_the_selection_in_sight() -> None:
    found = pressed(state(ROSTERS[60], Size(80, 50)), "G")
    small, _ = update(found, Resized(Size(40, 8)))
    assert small.top > found.top


def test_every_act_has_a_key_a_sentence_and_a_function() -> None:
    assert {binding.act for binding in BINDINGS} == set(Act) == set(LIST)
    assert all(binding.says and binding.shown and binding.keys for binding in BINDINGS)


def test_no_key_is_bound_twice() -> None:
    keys = [key for binding in BINDINGS for key in binding.keys]
    assert len(keys) == len(set(keys))


@pytest.mark.parametrize("columns", [1, 20, 31, 32, 80])
def test_help_names_every_binding_at_every_width(columns: int) -> None:
    lines = bindings.help_lines(columns, overlay=False)
    assert [line.keys for line in lines if line.keys] == [binding.shown for binding in BINDINGS]
    said = "".join(line.says for line in lines).replace(" ", "")
    assert all(binding.says.replace(" ", "") in said for binding in BINDINGS)


def test_a_peek_that_could_not_be_read_says_why() -> None:
    opened = state(ROSTERS[6], SIZE, Key("space"))
    failed = PeekLoaded(SIX[0].entry.session_id, SIX[0].entry.session_file, None, "permission denied")
    after, _ = update(opened, failed)
    assert after.peeked
    assert after.peeked.error == "permission denied"
    recovered, _ = update(after, loaded(SIX[0]))
    assert recovered.peeked
    assert (recovered.peeked.error, recovered.peeked.peek) == ("", PEEK)


def test_arrows_move_among_cards_as_they_stand() -> None:
    """app: 101 102; notes: 106; site: 103 104 105."""
    wide = state(ROSTERS[6], Size(120, 40))
    assert selected(pressed(wide, "l")).pid == 102
    assert selected(pressed(wide, "l", "l")).pid == 106
    assert selected(pressed(wide, "l", "j")).pid == 106
    assert selected(pressed(wide, "j", "j")).pid == 103
    assert selected(pressed(wide, "j", "j", "l")).pid == 104
    assert selected(pressed(wide, "j", "j", "l", "j")).pid == 105
    assert selected(pressed(wide, "j", "j", "l", "k", "k")).pid == 101
    assert selected(pressed(wide, "G", "j", "l")).pid == 105
    assert selected(pressed(wide, "h", "k")).pid == 101


def test_enter_closes_the_board_over_its_own_session_and_shows_any_other() -> None:
    over = replace(state(ROSTERS[6], SIZE), own=101, overlay=True)
    assert effects(over, Key("enter")) == (Quit(),)
    found = pressed(over, "j")
    going, asked = update(found, Key("enter"))
    assert asked == (Show(SIX[1]),)
    assert going.notice == "going there…"
    assert effects(going, Key("enter")) == (), "once is enough"
    writing, left = update(pressed(going, "m", "h"), Shown())
    assert left == ()
    assert writing.draft is not None
    assert effects(going, Shown()) == (Quit(),)


def test_a_session_elsewhere_with_the_pid_of_its_own_is_another() -> None:
    over = State(NOW, SIZE, own=1, overlay=True)
    far = session(1, Life.ELSEWHERE, status="needs-you", status_detail="Allow bash?", started_at=NOW)
    found, _ = update(over, rostered(far))
    assert "asks here" not in "\n".join(view(found, SIZE, PLAIN))
    assert effects(found, Key("enter")) == (Show(far),)


def test_where_it_cannot_go_the_board_says_what_to_run_and_y_copies_that() -> None:
    found, asked = update(state(ROSTERS[6], SIZE), Shown("it is in another tmux server", "tmux -S /x attach"))
    assert asked == ()
    assert found.notice == "it is in another tmux server"
    after, copied = update(found, Key("y"))
    assert copied == (Copy("command", "tmux -S /x attach"),)
    assert (after.mode, after.notice) == (Mode.LIST, "")
    assert pressed(pressed(found, "j"), "y").mode is Mode.COPY


def test_sessions_are_located_on_opening_when_one_comes_or_goes_and_on_r() -> None:
    found, asked = update(State(NOW, SIZE), rostered(*APP))
    assert Locate(APP) in asked
    renamed = changed(APP[0], label="other")
    found, asked = update(found, rostered(renamed, *APP[1:]))
    assert not any(isinstance(each, Locate) for each in asked)
    assert Locate(APP[1:]) in update(found, rostered(*APP[1:]))[1]
    assert any(isinstance(each, Locate) for each in effects(found, Key("r")))


def test_sessions_in_rex_are_grouped_as_rex_lists_them() -> None:
    def tab(session: str, label: str, *order: int) -> Place:
        return Place(tab=Tab(session, label, (order[0], order[1], order[2])))

    one, two, three = APP
    places = {
        three.file: tab("s1", "work", 0, 0, 0),
        one.file: tab("s1", "work", 0, 1, 0),
        two.file: Place("tmux x"),
    }
    found, _ = update(state(Roster(APP), Size(120, 30)), Placed(places))
    assert [(group.name, [s.entry.pid for s in group.sessions]) for group in found.listed.groups] == [
        ("work", [3, 1]),
        ("app", [2]),
    ]
    lines = "\n".join(view(found, found.size, PLAIN))
    assert "tmux x" in lines
    assert " work  in Rex" in lines
    lifted, _ = update(found, rostered(one, changed(two, priority=0), three))
    assert [group.name for group in lifted.listed.groups] == ["app", "work"]


def test_what_could_not_be_asked_is_said_in_the_title() -> None:
    found, _ = update(state(Roster(APP), SIZE), Placed({}, ("Rex can't be read: no server",)))
    assert " ! Rex can't be read: no server" in view(found, SIZE, PLAIN)


def test_two_that_work_in_one_checkout_are_marked_until_one_rests() -> None:
    one, two = (changed(each, status="working") for each in APP[:2])
    shown, _ = update(State(NOW, Size(120, 30)), rostered(one, two, APP[2]))
    assert shown.crowded == {one.file, two.file}
    assert "\n".join(view(shown, shown.size, PLAIN)).count("two edit this checkout") == 2
    after, _ = update(shown, rostered(changed(one, status="idle"), two, APP[2]))
    assert after.crowded == frozenset()


def test_directories_of_one_checkout_are_one_and_worktrees_are_not() -> None:
    one = changed(APP[0], status="working", cwd="/app")
    deep = changed(APP[1], status="working", cwd="/app/deep")
    found, _ = update(State(NOW, Size(120, 30)), rostered(one, deep))
    assert found.crowded == frozenset()
    for cwd in ("/app", "/app/deep"):
        found, _ = update(found, ChangesCounted(cwd, Checkout("/app", None)))
    assert found.crowded == {one.file, deep.file}
    found, _ = update(found, ChangesCounted("/app/deep", Checkout("/app/deep", 0)))
    assert found.crowded == frozenset()


def test_a_message_is_written_and_sent_to_the_session_it_was_begun_for() -> None:
    found = pressed(state(ROSTERS[6], SIZE), "m", *"hi", "tab")
    found, asked = update(found, Key("enter"))
    assert asked == (Send(SIX[0], SIX[0].entry.session_id, "hi", "steer"),)
    assert (found.mode, found.draft, found.notice) == (Mode.LIST, None, "sending…")
    after, _ = update(found, Sent(SIX[0].entry.session_id, "queued"))
    assert "fix the flaky login test" in after.notice
    assert "queue" in after.notice
    assert after.drafts == {}


@pytest.mark.parametrize("delivered", [None, "no", "unknown"])
def test_the_text_of_a_message_that_may_not_have_arrived_is_kept(delivered: str | None) -> None:
    found = pressed(state(ROSTERS[6], SIZE), "m", *"hi", "enter")
    after, _ = update(found, Sent(SIX[0].entry.session_id, delivered, "no answer in 5 s", text="hi"))
    assert after.notice.endswith(" m takes it up again. (no answer in 5 s)")
    again = pressed(after, "m")
    assert again.draft is not None
    assert again.draft.text.whole == "hi"


def test_esc_puts_a_message_away_and_m_takes_it_up_again_for_that_session_alone() -> None:
    found = pressed(state(ROSTERS[6], SIZE), "m", *"hi", "escape")
    assert found.mode is Mode.LIST
    other = pressed(found, "j", "m")
    assert other.draft is not None
    assert other.draft.text.whole == ""
    again = pressed(other, "escape", "k", "m", "backspace", "backspace", "escape")
    assert again.drafts == {}


def test_a_message_is_not_sent_to_another_session_of_the_same_process() -> None:
    found = pressed(state(Roster(APP), SIZE), "m", *"hi")
    moved, _ = update(found, rostered(changed(APP[0], session_id="other"), *APP[1:]))
    after, asked = update(moved, Key("enter"))
    assert asked == ()
    assert "ended" in after.notice
    assert after.draft is not None
    assert after.draft.text.whole == "hi"


def test_an_empty_message_is_not_sent() -> None:
    after, asked = update(pressed(state(ROSTERS[6], SIZE), "m", "space"), Key("enter"))
    assert asked == ()
    assert after.mode is Mode.MESSAGE


def test_a_paste_that_makes_a_message_too_long_is_refused_whole() -> None:
    found = pressed(state(ROSTERS[6], SIZE), "m", *"hi")
    assert found.draft is not None
    room = 16 * 1024 - 2
    fits, _ = update(found, Pasted("x" * room))
    assert fits.draft is not None
    assert len(fits.draft.text.whole) == 16 * 1024
    after, _ = update(found, Pasted("x" * (room + 1)))
    assert after.draft == found.draft
    assert "16 KiB" in after.notice


def test_who_cannot_be_reached_gets_no_message_and_says_why() -> None:
    found = pressed(state(Roster((session(1, socket=None),)), SIZE), "m")
    assert found.mode is Mode.LIST
    assert "no message socket" in found.notice


@pytest.mark.parametrize(
    ("key", "effect"),
    [
        ("i", Copy("id", SIX[0].entry.session_id)),
        ("p", Copy("path", "/home/you/.pi/101.jsonl")),
        ("r", Copy("resume command", "cd -- /home/you/app && pi --session /home/you/.pi/101.jsonl")),
        ("l", CopyReply(SIX[0])),
    ],
)
def test_y_and_a_letter_copy(key: str, effect: Effect) -> None:
    found = pressed(state(ROSTERS[6], SIZE), "y")
    assert update(found, Key(key))[1] == (effect,)
    assert pressed(found, "x").mode is Mode.COPY
    assert pressed(found, "escape").mode is Mode.LIST
    after, _ = update(found, Copied("copied the id"))
    assert after.notice == "copied the id"


def test_a_resume_command_stays_words_whatever_the_names_hold() -> None:
    odd = session(1, cwd="/tmp/it's $(touch x)", session_file="~/s/a b;c.jsonl")
    (copied,) = update(pressed(state(Roster((odd,)), SIZE), "y"), Key("r"))[1]
    assert isinstance(copied, Copy)
    assert copied.text == """cd -- '/tmp/it'"'"'s $(touch x)' && pi --session ~/'s/a b;c.jsonl'"""


def test_a_session_without_a_transcript_has_an_id_only() -> None:
    found = pressed(state(Roster((session(1, session_file=None),)), SIZE), "y")
    assert "no resume command" in pressed(found, "r").notice
    assert update(found, Key("i"))[1] == (Copy("id", found.roster.sessions[0].entry.session_id),)


def test_a_dialog_under_the_board_is_said_until_it_is_answered() -> None:
    asks = session(1, status="needs-you", status_detail="Allow bash?")
    over = replace(State(NOW, Size(80, 24)), own=1, overlay=True)
    shown, _ = update(over, rostered(asks, session(2)))
    assert "asks here: close the board" in "\n".join(view(shown, SIZE, PLAIN))
    for calm in (changed(asks, status_detail="failed: 529"), changed(asks, status="working")):
        after, _ = update(shown, rostered(calm, session(2)))
        assert "asks here" not in "\n".join(view(after, SIZE, PLAIN))
    alone, _ = update(replace(over, overlay=False), rostered(asks))
    assert "asks here" not in "\n".join(view(alone, SIZE, PLAIN))


def test_n_says_when_the_filter_hides_who_needs_the_person() -> None:
    found = pressed(state(ROSTERS[6], SIZE), "/", *"working", "enter", "n")
    assert found.notice == "none of these needs you; the filter hides 2 that need you"


def test_the_title_says_how_many_of_those_the_filter_hides() -> None:
    wide = Size(120, 30)
    found = pressed(state(ROSTERS[6], wide), "/", *"working", "enter")
    assert "2 of 6 · ● 2 hidden" in view(found, wide, PLAIN)[0]


def test_the_edges_of_a_long_list_say_what_they_hide() -> None:
    small = Size(80, 20)
    found = pressed(state(ROSTERS[60], small), "G")
    lines = view(found, small, PLAIN)
    above = next(line for line in lines if line.startswith(" ↑"))
    seen = sum(any(f" {glyph} " in line for glyph in "●◐✓○") for line in lines[1:]) - 1
    waiting = sum("● needs you" in line for line in lines[1:])
    assert above == f" ↑ {60 - seen} more above · ● {8 - waiting} need you"
    assert not any(line.startswith(" ↓") for line in lines)


def test_over_pi_nothing_stops_it_and_help_does_not_say_so() -> None:
    over = replace(state(ROSTERS[6], SIZE), overlay=True)
    assert effects(over, Key("ctrl+z")) == ()
    assert not any("Ctrl+Z" in line.keys for line in bindings.help_lines(80, overlay=True))
    assert any("Ctrl+Z" in line.keys for line in bindings.help_lines(80, overlay=False))


def test_t_goes_to_tank_whatever_is_filtered_or_asks_how_he_is_started() -> None:
    his = session(9, role="tank", project_name="home", project_key="/home/you/tank")
    found = pressed(state(Roster((*APP, his)), SIZE), "/", *"app", "enter")
    after, asked = update(found, Key("t"))
    assert asked[0] == Show(his)
    assert selected(after).pid == 9
    assert effects(state(Roster(APP), SIZE), Key("t")) == (FindTank(),)


def test_tanks_own_card_is_marked() -> None:
    his = session(9, role="tank")
    wide = Size(120, 30)
    assert "Tank, the meta agent" in "\n".join(view(state(Roster((his,)), wide), wide, PLAIN))
    assert "meta agent" not in "\n".join(view(state(Roster(APP), wide), wide, PLAIN))


def test_what_is_written_while_a_message_is_on_its_way_is_neither_lost_nor_sent_twice() -> None:
    sending = pressed(state(ROSTERS[6], SIZE), "m", *"one", "enter", "m")
    assert sending.draft is not None
    assert sending.draft.text.whole == ""
    second = pressed(sending, *"two", "escape")
    arrived, _ = update(second, Sent(SIX[0].entry.session_id, "queued", text="one"))
    assert arrived.drafts == {SIX[0].entry.session_id: "two"}
    failed, _ = update(second, Sent(SIX[0].entry.session_id, "no", text="one"))
    assert failed.drafts == {SIX[0].entry.session_id: "one\n\ntwo"}


def test_a_paste_that_comes_in_parts_is_refused_whole_its_end_too() -> None:
    found = pressed(state(ROSTERS[6], SIZE), "m")
    for part in (Pasted("x" * 70_000, in_parts=True), Pasted("tail", in_parts=True)):
        found, _ = update(found, part)
        assert "16 KiB" in found.notice
    assert found.draft is not None
    assert found.draft.text.whole == ""


def test_a_long_notice_is_told_to_its_end() -> None:
    told = "Rex lets no program do that: turn on Remote Control in Rex's Settings under Rex Server, and then try again"
    found, _ = update(state(ROSTERS[6], SIZE), Shown(told))
    assert "".join(view(found, SIZE, PLAIN)[-2:]).replace("  ", " ").strip().endswith("and then try again")
    assert len(view(found, SIZE, PLAIN)) == SIZE.rows
