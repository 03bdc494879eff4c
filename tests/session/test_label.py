import pytest
from hypothesis import given
from hypothesis import strategies as st

from tank.records import header, text
from tank.records.header import Sender
from tank.session import label

MESSAGE = header.compose(Sender("app", "tests", verified=True), "fix it")


@pytest.mark.parametrize(
    ("prompt", "shown"),
    [
        ("fix the login test", "fix the login test"),
        ("  fix\tthe  login \r\nand more", "fix the login"),
        ("\n \u200b\n\r\n\u2028fix it\nnow", "fix it"),
        ('<skill name="review" location="/s">\nLong text\n</skill>\n\ndo it', "/skill:review"),
        ('  <skill name="a b">x', "/skill:a b"),
        ('<file name="/p/a.png"></file>\nwhat is this?', "what is this?"),
        ('<file name="/p/a.png"></file>\n<file name="/p/b.txt">\nbody\n</file>\n\n\nboth', "both"),
        ("/etc/hosts is wrong", "/etc/hosts is wrong"),
        ("a / b", "a / b"),
        ("see <file> and <skill>", "see <file> and <skill>"),
        ("\x1b[31mred\x07 \u202eevil\u202c \x9b2J", "[31mred evil 2J"),
        ("> [Message quoted", "> [Message quoted"),
        ("#(touch /tmp/x) $(y) `z`", "#(touch /tmp/x) $(y) `z`"),
    ],
)
def test_a_prompt_gives_its_first_line_that_says_something(prompt: str, shown: str) -> None:
    assert label.of_prompt(prompt) == shown


@pytest.mark.parametrize(
    "prompt",
    [
        "",
        " \n\t\n",
        "\u200b\u200d",
        "/compact",
        "/skill:review do it",
        "  /model x",
        "/a\nmore",
        "!ls -la",
        "!!ls",
        "!./run.sh",
        "! 'a b'",
        '<file name="/p/a.png"></file>',
        '<file name="/p/a.png"></file>\n\n',
        '<file name="/p/long.txt">\nwhat was forwarded of it ends within',
        '<file name="/p/a.png"></file>\n<file name="/p/long.txt">\nends within',
        '<file name="/p/a.png"></file>\n!ls',
        MESSAGE,
        "\n " + MESSAGE,
        header.compose(None, "from the board"),
        header.compose(Sender("app", "tests", verified=False), "unverified"),
    ],
)
def test_images_commands_and_messages_of_tank_give_none(prompt: str) -> None:
    assert label.of_prompt(prompt) is None


@pytest.mark.parametrize("word", ["x", "漢", "👨‍👩‍👧‍👦", "🇩🇪", "e\u0301", "नि"])
def test_a_label_has_120_cells_at_most_and_shows_its_cut(word: str) -> None:
    shown = label.of_prompt(word * 200) or ""
    assert text.width(shown) in (119, 120)
    assert shown.endswith("…")
    assert set(text.clusters(shown)) == {*text.clusters(word), "…"}


def test_a_label_of_exactly_120_cells_is_not_cut() -> None:
    assert label.of_prompt("漢" * 60) == "漢" * 60
    assert label.choose("x" * 120, []) == "x" * 120


def test_the_name_wins_and_is_cleaned_and_cut_alike() -> None:
    assert label.choose("alpha", ["fix it"]) == "alpha"
    assert label.choose("al\x1b]0;pha\n two", ["fix it"]) == "al]0;pha two"
    assert text.width(label.choose("漢" * 99, []) or "") == 119


@pytest.mark.parametrize("name", [None, "", " ", "\u200b", "\x1b\n"])
def test_a_name_that_shows_nothing_is_none(name: str | None) -> None:
    assert label.choose(name, ["fix it"]) == "fix it"


def test_the_first_prompt_that_gives_a_label_gives_it() -> None:
    assert label.choose(None, [MESSAGE, "/model", "", "!ls", "fix it", "later"]) == "fix it"
    assert label.choose(None, [MESSAGE, "!ls"]) is None
    assert label.choose(None, []) is None


@given(
    st.text()
    | st.lists(st.sampled_from(["<file name=", ">", "</file>", "<skill", "\n", "/", "!", "a"])).map("".join)
)
def test_any_prompt_gives_one_clean_line_or_none(prompt: str) -> None:
    shown = label.of_prompt(prompt)
    assert shown is None or (shown and text.line(shown) == shown and text.width(shown) <= label.CELLS)
