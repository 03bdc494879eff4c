"""The board over one of six real sessions: what it shows, what each of its keys does, and what others do meanwhile."""

import base64
import json
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import psutil
import pytest

from demo.scripted_model import ScriptedModel
from demo.stage import Terminal
from demo.waiting import eventually
from tank.board.bindings import ACTS, BINDINGS, COPIES, Act
from tests.support import entries
from tests.support.board import BoardScreen, Shown
from tests.support.client import Client
from tests.support.pi import DIALOGS, Lab, PiSession

PERSON = "[Message sent with tank, not by a session]"
COMMAND = "echo GATED && rm -rf build/artifacts build/cache && make --jobs 2 all install-documentation"
PARSER = "port the parser to bytes"
LOGIN = "fix the flaky login test"
LEAD = "lead the release"
IMAGES = "move images to the new bucket"
NOTES = "write the release notes"
LANDING = "say all images are lazy now"
TMUX_KEYS = {"pageup": "PPage", "pagedown": "NPage", "shift+g": "G"}
"""Where tmux has another name for a key than the bindings."""


@dataclass
class Team:
    """Six sessions in two repositories: one works, two need the person, one is done, two are idle, one of them stopped."""

    lab: Lab
    lead: PiSession
    """Idle, with a name; the board opens over it."""
    parser: PiSession
    login: PiSession
    images: PiSession
    notes: PiSession
    """Done; tests let it do this and that."""
    landing: PiSession
    app: Path
    site: Path

    @property
    def board(self) -> BoardScreen:
        return BoardScreen(self.lead)

    def open(self) -> BoardScreen:
        self.lead.command("/tank")
        self.board.wait_open()
        return self.board

    def close(self) -> None:
        self.board.press("C-c")
        self.board.wait_closed()

    def rest(self) -> None:
        """The notes' session is done, and the board is closed."""
        if self.board.is_open():
            self.close()
        if self.notes.status() != "done":
            self.notes.submit("say the notes are done")
            self.notes.wait_status("done")


@pytest.fixture(scope="module")
def six(model: ScriptedModel) -> Iterator[Team]:
    lab = Lab(model.base_url)
    try:
        yield start(lab)
    finally:
        left = lab.close()
    assert not left, f"processes left behind: {left}"


@pytest.fixture
def team(six: Team) -> Iterator[Team]:
    """The six sessions, as far as tests can share them: they may have done more than at first."""
    six.rest()
    yield six
    six.lab.detach()


@pytest.fixture
def gate() -> str:
    """A name to hold an answer at, for this test alone."""
    return uuid.uuid4().hex[:8]


def start(lab: Lab) -> Team:
    app = lab.repository("app", "git@github.com:you/app.git")
    site = lab.repository("site", "https://github.com/you/site.git")
    (app / "README.md").write_text("# app\n")

    def pi(name: str, cwd: Path, *prompt: str) -> PiSession:
        return lab.pi(name, *prompt, extensions=[DIALOGS], cwd=cwd, ready=False)

    gated = json.dumps({"command": COMMAND})
    team = Team(
        lab,
        lead=pi("lead", app),
        parser=pi("parser", app, f"{PARSER}\nhold {uuid.uuid4().hex}"),
        login=pi("login", app, f"{LOGIN}\ncall bash {gated}"),
        images=pi("images", site, f"{IMAGES}\nstatus 400 The bucket refuses this key"),
        notes=pi("notes", site, f"{NOTES}\nsay The notes for 2.4 are written."),
        landing=lab.pi_in_a_shell("landing", site),
        app=app,
        site=site,
    )
    team.landing.submit(LANDING)
    team.landing.wait_status("done")
    team.landing.press("Left")
    team.landing.wait_status("idle")
    stop(team.landing)
    team.lead.ready()
    team.lead.published()
    team.lead.command(f"/name {LEAD}")
    team.lead.wait_until(lambda: team.lead.published().label == LEAD, "its name")
    team.parser.wait_status("working")
    team.login.wait_status("needs-you", "Allow bash?")
    team.images.wait_status("needs-you")
    team.notes.wait_status("done")
    return team


