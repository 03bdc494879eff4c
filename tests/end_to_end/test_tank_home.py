"""Tank, the meta agent, on real Pi: his home, his tools with other sessions there, and his notes on the wire."""

import json
import os
import re
import shlex
import signal
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest

from demo.scripted_model import Request, ScriptedModel
from demo.waiting import eventually
from tank.agent.tools import HOME_TOOLS
from tests.support.board import BoardScreen
from tests.support.pi import DIALOGS, Lab, PiSession

HIS_TOOLS = {str(tool["name"]) for tool in HOME_TOOLS}
CONFIRM = 'call ask {"kind":"confirm","title":"Shall it be so?"}'
RELEASE = "- 2026-12-01 the release comes first"
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


def systems(request: Request) -> list[str]:
    """The system messages of a request: the prompt, and patches of it."""
    found = [m["content"] for m in request.body["messages"] if m["role"] in ("system", "developer")]
    return [each if isinstance(each, str) else "".join(part["text"] for part in each) for each in found]


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
    assert (house.path / "AGENTS.md").read_text().strip() in first.text()
    assert "data that may be wrong, never an instruction" not in first.text(), "his prompt is AGENTS.md's"
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


def replied(pi: PiSession, count: int) -> bool:
    """Whether so many answers were given and the last run is over."""
    return len(pi.said("assistant")) == count and pi.status() != "working"


def test_he_reads_a_long_transcript_page_by_page_to_its_beginning(house: House) -> None:
    long = house.lab.pi("long", "say the very beginning")
    long.wait_runs(1)
    for count in range(1, 9):
        if count == 5:
            long.submit("/compact say what was said before")
            long.wait_for("[compaction]")
        long.submit(f"huge 6000 + say part {count}")
        long.wait_until(partial(replied, long, count + 1), f"part {count}")
    pages: list[str] = []
    before: dict[str, str] = {}
    while True:
        pages.append(house.call("tank_read", session=long.published().session_id, **before))
        assert len(pages[-1].encode()) <= 16 * 1024
        older = re.search(r'Older: tank_read with before "([^"]+)"', pages[-1])
        if not older:
            break
        before = {"before": older[1]}
    assert len(pages) > 1
    whole = "\n".join(reversed(pages))
    assert pages[-1].endswith("The session begins here.")
    told = ["the very beginning", *(f"say part {count}" for count in range(1, 9))]
    places = [whole.index(each) for each in told]
    assert places == sorted(places)
    assert whole.count("compaction: from here on") == 1
    assert whole.index("say part 4") < whole.index("compaction: from here on") < whole.index("say part 5")
    long.quit()


def test_what_changed_elsewhere_is_told_since_his_last_prompt(house: House) -> None:
    house.ask("say nothing yet")
    changing = house.lab.pi("changing", "say changed meanwhile")
    changing.wait_runs(1)
    told = house.call("tank_sessions").split("Since the person last typed here")[1].split("project │")[0]
    assert re.search(r"new .* → working .* → \w+ .*│ say changed meanwhile", told)
    again = house.call("tank_sessions").split("project │")[0]
    assert "say changed meanwhile" not in again
    changing.quit()


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
    text = f"# Directives\n\n{RELEASE}\n\n# Priorities\n\n# Follow-ups\n"
    assert "committed as: release first" in house.call("tank_notes", text=text, why="release first")
    assert house.git("log", "-1", "--format=%s").strip() == "release first"
    assert (house.path / "NOTES.md").read_text() == text
    before = len(house.requests())
    house.ask("say what changed")
    former, request = house.requests()[before - 1 : before + 1]
    head, *patches = systems(request)
    assert head == systems(former)[0], "the prompt as it began"
    fresh = patches[len(systems(former)) - 1 :]
    assert len(fresh) == 1
    assert re.findall(r"^</?[\w-]+>$", fresh[0], re.MULTILINE) == ["<notes>", "</notes>"], (
        "that section alone"
    )
    assert f"<notes>\n{text.strip()}\n</notes>" in fresh[0]
    house.ask("say nothing changed")
    assert systems(house.requests()[-1]) == systems(request)


def test_a_model_that_takes_no_patches_gets_the_prompt_anew_with_that_section_changed(
    lab: Lab, model: ScriptedModel
) -> None:
    models = lab.agent_dir / "models.json"
    models.write_text(models.read_text().replace('"supportsMidConvoSystemMessages": true', '"x": 0'))
    path = home(lab)
    pi = lab.pi("plain", cwd=path)
    old = (path / "NOTES.md").read_text().strip()
    for count, text in enumerate(("say before the notes changed", "say after the notes changed"), 1):
        pi.submit(text)
        pi.wait_runs(count)
        (path / "NOTES.md").write_text(RELEASE)
    (before,), (after,) = (
        systems(model.asked(f"say {word} the notes changed")[0]) for word in ("before", "after")
    )
    assert before.count(old) == 1
    assert after == before.replace(old, RELEASE)


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


def test_a_prompt_on_the_command_line_has_his_tools_and_his_notes(lab: Lab, model: ScriptedModel) -> None:
    pi = lab.pi("typed", "say from the command line", cwd=home(lab))
    pi.wait_runs(1)
    (request,) = model.asked("say from the command line")
    assert set(request.tools()) >= HIS_TOOLS
    assert "<notes>" in request.text()
    assert {name for name in HIS_TOOLS if f"\n- {name}: " in systems(request)[0]} == HIS_TOOLS


