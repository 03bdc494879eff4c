import json
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from tank.records import entry, text
from tank.records.entry import LINE_CELLS, STATUSES, UNKNOWN, Change, Entry, JunkError
from tank.records.identity import Host
from tank.records.live import LiveEntry

MINIMAL: dict[str, Any] = {
    "v": 1,
    "pid": 7,
    "sessionId": "s",
    "cwd": "/",
    "status": "idle",
    "startedAt": "2026-07-01T10:00:00Z",
}

words = st.text(max_size=20)
names = st.text(min_size=1, max_size=20).filter(lambda said: text.line(said) != "")
counts = st.integers(0, 2**53)
pids = st.integers(1, 2**31)


def in_utc(said: str) -> bool:
    """Whether the moment has a date in UTC too: the first and the last day of the calendar may not."""
    return entry.time({"at": said}, "at") is not None


offsets = st.integers(-1439, 1439).map(lambda minutes: timezone(timedelta(minutes=minutes)))
times = st.datetimes(timezones=st.just(UTC) | offsets).map(datetime.isoformat).filter(in_utc)
statuses = st.sampled_from(STATUSES)


def record(**fields: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(fields)


accepted = st.fixed_dictionaries(
    {"v": st.just(1), "pid": pids, "sessionId": names, "cwd": words, "status": statuses, "startedAt": times},
    optional={
        name: st.none() | strategy
        for name, strategy in {
            "tank": words,
            "protocol": st.integers(-5, 5),
            "processStart": words,
            "host": record(machine=st.none() | words, boot=st.none() | words, pidns=st.none() | words),
            "sidecarPid": pids,
            "socket": words,
            "sessionFile": words,
            "project": record(key=words, name=words),
            "label": words,
            "role": st.just("tank"),
            "terminalId": words,
            "terminal": st.fixed_dictionaries(
                {},
                optional={
                    "program": st.none() | words,
                    "tty": st.none() | words,
                    "tmux": st.none() | record(socket=words, pane=words),
                    "rexServer": st.none() | words,
                },
            ),
            "statusSince": times,
            "statusDetail": words,
            "activity": words,
            "recent": st.lists(record(status=statuses, detail=st.none() | words, at=times), max_size=8),
            "priority": st.integers(0, 3),
            "recap": record(text=words, at=st.none() | times),
            "lastReply": words,
            "context": record(tokens=counts, window=counts, percent=st.floats(0, 100) | st.integers(0, 100)),
            "model": words,
            "messagesSinceInput": counts,
            "updatedAt": times,
        }.items()
    },
)


def line(said: str | None) -> str | None:
    return text.short(said, LINE_CELLS) or None if said else None


def as_read(model: LiveEntry) -> Entry:
    """The entry that a reader should hold of what the model holds."""
    project, terminal, context, recap = model.project, model.terminal, model.context, model.recap
    tmux = terminal.tmux if terminal else None
    return Entry(
        v=model.v,
        pid=model.pid,
        session_id=text.short(model.session_id, LINE_CELLS),
        cwd=model.cwd,
        status=model.status,
        started_at=model.started_at,
        tank=line(model.tank),
        protocol=model.protocol,
        process_start=model.process_start,
        host=Host(model.host.machine, model.host.boot, model.host.pidns) if model.host else None,
        sidecar_pid=model.sidecar_pid,
        socket=model.socket,
        session_file=model.session_file,
        project_key=line(project.key) if project else None,
        project_name=line(project.name) if project else None,
        label=line(model.label),
        role=line(model.role),
        terminal_id=model.terminal_id,
        program=line(terminal.program) if terminal else None,
        rex_server=terminal.rex_server if terminal else None,
        tmux_socket=tmux.socket if tmux else None,
        tmux_pane=tmux.pane if tmux else None,
        tty=terminal.tty if terminal else None,
        status_since=model.status_since,
        status_detail=line(model.status_detail),
        activity=line(model.activity),
        recent=tuple(Change(each.status, line(each.detail), each.at) for each in model.recent or ()),
        priority=model.priority,
        recap=line(recap.text) if recap else None,
        recap_at=recap.at if recap else None,
        last_reply=line(model.last_reply),
        context_tokens=context.tokens if context else None,
        context_window=context.window if context else None,
        context_percent=context.percent if context else None,
        model=line(model.model),
        messages_since_input=model.messages_since_input,
        updated_at=model.updated_at,
    )


@given(accepted)
def test_what_the_model_accepts_is_read_alike(written: dict[str, Any]) -> None:
    data = json.dumps(written).encode()
    found, raw = entry.parse(data)
    assert found == as_read(LiveEntry.model_validate_json(data))
    assert raw == json.loads(data)


@given(accepted)
def test_what_is_read_is_clean_and_its_times_are_in_utc(written: dict[str, Any]) -> None:
    found = entry.read(written)
    shown = [
        found.session_id,
        found.label,
        found.status_detail,
        found.activity,
        found.recap,
        found.last_reply,
    ]
    for said in (*shown, found.model, found.project_name, *(change.detail for change in found.recent)):
        assert said is None or (said == text.line(said) and text.width(said) <= LINE_CELLS)
    for moment in (found.started_at, found.status_since, found.updated_at, found.recap_at):
        assert moment is None or moment.tzinfo is UTC


junk = st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats() | st.text(max_size=5)
anything = st.recursive(
    junk,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
optional_names = sorted(
    {field.alias or name for name, field in LiveEntry.model_fields.items()} - set(MINIMAL)
)


@given(
    st.dictionaries(st.sampled_from(optional_names), anything), st.dictionaries(st.text(max_size=8), anything)
)
def test_what_may_be_absent_never_makes_an_entry_junk(odd: dict[str, Any], unknown: dict[str, Any]) -> None:
    found = entry.read(unknown | odd | MINIMAL)
    assert (found.pid, found.session_id, found.status) == (7, "s", "idle")


@given(st.sampled_from(sorted(MINIMAL)), anything | st.sampled_from(["2026-07-01", "2026-07-01T10:00:00"]))
def test_a_required_field_that_the_model_refuses_makes_an_entry_junk(name: str, odd: Any) -> None:
    data = json.dumps(MINIMAL | {name: odd}).encode()
    try:
        LiveEntry.model_validate_json(data)
    except ValidationError:
        if name == "v" and isinstance(odd, int) and odd > 1:
            assert entry.parse(data)[0].newer
        else:
            with pytest.raises(JunkError):
                entry.parse(data)


@pytest.mark.parametrize("name", sorted(MINIMAL))
def test_without_a_required_field_it_is_junk(name: str) -> None:
    with pytest.raises(JunkError):
        entry.read({key: value for key, value in MINIMAL.items() if key != name})


@given(st.binary(max_size=40) | anything.map(lambda value: json.dumps(value).encode()))
def test_no_bytes_raise_anything_but_junk(data: bytes) -> None:
    with pytest.raises(JunkError):
        entry.parse(data)


@pytest.mark.parametrize(
    ("said", "status"), [("working", "working"), ("sleeping", UNKNOWN), (5, UNKNOWN), (None, UNKNOWN)]
)
def test_a_newer_format_is_read_as_far_as_it_goes(said: Any, status: str) -> None:
    found = entry.read(MINIMAL | {"v": 2, "status": said, "label": {"text": "x"}})
    assert found.newer
    assert (found.status, found.label) == (status, None)


@pytest.mark.parametrize(
    "said",
    [
        1_700_000_000,
        0,
        "1700000000",
        "yesterday",
        "",
        None,
        "2026-07-01T10:00:00",
        "2026-07-01",
        "0001-01-01T00:00:00+14:00",
        [],
    ],
)
def test_a_time_without_an_offset_and_what_is_no_time_is_absent(said: Any) -> None:
    found = entry.read(MINIMAL | {"statusSince": said, "updatedAt": said, "recap": {"text": "x", "at": said}})
    assert (found.status_since, found.updated_at, found.recap_at, found.recap) == (None, None, None, "x")


def test_times_are_compared_whatever_their_offset() -> None:
    assert entry.time({"at": "2026-07-01T12:00:00.5+02:00"}, "at") == datetime(
        2026, 7, 1, 10, 0, 0, 500_000, UTC
    )


def test_only_the_last_changes_are_read_and_odd_ones_left_out() -> None:
    good = [{"status": "idle", "detail": str(n), "at": "2026-07-01T10:00:00Z"} for n in range(20)]
    odd: list[Any] = [{"status": "busy", "at": "2026-07-01T10:00:00Z"}, {"status": "idle"}, 5, None]
    found = entry.read(MINIMAL | {"recent": [*good, *odd]})
    assert [change.detail for change in found.recent] == ["16", "17", "18", "19"]


@pytest.mark.parametrize("value", [-1, 4, 1.0, True, "1"])
def test_a_priority_that_is_none_is_absent(value: Any) -> None:
    assert entry.read(MINIMAL | {"priority": value}).priority is None


@pytest.mark.parametrize("value", [0, -1, True, "7"])
def test_a_sidecar_that_can_be_no_process_is_absent(value: Any) -> None:
    assert entry.read(MINIMAL | {"sidecarPid": value}).sidecar_pid is None


def test_deep_nesting_is_junk() -> None:
    with pytest.raises(JunkError):
        entry.parse(b"[" * 60_000)