def stop(pi: PiSession) -> None:
    """Ctrl-Z in its shell."""
    pi.press("C-z")
    pi.wait_until(lambda: psutil.Process(pi.pid).status() == psutil.STATUS_STOPPED, "Pi stopped")


def names_of(act: Act) -> list[str]:
    """Every key of an act, by tmux's names."""
    return [
        TMUX_KEYS.get(key, key.capitalize() if len(key) > 1 else key) for key, of in ACTS.items() if of is act
    ]


# What it shows


def test_six_sessions_show_with_their_project_status_and_reason(team: Team) -> None:
    board = team.open()
    assert "6 sessions · ● 2 need you, longest" in board.title()
    assert board.title().endswith("◐ 1 working · ✓ 1 done · ○ 2 idle")
    screen = board.wait_for("app github.com/you/app 1 uncommitted", "site github.com/you/site")
    assert screen.index("github.com/you/app") < screen.index("github.com/you/site")
    assert set(board.labels()) == {PARSER, LOGIN, LEAD, IMAGES, NOTES, LANDING}
    for label, *texts in (
        (PARSER, "◐ working", "scripted-1"),
        (LOGIN, "● needs you", "Allow bash?"),
        (LEAD, "○ idle", "this session"),
        (IMAGES, "● needs you", "failed: 400: The bucket refuses this key"),
        (NOTES, "✓ done", "The notes for 2.4 are written.", "ctx 1%"),
        (LANDING, "○ idle", "suspended"),
    ):
        board.wait_says(label, *texts)
    assert board.selected() == LOGIN


# Keys


def test_keys_go_from_card_to_card(team: Team) -> None:
    board = team.open()
    cards = board.sessions()
    grid = [[card for card in cards if card.place[0] == row] for row in sorted({c.place[0] for c in cards})]
    assert [len(line) for line in grid] == [2, 1, 2, 1]

    def go(act: Act, *expected: Shown) -> None:
        """With each of the act's keys in turn."""
        for key, card in zip(names_of(act), expected, strict=True):
            board.press(key)
            board.wait_selected(card.label)

    first, last = cards[0], cards[-1]
    go(Act.LAST, last, last)
    go(Act.FIRST, first, first)
    go(Act.RIGHT, cards[1], cards[2])
    go(Act.LEFT, cards[1], cards[0])
    go(Act.DOWN, grid[1][0], grid[2][0])
    go(Act.UP, grid[1][0], grid[0][0])
    go(Act.PAGE_DOWN, last)
    go(Act.PAGE_UP, first)


def test_n_goes_round_among_those_that_need_the_person(team: Team) -> None:
    board = team.open()
    board.wait_selected(LOGIN)
    for label in (IMAGES, LOGIN, IMAGES):
        board.press("n")
        board.wait_selected(label)


def test_the_help_tells_every_key_that_does_something_here(team: Team) -> None:
    board = team.open()
    board.press("?")
    screen = board.wait_for("↑↓ scroll")
    for binding in BINDINGS:
        assert (f" {binding.shown} " in screen and binding.says in screen) == (binding.act is not Act.SUSPEND)
    board.press("Escape")
    board.wait_selected(LOGIN)


def test_enter_on_the_own_card_closes_the_board(team: Team) -> None:
    board = team.open()
    board.select(LEAD)
    board.wait_for("Enter show it")
    board.press("Enter")
    board.wait_closed()


