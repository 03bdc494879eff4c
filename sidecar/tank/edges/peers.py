"""Who is at the other end of a unix socket, by the kernel's word."""

import socket
import struct
import sys

SOL_LOCAL, LOCAL_PEERCRED, LOCAL_PEERPID = 0, 1, 2
"""macOS's names; Python has them for no platform."""


def peer(connection: socket.socket) -> tuple[int, int] | None:
    """The peer's uid and pid (as it was when it connected); None where the system doesn't say."""
    try:
        if sys.platform == "darwin":
            uid = struct.unpack_from("2I", connection.getsockopt(SOL_LOCAL, LOCAL_PEERCRED, 76))[1]
            return uid, struct.unpack("i", connection.getsockopt(SOL_LOCAL, LOCAL_PEERPID, 4))[0]
        pid, uid, _ = struct.unpack("iII", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
    except (OSError, struct.error):
        return None
    return uid, pid
