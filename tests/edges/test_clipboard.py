"""Copying through the system's commands: fakes on PATH that keep what they were given."""

import base64
from pathlib import Path

import pytest

from tank.edges import clipboard


@pytest.mark.parametrize(
    ("environment", "platform", "tried"),
    [
        ({}, "darwin", ["pbcopy"]),
        ({}, "linux", []),
        ({"DISPLAY": ":0"}, "linux", ["xclip", "xsel"]),
        ({"WAYLAND_DISPLAY": "w"}, "linux", ["wl-copy"]),
        ({"WAYLAND_DISPLAY": "w", "DISPLAY": ":0"}, "linux", ["wl-copy", "xclip", "xsel"]),
    ],
)
def test_the_screen_decides_which_commands_are_tried(
    environment: dict[str, str], platform: str, tried: list[str]
) -> None:
    assert clipboard.programs(environment, platform) == tried


def fake(folder: Path, name: str, script: str) -> None:
    program = folder / name
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)


@pytest.fixture
def bin_(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setenv("DISPLAY", ":0")
    for name in ("WAYLAND_DISPLAY", "TMUX"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def test_the_first_command_that_takes_the_text_has_it_byte_for_byte(bin_: Path) -> None:
    fake(bin_, "xclip", "exit 1")
    fake(bin_, "xsel", f'echo "$@" > {bin_}/words; cat > {bin_}/got')
    assert clipboard.copy("größer\nthan $(this) -x")
    assert (bin_ / "got").read_text() == "größer\nthan $(this) -x"
    assert (bin_ / "words").read_text() == "--clipboard --input\n"


def test_without_a_command_nothing_was_copied(bin_: Path) -> None:
    assert not clipboard.copy("x")


def test_a_command_that_hangs_is_given_up(bin_: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clipboard, "TIMEOUT_S", 0.2)
    fake(bin_, "xclip", "exec sleep 60")
    assert not clipboard.copy("x")


def test_a_command_that_holds_the_selection_in_the_background_is_not_waited_for(bin_: Path) -> None:
    fake(bin_, "xclip", "cat > /dev/null; sleep 3 & exit 0")
    assert clipboard.copy("x")


def test_in_tmux_its_buffer_is_set_too_and_an_older_one_without_w(
    bin_: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMUX", "/tmp/x,1,0")
    monkeypatch.delenv("DISPLAY")
    fake(bin_, "tmux", f'case "$*" in *-w*) exit 1;; esac; echo "$@" > {bin_}/words; cat > {bin_}/got')
    assert clipboard.copy("text")
    assert (bin_ / "got").read_text() == "text"
    assert (bin_ / "words").read_text() == "load-buffer -\n"


def test_the_terminal_is_asked_in_base64_and_not_with_what_it_would_drop() -> None:
    asked = clipboard.by_terminal("a\x07\x1b]")
    assert asked.startswith("\x1b]52;c;")
    assert base64.b64decode(asked[7:-1]) == b"a\x07\x1b]"
    assert clipboard.by_terminal("x" * clipboard.TERMINAL_LIMIT_BYTES) == ""
