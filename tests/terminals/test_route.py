"""Which way leads from where the person is to a session's terminal."""

from datetime import UTC, datetime
from typing import Any

import pytest

from tank.records.entry import Entry
from tank.roster.roster import Life, Session
from tank.terminals.place import TerminalPlace
from tank.terminals.route import Here, Way, route

PLAIN = TerminalPlace("ghostty", None, None)
TMUX = TerminalPlace("tmux", ("/s", "%1"), None)
REX = TerminalPlace("rex", None, "block:1", "unix:///r")
IN_TMUX: dict[str, Any] = {"tmux_socket": "/s", "tmux_pane": "%3"}
IN_REX: dict[str, Any] = {"terminal_id": "block:7", "rex_server": "unix:///r"}


def session(life: Life = Life.ALIVE, **fields: Any) -> Session:
    entry = Entry(1, 7, "id", "/", "idle", datetime(2026, 1, 1, tzinfo=UTC), **fields)
    return Session(entry, life, "/live/7.json", {})


@pytest.mark.parametrize(
    ("fields", "here", "way"),
    [
        (IN_TMUX, Here(TMUX, can_attach=False), Way.SWITCH),
        (IN_TMUX, Here(PLAIN, can_attach=True), Way.ATTACH),
        (IN_TMUX, Here(REX, can_attach=True), Way.ATTACH),
        (IN_TMUX, Here(PLAIN, can_attach=False), Way.COMMAND),
        (IN_TMUX | {"tmux_socket": "/other"}, Here(TMUX, can_attach=False), Way.COMMAND),
        (IN_REX, Here(REX, can_attach=False), Way.REX),
        (IN_REX, Here(PLAIN, can_attach=True), Way.REX),
        (IN_REX, Here(TMUX, can_attach=False), Way.REX),
        (IN_REX | {"rex_server": None}, Here(PLAIN, can_attach=True), Way.NONE),
        ({"program": "ghostty", "tty": "/dev/pts/3"}, Here(PLAIN, can_attach=True), Way.NONE),
        ({}, Here(TMUX, can_attach=False), Way.NONE),
    ],
)
def test_each_pair_of_terminals_has_one_way(fields: dict[str, Any], here: Here, way: Way) -> None:
    found = route(session(**fields), here)
    assert found.way is way
    assert bool(found.why) == (way is Way.NONE)


def test_a_session_on_another_machine_has_none_whatever_it_names() -> None:
    assert route(session(Life.ELSEWHERE, **IN_TMUX), Here(TMUX, can_attach=False)).way is Way.NONE


def test_a_terminal_without_an_adapter_is_named() -> None:
    why = route(session(program="ghostty", tty="/dev/pts/3"), Here(PLAIN, can_attach=True)).why
    assert "ghostty on /dev/pts/3" in why