def test_escape_closes_one_thing_after_another_and_leaves_the_prompt_as_it_was(team: Team) -> None:
    team.lead.type("half a prompt")
    team.lead.wait_for("half a prompt")
    before = team.lead.screen()
    team.lead.press("M-t")
    board = team.board
    board.wait_open()
    board.press("/")
    team.lead.type("needs")
    board.press("Enter", "Space")
    board.wait_for("/needs 2 of 6", COMMAND)
    board.press("Escape")
    board.wait_without(COMMAND)
    board.wait_for("/needs 2 of 6")
    board.press("Escape")
    board.wait_without("/needs")
    assert len(board.labels()) == 6
    board.press("Escape")
    team.lead.wait_until(lambda: team.lead.screen() == before, "the screen as it was")
    team.lead.press("C-u")
    team.lead.wait_without("half a prompt")


def test_a_filter_holds_while_sessions_change(team: Team, model: ScriptedModel, gate: str) -> None:
    board = team.open()
    board.press("/")
    team.lead.type("working")
    board.wait_for("/working▏ 1 of 6 · ● 2 hidden", "Enter keep")
    assert board.labels() == [PARSER]
    board.press("Enter")
    team.notes.submit(f"hold {gate} + say written")
    board.wait_for("/working 2 of 6 · ● 2 hidden")
    assert set(board.labels()) == {PARSER, NOTES}
    model.release(gate)
    board.wait_for("/working 1 of 6")
    assert board.labels() == [PARSER]
    board.press("/", *["BSpace"] * len("working"))
    team.lead.type("site done")
    board.wait_for("/site done▏ 1 of 6")
    assert board.labels() == [NOTES]
    board.press("Escape")
    board.wait_says(PARSER, "working")


def test_r_counts_changes_again_and_the_end_of_a_run_does_so_without_a_key(
    team: Team, model: ScriptedModel, gate: str
) -> None:
    board = team.open()
    board.wait_for("you/app 1 uncommitted")
    (team.app / "CHANGELOG.md").touch()
    board.press("r")
    board.wait_for("you/app 2 uncommitted")
    team.notes.submit(f'call bash {{"command":"touch draft-of-the-notes"}} ; hold {gate} + say written')
    board.wait_says(NOTES, "working")
    model.release(gate)
    board.wait_for("you/site 1 uncommitted")
    for file in (team.app / "CHANGELOG.md", team.site / "draft-of-the-notes"):
        file.unlink()


# Peek


def test_the_peek_shows_the_question_in_full_and_goes_with_the_selection(team: Team) -> None:
    board = team.open()
    board.wait_selected(LOGIN)
    board.press("Space")
    screen = board.wait_for(
        "· Allow bash?", f"answer it in tmux, pane {team.login.pane.pane_id}", f"▷ bash: {COMMAND}"
    )
    assert f"─ {LOGIN} · app · " in screen
    board.press("n")
    board.wait_for(f"─ {IMAGES} · site · ", "failed: 400: The bucket refuses this key", "› " + IMAGES)
    board.press("Space")
    board.wait_without("› " + IMAGES)
    assert team.login.status() == team.images.status() == "needs-you"


def test_the_peek_follows_a_run_and_scrolls(team: Team, model: ScriptedModel, gate: str) -> None:
    board = team.open()
    board.select(NOTES)
    board.press("Space")
    team.notes.submit(
        f'hold {gate} + say first this + call bash {{"command":"echo is it so"}} ; hold {gate}2 + huge 6000'
    )
    board.wait_says(NOTES, "working")
    board.wait_for(f"› hold {gate}")
    model.release(gate)
    board.wait_for("first this", "✓ bash: echo is it so")
    model.release(f"{gate}2")
    board.wait_for("All work and no play", "lines above")
    board.wait_without("first this")
    board.press("PPage")
    board.wait_for("lines below")
    board.press(*["PPage"] * 20)
    board.wait_for("first this")
    board.press(*["NPage"] * 20)
    board.wait_without("lines below")


# Messages


def write_message(board: BoardScreen, label: str, text: str) -> None:
    board.select(label)
    board.press("m")
    board.wait_for(f"message to {label}")
    board.terminal.type(text)
    board.wait_for(f"{text}▏")


