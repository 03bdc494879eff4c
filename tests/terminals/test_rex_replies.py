import json
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tank.terminals import rex_replies
from tank.terminals.rex_replies import Block, Failure, UnreadableError, View, Window

Parse = Callable[[bytes], object]
PARSERS: list[Parse] = [
    rex_replies.sessions,
    rex_replies.view,
    rex_replies.listing,
    rex_replies.apps,
    rex_replies.transport,
    rex_replies.foreground,
]
VIEW = {
    "session_id": "session:1",
    "revision": 7,
    "active_window_id": "window:1",
    "windows": [
        {
            "window_id": "window:1",
            "label": "tests",
            "layers": [
                {"kind": "floating", "blocks": [{"block_id": "block:f"}]},
                {"kind": "tiled", "blocks": [{"block_id": "block:a", "rect": {}}, {"block_id": "block:b"}]},
            ],
        },
        {"window_id": "window:2", "label": "Window 1a2b", "layers": None},
    ],
}


def output(value: object) -> bytes:
    return json.dumps(value).encode()


def test_a_view_has_tabs_in_order_with_tiled_blocks_before_floating_ones() -> None:
    blocks = (Block("block:a"), Block("block:b"), Block("block:f", floats=True))
    tabs = (Window("window:1", "tests", blocks), Window("window:2", None, ()))
    assert rex_replies.view(output(VIEW)) == View(7, tabs)


@pytest.mark.parametrize("empty", [None, {}, [], "absent"])
def test_an_empty_list_comes_in_several_forms(empty: object) -> None:
    def holding(name: str) -> bytes:
        return output({} if empty == "absent" else {name: empty})

    assert rex_replies.sessions(holding("sessions")) == []
    assert rex_replies.view(holding("windows")) == View(None, ())
    assert rex_replies.listing(holding("blocks")) == {}
    assert rex_replies.apps(holding("clients")) == []
    window = {"window_id": "window:1"} | ({} if empty == "absent" else {"layers": empty})
    assert rex_replies.view(output({"windows": [window]})).windows == (Window("window:1", None, ()),)


@pytest.mark.parametrize("label", [None, "", "  ", "Window 1", "Window 1a2b", "\x1b\x07", 5])
def test_a_tab_that_nobody_named_has_no_label(label: object) -> None:
    (found,) = rex_replies.view(output({"windows": [{"window_id": "w", "label": label}]})).windows
    assert found.label is None


@pytest.mark.parametrize(
    "label", ["Window", "Window ", "Windows 1", "Window 1 left", "Window xyz", "My Window 1"]
)
def test_a_name_that_only_resembles_rex_s_own_is_the_person_s(label: str) -> None:
    (found,) = rex_replies.view(output({"windows": [{"window_id": "w", "label": label}]})).windows
    assert found.label == label.strip()


def test_labels_are_clean_and_sessions_keep_their_order_and_their_duplicates() -> None:
    listed = [
        {"session_id": "session:2", "label": "a\x1b]52;c;x\x07\u202eb\nc", "new": 1},
        {"session_id": "session:1", "label": "work"},
        {"session_id": "session:3", "label": "work"},
        {"session_id": "session:4"},
        {"session_id": "session:\n5", "label": "an id that no command line should hold"},
        {"label": "no id"},
        "no object",
    ]
    assert rex_replies.sessions(output({"sessions": listed})) == [
        ("session:2", "a]52;c;xb c"),
        ("session:1", "work"),
        ("session:3", "work"),
        ("session:4", ""),
    ]


def test_a_detached_block_has_no_tab() -> None:
    blocks = [{"block_id": "block:a", "window_id": "window:1"}, {"block_id": "block:b"}, {"block_id": 5}]
    assert rex_replies.listing(output({"blocks": blocks})) == {"block:a": "window:1", "block:b": None}


def test_apps_are_told_from_other_clients() -> None:
    clients = [
        {"client_id": "client:1", "info": {"kind": "cli"}},
        {"client_id": "client:2", "info": {"kind": "app"}},
        {"client_id": "client:3", "info": None},
        {"client_id": "client:4"},
    ]
    assert rex_replies.apps(output({"clients": clients})) == ["client:2"]


def test_what_rex_does_not_tell_of_a_client_or_a_process_is_empty() -> None:
    assert rex_replies.transport(output({"client": {"principal": {"transport": "unix"}}})) == "unix"
    assert rex_replies.transport(output({"client": {"principal": None}})) == ""
    assert rex_replies.foreground(output({"foreground": {"pid": 12, "name": "node"}})) == 12
    assert rex_replies.foreground(output({"last_exit": {"exit_code": 0}})) == 0


CONTROL_OFF = (
    b"Error: Rex.app is not accepting actions. Turn on Remote Control in its Settings under Rex Server.\n"
)


@pytest.mark.parametrize(
    ("code", "errors", "failure"),
    [
        (4, b"", Failure.NO_SERVER),
        (
            1,
            b"Error: connecting to the server timed out after 3s: context deadline exceeded\n",
            Failure.NO_SERVER,
        ),
        (3, b"Error: session not found\n", Failure.GONE),
        (3, b"Error: session not found\n\nUsage:\n  rex api call", Failure.GONE),
        (1, CONTROL_OFF, Failure.CONTROL_OFF),
        (1, b"Error: turn on remote control first", Failure.CONTROL_OFF),
        (1, b"Error: Rex Beta.app is not accepting actions.", Failure.CONTROL_OFF),
        (1, b'Error: unknown command "api" for "rex"\n', Failure.FOREIGN),
        (2, b"usage: rex [-h] {deploy,undeploy}\n", Failure.FOREIGN),
        (1, b"Error: too_large\nUsage:\n  rex api call\n", Failure.OTHER),
        (1, b"\xff\xfe", Failure.OTHER),
        (-9, b"", Failure.OTHER),
    ],
)
def test_an_exit_code_and_its_text_say_why(code: int, errors: bytes, failure: Failure) -> None:
    assert rex_replies.failure(code, errors) is failure


def test_a_complaint_is_one_clean_line_without_its_prefix() -> None:
    assert rex_replies.complaint(b"\nError: too \x1b[31mlarge\n\nUsage:\n") == "too [31mlarge"
    assert rex_replies.complaint(b"") == ""


@pytest.mark.parametrize("parse", PARSERS)
@pytest.mark.parametrize("said", [b"", b"null", b"[]", b"RexOps 2.1\n", b'{"a":', b"\xff", b"[" * 5000])
def test_what_is_no_object_is_no_answer_of_rex(parse: Parse, said: bytes) -> None:
    with pytest.raises(UnreadableError):
        parse(said)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "sessions",
                    "windows",
                    "layers",
                    "blocks",
                    "clients",
                    "label",
                    "window_id",
                    "block_id",
                    "info",
                ]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(st.dictionaries(st.sampled_from(["sessions", "windows", "blocks", "clients", "foreground"]), VALUES))
def test_no_answer_raises_anything_else(value: dict[str, object]) -> None:
    for parse in PARSERS:
        parse(output(value))
