"""tank_sessions_ms and tank_read_ms: what the meta agent's two reading tools cost, and how large their results are.

60 sessions: a new look at the directory with 60 living processes, grouped, digested and told. 500 MB: the newest page of
a transcript written here, and one from its middle (`tank_read_middle_ms`), each as text. The floor of tank_sessions_ms
is that look alone (`tank_sessions_floor_ms`). Sizes in characters, and in tokens estimated as a quarter of them. Skipped
where less than 2 GB are free. Milliseconds.
"""

import shutil
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from bench.entries import live
from bench.figures import Aim, Figure, SkippedError
from bench.peeking import write
from bench.processes import folder
from bench.publish import timed
from tank.agent import reading, sessions
from tank.edges import pages
from tank.edges.live_directory import SETTLED_S, LiveDirectory
from tank.roster.groups import NOWHERE
from tank.roster.pages import Cursor
from tank.roster.roster import Session

COUNT, RUNS, WARM_UP = 60, 30, 3
MB = 10**6
SIZE_BYTES = 500 * MB
ROOM_BYTES = 2000 * MB
TOKEN_CHARACTERS = 4


def measure() -> Iterator[Figure]:
    with folder() as home:
        if shutil.disk_usage(home).free < ROOM_BYTES:
            raise SkippedError(f"less than {ROOM_BYTES // MB} MB are free in {home.parent}")
        with live(home / "live", COUNT):
            time.sleep(SETTLED_S)  # entries younger than this are never remembered
            directory = LiveDirectory(home / "live")
            yield from told_of(directory)
            session = directory.scan().sessions[0]
        transcript = home / "large.jsonl"
        write(transcript, SIZE_BYTES)
        yield from read_from(session, transcript)


def told_of(directory: LiveDirectory) -> Iterator[Figure]:
    scanned, listed = [], []
    text = ""
    now = datetime.now(UTC)

    def list_all() -> None:
        nonlocal text
        text = sessions.listed(directory.scan(), NOWHERE, (), now, now - timedelta(days=999), None)

    for _ in range(WARM_UP + RUNS):
        scanned.append(timed(directory.scan))
        listed.append(timed(list_all))
    assert text.startswith(f"{COUNT} live sessions")  # noqa: S101 - else something else was measured
    floor = "tank_sessions_floor_ms"
    yield Figure("tank_sessions_ms", tuple(listed[WARM_UP:]), Aim(50), (floor,))
    yield Figure(floor, tuple(scanned[WARM_UP:]))
    yield from size("tank_sessions", text)


def read_from(session: Session, transcript: Path) -> Iterator[Figure]:
    now = datetime.now(UTC)
    newest = pages.read(transcript)
    assert newest.older  # noqa: S101 - else something else was measured
    half = SIZE_BYTES // 2
    middle = Cursor(next(name_at(transcript, half)), half)
    text = ""

    def read(since: Cursor | None) -> None:
        nonlocal text
        text = reading.page(session.entry, pages.read(transcript, since), now)

    deep = [timed(lambda: read(middle)) for _ in range(WARM_UP + RUNS)]
    assert "an older page" in text  # noqa: S101 - else something else was measured
    last = [timed(lambda: read(None)) for _ in range(WARM_UP + RUNS)]
    yield Figure("tank_read_ms", tuple(last[WARM_UP:]), Aim(50))
    yield Figure("tank_read_middle_ms", tuple(deep[WARM_UP:]), Aim(2, of_floor=True), ("tank_read_ms",))
    yield from size("tank_read", text)


def name_at(transcript: Path, end: int) -> Iterator[str]:
    """Ids of the records before this byte of the file, the last one first."""
    with transcript.open("rb") as file:
        file.seek(end - MB)
        for line in reversed(file.read(MB).split(b"\n")[1:-1]):
            yield line.split(b'"id":"', 1)[1].split(b'"', 1)[0].decode()


def size(name: str, text: str) -> Iterator[Figure]:
    yield Figure(f"{name}_characters", (len(text),))
    yield Figure(f"{name}_tokens", (len(text) / TOKEN_CHARACTERS,))