def test_a_message_starts_a_session_at_rest_and_queues_in_one_that_works(
    team: Team, model: ScriptedModel, gate: str
) -> None:
    board = team.open()
    write_message(board, NOTES, f"say begun by {gate}")
    board.wait_for("it rests and starts on it")
    board.press("Enter")
    board.wait_for(f"“{NOTES}” was idle and started a run on it.")
    team.notes.wait_until(lambda: team.notes.said()[-1] == f"{PERSON}\n\nsay begun by {gate}", "the message")
    board.wait_says(NOTES, f"begun by {gate}")

    team.notes.submit(f"hold {gate} + say typed")
    board.wait_says(NOTES, "working")
    write_message(board, NOTES, f"say queued for {gate}")
    board.wait_for("follow-up: read when its run is over")
    board.press("Enter")
    board.wait_for(f"“{NOTES}” is busy; the message lies in its queue")
    team.notes.wait_for(f"Follow-up: {PERSON}")
    assert team.notes.said()[-1] == f"hold {gate} + say typed"
    model.release(gate)
    team.notes.wait_until(
        lambda: team.notes.said()[-1] == f"{PERSON}\n\nsay queued for {gate}", "the message"
    )
    board.wait_says(NOTES, f"queued for {gate}")


def test_a_message_to_a_session_that_compacts_is_held(team: Team, model: ScriptedModel, gate: str) -> None:
    board = team.open()
    team.notes.submit("say This answer is long enough to be worth a summary of its own.")
    board.wait_says(NOTES, "worth a summary")
    team.notes.command(f"/compact hold {gate} + say short")
    board.wait_says(NOTES, "working")
    write_message(board, NOTES, f"say held for {gate}")
    board.press("Enter")
    board.wait_for(f"“{NOTES}” can't take a message right now; it is held there")
    assert team.notes.said()[-1].startswith("say This answer")
    model.release(gate)
    board.wait_says(NOTES, "done", f"held for {gate}")
    assert team.notes.said()[-1] == f"{PERSON}\n\nsay held for {gate}"


def test_the_fourth_message_with_no_prompt_between_is_shown_and_the_card_says_so(
    team: Team, gate: str
) -> None:
    team.notes.submit("say typed")
    team.notes.wait_until(lambda: team.notes.said("assistant")[-1] == "typed", "the typed prompt's answer")
    team.notes.wait_status("done")
    board = team.open()
    for number in (1, 2, 3):
        write_message(board, NOTES, f"say message {number} of {gate}")
        board.press("Enter")
        board.wait_for("was idle and started a run on it.")
        board.wait_says(NOTES, "done", f"message {number} of {gate}")
    write_message(board, NOTES, f"say one too many of {gate}")
    board.press("Enter")
    board.wait_for(f"The message is shown in “{NOTES}” but starts no run.")
    board.wait_says(NOTES, "guard: 1 not run")
    team.notes.wait_for(f"one too many of {gate}")
    assert team.notes.said("assistant")[-1] == f"message 3 of {gate}"


def test_a_message_steers_and_one_put_away_is_kept(team: Team, model: ScriptedModel, gate: str) -> None:
    board = team.open()
    team.notes.submit(f'hold {gate} + call bash {{"command":"echo step"}} ; say never reached by {gate}')
    board.wait_says(NOTES, "working")
    write_message(board, NOTES, f"say steered by {gate}")
    board.press("Escape")
    board.wait_without("message to")
    board.press("m")
    board.wait_for(f"say steered by {gate}▏")
    board.press("Tab")
    board.wait_for("steer: read within its run")
    board.press("Enter")
    board.wait_for("is busy; the message lies in its queue")
    model.release(gate)
    board.wait_says(NOTES, f"steered by {gate}")
    assert f"never reached by {gate}" not in team.notes.said("assistant")


