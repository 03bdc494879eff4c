from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tank.records.entry import Entry
from tank.records.identity import Host, Process
from tank.roster import verdict
from tank.roster.roster import Life
from tank.roster.verdict import Absent, Where

OURS = Host("machine", "boot", "pid:[1]")
NOW_S = 1_800_000_000.0
DAY_S = 24 * 3600.0

part = st.sampled_from(["machine", "boot", "pid:[1]", "other", "", None])
hosts = st.none() | st.builds(Host, part, part, part)
states = st.sampled_from(["R", "S", "D", "I", "t", "?"])
starts = st.sampled_from([None, "linux:b:1", "linux:b:2", "macos:1.000001", ""])
seconds = st.floats(allow_nan=False)
processes = st.none() | st.builds(Process, st.just(7), st.just(1), starts, states | st.sampled_from("TZXx"))


def entry(**fields: Any) -> Entry:
    started = datetime(2026, 7, 1, tzinfo=UTC)
    known: dict[str, Any] = {"v": 1, "pid": 7, "session_id": "s", "cwd": "/", "status": "idle"}
    return Entry(**known | {"started_at": started} | fields)


@pytest.mark.parametrize(
    ("state", "life"), [("S", Life.UNREPORTED), ("T", Life.SUSPENDED), ("Z", Absent.DEAD)]
)
def test_only_a_running_process_can_be_unreported(state: str, life: Life | Absent) -> None:
    process = Process(7, 1, None, state)
    assert verdict.here(entry(), process, reported=False) is life


@pytest.mark.parametrize(
    ("theirs", "place"),
    [
        (OURS, Where.HERE),
        (None, Where.HERE),
        (Host(None, None, None), Where.HERE),
        (Host(None, "boot", "pid:[1]"), Where.HERE),
        (Host("machine", None, "pid:[1]"), Where.HERE),
        (Host("machine", "boot", None), Where.HERE),
        (Host("machine", "earlier", "pid:[1]"), Where.BEFORE),
        (Host("machine", "earlier", "pid:[2]"), Where.BEFORE),
        (Host("machine", "boot", "pid:[2]"), Where.BESIDE),
        (Host("container", "boot", "pid:[2]"), Where.BESIDE),
        (Host(None, "boot", "pid:[2]"), Where.BESIDE),
        (Host("other", "earlier", "pid:[1]"), Where.ELSEWHERE),
        (Host("other", "boot", "pid:[1]"), Where.ELSEWHERE),
        (Host("other", None, None), Where.ELSEWHERE),
        (Host(None, "earlier", "pid:[1]"), Where.ELSEWHERE),
        (Host("machine", None, "pid:[2]"), Where.ELSEWHERE),
        (Host(None, None, "pid:[2]"), Where.ELSEWHERE),
    ],
)
def test_where_an_entry_s_process_runs(theirs: Host | None, place: Where) -> None:
    assert verdict.where(theirs, OURS) is place


@given(hosts, hosts)
def test_a_local_pid_counts_only_for_an_entry_whose_known_parts_are_all_ours(
    theirs: Host | None, ours: Host | None
) -> None:
    ours = ours or OURS
    differs = theirs is not None and any(t != o for t, o in zip(theirs, ours, strict=True) if t and o)
    assert (verdict.where(theirs, ours) is Where.HERE) is not differs


@given(hosts)
def test_an_entry_is_of_an_earlier_boot_only_on_the_same_machine(theirs: Host | None) -> None:
    if verdict.where(theirs, OURS) is Where.BEFORE:
        assert theirs
        assert theirs.machine == OURS.machine
        assert theirs.boot != OURS.boot


@given(starts, processes)
def test_here_the_process_alone_decides(start: str | None, process: Process | None) -> None:
    found = verdict.here(entry(process_start=start), process)
    other = process is not None and start and process.start and start != process.start
    if process is None or process.state in "ZXx" or other:
        assert found is Absent.DEAD
    else:
        assert found is (Life.SUSPENDED if process.state == "T" else Life.ALIVE)


