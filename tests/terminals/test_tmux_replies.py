import pytest
from hypothesis import given
from hypothesis import strategies as st

from tank.terminals.tmux_replies import pane_shown


@pytest.mark.parametrize(
    ("output", "shown"),
    [
        (b"@1 0 1\n@1\n", True),
        (b"@1 0 1\n@2\n@1\n", True),
        (b"@1 0 0\n@1\n", True),
        (b"@1 1 1\n@1\n", True),
        (b"@1 1 0\n@1\n", False),
        (b"@1 0 1\n@2\n", False),
        (b"@1 0 1\n@11\n", False),
        (b"@1 0 1\n", False),
        (b"@1 0 1", False),
        (b"", None),
        (b"\n@1\n", None),
        (b"@1 0\n@1\n", None),
        (b"no server running on /s\n", None),
        (None, None),
    ],
)
def test_a_pane_is_shown_by_a_client_of_its_window_unless_another_pane_is_zoomed(
    output: bytes | None, *, shown: bool | None
) -> None:
    assert pane_shown(output) is shown


@given(st.binary())
def test_no_answer_of_tmux_raises(output: bytes) -> None:
    assert pane_shown(output) in (True, False, None)
