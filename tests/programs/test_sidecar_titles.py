"""The sidecar of a session in Rex titles its tab; any other loads nothing of it."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from demo.waiting import eventually
from tests.support.conversation import Conversation
from tests.support.fake_rex import FakeRex, session, tiled, window

Converse = Callable[..., Conversation]


@pytest.fixture
def fake(tmp_path: Path) -> Iterator[FakeRex]:
    found = FakeRex(tmp_path, session("session:1", "work", window("window:1", None, tiled("block:a"))))
    yield found
    assert found.offences == []


def variables(fake: FakeRex) -> dict[str, str]:
    path = f"{fake.bin}:{os.environ['PATH']}"
    return {"TERM_PROGRAM": "rex", "REX_BLOCK": "block:a", "REX_SERVER": fake.server, "PATH": path}


def test_the_tab_is_titled_with_the_label_and_again_only_when_it_changes(
    fake: FakeRex, converse: Converse
) -> None:
    sidecar = converse(environment=variables(fake))
    sidecar.hello(name="fix it")
    eventually(lambda: fake.label("window:1") == "fix it")
    sidecar.event("session_info_changed", name="port the parser")
    eventually(lambda: fake.label("window:1") == "port the parser")
    calls = len(fake.calls)
    sidecar.run()
    sidecar.published(status="working")
    sidecar.settle()
    sidecar.published(status="idle")
    assert len(fake.calls) == calls


def test_a_sidecar_outside_of_rex_loads_nothing_of_it() -> None:
    script = "import sys, tank.programs.sidecar; print([n for n in sys.modules if 'rex' in n or 'titl' in n])"
    ran = subprocess.run([sys.executable, "-I", "-c", script], capture_output=True, text=True, check=True)
    assert ran.stdout == "[]\n"
