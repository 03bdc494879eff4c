"""What may be written into the home."""

import pytest

from tank.agent import notes
from tank.agent.notes import Edit, Wrong
from tank.records.limits import NOTES_LIMIT


def wrong(file: object = None, written: object = "- x\n", why: object = "Add x") -> str:
    found = notes.edit(file, written, why)
    assert isinstance(found, Wrong)
    return found.said


@pytest.mark.parametrize("file", [None, "NOTES.md", "topics/release-2_4.md", f"topics/{'a' * 60}.md"])
def test_the_notes_and_topics_may_be_written(file: str | None) -> None:
    assert notes.edit(file, "- x", "Add x") == Edit(file or "NOTES.md", "- x\n", "Add x")


@pytest.mark.parametrize(
    "file",
    [
        *("", "AGENTS.md", "notes.md", "topics/", "topics/.md", "topics/a", "topics/a.txt", "a.md", 5, []),
        *("topics/../NOTES.md", "../NOTES.md", "/NOTES.md", "topics//a.md", "topics/a/b.md", "./NOTES.md"),
        *(
            "topics/.hidden.md",
            "topics/a b.md",
            "topics/ä.md",
            "topics/a\n.md",
            "NOTES.md\n",
            "topics/a.md\n",
        ),
        *(".git/config", "topics/a\0.md", f"topics/{'a' * 61}.md", "TOPICS/a.md"),
    ],
)
def test_no_other_file_may_be_written(file: object) -> None:
    assert wrong(file).startswith("file must be NOTES.md, or topics/NAME.md")


def test_the_text_is_cleaned_and_ends_with_one_line_break() -> None:
    found = notes.edit(None, "\n# A\x1b[2J\r\n- b\u202e\ud800\u2028c\x00\n\n", "x")
    assert isinstance(found, Edit)
    assert found.text == "# A[2J\n- b\ufffd\nc\n"


@pytest.mark.parametrize("written", ["", " \n\t", "\x00\u202e", None, 5])
def test_an_empty_text_is_refused(written: object) -> None:
    assert "isn't empty" in wrong(written=written)


@pytest.mark.parametrize("why", ["", " \n", "\x1b", None, 5])
def test_what_changed_has_to_be_said(why: object) -> None:
    assert "why must say" in wrong(why=why)


def test_the_commit_has_a_message_of_one_clean_line() -> None:
    found = notes.edit(None, "x", "Add\n\nSigned-off-by: you\x1b" + "x" * 300)
    assert isinstance(found, Edit)
    assert found.message.startswith("Add Signed-off-by: youxxx")
    assert len(found.message) == notes.WHY_CELLS


def test_notes_of_exactly_their_limit_are_taken_and_one_more_character_is_not() -> None:
    most = "é" * (NOTES_LIMIT - 1)
    assert isinstance(notes.edit(None, most, "x"), Edit)
    assert "4001 characters, 1 more than the 4000" in wrong(written=most + "é")


def test_a_topic_may_be_longer_but_not_without_end() -> None:
    most = "x" * (notes.TOPIC_LIMIT_BYTES - 1)
    assert isinstance(notes.edit("topics/a.md", most, "x"), Edit)
    assert "16385 bytes" in wrong("topics/a.md", most + "x")


def test_the_results_say_what_became_of_the_text() -> None:
    edit = Edit("NOTES.md", "- x\n", "Add x")
    assert (
        notes.written(edit, kept=False) == "NOTES.md is replaced, 4 of 4000 characters, committed as: Add x."
    )
    assert "in the commit before it" in notes.written(edit, kept=True)
    assert notes.changed("NOTES.md", "theirs\n").endswith("call again.\n\ntheirs\n")
    assert notes.refused("NOTES.md", "git is missing") == "NOTES.md was not changed: git is missing."
    assert notes.unchanged("NOTES.md") == "NOTES.md says this already. Nothing was changed."


def test_a_text_too_long_to_be_shown_is_not_cut_but_named() -> None:
    assert notes.changed("topics/a.md", "x" * notes.TOPIC_LIMIT_BYTES).endswith("xxx")
    said = notes.changed("topics/a.md", "é" * notes.TOPIC_LIMIT_BYTES)
    assert "has 32768 bytes, more than the 16384" in said
    assert len(said) < 400


def test_the_section_says_what_is_wrong_with_the_file() -> None:
    assert notes.section("- x\n", "") == "- x"
    assert notes.section("\n", "NOTES.md is missing") == "(NOTES.md is missing)"
    assert notes.section("- x", "too long") == "- x\n\n(too long)"
    assert notes.section("", "") == ""
