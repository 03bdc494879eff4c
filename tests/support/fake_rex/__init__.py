"""A `rex` for tests and measurements: a real executable with a state of its own, in a folder that is put first on PATH."""

import contextlib
import fcntl
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

Json = dict[str, Any]
PROGRAM = Path(__file__).with_name("rex.py")


def tiled(*block_ids: str) -> Json:
    return {"kind": "tiled", "blocks": [{"block_id": each} for each in block_ids]}


def floating(*block_ids: str) -> Json:
    return {"kind": "floating", "blocks": [{"block_id": each} for each in block_ids]}


def window(window_id: str, label: str | None, *layers: Json) -> Json:
    return {"window_id": window_id, "label": label, "layers": list(layers)}


def session(session_id: str, label: str, *windows: Json, detached: Sequence[str] = ()) -> Json:
    return {
        "session_id": session_id,
        "label": label,
        "revision": 1,
        "windows": list(windows),
        "detached": [{"block_id": each} for each in detached],
    }


def app(client_id: str = "client:app", kind: str = "app", transport: str = "unix") -> Json:
    return {"client_id": client_id, "kind": kind, "transport": transport, "shows": None}


class FakeRex:
    """The server lives at `endpoint`, which has a blank; `server` is how REX_SERVER says it."""

    def __init__(self, folder: Path, *sessions: Json) -> None:
        self.bin = folder / "Application Support"
        self.bin.mkdir()
        self.command = self.bin / "rex"
        self.command.write_text(f"#!{sys.executable} -IS\n{PROGRAM.read_text()}")
        self.command.chmod(0o755)
        self.endpoint = f"unix://{self.bin}/server.sock"
        self.server = self.endpoint.replace(" ", "%20")
        state = {
            "endpoint": self.endpoint,
            "sessions": sessions,
            "clients": [app()],
            "remote_control": True,
            "quirks": {},
            "upsets": [],
        }
        (self.bin / "state.json").write_text(json.dumps(state))

    @contextlib.contextmanager
    def changing(self) -> Iterator[Json]:
        """The whole state, to be changed while no call is served."""
        with (self.bin / "lock").open("a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            found = self.state
            yield found
            (self.bin / "state.json").write_text(json.dumps(found))

    def quirk(self, **quirks: object) -> None:
        """`down` (exit code), `slow`, `fails` and `says` (by method), `empty_list`, `extra_keys`."""
        with self.changing() as found:
            found["quirks"] |= quirks

    def upset(self, after: str, block_id: str, window_id: str) -> None:
        """Once, when this method was answered, the block moves into that tab."""
        with self.changing() as found:
            found["upsets"].append({"after": after, "block_id": block_id, "window_id": window_id})

    @property
    def state(self) -> Json:
        found: Json = json.loads((self.bin / "state.json").read_text())
        return found

    def label(self, window_id: str) -> str | None:
        """A tab's label now."""
        windows = [window for session in self.state["sessions"] for window in session["windows"]]
        (found,) = [window["label"] for window in windows if window["window_id"] == window_id]
        return None if found is None else str(found)

    @property
    def calls(self) -> list[list[str]]:
        """Words of every call after the flags that all of them have."""
        return [record["argv"][3:] for record in self._logged("calls")]

    @property
    def offences(self) -> list[Json]:
        """Calls that would have done harm: started a server, asked another pane's, or asked the terminal."""
        return self._logged("offences")

    def _logged(self, name: str) -> list[Json]:
        path = self.bin / name
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