def test_what_a_stopped_session_did_not_take_is_kept_and_sent_again(team: Team) -> None:
    board = team.open()
    write_message(board, LANDING, "say in time")
    board.press("Enter")
    board.wait_for(f"The message was not delivered to “{LANDING}”.", "m takes it up again.")
    team.landing.submit("fg")
    team.landing.wait_until(
        lambda: psutil.Process(team.landing.pid).status() != psutil.STATUS_STOPPED, "Pi going on"
    )
    board.press("r", "m")
    board.wait_for("say in time▏")
    board.press("Enter")
    board.wait_for(f"“{LANDING}” was idle and started a run on it.")
    team.landing.wait_until(lambda: team.landing.said()[1:] == [f"{PERSON}\n\nsay in time"], "it once")
    board.wait_says(LANDING, "in time")
    assert "suspended" not in board.says(LANDING)


# Priority


def test_a_priority_shows_and_p0_lifts_the_project(team: Team) -> None:
    board = team.open()
    board.select(NOTES)
    for key, priority in (("2", 2), ("0", 0)):
        board.press("p")
        board.wait_for("priority: 0 1 2 3, - for none")
        board.press(key)
        board.wait_says(NOTES, f"p{key}")
        assert team.notes.published().priority == priority
    board.wait_for("you/site p0")
    assert board.labels().index(NOTES) < board.labels().index(LOGIN)
    board.press("p", "-")
    board.wait_without("p0")
    assert team.notes.published().priority is None


# Copies


def buffers(lab: Lab) -> list[str]:
    """The texts in tmux's paste buffers."""
    names = lab.server.cmd("list-buffers", "-F", "#{buffer_name}").stdout
    return ["\n".join(lab.server.cmd("show-buffer", "-b", name).stdout) for name in names]


def wait_copied(lab: Lab, client: Client, text: str) -> None:
    """Wait until tmux has the text twice, by OSC 52 and by its command, and has told the terminal that shows it."""
    eventually(lambda: buffers(lab).count(text) == 2)
    eventually(lambda: base64.b64encode(text.encode()) in client.output)


def test_what_is_copied_reaches_the_terminal_and_tmux(team: Team) -> None:
    lab = team.lab
    lab.server.cmd("set-option", "-s", "set-clipboard", "on")
    client = lab.attach("lead")
    entry = team.notes.published()
    said = team.notes.said("assistant")[-1]
    resume = f"cd -- {team.site} && pi --session {entry.session_file}"
    board = team.open()
    board.select(NOTES)
    for key, text in (("i", entry.session_id), ("p", str(entry.session_file)), ("r", resume), ("l", said)):
        board.press("y")
        board.wait_for("copy: i id")
        board.press(key)
        board.wait_for(f"copied the {COPIES[key]}")
        wait_copied(lab, client, text)


# What others do


def test_a_session_comes_and_goes_and_keeps_its_place_and_priority_in_between(team: Team) -> None:
    board = team.open()
    logo = team.lab.pi("logo", "draw the logo\nsay drawn", cwd=team.site, ready=False)
    board.wait_says("draw the logo", "done", "drawn")
    assert "7 sessions" in board.title()
    board.select("draw the logo")
    board.press("p", "1")
    board.wait_says("draw the logo", "p1")
    old = logo.published()

    logo.command("/new")
    logo.wait_until(lambda: logo.published().session_id != old.session_id, "another session")
    board.wait_selected(logo.published().session_id[:8])
    assert "p1" not in board.terminal.screen()
    logo.submit("say another")
    board.wait_selected("say another")

    logo.command("/resume")
    logo.wait_for("draw the logo")
    logo.type("draw the logo")
    logo.pause()
    logo.press("Enter")
    board.wait_selected("draw the logo")
    board.wait_says("draw the logo", "idle", "p1")
    assert logo.published().session_id == old.session_id

    logo.quit()
    board.wait_without("draw the logo")
    assert "6 sessions" in board.title()
    assert board.selected() in board.labels()


