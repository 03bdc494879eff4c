import os
import socket
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from tank.edges.peers import peer

CONNECT = "import socket, sys; s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]); sys.stdin.read()"


def test_the_peer_is_the_process_that_connected(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "s"))
        listener.listen()
        with subprocess.Popen(
            [sys.executable, "-c", CONNECT, tmp_path / "s"], stdin=subprocess.PIPE
        ) as child:
            connection, _ = listener.accept()
            with connection:
                assert peer(connection) == (os.getuid(), child.pid)


@pytest.mark.skipif(sys.platform != "linux", reason="a name outside the file system is Linux's")
@pytest.mark.skipif(os.geteuid() != 0, reason="only root becomes another user")
@pytest.mark.parametrize("uid", [65534, 2**32 - 2])
def test_the_peer_s_user_is_told(uid: int) -> None:
    name = f"\0tank-{os.getpid()}-{uid}"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(name)
        listener.listen()
        child = os.fork()
        if child == 0:
            with suppress(OSError):
                os.setuid(uid)
                socket.socket(socket.AF_UNIX).connect(name)
            os._exit(0)
        listener.settimeout(10)
        connection, _ = listener.accept()
        with connection:
            assert peer(connection) == (uid, child)
        os.waitpid(child, 0)


def test_what_is_no_connection_tells_nothing() -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as closed:
        closed.close()
        assert peer(closed) is None
