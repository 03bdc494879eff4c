"""Sessions to draw: made by hand, the same at every run."""

from datetime import UTC, datetime, timedelta
from typing import Any

from tank.board.state import ChangesCounted, Checkout, Event, PeekLoaded, Rostered, Size, State
from tank.board.update import update
from tank.records.entry import Entry
from tank.roster.roster import Life, Roster, Session
from tank.roster.transcript import Gap, Note, Outcome, Peek, Prompt, Reply, ToolCall
from tank.version import __version__

NOW = datetime(2026, 7, 1, 12, 0, tzinfo=UTC)


def ago(**since: float) -> datetime:
    return NOW - timedelta(**since)


def session(pid: int, life: Life = Life.ALIVE, **fields: Any) -> Session:
    """A session in the project `app` that started `pid` seconds after some moment."""
    known: dict[str, Any] = {
        "v": 1,
        "pid": pid,
        "session_id": f"{0x0197C0DE + pid * 0x1F3D5B:08x}-7d11-7000-8000-{pid:012d}",
        "cwd": "/home/you/app",
        "status": "idle",
        "started_at": NOW - timedelta(days=1) + timedelta(seconds=pid),
        "process_start": f"linux:boot:{pid}",
        "tank": __version__,
        "socket": f"/run/{pid}.sock",
        "session_file": f"/home/you/.pi/{pid}.jsonl",
        "project_key": "github.com/you/app",
        "project_name": "app",
    }
    return Session(Entry(**known | fields), life, f"/live/{pid}.json", {})


SITE: dict[str, Any] = {"project_key": "github.com/you/site", "project_name": "site", "cwd": "/home/you/site"}
NOTES: dict[str, Any] = {"project_key": "/home/you/notes", "project_name": "notes", "cwd": "/home/you/notes"}

SIX = (
    session(
        101,
        status="needs-you",
        status_since=ago(minutes=2),
        status_detail="Allow bash: rm -rf build && make?",
        label="fix the flaky login test",
        priority=0,
        recap="two of three tests pass; the third needs a fresh build",
        context_percent=72.4,
        model="anthropic/opus-5-5",
        tty="/dev/pts/3",
    ),
    session(
        102,
        status="working",
        status_since=ago(seconds=14),
        activity="bash: pytest tests/lexer -q",
        label="port the parser to bytes",
        context_percent=12,
        model="openai/gpt-6.2-sol",
    ),
    session(
        103,
        status="done",
        status_since=ago(hours=3),
        label="write the release notes",
        priority=2,
        recap="The notes for 2.4 are in CHANGELOG.md; the migration guide still needs a title",
        context_percent=41,
        **SITE,
    ),
    session(
        104,
        status="needs-you",
        status_since=ago(minutes=41),
        status_detail="failed: Connection error.",
        label="move images to the new bucket",
        messages_since_input=5,
        context_percent=88,
        **SITE,
    ),
    session(
        105,
        status="working",
        status_since=ago(minutes=7),
        activity="edit: src/pages/index.astro",
        label="make the landing page fast on slow phones without losing the animation",
        tank="0.0.9",
        **SITE,
    ),
    session(
        106,
        Life.SUSPENDED,
        status="idle",
        status_since=ago(days=5),
        last_reply="Done. Anything else?",
        socket=None,
        **NOTES,
    ),
)


def sixty() -> tuple[Session, ...]:
    statuses = ("idle", "working", "done", "idle", "needs-you", "working", "idle")
    return tuple(
        session(
            200 + number,
            status=statuses[number % 7],
            status_since=ago(seconds=(number * number * 37) % 200_000),
            status_detail="Allow edit of 3 files?" if statuses[number % 7] == "needs-you" else None,
            activity="bash: make test" if statuses[number % 7] == "working" else None,
            last_reply=None if number % 3 else f"Step {number} is finished and checked",
            label=f"task {number} of the big migration" if number % 5 else "task of the big migration",
            priority=number % 4 if number % 6 == 0 else None,
            context_percent=(number * 7) % 100,
            cwd=f"/home/you/checkout-{number}",
            project_key=f"github.com/you/project-{number % 8}",
            project_name=f"project-{number % 8}",
        )
        for number in range(60)
    )


ROSTERS = {
    -1: Roster(problems=("cannot read /home/you/.local/state/pi/live: Permission denied",)),
    0: Roster(),
    1: Roster(SIX[:1]),
    6: Roster(SIX, ("1 file in the live directory could not be read",)),
    60: Roster(sixty()),
}

PEEK = Peek(
    (
        Gap("earlier not shown"),
        Prompt("run the login tests until one fails", None, ago(minutes=9)),
        ToolCall("bash", "pytest tests/login -q", Outcome.OK, "", ago(minutes=8)),
        Reply("All 31 pass. I'll repeat them with a random order.", ago(minutes=8)),
        ToolCall(
            "bash", "pytest -p random tests/login", Outcome.FAILED, "1 failed, 30 passed", ago(minutes=7)
        ),
        Note("compaction", "The login tests depend on the order of two fixtures.", ago(minutes=6)),
        Prompt(
            "fix it at the root, not with a retry\nand keep the fixture small",
            "[Message from another Pi session (project site, session write the release notes)]",
            ago(minutes=5),
        ),
        Reply(
            "The session cookie outlives the test that made it.\n\n"
            "I'll clear it in the fixture, rebuild from nothing, and run the whole suite three times in random order.",
            ago(minutes=4),
        ),
        ToolCall(
            "bash",
            "rm -rf build && make",
            Outcome.OPEN,
            "timeout: 600\ndescription: build from nothing",
            None,
        ),
    ),
    "random order.",
)


CHANGED: tuple[Event, ...] = (
    ChangesCounted("/home/you/app", Checkout("/home/you/app", 3)),
    ChangesCounted("/home/you/site", Checkout("/home/you/site", 1)),
)


def state(roster: Roster, size: Size, *events: Event, twice: frozenset[str] = frozenset()) -> State:
    """A board that was opened on this roster and to which these events happened."""
    found = State(NOW, size)
    for event in (Rostered(roster, twice, NOW), *events):
        found, _ = update(found, event)
    return found


def loaded(of: Session, peek: Peek | None = PEEK) -> PeekLoaded:
    return PeekLoaded(of.entry.session_id, of.entry.session_file, peek)
