import json
from pathlib import Path
from typing import Any, get_args

import pytest

from tank.agent import tools
from tank.programs import schema as schema_files
from tank.records import entry, link, screen, socket
from tank.records.live import LiveEntry
from tank.session import requests

ROOT = Path(__file__).parents[2]
SCHEMA = ROOT / "schema"
EXAMPLES = SCHEMA / "examples"


def types_of(union: Any) -> set[str]:
    """The values of `type` in a discriminated union."""
    models = get_args(get_args(union)[0])
    return {word for model in models for word in get_args(model.model_fields["type"].annotation)}


def examples(folder: str) -> list[Any]:
    return [pytest.param(path, id=path.stem) for path in sorted((EXAMPLES / folder).glob("*.json"))]


@pytest.mark.parametrize("name", schema_files.texts())
def test_the_files_in_schema_are_what_the_models_say(name: str) -> None:
    assert (SCHEMA / name).read_text() == schema_files.texts()[name], "run: make schema"


def test_schema_holds_no_other_document() -> None:
    assert {path.name for path in SCHEMA.glob("*.json")} == set(schema_files.texts())


def test_every_record_of_the_link_has_one_example() -> None:
    assert {path.stem for path in (EXAMPLES / "link").iterdir()} == types_of(link.Forwarded) | types_of(
        link.Order
    )


def test_every_record_of_the_screen_has_one_example() -> None:
    assert {path.stem for path in (EXAMPLES / "screen").iterdir()} == types_of(screen.ToBoard) | types_of(
        screen.FromBoard
    )


def test_every_request_of_the_socket_has_one_example() -> None:
    assert {path.stem for path in (EXAMPLES / "socket/requests").iterdir()} == types_of(socket.Request)


@pytest.mark.parametrize("path", examples("link"))
def test_an_example_of_the_link_is_a_record_of_its_name(path: Path) -> None:
    forwarded = path.stem in types_of(link.Forwarded)
    record = (link.FORWARDED if forwarded else link.ORDER).validate_json(path.read_text())
    assert record.type == path.stem


@pytest.mark.parametrize("path", examples("screen"))
def test_an_example_of_the_screen_is_a_record_of_its_name(path: Path) -> None:
    told = path.stem in types_of(screen.ToBoard)
    record = (screen.TO_BOARD if told else screen.FROM_BOARD).validate_json(path.read_text())
    assert record.type == path.stem


@pytest.mark.parametrize("path", examples("live-entry"))
def test_an_example_of_an_entry_is_one_to_model_and_reader(path: Path) -> None:
    LiveEntry.model_validate_json(path.read_text())
    found, record = entry.parse(path.read_bytes())
    assert found.pid == record["pid"]


@pytest.mark.parametrize("path", examples("socket/requests"))
def test_an_example_of_a_request_is_one_to_model_and_sidecar(path: Path) -> None:
    assert socket.REQUEST.validate_json(path.read_text()).type == path.stem
    requests.parse(path.read_bytes())


@pytest.mark.parametrize("path", examples("socket/replies"))
def test_an_example_of_a_reply_is_one_and_so_is_its_data(path: Path) -> None:
    reply = socket.REPLY.validate_json(path.read_text())
    data = json.dumps(reply.data)
    kinds: dict[str, Any] = {"send": socket.Sent, "explain": socket.Explanation, "ping": LiveEntry}
    if kind := kinds.get(path.stem.split("-")[0]):
        kind.model_validate_json(data)


def test_documents_for_other_programs_forbid_no_field_and_the_internal_ones_do() -> None:
    texts = schema_files.texts()
    assert '"additionalProperties": false' not in texts["live-entry.json"] + texts["socket.json"]
    assert '"additionalProperties": false' in texts["link.json"]
    assert '"additionalProperties": false' in texts["screen.json"]


def test_a_field_named_title_is_described() -> None:
    described = json.loads(schema_files.texts()["link.json"])["$defs"]["Dialog"]["properties"]
    assert set(described) == {"kind", "title"}


def test_references_in_the_documents_lead_somewhere() -> None:
    for name, text in schema_files.texts().items():
        document = json.loads(text)
        wanted = {part.split('"')[0] for part in text.split('"#/$defs/')[1:]}
        assert wanted <= set(document.get("$defs", {})), name


def test_tools_ask_for_what_the_socket_takes() -> None:
    (tool,) = tools.TOOLS
    parameters: Any = tool["parameters"]
    assert parameters["properties"]["mode"]["enum"] == list(
        get_args(socket.Send.model_fields["mode"].annotation)
    )
    assert tool["name"] == tools.SEND_TO_SESSION
    assert set(tool) == {"name", "label", "description", "promptSnippet", "parameters"}
