"""The least a Python process must do for what a sidecar does; its times are floors. Run as a script with `-I`.

`least.py publish FILE SOURCE`: for each read of stdin FILE is replaced by what SOURCE holds.
`least.py echo SOCKET`: each connection's line goes to stdout, what then comes on stdin goes back over the connection.
"""

import os
import socket
import sys

CREATING = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
CHUNK_BYTES = 64 * 1024


def replace(path: str, data: bytes) -> None:
    """Write the bytes to a new file and rename it to the path."""
    temporary = f"{path}.new"
    descriptor = os.open(temporary, CREATING, 0o600)
    os.write(descriptor, data)
    os.close(descriptor)
    os.rename(temporary, path)  # noqa: PTH104 - a floor has nothing around the call


def publish(path: str, source: str) -> None:
    """Until end of file on stdin."""
    with open(source, "rb") as file:
        data = file.read()
    while os.read(0, CHUNK_BYTES):
        replace(path, data)


def echo(path: str) -> None:
    """Until end of file on stdin while a connection waits."""
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(path)
    listener.listen(8)
    while True:
        connection, _ = listener.accept()
        with connection:
            os.write(1, connection.recv(CHUNK_BYTES))
            answer = os.read(0, CHUNK_BYTES)
            if not answer:
                return
            connection.sendall(answer)


if __name__ == "__main__":
    if sys.argv[1] == "publish":
        publish(*sys.argv[2:])
    else:
        echo(*sys.argv[2:])
