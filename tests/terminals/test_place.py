import pytest

from tank.terminals.place import TerminalPlace, of_environment


@pytest.mark.parametrize(
    ("environment", "place"),
    [
        ({}, TerminalPlace(None, None, None)),
        ({"TERM_PROGRAM": ""}, TerminalPlace(None, None, None)),
        ({"TERM_PROGRAM": "ghostty"}, TerminalPlace("ghostty", None, None)),
        ({"TERM_PROGRAM": "rex", "REX_BLOCK": "block:1"}, TerminalPlace("rex", None, "block:1")),
        (
            {"TERM_PROGRAM": "rex", "REX_BLOCK": "block:1", "REX_SERVER": "unix:///s.sock", "HOME": "/h"},
            TerminalPlace("rex", None, "block:1", "unix:///s.sock"),
        ),
        (
            {"TERM_PROGRAM": "rex", "REX_BLOCK": "block:1", "HOME": "/Users/you"},
            TerminalPlace(
                "rex", None, "block:1", "unix:///Users/you/Library/Application Support/rex/server.sock"
            ),
        ),
        (
            {"TERM_PROGRAM": "rex", "REX_BLOCK": "block:1", "REX_SERVER": "https://me:token@host"},
            TerminalPlace("rex", None, "block:1", None),
        ),
        ({"TERM_PROGRAM": "rex"}, TerminalPlace("rex", None, None)),
        ({"TERM_PROGRAM": "ghostty", "REX_BLOCK": "block:1"}, TerminalPlace("ghostty", None, None)),
        (
            {"TMUX": "/tmp/t/default,71,0", "TMUX_PANE": "%3"},
            TerminalPlace(None, ("/tmp/t/default", "%3"), None),
        ),
    ],
)
def test_the_environment_tells_the_innermost_terminal(
    environment: dict[str, str], place: TerminalPlace
) -> None:
    assert of_environment(environment) == place


def test_in_tmux_inside_rex_the_block_is_not_the_session_s_own() -> None:
    inherited = {"TERM_PROGRAM": "rex", "REX_BLOCK": "block:1", "TMUX": "/s,1,0", "TMUX_PANE": "%0"}
    assert of_environment(inherited) == TerminalPlace("rex", ("/s", "%0"), None)
    assert of_environment(inherited | {"TERM_PROGRAM": "tmux"}).rex_block is None


def test_a_socket_s_path_may_hold_commas() -> None:
    assert of_environment({"TMUX": "/tmp/a,b,/s,71,0", "TMUX_PANE": "%0"}).tmux == ("/tmp/a,b,/s", "%0")


@pytest.mark.parametrize(
    "environment", [{"TMUX": "/s,1,0"}, {"TMUX": ",1,0", "TMUX_PANE": "%0"}, {"TMUX_PANE": "%0"}]
)
def test_half_a_place_in_tmux_is_none(environment: dict[str, str]) -> None:
    assert of_environment(environment).tmux is None


def test_a_program_s_name_is_clean() -> None:
    said = of_environment({"TERM_PROGRAM": "bad\x1b]0;x\x07\udcff\n" + "y" * 500}).program
    assert said
    assert said.startswith("bad]0;x")
    assert said.encode()
    assert len(said) <= 60


def test_a_socket_whose_path_is_no_text_is_left_out() -> None:
    assert of_environment({"TMUX": "/tmp/\udcff/s,71,0", "TMUX_PANE": "%0"}).tmux is None
