import pytest
from hypothesis import given
from hypothesis import strategies as st

from tank.terminals.tmux_replies import Client, Pane, clients, pane_shown, panes


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


WORK = Pane("%3", 77, dead=False, active=True, window="@2", session="$1", visit=False, session_name="work")


@pytest.mark.parametrize(
    ("line", "read"),
    [
        ("%3 77 0 1 @2 $1 0 pane work", WORK),
        ("%3 77 1 0 @2 $1 0 pane 日本 a  b", WORK._replace(dead=True, active=False, session_name="日本 a b")),
        (r"%3 77 0 1 @2 $1 0 pane x\n%4 78", WORK._replace(session_name=r"x\n%4 78")),
        ("%3 77 0 1 @2 $1 0 pane a\x1b[2Jb\u202e", WORK._replace(session_name="a[2Jb")),
        ("%3 77 0 1 @2 $1 0 pane ", WORK._replace(session_name="")),
        ("%3 77 0 1 @2 $1 0 pane", None),
        ("%3 77 0 1 @2 $1 1 pane work", WORK._replace(visit=True)),
        ("%3  0 1 @2 $1 0 pane work", None),
        ("%3 -7 0 1 @2 $1 0 pane work", None),
        ("work %3 77 0 1 @2 $1 0 pane work", None),
        ("", None),
    ],
)
def test_a_pane_is_read_whatever_its_session_is_called(line: str, read: Pane | None) -> None:
    told = f"{line}\n%9 1 0 1 @9 $9 0 pane other\n".encode()
    assert panes(told)[:-1] == ((read,) if read else ())
    assert panes(told)[-1].pane == "%9"


TTY = Client("/dev/pts/3", "$1", "@2", "%3", own_pane=False, keyless=False, ends=False)


@pytest.mark.parametrize(
    ("line", "read"),
    [
        ("$1 @2 %3 0 attached,focused,UTF-8  client /dev/pts/3", TTY),
        ("$1 @2 %3 off attached 2 client /dev/pts/3", TTY),
        ("$1 @2 %3 1 attached  client /dev/pts/3", TTY._replace(ends=True)),
        ("$1 @2 %3 on attached 1 client /dev/pts/3", TTY._replace(ends=True)),
        ("$1 @2 %3 1 attached 2 client /dev/pts/3", TTY),
        ("$1 @2 %3 keep-group attached  client /dev/pts/3", TTY._replace(ends=True)),
        ("$1 @2 %3 keep-last attached  client /dev/pts/3", TTY),
        ("$1 @2 %3 0 attached,active-pane  client /dev/pts/3", TTY._replace(own_pane=True)),
        ("$1 @2 %3 0 attached,control-mode  client client-7", TTY._replace(name="client-7", keyless=True)),
        ("$1 @2 %3 0 suspended  client /dev/pts/3", TTY._replace(keyless=True)),
    ],
)
def test_a_client_is_read_with_what_it_shows(line: str, read: Client) -> None:
    assert clients(f"%9 1 0 1 @9 $9 0 pane other\n{line}\n".encode()) == (read,)


@pytest.mark.parametrize("line", ["", "client", "$1 @2 %3 0 attached client x", "%9 1 0 1 @9 $9 0 pain x"])
def test_one_line_that_cannot_be_read_leaves_no_client_known(line: str) -> None:
    told = f"{line}\n$1 @2 %3 0 attached  client /dev/pts/3\n".encode()
    assert clients(told) is None


def test_a_server_without_clients_or_panes_says_nothing() -> None:
    assert (panes(b""), clients(b"")) == ((), ())


@given(st.binary())
def test_no_list_of_tmux_raises(output: bytes) -> None:
    panes(output)
    clients(output)
