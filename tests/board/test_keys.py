"""Bytes become keys."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tank.board.keys import PASTE_LIMIT_BYTES, Key, Pasted, decode

SEQUENCES = [
    (b"j", ["j"]),
    (b"G", ["G"]),
    (b" ", ["space"]),
    (b"\r\t\x7f\x08", ["enter", "tab", "backspace", "backspace"]),
    (b"\x03\x1a\x00", ["ctrl+c", "ctrl+z", "ctrl+space"]),
    ("é€😀".encode(), ["é", "€", "😀"]),
    (b"\x1b[A\x1b[B\x1b[C\x1b[D\x1b[H\x1b[F", ["up", "down", "right", "left", "home", "end"]),
    (b"\x1bOA\x1bOB\x1bOH\x1bOM\x1bOp", ["up", "down", "home", "enter", "0"]),
    (b"\x1b[1~\x1b[4~\x1b[5~\x1b[6~\x1b[3~", ["home", "end", "pageup", "pagedown", "delete"]),
    (b"\x1b[1;5A\x1b[1;2H\x1b[5;3~", ["ctrl+up", "shift+home", "alt+pageup"]),
    (b"\x1b[Z", ["shift+tab"]),
    (b"\x1bj\x1b\r\x1b\x01", ["alt+j", "alt+enter", "ctrl+alt+a"]),
    (b"\x1b\x1b[A", ["escape", "up"]),
    (b"\x1b[15~\x1b[24~\x1bOP\x1b[[A", ["f5", "f12", "f1", "f1"]),
    (b"\x1b[5^\x1b[6$", ["ctrl+pageup", "shift+pagedown"]),
    # kitty
    (b"\x1b[27u\x1b[13u\x1b[9u\x1b[127u\x1b[32u", ["escape", "enter", "tab", "backspace", "space"]),
    (b"\x1b[106u\x1b[106;1u\x1b[106;1:1u\x1b[106;1:2u", ["j", "j", "j", "j"]),
    (b"\x1b[47:63;2u\x1b[63;2u\x1b[103;2u", ["?", "?", "G"]),
    (b"\x1b[97;2;65u", ["A"]),
    (b"\x1b[99;5u\x1b[122;5u", ["ctrl+c", "ctrl+z"]),
    (b"\x1b[106;65u\x1b[106;129u", ["j", "j"]),
    (b"\x1b[1077::116;16u", ["shift+ctrl+alt+super+t"]),
    (b"\x1b[1089::99;5u", ["ctrl+c"]),
    (b"\x1b[106;17u", ["hyper+j"]),
    (b"\x1b[57399u\x1b[57414u\x1b[57419u", ["0", "enter", "up"]),
    (b"\x1b[1;1:2A", ["up"]),
    # modifyOtherKeys
    (b"\x1b[27;5;99~\x1b[27;2;63~\x1b[27;16;116~", ["ctrl+c", "?", "shift+ctrl+alt+super+t"]),
]


@pytest.mark.parametrize(("data", "names"), SEQUENCES)
def test_each_form_of_a_key_has_its_name(data: bytes, names: list[str]) -> None:
    assert decode(data) == ([Key(name) for name in names], b"")


NO_KEYS = [
    b"\x1b[97;1:3u",
    b"\x1b[1;1:3A",
    b"\x1b[5;1:3~",
    b"\x1b[57441;2u",
    b"\x1b[57358u",
    b"\x1b[I",
    b"\x1b[O",
    b"\x1b[<35;10;20M",
    b"\x1b[<0;10;20m",
    b"\x1b[M !!",
    b"\x1b[12;40R",
    b"\x1b[?1;2c",
    b"\x1b[>1;10;0c",
    b"\x1b[?2026;2$y",
    b"\x1b[6;20;10t",
    b"\x1b[?997;1n",
    b"\x1bP>|xterm(390)\x1b\\",
    b"\x1b]11;rgb:ffff/ffff/ffff\x07",
    b"\x1b]11;rgb:ffff/ffff/ffff\x1b\\",
    b"\x1b_Gi=31;OK\x1b\\",
    b"\x1b[201~",
    b"\xff",
    b"\xc3(",
    b"\xed\xa0\x80",
]


@pytest.mark.parametrize("data", NO_KEYS)
def test_what_is_no_key_press_takes_nothing_with_it(data: bytes) -> None:
    events, rest = decode(b"k" + data + b"j")
    assert [events[0], events[-1]] == [Key("k"), Key("j")]
    assert {event for event in events if isinstance(event, Key)} <= {Key("k"), Key("j"), Key("(")}
    assert rest == b""


def test_half_a_character_takes_nothing_with_it() -> None:
    assert decode(b"\xc3j\xf0\x9f\x98k") == ([Key("j"), Key("k")], b"")


def test_a_lone_escape_is_a_key_once_the_caller_waited() -> None:
    assert decode(b"\x1b") == ([], b"\x1b")
    assert decode(b"\x1b", final=True) == ([Key("escape")], b"")


def test_two_escapes_are_two() -> None:
    assert decode(b"\x1b\x1b", final=True) == ([Key("escape"), Key("escape")], b"")


@pytest.mark.parametrize(("data", "name"), [(b"\x1b[", "alt+["), (b"\x1bO", "alt+O"), (b"\x1bP", "alt+P")])
def test_alt_with_a_letter_that_begins_sequences_is_a_key_once_the_caller_waited(
    data: bytes, name: str
) -> None:
    assert decode(data) == ([], data)
    assert decode(data, final=True) == ([Key(name)], b"")


def test_a_cut_answer_is_ended_by_the_next_sequence() -> None:
    assert decode(b"\x1b]11;rgb\x1b[A") == ([Key("up")], b"")


def test_an_endless_answer_is_given_up() -> None:
    events, rest = decode(b"\x1b]" + b"x" * 5000)
    assert (events, rest) == ([], b"")


def test_a_number_without_end_is_no_key() -> None:
    assert decode(b"\x1b[" + b"9" * 5000 + b"uj") == ([Key("j")], b"")


def test_a_paste_is_text_and_never_keys() -> None:
    assert decode(b"\x1b[200~q\x1b[A\rp0\x1b[201~j") == ([Pasted("q\x1b[A\rp0"), Key("j")], b"")


def test_a_paste_waits_for_its_end() -> None:
    begun = b"\x1b[200~half"
    assert decode(begun, final=True) == ([], begun)


def test_a_long_paste_comes_in_parts_and_ends() -> None:
    body = b"x" * (PASTE_LIMIT_BYTES * 3 + 100)
    events, rest = [], b""
    stream = b"\x1b[200~" + body + b"\x1b[201~j"
    for start in range(0, len(stream), 10_000):
        found, rest = decode(rest + stream[start : start + 10_000])
        assert len(rest) < PASTE_LIMIT_BYTES + 20
        events += found
    assert events[-1] == Key("j")
    assert "".join(event.text for event in events[:-1] if isinstance(event, Pasted)) == body.decode()


SOUP = st.lists(
    st.one_of(
        st.binary(max_size=6),
        st.sampled_from([data for data, _ in SEQUENCES] + NO_KEYS),
        st.sampled_from([b"\x1b", b"\x1b[", b"\x1bP", b"\x1b[200~", b"\x1b[201~", b"\x1b[27;", b"\xf0\x9f"]),
    ),
    max_size=8,
).map(b"".join)


@given(SOUP, st.booleans())
def test_no_bytes_raise_and_keys_are_plain_names(data: bytes, final: bool) -> None:  # noqa: FBT001 - drawn
    events, rest = decode(data, final=final)
    assert data.endswith(rest) or rest.startswith(b"\x1b[200~")
    assert not final or not rest or rest.startswith(b"\x1b[200~")
    for event in events:
        if isinstance(event, Key):
            assert event.name
            assert event.name.isprintable()


@given(SOUP, st.data())
def test_where_the_bytes_are_split_makes_no_difference(data: bytes, draw: st.DataObject) -> None:
    at = draw.draw(st.integers(0, len(data)))
    whole, rest = decode(data)
    first, kept = decode(data[:at])
    second, left = decode(kept + data[at:])
    assert (first + second, left) == (whole, rest)
