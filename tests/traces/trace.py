"""A stored trace: what Pi's events looked like to Tank in one scenario, without what changes from run to run.

One JSON object a line: `{"ms", "record"}` what the extension forwarded, or Pi's own program status as a record of type
`osc7501`; `{"ms", "order"}` what it was told besides the answers it waits for; `{"ms", "person"}` what the person did.
`ms` counts from the first hello. The last line is `{"expected": {"statuses", "shown"}}`, from `scenarios`.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Json = dict[str, Any]
FOLDER = Path(__file__).parent
UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
FILE_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z_")
TIME = re.compile(r"\A\d{4}-\d\d-\d\dT[\d:.]+Z\Z")
SOME_TIME = "2026-01-01T00:00:00.000Z"
TRACKS = ("record", "order", "person")


@dataclass(frozen=True)
class Trace:
    lines: tuple[Json, ...]
    expected: Json

    def records(self) -> list[tuple[int, Json]]:
        """Milliseconds and record of what the extension forwarded."""
        found = [(line["ms"], line["record"]) for line in self.lines if "record" in line]
        return [(ms, record) for ms, record in found if record["type"] != "osc7501"]

    def program_status(self) -> list[tuple[int, Json]]:
        """Milliseconds and what Pi itself told the terminal."""
        found = [(line["ms"], line["record"]) for line in self.lines if "record" in line]
        return [(ms, record) for ms, record in found if record["type"] == "osc7501"]


def names() -> list[str]:
    return sorted(path.stem for path in FOLDER.glob("*.jsonl"))


def load(name: str) -> Trace:
    *lines, last = map(json.loads, (FOLDER / f"{name}.jsonl").read_text().splitlines())
    return Trace(tuple(lines), last["expected"])


def store(name: str, trace: Trace) -> None:
    lines = [*trace.lines, {"expected": trace.expected}]
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    (FOLDER / f"{name}.jsonl").write_text(text)


def cleaned(raw: Sequence[Json], folder: str, expected: Json) -> Trace:
    """The trace of lines that carry seconds `s`, in order of time, without ids, paths and pids of this run."""
    ordered = sorted(raw, key=lambda line: line["s"])
    start = next(line["s"] for line in ordered if line.get("record", {}).get("type") == "hello")
    known: dict[str, str] = {}
    dashed = folder.strip("/").replace("/", "-")

    def clean(value: object, key: str = "") -> object:
        match value:
            case dict():
                return {name: clean(part, name) for name, part in value.items()}
            case list():
                return [clean(part) for part in value]
            case str():
                text = value.replace(folder, "/stage").replace(dashed, "stage")
                if key == "toolCallId":
                    return known.setdefault(
                        text, f"tool-{sum(v.startswith('tool') for v in known.values()) + 1}"
                    )
                text = TIME.sub(SOME_TIME, FILE_TIME.sub("", text))
                return UUID.sub(session, text)
            case int() if key == "pid":
                return 1
            case int() if key == "expiresAt":
                return 0
        return value

    def session(found: re.Match[str]) -> str:
        count = sum(value.startswith("session") for value in known.values())
        return known.setdefault(found[0], f"session-{count + 1}")

    lines = [
        {"ms": round((line["s"] - start) * 1000), track: clean(line[track])}
        for line in ordered
        for track in TRACKS
        if track in line
    ]
    return Trace(tuple(lines), expected)


def same(one: Trace, other: Trace) -> bool:
    """Whether two recordings show the same behaviour: times, and the order between tracks, vary by themselves."""
    return one.expected == other.expected and _tracks(one) == _tracks(other)


def _tracks(trace: Trace) -> list[list[Json]]:
    lines = trace.lines
    return [
        [_steady(record) for _, record in trace.records()],
        [record for _, record in trace.program_status()],
        [line["order"] for line in lines if "order" in line],
        [line["person"] for line in lines if "person" in line],
    ]


def _steady(record: Json) -> Json:
    """Without counts of tokens, which Pi estimates from paths too, and the numbers of records."""
    if "id" in record and record["type"] != "answer":
        return _steady({name: value for name, value in record.items() if name != "id"})
    facts = record.get("facts")
    if facts:
        return {**record, "facts": _steady(facts)}
    return {**record, "context": bool(record["context"])} if "context" in record else record
