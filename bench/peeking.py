"""peek_1mb_ms and peek_1gb_ms: the end of a transcript, read by a new `Transcript`, in turn.

Both files are written here: turns of one shape (a prompt, eight tool calls with results of some KB, an answer), records
chained by `parentId`, no holes. What is read lies in the page cache, as it does for a session that runs. Skipped where
less than 3 GB are free. Milliseconds.
"""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

from bench.figures import Aim, Figure, SkippedError
from bench.processes import folder
from bench.publish import timed
from tank.edges.transcripts import Transcript
from tank.roster.transcript import Prompt

RUNS = 30
WARM_UP = 3
MB, GB = 10**6, 10**9
ROOM_BYTES = 3 * GB
CALLS = 8
NOW, BEFORE = "{now}", "{before}"
AT = "2026-07-01T10:12:30.250Z"
LINE = (
    "E   assert parse(b'x = 1').tokens == (Name('x'), Equals(), Number(1))  # tests/lexer/test_tokens.py:42\n"
)


def measure() -> Iterator[Figure]:
    small, large = [], []
    with folder() as home:
        if shutil.disk_usage(home).free < ROOM_BYTES:
            raise SkippedError(f"less than {ROOM_BYTES // GB} GB are free in {home.parent}")
        write(home / "small.jsonl", MB)
        write(home / "large.jsonl", GB)
        for _ in range(WARM_UP + RUNS):
            small.append(timed(lambda: peek(home / "small.jsonl")))
            large.append(timed(lambda: peek(home / "large.jsonl")))
    yield Figure("peek_1mb_ms", tuple(small[WARM_UP:]))
    yield Figure("peek_1gb_ms", tuple(large[WARM_UP:]), Aim(2, of_floor=True), ("peek_1mb_ms",))


def peek(path: Path) -> None:
    prompts = [item for item in Transcript(path).peek().items if isinstance(item, Prompt)]
    assert len(prompts) == 2  # noqa: S101 - else something else was measured


def write(path: Path, size_bytes: int) -> None:
    """A transcript of at least so many bytes that ends with a whole turn."""
    header = {"type": "session", "version": 3, "id": "0199", "timestamp": AT, "cwd": "/home/you/app"}
    template = turn()
    with path.open("wb") as file:
        file.write(json.dumps(header).encode() + b"\n")
        file.write(template.replace(f'"{BEFORE}"'.encode(), b"null", 1).replace(NOW.encode(), b"00000000"))
        number = 0
        while file.tell() < size_bytes:
            before, number = number, number + 1
            following = template.replace(BEFORE.encode(), last(f"{before:08}").encode(), 1)
            file.write(following.replace(NOW.encode(), b"%08d" % number))


def turn() -> bytes:
    """The lines of one turn; `NOW` stands for its number, `BEFORE` for the record that it follows."""
    messages: list[dict[str, object]] = [{"role": "user", "content": [text("now the next test, please")]}]
    for call in range(CALLS):
        name = f"call-{NOW}-{call}"
        asked = {"type": "toolCall", "id": name, "name": "bash", "arguments": {"command": "pytest -q"}}
        said = text("I'll run the tests and look at the first failure.")
        messages.append({"role": "assistant", "content": [said, asked], "stopReason": "toolUse"})
        result = {"role": "toolResult", "toolCallId": name, "toolName": "bash", "isError": False}
        messages.append({**result, "content": [text(LINE * 30)]})
    messages.append(
        {"role": "assistant", "content": [text("Three tests pass.\n" * 20)], "stopReason": "stop"}
    )
    names = [f"{NOW}-{place}" for place in range(len(messages) - 1)] + [last(NOW)]
    parents = [BEFORE, *names[:-1]]
    return b"".join(map(record, names, parents, messages))


def last(number: str) -> str:
    """The id of the last record of a turn."""
    return f"{number}-last"


def record(name: str, parent: str, message: dict[str, object]) -> bytes:
    found = {"type": "message", "id": name, "parentId": parent, "timestamp": AT, "message": message}
    return json.dumps(found, separators=(",", ":")).encode() + b"\n"


def text(said: str) -> dict[str, str]:
    return {"type": "text", "text": said}
