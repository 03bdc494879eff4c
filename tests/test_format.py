"""FORMAT.md's examples are records that Tank itself takes."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tank.records import entry, socket
from tank.records.live import LiveEntry
from tank.session import publication, requests

FORMAT = (Path(__file__).parents[1] / "FORMAT.md").read_text()
BLOCKS = [json.loads(block) for block in re.findall(r"^```json\n(.*?)^```", FORMAT, re.MULTILINE | re.DOTALL)]


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: "-".join(list(block)[:2]))
def test_an_example_is_what_it_shows(block: dict[str, Any]) -> None:
    text = json.dumps(block)
    if "v" in block:
        LiveEntry.model_validate_json(text)
        entry.parse(text.encode())
    elif "ok" in block:
        reply = socket.REPLY.validate_json(text)
        if reply.data:
            (socket.Explanation if "rule" in reply.data else socket.Sent).model_validate(reply.data)
    elif block["type"] == "custom":
        assert publication.priority(block["data"]) == 1
    else:
        socket.REQUEST.validate_json(text)
        requests.parse(text.encode())


def test_every_kind_of_record_has_an_example() -> None:
    assert {block["type"] for block in BLOCKS if "type" in block} == {
        "send",
        "priority",
        "ping",
        "explain",
        "custom",
    }
    assert sum("v" in block for block in BLOCKS) == 2
    assert sum("ok" in block for block in BLOCKS) == 3


def test_every_field_of_an_entry_is_shown_and_explained() -> None:
    fields = {field.alias for field in LiveEntry.model_fields.values()}
    assert set(BLOCKS[0]) == fields
    table = FORMAT[FORMAT.index("| field |") : FORMAT.index("An entry is under")]
    assert fields <= set(re.findall(r"`(\w+)`", table))


def test_the_short_entry_has_the_required_fields_and_no_other() -> None:
    required = {field.alias for field in LiveEntry.model_fields.values() if field.is_required()}
    assert set(BLOCKS[1]) == required


def test_every_word_of_delivery_and_status_is_explained() -> None:
    delivered = LiveEntry.model_fields["status"].annotation, socket.Sent.model_fields["delivered"].annotation
    words = {word for annotation in delivered for word in annotation.__args__}  # type: ignore[union-attr]
    assert words <= set(re.findall(r"`([\w-]+)`", FORMAT))
