"""One scenario on real Pi: what the person does, and what the extension forwards while they do it."""

import contextlib
import json
import os
import shlex
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from demo.scripted_model import ScriptedModel
from tests.support.client import Client
from tests.support.pi import Lab

Json = dict[str, Any]
RECORDER = Path(__file__).with_name("recorder.py")


class Performance:
    """Pi with the recorder in the sidecar's place. `until` walks forward through the records."""

    def __init__(self, model: ScriptedModel, lab: Lab, extensions: Sequence[Path]) -> None:
        self.model = model
        self.lab = lab
        self.file = lab.folder / "trace"
        self._acts: list[Json] = []
        self._seen = 0
        command = shlex.join([sys.executable, "-I", str(RECORDER), str(self.file)])
        python = lab.fake("recorder", f"exec {command}")
        variables = {"TANK_PYTHON": str(python), "PI_PROGRAM_STATUS": "1"}
        self.pi = lab.pi("pi", extensions=extensions, environment=variables, ready=False)
        status = shlex.join([sys.executable, "-I", str(RECORDER), f"{self.file}.osc", "osc"])
        self.pi.pane.cmd("pipe-pane", "-O", f"exec {status}")
        self.pi.ready()
        self.until("hello")

    def say(self, text: str, key: str = "Enter") -> None:
        """Paste a line, which is one key to Pi, and press Enter or another key."""
        self._wait_armed()
        self._act(f"{text} [{key}]")
        self.pi.paste(text)
        self.pi.pause()
        self.pi.press(key)

    def key(self, *names: str) -> None:
        """Press keys one by one; each is forwarded and the next asked for before it goes on."""
        for name in names:
            self._act(f"[{name}]")
            pressed = self._asked()
            self.pi.press(name)
            self.pi.wait_until(lambda: self._asked() > pressed, "the key")  # noqa: B023 (waited for here)
            self._wait_armed()

    def attach(self) -> Client:
        """A terminal that shows Pi and has the focus."""
        client = self.lab.attach("pi")
        self.until("focus", focused=True)
        return client

    def look(self, client: Client) -> None:
        self._act("looks here")
        client.focus()
        self.until("focus", focused=True)

    def look_away(self, client: Client) -> None:
        self._act("looks away")
        client.blur()
        self.until("focus", focused=False)

    def order(self, *orders: Json) -> None:
        """Tell the extension something, as a sidecar would; several at once."""
        fifo = os.open(f"{self.file}.orders", os.O_WRONLY)
        try:
            os.write(fifo, b"".join(json.dumps(order).encode() + b"\n" for order in orders))
        finally:
            os.close(fifo)

    def deliver(self, *texts: str, mode: str = "follow_up", life_ms: int = 4000) -> None:
        """Messages with the ids 1, 2, … in one tick."""
        until = int(time.time() * 1000) + life_ms
        order: Json = {"type": "deliver", "mode": mode, "expiresAt": until}
        self.order(*({**order, "id": count, "text": text} for count, text in enumerate(texts, 1)))

    def until(self, kind: str, /, **fields: object) -> Json:
        """The next record of this type with these fields; the search goes on behind it."""
        found = self._find(kind, fields)
        if kind == "hello":
            self._wait_armed()
        return found

    def _find(self, kind: str, fields: Json) -> Json:
        found: list[Json] = []

        def look() -> bool:
            records = self.records()
            for at in range(self._seen, len(records)):
                record = records[at]
                if record["type"] == kind and all(record.get(k) == v for k, v in fields.items()):
                    self._seen = at + 1
                    found.append(record)
                    return True
            return False

        self.pi.wait_until(look, f"record {kind} {fields}; after {[r['type'] for r in self.records()]}")
        return found[0]

    def sees(self, text: str) -> None:
        self.pi.wait_for(text)

    def _wait_armed(self) -> None:
        """Wait until Pi has been asked for the next key, else a press right now would not be told."""
        self.pi.wait_until(lambda: self._armed() >= self._asked(), "the next key asked for")

    def _asked(self) -> int:
        return sum(record["type"] in ("hello", "key") for record in self.records())

    def _armed(self) -> int:
        return sum("armed" in line for line in _lines(self.file))

    def records(self) -> list[Json]:
        return [line["record"] for line in _lines(self.file) if "record" in line]

    def end(self) -> list[Json]:
        """Ends Pi without a key press; every line of the performance, each with its time `s`."""
        if self.pi.alive():
            self.pi.kill(signal.SIGTERM)
        self.pi.wait_gone()
        self.lab.detach()
        self.pi.wait_until(lambda: not self.lab.processes(), "every process of the performance gone")
        return [*_lines(self.file), *_lines(Path(f"{self.file}.osc")), *self._acts]

    def _act(self, what: str) -> None:
        self._acts.append({"s": time.monotonic(), "person": what})


@contextlib.contextmanager
def performance(extensions: Sequence[Path], settings: Json) -> Iterator[Performance]:
    with ScriptedModel() as model, Lab(model.base_url, **settings) as lab:
        yield Performance(model, lab, extensions)


def _lines(file: Path) -> list[Json]:
    if not file.exists():
        return []
    return [json.loads(line) for line in file.read_bytes().split(b"\n")[:-1]]
