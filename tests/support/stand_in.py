"""A stand-in for a session: a living process, an entry that names it, and a socket that answers as told."""

import json
import os
import socket
import subprocess
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

Answer = Callable[[dict[str, Any]], dict[str, Any] | bytes | None]


class Server:
    """Listens on a socket path and answers each line with what `answer` returns: a record, raw bytes, or None for silence."""

    def __init__(self, path: Path, answer: Answer) -> None:
        self.asked: list[dict[str, Any]] = []
        self._answer = answer
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._folder = os.open(path.parent, os.O_PATH)
        self._listener.bind(f"/proc/self/fd/{self._folder}/{path.name}")
        self._listener.listen(16)
        self._open: list[socket.socket] = []
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._thread.join()
        for each in [*self._open, self._listener]:
            each.close()
        os.close(self._folder)

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self._open.append(connection)
            line = connection.makefile("rb").readline()
            if not line:
                continue
            self.asked.append(json.loads(line))
            reply = self._answer(self.asked[-1])
            if reply is not None:
                with suppress(OSError):
                    connection.sendall(
                        reply if isinstance(reply, bytes) else json.dumps(reply).encode() + b"\n"
                    )
                    connection.shutdown(socket.SHUT_RDWR)


class Session:
    """An entry in a live directory that names a living child process; `change` rewrites it as a sidecar does."""

    def __init__(self, live: Path, **fields: Any) -> None:
        live.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.process = subprocess.Popen(["sleep", "300"])
        self.file = live / f"{self.process.pid}.json"
        self.server: Server | None = None
        self.entry: dict[str, Any] = {
            "v": 1,
            "pid": self.process.pid,
            "sessionId": f"0199{self.process.pid:08d}-aaaa-7000-8000-000000000000",
            "cwd": "/home/you/app",
            "status": "idle",
            "startedAt": "2026-07-01T10:00:00Z",
        }
        self.change(**fields)

    @property
    def pid(self) -> str:
        return str(self.process.pid)

    @property
    def id(self) -> str:
        return str(self.entry["sessionId"])

    def change(self, **fields: Any) -> None:
        self.entry |= fields
        fresh = self.file.with_name(f".tmp-{self.process.pid}")
        fresh.touch(mode=0o600)
        fresh.write_text(json.dumps(self.entry))
        fresh.rename(self.file)

    def listen(self, answer: Answer) -> Server:
        path = self.file.with_suffix(".sock")
        self.server = Server(path, answer)
        self.change(socket=str(path), sidecarPid=os.getpid())
        return self.server

    def end(self) -> None:
        if self.server:
            self.server.close()
            self.server = None
        self.process.kill()
        self.process.wait()
