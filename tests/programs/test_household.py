"""What a sidecar does besides in Tank's home: a real one, in homes that `tank home` made, and in directories that only look like one."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest

from demo.waiting import eventually
from tank.agent.tools import HOME_TOOLS
from tank.records import link
from tank.records.limits import NOTES_LIMIT
from tests.support.conversation import FACTS, Conversation
from tests.support.stand_in import Session

Converse = Callable[..., Conversation]
TOOLS = [str(tool["name"]) for tool in HOME_TOOLS]
OTHER = "0199c0de-0002-7000-8000-000000000000"
PROBE_S = 0.5


class House:
    """One sidecar and the directories that its sessions may be in."""

    def __init__(self, sidecar: Conversation, folder: Path) -> None:
        self.sidecar = sidecar
        self.folder = folder
        self.sessions: list[Session] = []

    def home(self, name: str = "home") -> Path:
        """Made by `tank home`."""
        path = self.folder / name
        command = [sys.executable, "-I", "-m", "tank", "home", str(path)]
        subprocess.run(command, env=self.sidecar.environment, check=True, capture_output=True)
        return path

    def marked(self, name: str = "clone", said: str = "{}") -> Path:
        """A directory with the marker, as a clone brings it."""
        path = self.folder / name
        (path / ".pi").mkdir(parents=True)
        (path / ".pi/tank.json").write_text(said)
        return path

    def enter(self, path: Path, reason: str = "startup", **facts: object) -> list[str]:
        """A session begins there; the tools that it is given."""
        self.sidecar.hello(reason, cwd=str(path), **facts)
        tools = self.sidecar.order("home")["tools"]
        assert isinstance(tools, list)
        return tools

    def lists(self) -> dict[str, list[str]]:
        try:
            found = orjson.loads((self.state / "homes.json").read_bytes())
        except FileNotFoundError:
            return {}
        assert isinstance(found, dict)
        return found

    @property
    def state(self) -> Path:
        return self.folder / "state/pi/tank"

    def session(self, **fields: Any) -> Session:
        self.sessions.append(Session(self.sidecar.live, **fields))
        return self.sessions[-1]

    def types(self, text: str) -> None:
        self.sidecar.event("input", text=text, source="interactive", streamingBehavior=None)

    def writes(self, text: str, **more: str) -> str:
        said = self.sidecar.call("tank_notes", text=text, why="a test", **more)["text"]
        assert isinstance(said, str)
        return said


@pytest.fixture
def house(converse: Converse, tmp_path: Path) -> Iterator[House]:
    made = House(converse(), tmp_path)
    yield made
    for session in made.sessions:
        session.end()


def test_in_his_home_a_session_has_his_role_his_tools_and_his_notes(house: House) -> None:
    path = house.home()
    house.sidecar.hello(cwd=str(path))
    order = house.sidecar.order("home")
    assert link.ORDER.validate_python(order) == link.Home(type="home", tools=TOOLS, notes=True)
    house.sidecar.published(role="tank")
    notes = house.sidecar.notes()
    assert notes == (path / "NOTES.md").read_text().strip()
    result = house.sidecar.result(house.sidecar.begin("tank_sessions"))
    assert link.ORDER.validate_python(result)
    assert result["isError"] is False
    assert "1 live session: 1 idle." in result["text"]
    assert "[you]" in result["text"]
    house.sidecar.leave()


def test_through_a_link_it_is_the_same_home(house: House) -> None:
    (house.folder / "link").symlink_to(house.home())
    assert house.enter(house.folder / "link") == TOOLS


@pytest.mark.parametrize("where", ["/", "home/topics", "gone"])
def test_elsewhere_none_of_it_is_there_and_his_tools_are_refused_by_name(house: House, where: str) -> None:
    house.home()
    sidecar = house.sidecar
    sidecar.hello(cwd=str(house.folder / where))
    for tool in TOOLS:
        assert sidecar.call(tool) | {"id": 0} == {
            "type": "result",
            "id": 0,
            "text": f"Tank has no tool {tool}",
            "isError": True,
        }
    assert sidecar.published(status="idle")["role"] is None
    assert not {"home", "ask", "notes"} & {order["type"] for order in sidecar.read()}
    sidecar.leave()


def test_an_ordinary_sidecar_loads_nothing_of_it() -> None:
    code = "import tank.programs.sidecar, sys; print(*sys.modules)"
    ran = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True)
    his = {"household", "meta_tools", "jumping"}
    found = {name for name in ran.stdout.split() if name.startswith("tank.")}
    assert not found & {f"tank.programs.{name}" for name in his}
    assert not [name for name in found if name.startswith("tank.agent")]
    assert not found & {f"tank.edges.{name}" for name in ("home_files", "workers", "typed", "pages", "rex")}


def test_another_session_in_the_process_takes_the_role_away_at_once(house: House) -> None:
    home, elsewhere = house.home(), house.folder
    path = house.sidecar.entry_file
    for _ in range(5):
        house.enter(home, "resume")
        house.sidecar.published(role="tank", sessionId=FACTS["sessionId"])
        house.sidecar.event(
            "hello",
            tank="",
            protocol=1,
            pid=house.sidecar.pid,
            reason="resume",
            kept=None,
            facts=FACTS | {"cwd": str(elsewhere), "sessionId": OTHER},
        )
        seen = orjson.loads(path.read_bytes())
        while seen["sessionId"] != OTHER:
            seen = orjson.loads(path.read_bytes())
        assert seen["role"] is None
        assert house.sidecar.order("home") == {"type": "home", "tools": [], "notes": False}
    for tool in TOOLS:
        told = house.sidecar.call(tool, session="x", text="x", why="x")
        assert (told["isError"], "only for the session in his home" in told["text"]) == (True, True)
    assert house.sidecar.notes() is None
    house.sidecar.leave()


def test_a_reload_keeps_what_he_has_and_what_he_was_shown(house: House) -> None:
    home = house.home()
    house.enter(home)
    (home / "topics/plan.md").write_text("by hand\n")
    assert "by hand" in house.writes("mine\n", file="topics/plan.md")
    house.sidecar.event("session_shutdown", reason="reload")
    assert house.enter(home, "reload") == TOOLS
    house.sidecar.published(role="tank")
    assert "committed as" in house.writes("mine\n", file="topics/plan.md")


def test_the_next_session_was_shown_nothing(house: House) -> None:
    home = house.home()
    house.enter(home)
    assert "committed as" in house.writes("a plan\n", file="topics/plan.md")
    assert house.enter(home, "new", sessionId=OTHER) == TOOLS
    said = house.writes("over it\n", file="topics/plan.md")
    assert "Nothing of yours was written" in said
    assert said.endswith("a plan\n")
    assert "committed as" in house.writes("over it\n", file="topics/plan.md")


# The question


def test_a_directory_that_is_not_listed_is_asked_about_and_no_is_kept(house: House) -> None:
    clone, sidecar = house.marked(), house.sidecar
    assert house.enter(clone) == []
    asked = sidecar.order("ask")
    assert link.ORDER.validate_python(asked)
    assert str(clone) in asked["text"]
    assert sidecar.published(status="idle")["role"] is None
    sidecar.event("asked", id=asked["id"], confirmed=False)
    eventually(lambda: house.lists().get("declined") == [str(clone)])
    house.enter(clone, "new", sessionId=OTHER)
    assert not [order for order in sidecar.read() if order["type"] == "ask"]
    assert sidecar.call("tank_sessions")["isError"]
    assert sidecar.notes() is None
    sidecar.leave()


def test_yes_lists_it_and_makes_the_session_his(house: House) -> None:
    clone, sidecar = house.marked(), house.sidecar
    house.enter(clone)
    sidecar.event("asked", id=sidecar.order("ask")["id"], confirmed=True)
    assert sidecar.order("home")["tools"] == TOOLS
    sidecar.published(role="tank")
    assert house.lists()["homes"] == [str(clone)]
    assert sidecar.notes() == "(NOTES.md is missing)"


def test_a_question_that_could_not_be_put_is_put_by_the_next_session(house: House) -> None:
    clone, sidecar = house.marked(), house.sidecar
    ids = set()
    for number in range(3):
        house.enter(clone, "new", sessionId=f"session-{number}")
        ids.add(sidecar.order("ask")["id"])
        sidecar.event("asked", id=min(ids), confirmed=None)
    sidecar.published(sessionId="session-2")
    assert house.lists() == {}
    assert len(ids) == 3
    assert max(ids) < 0, "no id of another order"


def test_an_answer_to_the_session_before_is_none_to_this_one(house: House) -> None:
    first, second = house.marked("first"), house.marked("second")
    house.enter(first)
    stale = house.sidecar.order("ask")["id"]
    house.enter(second, "resume", sessionId=OTHER)
    asked = house.sidecar.order("ask")["id"]
    for answer in (True, False):
        house.sidecar.event("asked", id=stale, confirmed=answer)
    house.sidecar.event("asked", id=asked, confirmed=True)
    eventually(lambda: house.lists().get("homes"))
    assert house.lists() == {"homes": [str(second)], "declined": []}


def test_an_answer_that_can_not_be_kept_is_said(house: House) -> None:
    clone = house.marked()
    house.enter(clone)
    asked = house.sidecar.order("ask")["id"]
    house.state.mkdir(parents=True, mode=0o700, exist_ok=True)
    (house.state / "homes.json").write_text("{")
    house.sidecar.event("asked", id=asked, confirmed=True)
    assert "could not be kept" in house.sidecar.order("notify")["text"]
    assert house.sidecar.published(status="idle")["role"] is None


# The marker


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("{notes}", "is no JSON"),
        ("[]", "is no JSON object"),
        ('{"notes": "no"}', "notes must be true or false"),
        ("x" * 70_000, "is over 64 KiB"),
    ],
)
def test_a_malformed_marker_is_named_and_the_session_stays_ordinary(
    house: House, said: str, why: str
) -> None:
    assert house.enter(house.marked(said=said)) == []
    told = house.sidecar.order("notify")
    assert told["level"] == "warning"
    assert why in told["text"]
    assert "stays an ordinary session" in told["text"]
    assert house.sidecar.published(status="idle")["role"] is None
    assert house.sidecar.call("tank_sessions")["isError"]
    house.sidecar.leave()


@pytest.mark.parametrize("what", ["link", "fifo", "folder"])
def test_what_stands_in_the_marker_s_place_never_holds_up_a_session(house: House, what: str) -> None:
    clone = house.marked()
    marker = clone / ".pi/tank.json"
    marker.unlink()
    if what == "link":
        marker.symlink_to("nowhere")
    elif what == "fifo":
        os.mkfifo(marker)
    else:
        marker.mkdir()
    assert house.enter(clone) == []
    assert "is no regular file" in house.sidecar.order("notify")["text"]


def test_a_home_without_notes_has_neither_section_nor_tool(house: House) -> None:
    home = house.home()
    (home / ".pi/tank.json").write_text('{"notes": false}')
    assert house.enter(home) == [tool for tool in TOOLS if tool != "tank_notes"]
    assert house.sidecar.notes() is None
    before = (home / "NOTES.md").read_text()
    told = house.sidecar.call("tank_notes", text="x", why="x")
    assert (told["isError"], "Notes are off" in told["text"]) == (True, True)
    assert (home / "NOTES.md").read_text() == before
    assert not house.sidecar.call("tank_sessions")["isError"]


# The notes


def test_notes_are_read_fresh_and_what_is_wrong_with_them_is_said(house: House) -> None:
    home, sidecar = house.home(), house.sidecar
    file = home / "NOTES.md"
    house.enter(home)
    file.write_text("- by hand\n")
    assert sidecar.notes() == "- by hand"
    file.write_text("x" * (NOTES_LIMIT + 5))
    long = sidecar.notes() or ""
    assert long.startswith("x" * NOTES_LIMIT + "\n\n(NOTES.md has 4005 characters")
    file.unlink()
    assert sidecar.notes() == "(NOTES.md is missing)"
    file.symlink_to("/etc/hostname")
    assert "is a symbolic link" in (sidecar.notes() or "")
    assert "is a symbolic link" in house.writes("x")
    file.unlink()
    os.mkfifo(file)
    assert "is no regular file" in (sidecar.notes() or "")
    file.unlink()
    file.write_text("")
    assert sidecar.notes() == ""


def test_notes_that_he_saw_only_in_part_are_not_replaced(house: House) -> None:
    home = house.home()
    (home / "NOTES.md").write_text("x" * NOTES_LIMIT + "the end")
    house.enter(home)
    house.sidecar.notes()
    assert "the end" in house.writes("short\n")
    assert "committed as" in house.writes("short\n")


def test_edits_of_one_turn_do_not_get_in_each_other_s_way(house: House) -> None:
    home, sidecar = house.home(), house.sidecar
    house.enter(home)
    sidecar.notes()
    names = [f"topics/t{number}.md" for number in range(5)]
    calls = [sidecar.begin("tank_notes", file=name, text=name, why="side by side") for name in names]
    assert ["committed as" in sidecar.result(call)["text"] for call in calls] == [True] * len(names)
    assert [(home / name).read_text() for name in names] == [f"{name}\n" for name in names]


def test_of_two_edits_of_one_file_in_one_turn_the_second_gets_the_first_one_s_text(house: House) -> None:
    home, sidecar = house.home(), house.sidecar
    house.enter(home)
    sidecar.notes()
    calls = [
        {"type": "call", "id": number, "tool": "tank_notes", "arguments": {"text": text, "why": "at once"}}
        for number, text in ((901, "one"), (902, "two"))
    ]
    sidecar.send(b"\n".join(map(orjson.dumps, calls)))
    told = sorted(str(sidecar.result(number)["text"]) for number in (901, 902))
    assert "committed as" in told[0]
    assert told[1].startswith("Nothing of yours was written")
    assert told[1].endswith((home / "NOTES.md").read_text())


# What is new to the person


def test_what_changed_is_told_since_the_prompt_before_the_one_at_hand(house: House) -> None:
    home, sidecar = house.home(), house.sidecar
    house.enter(home)
    other = house.session(label="fix it")
    for text in ("first", "[Message from another Pi session (project p, session s)]\n\nnot typed"):
        house.types(text)
    assert "No earlier prompt" in sidecar.call("tank_sessions")["text"]
    changed_at(other, "needs-you", time.time())
    house.types("second")
    told = sidecar.call("tank_sessions")["text"]
    assert "1 changed:" in told
    assert "needs-you" in told.split("1 changed:")[1].split("\n")[1]
    house.types("third")
    assert "no status changed" in sidecar.call("tank_sessions")["text"]
    sidecar.event("input", text="not typed", source="extension", streamingBehavior=None)
    assert "no status changed" in sidecar.call("tank_sessions")["text"]


def changed_at(session: Session, status: str, at: float) -> None:
    time.sleep(0.01)
    stamp = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(at)) + f".{int(at % 1 * 1000):03d}Z"
    session.change(status=status, statusSince=stamp, recent=[{"status": status, "detail": None, "at": stamp}])
    time.sleep(0.01)


def test_it_is_told_in_a_later_process_too(house: House, converse: Converse) -> None:
    home = house.home()
    house.enter(home)
    house.types("yesterday")
    kept = house.state / "typed.json"
    eventually(lambda: kept.exists() and len(orjson.loads(kept.read_bytes())[str(home)]) == 1)
    house.sidecar.leave()
    other = house.session(label="fix it")
    changed_at(other, "done", time.time())
    later = House(converse(), house.folder)
    later.enter(home)
    later.types("today")
    assert "1 changed:" in later.sidecar.call("tank_sessions")["text"]
    later.sidecar.leave()


@pytest.mark.parametrize("said", ["{", "[]", '{"HOME": 5}', '{"HOME": ["x", 1]}', '{"HOME": ["2026-01-01"]}'])
def test_times_that_can_not_be_read_are_none(house: House, said: str) -> None:
    home = house.home()
    (house.state / "typed.json").write_text(said.replace("HOME", str(home)))
    house.enter(home)
    house.types("x")
    assert "No earlier prompt" in house.sidecar.call("tank_sessions")["text"]
    house.sidecar.leave()


def test_a_killed_sidecar_loses_what_he_was_shown_and_no_text(house: House) -> None:
    home, sidecar = house.home(), house.sidecar
    house.enter(home)
    sidecar.notes()
    house.types("before")
    eventually((house.state / "typed.json").exists)
    assert "committed as" in house.writes("# Mine\n")
    kept = sidecar.kept()
    sidecar.kill()
    sidecar.start()
    sidecar.hello("restart", cwd=str(home), kept=kept)
    assert sidecar.order("home")["tools"] == TOOLS
    sidecar.published(role="tank", sidecarPid=sidecar.process.pid)
    house.types("after")
    assert "Since the person last typed here" in sidecar.call("tank_sessions")["text"]
    said = house.writes("# Over it\n")
    assert "Nothing of yours was written" in said
    assert said.endswith("# Mine\n")
    assert (home / "NOTES.md").read_text() == "# Mine\n"
    assert "committed as" in house.writes("# Merged\n")
    sidecar.leave()


# Calls


def test_a_session_that_never_answers_holds_nobody_up_and_is_given_up_in_time(house: House) -> None:
    house.enter(house.home())
    silent = house.session(label="silent")
    silent.listen(lambda _: None)
    started = time.monotonic()
    call = house.sidecar.begin("tank_priority", session="silent", priority=1)
    for _ in range(3):
        asked = time.monotonic()
        assert house.sidecar.ask({"type": "ping"})["ok"]
        assert house.sidecar.call("tank_read", session="silent")["isError"]
        assert time.monotonic() - asked < PROBE_S
    told = eventually(
        lambda: next((order for order in house.sidecar.read() if order.get("id") == call), None), timeout=9
    )
    assert time.monotonic() - started < 7.8
    assert told["text"].startswith("It isn't known whether the priority was set: ")
    house.sidecar.leave()


def test_pi_s_end_does_not_wait_for_a_call(house: House) -> None:
    house.enter(house.home())
    house.session(label="silent").listen(lambda _: None)
    house.sidecar.begin("tank_priority", session="silent", priority=1)
    started = time.monotonic()
    house.sidecar.leave()
    assert time.monotonic() - started < 1


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize(
    "arguments", [None, [], "x", {}, {"session": 5, "priority": [], "text": {}, "why": None, "file": 3}]
)
def test_a_call_with_odd_arguments_is_answered(house: House, tool: str, arguments: object) -> None:
    house.enter(house.home())
    house.sidecar.event("call", tool=tool, arguments=arguments)
    told = house.sidecar.order("result")
    assert told["text"]
    assert told["isError"] is (tool != "tank_sessions")


def test_a_huge_call_is_answered(house: House) -> None:
    house.enter(house.home())
    assert "may have 16384" in house.writes("x" * 400_000, file="topics/a.md")
    assert "no session is" in house.sidecar.call("tank_read", session="x" * 400_000)["text"]
