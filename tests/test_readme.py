"""README says what is so."""

import re

import pytest

from tests.support import readme


def test_the_generated_parts_are_current() -> None:
    text = readme.README.read_text()
    assert readme.written(text) == text, "run: make picture"


@pytest.mark.parametrize("name", readme.pictures())
def test_a_picture_shows_what_the_board_draws(name: str) -> None:
    assert (readme.PICTURES / name).read_text() == readme.pictures()[name], "run: make picture"


def test_readme_embeds_each_picture_and_says_what_it_shows() -> None:
    embedded = dict(re.findall(r'<img src="docs/([^"]+)"[^>]* alt="([^"]+)">', readme.README.read_text()))
    assert set(embedded) == set(readme.pictures()) == {path.name for path in readme.PICTURES.glob("*.svg")}


def test_every_folder_that_the_map_names_exists() -> None:
    named = re.findall(r"^\| `([\w/-]+)` \|", readme.README.read_text().split("## The tree")[1], re.MULTILINE)
    assert len(named) > 10
    assert [path for path in named if not (readme.README.parent / path).is_dir()] == []
