from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.conversation import Conversation
from tests.support.desk import Desk


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    made = Desk(tmp_path)
    yield made
    for session in made.sessions:
        session.end()


@pytest.fixture
def converse(tmp_path: Path) -> Iterator[Callable[..., Conversation]]:
    """Starts sidecars; they share one home unless told otherwise, and end with the test."""
    made: list[Conversation] = []

    def start(**how: Any) -> Conversation:
        made.append(Conversation(**{"folder": tmp_path} | how))
        return made[-1]

    yield start
    for conversation in made:
        conversation.close()
