import pytest

from tank.records import header
from tank.session.effects import FindProject
from tests.session.driver import facts, hello, session

MESSAGE = header.compose(None, "do this")


def test_a_new_name_is_published_at_once_with_the_session_idle() -> None:
    stage = session(prompts=["fix it"])
    assert stage.entry["label"] == "fix it"
    stage.hear("session_info_changed", name="alpha")
    assert stage.entry["label"] == "alpha"
    stage.hear("session_info_changed", name=None)
    assert stage.entry["label"] == "fix it"


def test_the_first_prompt_becomes_the_label_as_it_begins() -> None:
    stage = session()
    assert stage.entry["label"] is None
    stage.types("fix it")
    assert stage.entry["label"] is None
    stage.start("fix it\nplease")
    assert stage.entry["label"] == "fix it"
    stage.say("user", "another")
    assert stage.entry["label"] == "fix it"


def test_the_first_prompt_of_a_person_gives_the_label_however_many_messages_came_before() -> None:
    stage = session(prompts=[MESSAGE] * 8)
    for _ in range(20):
        stage.say("user", MESSAGE)
    assert stage.entry["label"] is None
    stage.say("user", "fix it")
    stage.say("user", "another")
    assert stage.entry["label"] == "fix it"


@pytest.mark.parametrize("role", ["assistant", "system", "toolResult", "custom"])
def test_a_message_of_another_role_gives_no_label(role: str) -> None:
    stage = session()
    stage.say(role, "fix it")
    assert stage.entry["label"] is None


def test_another_branch_has_its_own_prompts_reply_and_facts() -> None:
    stage = session(prompts=["fix it"], reply="Done.", priority={"priority": 1})
    stage.hear("session_tree", facts=facts(prompts=["try again"], reply="Tried.", priority={"priority": 2}))
    assert (stage.entry["label"], stage.entry["lastReply"], stage.entry["priority"]) == (
        "try again",
        "Tried.",
        2,
    )
    assert stage.status == "idle"


def test_the_project_is_looked_up_once_for_each_directory() -> None:
    stage = session()
    assert stage.wanted(FindProject) == [FindProject("/home/you/app")]
    stage.receive(hello("reload"))
    stage.receive(hello("new", sessionId="session-two"))
    assert stage.wanted(FindProject) == [FindProject("/home/you/app")]
    stage.receive(hello("resume", sessionId="session-three", cwd="/home/you/web"))
    assert stage.wanted(FindProject) == [FindProject("/home/you/app"), FindProject("/home/you/web")]


def test_a_project_found_too_late_is_not_the_new_directorys() -> None:
    stage = session()
    found = ("/home/you/app", "github.com/you/app", "app")
    stage.do(stage.brain.project_found(*found, stage.now))
    assert stage.entry["project"] == {"key": "github.com/you/app", "name": "app"}
    stage.receive(hello("resume", sessionId="session-two", cwd="/home/you/web"))
    stage.do(stage.brain.project_found(*found, stage.now))
    assert stage.entry["project"] is None


def test_a_projects_name_is_clean_and_short_and_says_something() -> None:
    stage = session()
    stage.do(stage.brain.project_found("/home/you/app", "/home/you/app", "a\x1bpp" + "x" * 999, stage.now))
    assert stage.entry["project"]["name"] == "app" + "x" * 116 + "…"
    stage.do(stage.brain.project_found("/home/you/app", "/\u200b", "\u200b", stage.now))
    assert stage.entry["project"]["name"] == stage.entry["project"]["key"] == "/\u200b"


@pytest.mark.parametrize(
    "told",
    [
        {},
        {"sessionId": ""},
        {"sessionId": 7, "cwd": "/"},
        {"sessionId": "x"},
        {"sessionId": "x", "cwd": None},
    ],
)
def test_facts_that_name_no_session_change_nothing(told: dict[str, object]) -> None:
    stage = session(name="alpha")
    before = stage.brain.entry(stage.now)
    stage.receive({"type": "session_tree", "facts": told})
    stage.receive({"type": "session_tree"})
    assert stage.brain.entry(stage.now) == before
    assert len(stage.wanted(FindProject)) == 1


def test_facts_of_wrong_types_count_as_unknown() -> None:
    wrong = dict.fromkeys(facts(), 7) | {"sessionId": "session-one", "cwd": "/home/you/app"}
    stage = session(**wrong)
    shown = ("label", "priority", "recap", "lastReply", "context", "model", "sessionFile")
    assert {name: stage.entry[name] for name in shown} == dict.fromkeys(shown)
