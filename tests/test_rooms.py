"""The arrows between the rooms of the source, and what the sidecar must not load."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "sidecar" / "tank"
EVERYBODY = {"errors", "version"}
"""Modules beside the rooms; they import nothing of Tank."""
PURE = {"records", "roster", "session", "board", "terminals", "agent"}
ARROWS = {
    "records": {"records"},
    "roster": {"roster", "records"},
    "session": {"session", "roster", "records"},
    "board": {"board", "roster", "records"},
    "terminals": {"terminals", "roster", "records"},
    "agent": {"agent", "roster", "records"},
    "edges": {"edges", "roster", "records", "terminals"},
    "programs": {"programs", "edges", *PURE},
    "__main__": {"programs"},
    "errors": set(),
    "version": set(),
    "__init__": set(),
}
MODELS = {f"tank.records.{name}" for name in ("live", "link", "screen", "socket", "schema")}
"""They cost 9 MB of memory: no process that a session pays for loads them."""


def imports(file: Path) -> Iterator[str]:
    """Full names of the modules that a file imports, anywhere in it; `from x import y` gives x and x.y."""
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{file}: relative import"
            yield str(node.module)
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def room(file: Path) -> str:
    return file.relative_to(SOURCE).parts[0].removesuffix(".py")


FILES = sorted(SOURCE.rglob("*.py"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(SOURCE)))
def test_arrows_between_rooms_point_the_right_way(file: Path) -> None:
    rooms = {name.split(".")[1] for name in imports(file) if name.startswith("tank.")}
    assert rooms <= ARROWS[room(file)] | EVERYBODY


def test_every_room_is_known() -> None:
    assert {room(file) for file in FILES} == set(ARROWS)


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(SOURCE)))
def test_the_models_are_for_generating_and_testing(file: Path) -> None:
    allowed = file.relative_to(SOURCE).as_posix() in {
        "programs/schema.py",
        *(name.removeprefix("tank.").replace(".", "/") + ".py" for name in MODELS),
    }
    found = {name for name in imports(file) if name in MODELS or name.split(".")[0] == "pydantic"}
    assert allowed or not found


def loaded_by(module: str) -> set[str]:
    code = f"import {module}, sys; print(*sys.modules)"
    ran = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True)
    return set(ran.stdout.split())


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere processes are looked at with psutil")
def test_the_sidecar_loads_nothing_that_is_paid_for_in_memory() -> None:
    heavy = {"pydantic", "click", "psutil", "asyncio", "rich", "ssl", "http", "email"}
    assert heavy & loaded_by("tank.programs.sidecar") == set()


def test_the_way_in_loads_nothing_before_it_knows_what_is_wanted() -> None:
    assert {name for name in loaded_by("tank.__main__") if name.startswith("tank")} == {
        "tank",
        "tank.__main__",
    }
