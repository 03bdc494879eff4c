"""What the person's looks and keys, and tmux's word, make of a run's end, through the brain. Runs themselves: test_run."""

import pytest

from tank.session.course import PANE_S
from tank.session.effects import AskPane
from tests.session.driver import Stage, hello, session

# Focus and keys


def test_a_session_counts_as_focused_before_the_first_report() -> None:
    stage = session()
    stage.run()
    assert stage.statuses == ["idle", "working", "idle"]


def test_done_is_shown_when_nobody_looked_and_cleared_by_a_look() -> None:
    stage = session()
    stage.focus(focused=False)
    stage.run()
    assert stage.status == "done"
    stage.focus(focused=False)
    assert stage.status == "done"
    stage.focus(focused=True)
    assert stage.status == "idle"
    stage.run()
    assert stage.status == "idle"


@pytest.mark.parametrize("status", ["done", "needs-you"])
def test_a_key_is_asked_for_once_when_it_matters_and_clears_the_status(status: str) -> None:
    stage = session()
    assert not stage.ordered("watch_key")
    stage.focus(focused=False)
    stage.run(*(("error", "400") if status == "needs-you" else ("stop",)))
    stage.hear("model_select", model=None)
    stage.wait(60)
    assert (stage.status, len(stage.ordered("watch_key"))) == (status, 1)
    stage.key()
    assert stage.status == "idle"
    stage.wait(60)
    assert len(stage.ordered("watch_key")) == 1


def test_a_failed_run_is_not_cleared_by_focus() -> None:
    stage = session()
    stage.focus(focused=False)
    stage.run("error", "400")
    stage.focus(focused=True)
    assert stage.status == "needs-you"


def test_a_new_copy_of_the_extension_is_asked_for_the_key_again() -> None:
    stage = session()
    stage.focus(focused=False)
    stage.run()
    asked = len(stage.ordered("watch_key"))
    assert asked == len(stage.restarted().ordered("watch_key")) == 1


# tmux


def test_in_tmux_without_reports_the_pane_is_asked_for_once_when_a_run_ends_well() -> None:
    stage = Stage(tmux=True, said=hello())
    stage.run()
    assert len(stage.wanted(AskPane)) == 1
    assert stage.status == "working"
    stage.do(stage.brain.pane_asked(stage.now, shown=False))
    assert stage.status == "done"
    stage.do(stage.brain.pane_asked(stage.now, shown=True))
    assert stage.status == "done"


@pytest.mark.parametrize("shown", [True, None])
def test_a_pane_that_is_shown_or_of_which_tmux_says_nothing_counts_as_seen(*, shown: bool | None) -> None:
    stage = Stage(tmux=True, said=hello())
    stage.run()
    stage.do(stage.brain.pane_asked(stage.now, shown=shown))
    assert stage.status == "idle"


def test_a_tmux_that_never_answers_leaves_nothing_stuck() -> None:
    stage = Stage(tmux=True, said=hello())
    stage.run()
    stage.wait(PANE_S - 0.1)
    assert stage.status == "working"
    stage.wait(0.1)
    assert stage.status == "idle"
    assert stage.brain.next_wake() is None


def test_a_focus_report_that_comes_before_tmux_answers_counts_more() -> None:
    stage = Stage(tmux=True, said=hello())
    stage.run()
    stage.focus(focused=True)
    stage.do(stage.brain.pane_asked(stage.now, shown=False))
    assert stage.status == "idle"
    stage = Stage(tmux=True, said=hello())
    stage.run()
    stage.focus(focused=False)
    stage.wait(PANE_S)
    assert stage.status == "done"


def test_a_run_that_begins_before_tmux_answers_is_the_same_span_of_work() -> None:
    stage = Stage(tmux=True, said=hello())
    stage.run()
    stage.start()
    stage.do(stage.brain.pane_asked(stage.now, shown=False))
    stage.wait(PANE_S)
    assert stage.statuses == ["idle", "working"]


@pytest.mark.parametrize(("reason", "error"), [("error", "400"), ("aborted", "Operation aborted")])
def test_tmux_is_not_asked_about_a_run_that_did_not_finish(reason: str, error: str) -> None:
    stage = Stage(tmux=True, said=hello())
    stage.run(reason, error)
    assert not stage.wanted(AskPane)


@pytest.mark.parametrize("focused", [True, False])
def test_tmux_is_not_asked_once_the_terminal_has_reported_that_it_lost_the_focus(*, focused: bool) -> None:
    stage = Stage(tmux=True, said=hello())
    stage.focus(focused=False)
    stage.focus(focused=focused)
    stage.run()
    assert not stage.wanted(AskPane)
    assert stage.status == ("idle" if focused else "done")


def test_the_focus_that_tmux_tells_at_an_attach_answers_no_later_question() -> None:
    stage = Stage(tmux=True, said=hello())
    stage.focus(focused=True)
    stage.run()
    assert len(stage.wanted(AskPane)) == 1
    stage.do(stage.brain.pane_asked(stage.now, shown=False))
    assert stage.status == "done"
