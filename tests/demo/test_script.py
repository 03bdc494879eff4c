import pytest

from demo import script
from demo.script import Call, Cut, Hold, Say, Status, Usage, Wait
from tank.records import header


@pytest.mark.parametrize(
    ("prompt", "answers"),
    [
        ("say one", [[Say("one")]]),
        ("say one ; say two", [[Say("one")], [Say("two")]]),
        ("wait 1.5 + say late", [[Wait(1.5), Say("late")]]),
        ("hold gate + say through", [[Hold("gate"), Say("through")]]),
        ("slow 3", [[Say(script.SLOW_TEXT, 3)]]),
        ("slow 3 some text", [[Say("some text", 3)]]),
        ("usage 120000 + say full", [[Usage(120000), Say("full")]]),
        ("status 529,529,200", [[Status((529, 529, 200), "")]]),
        ("status 400 no way ; say never", [[Status((400,), "no way")], [Say("never")]]),
        ("say half + cut", [[Say("half"), Cut()]]),
        ('call bash {"command": "a ; b + c"}', [[Call("bash", {"command": "a ; b + c"})]]),
        ("call a {} + call b {} ; say both", [[Call("a", {}), Call("b", {})], [Say("both")]]),
        ("call a {}\ncall b {}", [[Call("a", {}), Call("b", {})]]),
        ("ring B A", [[Call("send_to_session", {"to": "B", "message": "ring A B"})]]),
    ],
)
def test_a_prompt_is_read_as_answers_of_parts(prompt: str, answers: list[list[script.Part]]) -> None:
    assert script.answers(prompt) == tuple(map(tuple, answers))


@pytest.mark.parametrize(
    "prompt", ["hello", "call me maybe", "wait for it", "status quo", "", "usage", "call x []"]
)
def test_a_prompt_that_is_no_script_is_answered_in_words(prompt: str) -> None:
    assert script.answers(prompt) == ((Say(f"You said: {prompt}"),),)


def test_lines_before_the_script_are_for_people() -> None:
    assert script.answers("fix the flaky login test\nsay fixed") == ((Say("fixed"),),)


def test_the_body_of_a_delivered_message_decides() -> None:
    sender = header.Sender("app", "fix the login", verified=True)
    assert script.answers(header.compose(sender, "say hi")) == ((Say("hi"),),)
    assert script.answers(header.compose(None, "say hi")) == ((Say("hi"),),)


@pytest.mark.parametrize("start", ["<conversation>\nsay no\n</conversation>", "# Conversation\nsay no"])
def test_what_follows_the_command_decides_about_a_summary(start: str) -> None:
    assert script.answers(f"{start}\n\nSum it up.\n\nAdditional focus: say short") == ((Say("short"),),)
    assert script.answers(f"{start}\n\nSum it up.")[0] == (Say("The conversation so far, in one line."),)


def test_huge_text_has_exactly_the_characters_asked_for() -> None:
    (part,) = script.answers("huge 100000")[0]
    assert isinstance(part, Say)
    assert len(part.text) == 100_000
