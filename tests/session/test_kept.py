import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tank.records.link import KEPT_LIMIT_BYTES
from tank.session import kept
from tank.session.inbox import HELD_MESSAGES
from tank.session.kept import Kept
from tank.session.message import MODES
from tank.session.status import RUN, STATUS, Phase
from tests.session.driver import Stage, hello, session

moments = st.floats(0, kept.LATEST - 1)
changes = st.fixed_dictionaries(
    {
        "status": st.sampled_from(sorted(set(STATUS.values()))),
        "detail": st.none() | st.just("Really?"),
        "at": st.just("2026-07-01T10:09:00.250Z"),
    }
)
clean = st.text("abc xyz").map(str.strip)
memories = st.builds(
    Kept,
    session_id=st.text(),
    phase=st.sampled_from(Phase),
    since=moments,
    rule=st.text(),
    detail=st.none() | clean.filter(bool).map(lambda s: " ".join(s.split())),
    recent=st.lists(changes, max_size=8).map(tuple),
    received=st.integers(0, 99),
    focused=st.none() | st.booleans(),
    started=moments,
    answers=st.lists(
        st.tuples(
            st.text(min_size=1),
            st.floats(0, 1e9),
            st.sampled_from([{"ok": True, "data": {"delivered": "started"}}, {"ok": False, "error": "busy"}]),
        ),
        max_size=kept.ANSWERS,
    ).map(tuple),
    queued=st.lists(st.text(), max_size=kept.QUEUED).map(tuple),
    held=st.lists(st.tuples(st.text(), st.sampled_from(MODES), st.booleans()), max_size=HELD_MESSAGES).map(
        tuple
    ),
)


def through_the_extension(memory: Kept) -> object:
    return orjson.loads(orjson.dumps(memory.write()))


@given(memories)
def test_what_is_kept_comes_back_as_it_was(memory: Kept) -> None:
    assert kept.read(through_the_extension(memory)) == memory


junk = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


@given(memories, st.dictionaries(st.sampled_from(Kept._fields), junk), st.sets(st.sampled_from(Kept._fields)))
def test_a_value_that_was_changed_is_read_as_far_as_it_goes_and_starts_a_session(
    memory: Kept, changed: dict[str, object], missing: set[str]
) -> None:
    value = dict(memory.write()) | changed
    for name in missing:
        value.pop(name)
    value = orjson.loads(orjson.dumps(value))
    found = kept.read(value)
    assert found is None or kept.read(through_the_extension(found)) == found
    stage = Stage(said=hello("restart", kept=value))
    assert stage.entries


@pytest.mark.parametrize(
    "change",
    [
        {"status": "moving", "detail": None, "at": "2026-07-01T10:09:00.250Z"},
        {"status": "idle", "detail": None, "at": "yesterday"},
        {"status": "idle", "detail": None},
        {"at": "2026-07-01T10:09:00.250Z"},
        "idle",
    ],
)
def test_a_change_that_the_entry_does_not_allow_is_left_out(change: object) -> None:
    stage = session()
    stage.start()
    again = Stage(said=hello("restart", kept=stage.kept | {"recent": [change]}, isIdle=False))
    assert again.entry["recent"] == []


@pytest.mark.parametrize("moment", [-1, 1e300, "2026", None, True])
@pytest.mark.parametrize("name", ["since", "started"])
def test_a_time_that_is_none_makes_the_whole_no_memory(name: str, moment: object) -> None:
    assert kept.read(session().kept | {name: moment}) is None


@pytest.mark.parametrize("value", [None, 7, "x", [], {}, {"session_id": "x"}, {"phase": "idle"}])
def test_another_value_is_no_memory(value: object) -> None:
    assert kept.read(value) is None


@pytest.mark.parametrize("phase", Phase)
def test_an_idle_pi_is_at_rest_whatever_was_going_on(phase: Phase) -> None:
    resumed = kept.resume(phase, idle=True, asking=False)
    assert STATUS[resumed] != "working"
    assert resumed is not Phase.ASKING
    assert phase not in (Phase.FAILED, Phase.DONE) or resumed is phase


@pytest.mark.parametrize("phase", Phase)
@pytest.mark.parametrize("asking", [True, False])
def test_a_busy_pi_works_or_asks(*, phase: Phase, asking: bool) -> None:
    resumed = kept.resume(phase, idle=False, asking=asking)
    assert STATUS[resumed] == ("needs-you" if asking and resumed in RUN else "working")


@pytest.mark.parametrize(
    ("during", "after"),
    [(Phase.COMPACTING, "idle"), (Phase.COMPACTING_FAILED, "needs-you"), (Phase.COMPACTING_DONE, "done")],
)
def test_a_compaction_that_ended_unheard_restores_what_was_before(during: Phase, after: str) -> None:
    assert kept.resume(during, idle=False, asking=False) is during
    assert STATUS[kept.resume(during, idle=True, asking=False)] == after


@pytest.mark.parametrize("character", ["x", "é", "漢", "🦀", "\x1b", '"', "\n"])
def test_a_full_inbox_and_a_long_queue_are_kept_within_the_limit(character: str) -> None:
    stage = session()
    stage.start()
    for number in range(2 * kept.QUEUED):
        stage.types()
        stage.send(f"{number} {character * 3000}")
        stage.answer(stage.ordered("deliver")[-1], idle=False, pending=True)
    stage.leaves("reload")
    while stage.brain.inbox.full("x" * 100) is False:
        stage.types()
        stage.send(character * 2600)
    assert len(orjson.dumps(stage.kept)) <= KEPT_LIMIT_BYTES


def test_nothing_is_kept_again_without_a_change() -> None:
    stage = session()
    before = len(stage.ordered("keep"))
    assert before == 1
    stage.ask({"type": "ping"})
    stage.hear("model_select", model=None)
    stage.wait(3600)
    assert len(stage.ordered("keep")) == before