@pytest.mark.parametrize(
    ("start", "process", "found"),
    [
        ("linux:b:1", Process(7, 1, "linux:b:1", "S"), Life.ALIVE),
        ("linux:b:1", Process(7, 1, "linux:b:2", "S"), Absent.DEAD),
        ("linux:b:1", Process(7, 1, "linux:b:10", "S"), Absent.DEAD),
        ("linux:b:1", Process(7, 0, None, "?"), Life.ALIVE),
        (None, Process(7, 1, "linux:b:2", "S"), Life.ALIVE),
        ("linux:b:1", Process(7, 1, "linux:b:1", "T"), Life.SUSPENDED),
        ("linux:b:1", Process(7, 1, "linux:b:1", "Z"), Absent.DEAD),
        (None, None, Absent.DEAD),
    ],
)
def test_a_process_lives_while_pid_and_start_match(
    start: str | None, process: Process | None, found: Life | Absent
) -> None:
    assert verdict.here(entry(process_start=start), process) is found


@given(st.none() | st.booleans(), seconds)
def test_an_earlier_boot_is_dead_at_any_time(
    accepts: bool | None,  # noqa: FBT001
    unchanged_s: float,
) -> None:
    assert verdict.afar(Where.BEFORE, accepts=accepts, unchanged_s=unchanged_s) is Absent.DEAD


@given(seconds)
def test_beside_us_the_socket_decides_at_any_time(unchanged_s: float) -> None:
    assert verdict.afar(Where.BESIDE, accepts=True, unchanged_s=unchanged_s) is Life.ALIVE
    assert verdict.afar(Where.BESIDE, accepts=False, unchanged_s=unchanged_s) is Absent.DEAD


@pytest.mark.parametrize("place", [Where.ELSEWHERE, Where.BESIDE])
@pytest.mark.parametrize(
    ("unchanged_s", "found"),
    [
        (-1e18, Life.ELSEWHERE),
        (0, Life.ELSEWHERE),
        (DAY_S, Life.ELSEWHERE),
        (DAY_S + 1, Absent.HIDDEN),
        (30 * DAY_S, Absent.HIDDEN),
        (30 * DAY_S + 1, Absent.EXPIRED),
    ],
)
def test_what_can_t_be_judged_from_here_is_shown_for_a_day_and_kept_for_thirty(
    place: Where, unchanged_s: float, found: Life | Absent
) -> None:
    assert verdict.afar(place, accepts=None, unchanged_s=unchanged_s) is found


@given(st.booleans(), seconds)
def test_a_socket_here_says_nothing_of_an_entry_elsewhere(accepts: bool, unchanged_s: float) -> None:  # noqa: FBT001
    alone = verdict.afar(Where.ELSEWHERE, accepts=None, unchanged_s=unchanged_s)
    found = verdict.afar(Where.ELSEWHERE, accepts=accepts, unchanged_s=unchanged_s)
    assert found is alone is not Absent.DEAD


def test_the_older_of_what_file_and_entry_say_counts() -> None:
    said = entry(updated_at=datetime.fromtimestamp(NOW_S - 100, UTC))
    assert verdict.unchanged(said, NOW_S - 5, NOW_S) == 100
    assert verdict.unchanged(said, NOW_S - 500, NOW_S) == 500
    assert verdict.unchanged(entry(), NOW_S - 5, NOW_S) == 5


@given(st.datetimes(timezones=st.just(UTC)), st.floats(0, 4e9), st.floats(0, 4e9))
def test_a_time_in_the_future_never_makes_an_entry_older(
    updated: datetime, modified_s: float, now_s: float
) -> None:
    unchanged_s = verdict.unchanged(entry(updated_at=updated), modified_s, now_s)
    if updated.timestamp() >= now_s and modified_s >= now_s:
        assert unchanged_s <= 0
        found = verdict.afar(Where.ELSEWHERE, accepts=None, unchanged_s=unchanged_s)
        assert found is Life.ELSEWHERE
