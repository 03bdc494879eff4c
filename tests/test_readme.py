"""README says what is so."""

import re

from tests.support import readme


def test_the_generated_parts_are_current() -> None:
    text = readme.README.read_text()
    assert readme.written(text) == text, "run: make picture"


def test_every_folder_that_the_map_names_exists() -> None:
    named = re.findall(r"^\| `([\w/-]+)` \|", readme.README.read_text().split("## The tree")[1], re.MULTILINE)
    assert len(named) > 10
    assert [path for path in named if not (readme.README.parent / path).is_dir()] == []
