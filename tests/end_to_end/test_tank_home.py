"""Tank, the meta agent, on real Pi: his home, his tools with other sessions there, and his notes on the wire."""

import json
import shlex
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from demo.scripted_model import Request, ScriptedModel
from demo.waiting import eventually
from tank.agent.tools import HOME_TOOLS
from tests.support.board import BoardScreen
from tests.support.pi import DIALOGS, Lab, PiSession

HIS_TOOLS = {str(tool["name"]) for tool in HOME_TOOLS}
CONFIRM = 'call ask {"kind":"confirm","title":"Shall it be so?"}'
LOGIN, PARSER, NOTES = "fix the login test", "port the parser", "write the notes"


@dataclass
class House:
    """Tank in his home, with three others: one waits for the person, one works, one is done."""

    lab: Lab
    model: ScriptedModel
    path: Path
    tank: PiSession
    login: PiSession
    parser: PiSession

    def call(self, tool: str, **arguments: object) -> str:
        """What the tool told the model."""
        self.ask(f"call {tool} {json.dumps(arguments)}")
        asked = self.requests()[-1]
        return next(str(m["content"]) for m in reversed(asked.body["messages"]) if m["role"] == "tool")

    def ask(self, prompt: str) -> None:
        """A prompt that the person types, and the end of its run."""
        before = len(self.requests())
        self.tank.command(prompt)
        eventually(lambda: len(self.requests()) > before, 15, self.tank.screen)
        self.tank.wait_until(lambda: self.tank.status() in ("idle", "done"), "the run over", 20)

    def requests(self) -> list[Request]:
        own = self.tank.published().session_id
        return [request for request in list(self.model.requests) if request.session == own]

    def git(self, *words: str) -> str:
        ran = subprocess.run(
            ["git", "-C", str(self.path), *words], capture_output=True, text=True, check=True
        )
        return ran.stdout


def home(lab: Lab) -> Path:
    path = lab.folder / "work" / "Tank's home"
    made = lab.tank("home", str(path))
    assert made.returncode == 0, made.stderr
    assert f"cd {shlex.quote(str(path))} && pi" in made.stdout
    return path.resolve()


@pytest.fixture(scope="module")
def built(model: ScriptedModel) -> Iterator[House]:
    lab = Lab(model.base_url)
    try:
        path = home(lab)
        login = lab.pi("login", f"{LOGIN}\n{CONFIRM}", extensions=[DIALOGS], ready=False)
        parser = lab.pi("parser", f"{PARSER}\nhold tank-home", ready=False)
        lab.pi("notes", f"{NOTES}\nsay The notes are written.", ready=False)
        tank = lab.pi("tank", cwd=path)
        parser.wait_status("working")
        yield House(lab, model, path, tank, login, parser)
        model.release("tank-home")
    finally:
        left = lab.close()
    assert not left, f"processes left behind: {left}"


@pytest.fixture
def house(built: House) -> House:
    return built


def test_his_first_request_has_his_tools_and_his_notes_and_others_have_neither(house: House) -> None:
    house.ask("say I am here")
    first = house.requests()[0]
    assert set(first.tools()) >= HIS_TOOLS
    assert "<notes>" in first.text()
    assert "Directives" in first.text()
    others = [request for request in list(house.model.requests) if PARSER in request.prompt]
    assert others
    assert not HIS_TOOLS & set(others[0].tools())
    assert "<notes>" not in others[0].text()
    assert house.tank.published().role == "tank"
    assert house.parser.published().role is None


def test_he_sees_every_session(house: House) -> None:
    said = house.call("tank_sessions")
    for label in (LOGIN, PARSER, NOTES):
        assert label in said
    assert "4 live sessions" in said
    assert len(said.encode()) < 16 * 1024


def test_he_reads_a_transcript(house: House) -> None:
    said = house.call("tank_read", session=NOTES)
    assert "│" in said
    assert "The notes are written." in said
    assert "no session is ‘nobody at all’" in house.call("tank_read", session="nobody at all")


def test_he_sets_a_priority_that_shows_on_the_board(house: House) -> None:
    assert "p1 now" in house.call("tank_priority", session=PARSER, priority=1)
    house.parser.wait_until(lambda: house.parser.published().priority == 1, "its priority")
    house.tank.command("/tank")
    board = BoardScreen(house.tank)
    board.wait_open()
    board.wait_says(PARSER, "p1")
    board.wait_for("Tank, the meta agent")
    board.press("C-c")
    board.wait_closed()


def test_he_writes_notes_each_edit_a_commit_and_the_next_request_carries_the_patch_alone(
    house: House,
) -> None:
    house.ask("say look at the notes")
    text = "# Notes\n\n## Directives\n\n- 2026-12-01: the release comes first\n\n## Priorities\n\n## Follow-ups\n"
    assert "committed as: release first" in house.call("tank_notes", text=text, why="release first")
    assert house.git("log", "-1", "--format=%s").strip() == "release first"
    assert (house.path / "NOTES.md").read_text() == text
    before = len(house.requests())
    house.ask("say what changed")
    request = house.requests()[before]
    systems = [m for m in request.body["messages"] if m["role"] in ("system", "developer")]
    patches = [m for m in systems[1:] if "the release comes first" in str(m["content"])]
    assert len(patches) == 1
    assert "Who" not in str(patches[0]["content"]), "the patch is of that one section"


