"""The tools as data."""

import json
from typing import Any

import pytest

from tank.agent import notes, tools
from tank.edges import paths
from tank.records.limits import NOTES_LIMIT

EVERY: list[Any] = [*tools.TOOLS, *tools.HOME_TOOLS]


def test_the_home_has_these_tools_beside_those_of_every_session() -> None:
    assert [tool["name"] for tool in tools.HOME_TOOLS] == [
        tools.SESSIONS,
        tools.READ,
        tools.PRIORITY,
        tools.FOCUS,
        tools.NOTES,
    ]
    assert len({tool["name"] for tool in EVERY}) == len(EVERY)


@pytest.mark.parametrize("tool", EVERY, ids=[tool["name"] for tool in EVERY])
def test_a_tool_is_whole_and_its_description_short(tool: Any) -> None:
    assert set(tool) == {"name", "label", "description", "promptSnippet", "parameters"}
    assert len(tool["description"]) < 800
    assert len(tool["promptSnippet"]) < 100
    parameters = tool["parameters"]
    assert set(parameters.get("required", [])) <= set(parameters["properties"])
    assert parameters["additionalProperties"] is False
    assert all("description" in each for each in parameters["properties"].values())


def test_the_limits_that_are_told_are_those_that_hold() -> None:
    (told,) = [tool for tool in EVERY if tool["name"] == tools.NOTES]
    assert f"at most {NOTES_LIMIT} characters" in told["description"]
    assert f"{notes.TOPIC_LIMIT_BYTES // 1024} KiB" in told["description"]


def test_the_starter_tells_tank_of_each_of_his_tools() -> None:
    prompt = (paths.shipped("tank-home") / "AGENTS.md").read_text()
    assert [tool["name"] for tool in EVERY if f"`{tool['name']}`" not in prompt] == []


def test_the_extension_finds_them_under_their_own_key() -> None:
    described = json.loads((paths.shipped("schema") / "tools.json").read_text())
    assert [tool["name"] for tool in described["tools"]] == [tools.SEND_TO_SESSION]
    assert described["homeTools"] == list(tools.HOME_TOOLS)