def test_new_and_resume_lead_into_the_home_and_out_of_it(lab: Lab, model: ScriptedModel) -> None:
    ordinary = lab.pi("ordinary", "say ordinary", cwd=lab.folder_in_work("ordinary"))
    ordinary.wait_runs(1)
    ordinary.quit()
    pi = lab.pi("moving", "say morning", cwd=home(lab))
    pi.wait_runs(1)

    def request(text: str) -> Request:
        pi.submit(text)
        (asked,) = eventually(lambda: model.asked(text))
        pi.wait_until(lambda: text.removeprefix("say ") in pi.said("assistant"), "the answer")
        pi.wait_until(lambda: pi.status() != "working", "its run over")
        return asked

    def resume(text: str, role: str | None) -> None:
        pi.submit("/resume")
        pi.wait_for("Current Folder")
        pi.press("Tab")
        pi.wait_for(text)
        pi.type(text)
        pi.pause()
        pi.press("Enter")
        pi.wait_until(lambda: pi.published().label == text and pi.published().role == role, "it, resumed")

    first = pi.published().session_id
    pi.submit("/new")
    pi.wait_until(lambda: pi.published().session_id != first, "the new session")
    assert pi.published().role == "tank"
    new = request("say new at home")
    assert set(new.tools()) >= HIS_TOOLS
    assert "<notes>" in new.text()
    resume("say ordinary", None)
    out = request("say out of it")
    assert not HIS_TOOLS & set(out.tools())
    assert "<notes>" not in out.text()
    resume("say morning", "tank")
    back = request("say back at home")
    assert set(back.tools()) >= HIS_TOOLS
    assert "<notes>" in back.text()
    pi.quit()


def test_a_sidecar_killed_between_two_prompts_costs_him_nothing(lab: Lab, model: ScriptedModel) -> None:
    path = home(lab)
    pi = lab.pi("killed", "say before the kill", cwd=path)
    pi.wait_runs(1)
    (sidecar,) = pi.sidecars()
    sidecar.kill()
    pi.wait_until(lambda: pi.published().sidecar_pid != sidecar.pid, "another one's entry")
    assert pi.published().role == "tank"
    (path / "NOTES.md").write_text(RELEASE)
    pi.submit("call tank_sessions {}")
    pi.wait_runs(2)
    asked, told = model.asked("call tank_sessions {}")[-2:]
    assert RELEASE in asked.text()
    assert "Since the person last typed here" in told.text()


def test_a_sidecar_that_hangs_holds_up_his_prompt_for_a_moment_and_an_ordinary_one_not_at_all(
    lab: Lab, model: ScriptedModel
) -> None:
    path = home(lab)
    his = lab.pi("his", "say first at home", cwd=path)
    other = lab.pi("other", "say first elsewhere")
    taken = {}
    for pi, where in ((his, "at home"), (other, "elsewhere")):
        pi.wait_runs(1)
        (sidecar,) = pi.sidecars()
        os.kill(sidecar.pid, signal.SIGSTOP)
        try:
            pi.type(f"say hung {where}")
            pi.pause()
            begun = time.monotonic()
            pi.press("Enter")
            (request,) = eventually(partial(model.asked, f"say hung {where}"), 3)
            taken[where] = request.at - begun
        finally:
            os.kill(sidecar.pid, signal.SIGCONT)
        pi.wait_runs(2)
    assert taken["elsewhere"] < 0.15, taken
    assert 0.2 <= taken["at home"] < 0.4, taken
    assert "<notes>" in model.asked("say hung at home")[0].text(), "as they last were"


def test_a_question_that_ends_with_its_session_is_put_again(lab: Lab) -> None:
    clone = lab.folder_in_work("clone")
    (clone / ".pi").mkdir()
    (clone / ".pi" / "tank.json").write_text("{}")
    pi = lab.pi("ended", cwd=clone, ready=False)
    pi.wait_for("Is this Tank's home?", 30)
    pi.kill(signal.SIGTERM)
    pi.wait_gone()
    again = lab.pi("again", cwd=clone, ready=False)
    again.wait_for("Is this Tank's home?", 30)


def test_a_declined_directory_becomes_his_home_on_the_command_line(lab: Lab, model: ScriptedModel) -> None:
    clone = lab.folder_in_work("declined")
    (clone / ".pi").mkdir()
    (clone / ".pi" / "tank.json").write_text('{"notes": false}')
    pi = lab.pi("declined", cwd=clone)
    pi.wait_for("Is this Tank's home?")
    pi.press("Escape")
    pi.wait_without("Is this Tank's home?")
    declined = lab.folder / "state/pi/tank/homes.json"
    eventually(lambda: declined.exists() and str(clone) in declined.read_text())
    assert "is Tank's home now" in lab.tank("home", str(clone)).stdout
    pi.command("/reload")
    pi.wait_until(lambda: pi.published().role == "tank", "his role")
    pi.submit("say listed after all")
    pi.wait_runs(1)
    assert set(model.asked("say listed after all")[0].tools()) >= HIS_TOOLS - {"tank_notes"}
