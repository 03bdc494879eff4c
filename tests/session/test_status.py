import itertools

import pytest

from tank.session import status
from tank.session.status import RUN, STATUS, TABLE, Happening, Phase

PAIRS = [
    pytest.param(phase, happening, id=f"{phase}: {happening}")
    for phase, happening in itertools.product(Phase, Happening)
]
REST = [Phase.IDLE, Phase.DONE, Phase.FAILED]
ENDS = {
    Happening.FINISHED_SEEN: Phase.IDLE,
    Happening.FINISHED_UNSEEN: Phase.DONE,
    Happening.ABORTED: Phase.IDLE,
    Happening.RUN_FAILED: Phase.FAILED,
}


@pytest.mark.parametrize(("phase", "happening"), PAIRS)
def test_any_pair_leads_to_a_phase_and_one_that_the_table_does_not_name_to_the_same(
    phase: Phase, happening: Happening
) -> None:
    then = status.after(phase, happening)
    assert then in Phase
    assert then is phase or happening in TABLE[phase]


def test_every_phase_has_a_row_and_shows_one_of_the_four_statuses() -> None:
    assert set(TABLE) == set(STATUS) == set(Phase)
    assert set(STATUS.values()) == {"idle", "working", "needs-you", "done"}


def test_every_happening_changes_something_somewhere() -> None:
    assert {happening for row in TABLE.values() for happening in row} == set(Happening)


@pytest.mark.parametrize("phase", Phase)
@pytest.mark.parametrize("end", ENDS)
def test_from_every_phase_a_run_that_settles_leads_to_rest(phase: Phase, end: Happening) -> None:
    assert status.after(status.after(phase, Happening.RUN_STARTED), end) is ENDS[end]


@pytest.mark.parametrize("phase", Phase)
def test_from_every_phase_the_end_of_what_goes_on_leads_to_rest(phase: Phase) -> None:
    ended = status.after(status.after(phase, Happening.COMPACTION_ENDED), Happening.FINISHED_SEEN)
    assert ended in REST


@pytest.mark.parametrize("phase", Phase)
def test_a_person_who_looks_and_presses_a_key_quiets_every_phase_at_rest(phase: Phase) -> None:
    looked = status.after(status.after(phase, Happening.FOCUSED), Happening.KEY_PRESSED)
    assert looked is Phase.IDLE or phase not in REST


@pytest.mark.parametrize("end", [*ENDS, Happening.ANSWERED, Happening.COMPACTION_ENDED])
@pytest.mark.parametrize("phase", REST)
def test_an_end_without_a_start_changes_nothing(phase: Phase, end: Happening) -> None:
    assert status.after(phase, end) is phase


@pytest.mark.parametrize("phase", sorted(set(Phase) - RUN))
def test_a_dialog_outside_a_run_is_the_persons_own(phase: Phase) -> None:
    assert status.after(phase, Happening.ASKED) is phase


def test_a_failed_run_needs_the_person_until_a_key_not_a_look() -> None:
    assert status.after(Phase.FAILED, Happening.FOCUSED) is Phase.FAILED
    assert status.after(Phase.FAILED, Happening.KEY_PRESSED) is Phase.IDLE


@pytest.mark.parametrize("look", [Happening.FOCUSED, Happening.KEY_PRESSED])
def test_done_ends_with_a_look_or_a_key(look: Happening) -> None:
    assert status.after(Phase.DONE, look) is Phase.IDLE


@pytest.mark.parametrize("before", REST)
def test_a_compaction_shows_as_working_and_restores_what_was_before(before: Phase) -> None:
    during = status.after(before, Happening.COMPACTION_STARTED)
    assert STATUS[during] == "working"
    assert status.after(during, Happening.COMPACTION_ENDED) is before


def test_what_would_change_the_status_names_only_what_changes_the_word() -> None:
    assert status.changes(Phase.DONE) == [
        "a key was pressed → idle",
        "the terminal was focused → idle",
        "a run started → working",
        "the person started a compaction → working",
    ]
    assert not any("needs-you" in change for change in status.changes(Phase.ASKING))


@pytest.mark.parametrize("phase", Phase)
def test_every_phase_names_what_would_change_it(phase: Phase) -> None:
    assert status.changes(phase)
