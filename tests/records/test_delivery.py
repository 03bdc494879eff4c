from typing import get_args

import pytest

from tank.records import delivery
from tank.records.socket import Delivered


@pytest.mark.parametrize("word", get_args(Delivered))
def test_every_outcome_has_a_sentence_that_names_the_session(word: str) -> None:
    said = delivery.sentence("fix {0} {who}", word)
    assert "fix {0} {who}" in said
    assert said.endswith(".")
    assert said == delivery.sentence("fix {0} {who}", word, None)


def test_there_is_a_sentence_for_each_outcome_and_no_other() -> None:
    assert set(delivery.SENTENCES) == set(get_args(Delivered))


@pytest.mark.parametrize("word", [None, "", "perhaps"])
def test_a_word_that_is_not_known_counts_as_unknown(word: str | None) -> None:
    assert delivery.sentence("x", word) == delivery.sentence("x", "unknown")


def test_the_receivers_note_is_added() -> None:
    assert delivery.sentence("x", "shown", "3 came") == f"{delivery.sentence('x', 'shown')} (3 came)"