def test_what_the_person_wrote_before_his_prompt_has_a_commit_of_its_own(house: House) -> None:
    (house.path / "NOTES.md").write_text("# Notes\n\n## Directives\n\n- by hand\n")
    assert "in the commit before it" in house.call("tank_notes", text="# Notes\n\nmy own\n", why="mine")
    assert "+- by hand" in house.git("log", "-p", "--", "NOTES.md")
    assert house.git("status", "--porcelain") == ""


def test_what_the_person_writes_during_his_run_is_not_written_over(house: House) -> None:
    written = json.dumps({"text": "# Notes\n\nfrom Tank\n", "why": "mine"})
    before = len(house.requests())
    house.tank.command(f"hold by-hand + call tank_notes {written}")
    eventually(lambda: len(house.requests()) > before)
    mine = "# Notes\n\n- by hand, just now\n"
    (house.path / "NOTES.md").write_text(mine)
    house.model.release("by-hand")
    eventually(lambda: len(house.requests()) > before + 1)
    told = next(
        str(m["content"]) for m in reversed(house.requests()[-1].body["messages"]) if m["role"] == "tool"
    )
    assert "Nothing of yours was written" in told
    assert "- by hand, just now" in told
    assert (house.path / "NOTES.md").read_text() == mine
    house.tank.wait_until(lambda: house.tank.status() in ("idle", "done"), "the run over", 20)


def test_he_takes_the_person_to_a_session_in_tmux(house: House) -> None:
    client = house.lab.attach("tank")
    house.call("tank_focus", session=LOGIN)
    listed = ("list-clients", "-F", "#{session_name}")
    eventually(lambda: house.lab.server.cmd(*listed).stdout == ["login"])
    assert client.process.poll() is None
    house.lab.detach()


def test_the_guard_stops_his_messages(house: House) -> None:
    words = [house.call("send_to_session", to=NOTES, message=f"say message {n}") for n in range(4)]
    assert "starts no run" in words[3]


def test_a_directory_that_a_clone_brought_asks_once_and_stays_ordinary(
    lab: Lab, model: ScriptedModel
) -> None:
    clone = lab.folder_in_work("clone")
    (clone / ".pi").mkdir()
    (clone / ".pi" / "tank.json").write_text('{"notes": true}')
    pi = lab.pi("clone", cwd=clone)
    pi.wait_for("Is this Tank's home?")
    pi.press("Down")
    pi.press("Enter")
    pi.wait_without("Is this Tank's home?")
    pi.submit("say nothing but a clone")
    pi.wait_runs(1)
    (request,) = model.asked("say nothing but a clone")[:1]
    assert not HIS_TOOLS & set(request.tools())
    pi.quit()
    again = lab.pi("again", cwd=clone)
    again.published()
    again.submit("say still a clone")
    again.wait_runs(1)
    assert "Is this Tank's home?" not in again.screen()
    assert not HIS_TOOLS & set(model.asked("say still a clone")[0].tools())


def test_a_yes_makes_it_his_home_at_once_and_after_reload(lab: Lab, model: ScriptedModel) -> None:
    place = lab.folder_in_work("place")
    (place / ".pi").mkdir()
    (place / ".pi" / "tank.json").write_text('{"notes": false}')
    pi = lab.pi("place", cwd=place)
    pi.wait_for("Is this Tank's home?")
    pi.press("Enter")
    pi.wait_until(lambda: pi.published().role == "tank", "his role")
    pi.submit("say home now")
    pi.wait_runs(1)
    asked = model.asked("say home now")[0]
    assert set(asked.tools()) >= HIS_TOOLS - {"tank_notes"}
    assert "<notes>" not in asked.text()
    pi.command("/reload")
    pi.wait_until(lambda: "Reloaded" in pi.screen() or pi.published().role == "tank", "reloaded")
    pi.submit("say home still")
    pi.wait_runs(2)
    assert set(model.asked("say home still")[0].tools()) >= HIS_TOOLS - {"tank_notes"}


def test_a_malformed_marker_is_named_and_the_session_stays_ordinary(lab: Lab, model: ScriptedModel) -> None:
    place = lab.folder_in_work("broken")
    (place / ".pi").mkdir()
    (place / ".pi" / "tank.json").write_text("{notes}")
    pi = lab.pi("broken", cwd=place)
    pi.wait_for("tank.json is no JSON")
    pi.submit("say broken but working")
    pi.wait_runs(1)
    assert not HIS_TOOLS & set(model.asked("say broken but working")[0].tools())


def test_a_folder_below_a_home_is_not_his(lab: Lab, model: ScriptedModel) -> None:
    below = home(lab) / "topics"
    pi = lab.pi("below", cwd=below, environment={"TANK_HOME": str(below.parent), "PI_TANK_HOME": "1"})
    pi.submit("say from below")
    pi.wait_runs(1)
    assert pi.published().role is None
    assert not HIS_TOOLS & set(model.asked("say from below")[0].tools())
