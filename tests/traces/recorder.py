"""Stands in for the sidecar: writes down what the extension forwards and answers what must be answered.

    recorder.py FILE      as the sidecar: stdin to FILE, each line with its time; FILE.orders is a pipe of orders for Pi
    recorder.py FILE osc  at the end of tmux's pipe-pane: Pi's program status (OSC 7501) to FILE

Standard library only: it runs as the extension runs a sidecar, with no environment to speak of.
"""

import base64
import json
import os
import re
import selectors
import sys
import time
from typing import BinaryIO

Json = dict[str, object]
ENTRY_TYPES = ["session-recap", "tank-priority"]
ARMED: Json = {"type": "deliver", "id": -1, "text": "", "mode": "follow_up", "expiresAt": 0}
"""Its answer tells that the order before it, to report a key, was read."""
PROGRAM_STATUS = re.compile(rb"\x1b\]7501;([^?\x07\x1b][^\x07\x1b]*)(?:\x07|\x1b\\)")


def note(file: BinaryIO, kind: str, value: Json) -> None:
    file.write(json.dumps({"s": time.monotonic(), kind: value}).encode() + b"\n")
    file.flush()


def answers(record: Json) -> list[Json]:
    """What a sidecar says to a record at once; every key press is asked for."""
    watch: list[Json] = [{"type": "watch_key"}, ARMED]
    if record["type"] == "hello":
        welcome = {
            "type": "welcome",
            "id": record["id"],
            "tank": record["tank"],
            "protocol": record["protocol"],
        }
        return [{**welcome, "entryTypes": ENTRY_TYPES}, *watch]
    if record["type"] == "key":
        return watch
    if record["type"] == "answer" or "id" not in record:
        return []
    taken: Json = {"type": "taken", "id": record["id"]}
    result: Json = {"type": "result", "id": record["id"], "text": "recorded", "isError": False}
    return [taken, result] if record["type"] == "call" else [taken]


def sidecar(path: str) -> None:
    os.mkfifo(f"{path}.orders")
    orders = os.open(f"{path}.orders", os.O_RDWR)
    with open(path, "ab") as file, selectors.DefaultSelector() as selector:
        selector.register(0, selectors.EVENT_READ)
        selector.register(orders, selectors.EVENT_READ)
        unread = b""
        while True:
            for key, _ in selector.select():
                data = os.read(key.fd, 1 << 20)
                if key.fd == orders:
                    told = [json.loads(line) for line in data.splitlines()]
                    for order in told:
                        note(file, "order", order)
                    say(told)
                    continue
                if not data:
                    return
                *lines, unread = (unread + data).split(b"\n")
                for line in lines:
                    record = json.loads(line)
                    armed = record["type"] == "answer" and record["id"] == ARMED["id"]
                    note(file, "armed" if armed else "record", record)
                    say(answers(record))


def say(orders: list[Json]) -> None:
    """Orders given together arrive together."""
    sys.stdout.write("".join(json.dumps(order) + "\n" for order in orders))
    sys.stdout.flush()


def program_status(path: str) -> None:
    unread = b""
    with open(path, "ab") as file:
        while data := os.read(0, 1 << 16):
            unread += data
            end = 0
            for found in PROGRAM_STATUS.finditer(unread):
                note(file, "record", {"type": "osc7501", **pairs(found[1].decode())})
                end = found.end()
            unread = unread[end:][-4096:]


def pairs(text: str) -> dict[str, str]:
    """`state=working:app=pi:msg=<base64>` as an object, the message readable."""
    found: dict[str, str] = dict(pair.split("=", 1) for pair in text.split(":") if "=" in pair)
    if "msg" in found:
        found["msg"] = base64.b64decode(found["msg"]).decode()
    return found


if __name__ == "__main__":
    if sys.argv[2:3] == ["osc"]:
        program_status(sys.argv[1])
    else:
        sidecar(sys.argv[1])
