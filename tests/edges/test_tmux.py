import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from demo.waiting import eventually
from tank.edges import tmux
from tank.terminals.tmux_replies import pane_shown
from tests.support.terminals import Terminals


@pytest.fixture
def terminals(tmp_path: Path) -> Iterator[Terminals]:
    made = Terminals(tmp_path)
    yield made
    made.close()


def shown(socket: str, pane: str) -> bool | None:
    """What the real tmux answers, read as the sidecar reads it."""
    command = tmux.ask_pane(socket, pane)
    ran = subprocess.run(command, capture_output=True, env={"PATH": os.environ["PATH"]}, check=False)
    return pane_shown(ran.stdout if ran.returncode == 0 else None)


def test_without_a_client_no_pane_is_shown(terminals: Terminals) -> None:
    assert shown(terminals.path, terminals.here) is False


def test_each_pane_of_the_window_that_a_client_shows_is_shown(terminals: Terminals) -> None:
    terminals.attach()
    assert shown(terminals.path, terminals.here) is True
    assert shown(terminals.path, terminals.beside) is True
    assert shown(terminals.path, f"{terminals.other}.0") is False
    terminals.act("select-window", "-t", terminals.other)
    assert shown(terminals.path, terminals.here) is False


def test_a_zoomed_pane_hides_the_others_of_its_window(terminals: Terminals) -> None:
    terminals.attach()
    terminals.act("resize-pane", "-Z", "-t", terminals.beside)
    terminals.act("select-pane", "-Z", "-t", terminals.beside)
    assert shown(terminals.path, terminals.here) is False
    assert shown(terminals.path, terminals.beside) is True
    terminals.act("resize-pane", "-Z", "-t", terminals.beside)
    assert shown(terminals.path, terminals.here) is True


def test_one_of_several_clients_is_enough(terminals: Terminals) -> None:
    terminals.act("new-session", "-d", "-s", "second", "sleep 600")
    terminals.attach("second")
    assert shown(terminals.path, terminals.here) is False
    terminals.attach("0")
    assert shown(terminals.path, terminals.here) is True


def test_a_client_that_detaches_shows_nothing(terminals: Terminals) -> None:
    terminals.attach()
    terminals.act("detach-client", "-a")
    terminals.act("detach-client", "-s", "0")
    eventually(lambda: shown(terminals.path, terminals.here) is False)


def test_a_pane_or_server_that_is_gone_cannot_be_told_of(terminals: Terminals, tmp_path: Path) -> None:
    terminals.act("kill-pane", "-t", terminals.here)
    assert shown(terminals.path, terminals.here) is None
    terminals.act("kill-server")
    eventually(lambda: not psutil.pid_exists(terminals.pid))
    assert shown(terminals.path, terminals.here) is None
    assert shown(str(tmp_path / "never"), "%0") is None
    assert not (tmp_path / "never").exists(), "no server is started"


def test_a_socket_s_path_may_hold_anything(tmp_path: Path) -> None:
    folder = tmp_path / "a b;$(c) #{pane_id}"
    folder.mkdir()
    odd = Terminals(folder)
    try:
        odd.attach()
        assert shown(odd.path, odd.here) is True
    finally:
        odd.close()