def test_every_kind_of_dialog_of_a_tool_shows_and_goes_with_its_answer(team: Team) -> None:
    board = team.open()
    for kind in ("confirm", "select", "input", "editor", "custom"):
        team.notes.submit(json.dumps({"kind": kind, "title": f"Which {kind}?"}).join(["call ask ", ""]))
        board.wait_says(NOTES, "needs you", "" if kind == "custom" else f"Which {kind}?")
        assert "3 need you" in board.title()
        team.notes.wait_for(f"Which {kind}?")
        team.notes.press("Enter")
        board.wait_says(NOTES, "done")
        assert "2 need you" in board.title()
    team.notes.command("/ask confirm Their own business?")
    team.notes.wait_for("→ Yes")  # typed, it names the question too
    board.wait_says(NOTES, "idle")
    assert "2 need you" in board.title()
    team.notes.press("Enter")
    team.notes.wait_for("answered: true")


def test_sessions_elsewhere_are_shown_as_such_with_ages_that_make_sense(team: Team) -> None:
    now = datetime.now(UTC)
    project = {"key": "example.com/far", "name": "far"}
    here = entries.here()
    sinces: dict[str, object] = {
        "one hour ahead": (now + timedelta(hours=1)).isoformat(),
        "at the beginning of time": "1970-01-01T00:00:00Z",
        "a number": 0,
        "a word": "yesterday",
        "nothing": ...,
    }
    files = [
        entries.write(
            team.lab.live,
            f"{at}-00000000.json",
            entries.record(
                team.lead.pid,
                host=here | ({"machine": "other", "boot": "other"} if at % 2 else {"pidns": "other"}),
                project=project,
                label=f"began {words}",
                status="working",
                statusSince=since,
                updatedAt=now.isoformat(),
            ),
        )
        for at, (words, since) in enumerate(sinces.items())
    ]
    board = team.open()
    assert "11 sessions" in board.title()
    board.wait_says("began one hour ahead", "working", " 0s ", "elsewhere")
    board.wait_says("began at the beginning of time", "working", "d ", "elsewhere")
    for words in ("a number", "a word", "nothing"):
        board.wait_says(f"began {words}", "elsewhere")
        assert not any(character.isdigit() for character in board.says(f"began {words}"))
    board.select("began nothing")
    board.press("m")
    board.wait_for("another machine")
    board.press("r")
    board.wait_without("another machine")
    board.press("Enter")
    board.wait_for("another machine")
    assert board.is_open()
    assert all(file.exists() for file in files)
    for file in files:
        file.unlink()
    board.wait_without("elsewhere")
    assert "6 sessions" in board.title()


# In a terminal


def test_in_a_terminal_it_shows_peeks_sends_and_leaves_the_screen_as_it_was(team: Team, gate: str) -> None:
    shell = team.lab.open("shell", ["sh"], kind=Terminal)
    shell.submit("echo what stood here")
    shell.wait_for("\nwhat stood here")
    before = shell.screen().rstrip()
    shell.submit("tank")
    board = BoardScreen(shell)
    board.wait_open()
    assert "what stood here" not in shell.screen()
    board.wait_selected(LOGIN)
    assert "this session" not in shell.screen()
    board.press("Space")
    board.wait_for(COMMAND)
    board.press("Escape")
    board.wait_without("rm -rf build")
    write_message(board, NOTES, f"say sent by {gate}")
    board.press("Enter")
    board.wait_for(f"“{NOTES}” was idle and started a run on it.")
    board.wait_says(NOTES, f"sent by {gate}")
    assert team.notes.said()[-1] == f"{PERSON}\n\nsay sent by {gate}"
    board.press("Escape")
    shell.wait_until(lambda: shell.screen().rstrip().startswith(before), "what stood there")
    assert "sessions" not in shell.screen()
    shell.submit("echo $((6 * 7))")
    shell.wait_for("\n42")
