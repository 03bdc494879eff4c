"""How often an entry is written, through the brain."""

from tank.session import publication
from tests.session.driver import WALL, hello, session


def test_light_fields_alone_are_written_four_times_a_second_at_most_and_the_last_one_is() -> None:
    stage = session()
    stage.start()
    stage.wait(10)
    before = len(stage.entries)
    for number in range(100):
        stage.tool("call", "bash", f"step {number}")
        stage.hear(
            "message_end",
            reply=f"reply {number}",
            context={"tokens": 9 + number, "contextWindow": 999, "percent": 1},
        )
        stage.wait(0.01)
    assert 4 <= len(stage.entries) - before <= 5
    stage.wait(0.25)
    assert stage.entry["activity"] == "bash: step 99"
    assert stage.entry["lastReply"] == "reply 99"
    assert stage.entry["context"]["tokens"] == 108


def test_any_other_field_is_written_at_once_and_takes_the_light_ones_along() -> None:
    stage = session()
    stage.start()
    stage.tool(argument="pytest")
    stage.asks()
    assert (stage.status, stage.entry["activity"]) == ("needs-you", "bash: pytest")
    stage.answers()
    stage.hear("session_info_changed", name="alpha")
    assert (stage.status, stage.entry["label"]) == ("working", "alpha")
    stage.types()
    stage.hear("model_select", model={"provider": "a", "id": "b"})
    assert stage.entry["model"] == "a/b"


def test_nothing_is_written_without_a_change() -> None:
    stage = session()
    before = len(stage.entries)
    stage.hear("model_select", model={"provider": "scripted", "id": "scripted-1"})
    stage.types()
    stage.receive(hello("reload"))
    stage.wait(3600)
    assert len(stage.entries) == before


def test_updated_is_when_it_was_written() -> None:
    stage = session()
    stage.wait(5)
    stage.hear("session_info_changed", name="alpha")
    assert stage.entry["updatedAt"] == publication.stamp(WALL + stage.tick)
    assert stage.entry["startedAt"] == publication.stamp(WALL + stage.tick - 5)
