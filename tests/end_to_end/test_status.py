"""The status of real Pi sessions, as their live entries tell it."""

import json
import uuid
from pathlib import Path

import pytest

from demo.scripted_model import ScriptedModel
from tests.support.pi import CANCEL_COMPACTION, DIALOGS, SLOW, Lab, PiSession

CONFIRM = 'call ask {"kind":"confirm","title":"Delete the branch?"}'
TALK = "say This answer is long enough to be worth a summary of its own."


@pytest.fixture
def gate() -> str:
    """A name to hold an answer at, for this test alone."""
    return uuid.uuid4().hex[:8]


def watched(lab: Lab, *extensions: Path) -> PiSession:
    """A session in a terminal that has the focus, and says so."""
    session = lab.pi("pi", extensions=extensions)
    lab.attach("pi")
    session.published()
    return session


# Seen or not


def test_a_run_is_working_and_then_idle_where_the_person_looks(
    lab: Lab, model: ScriptedModel, gate: str
) -> None:
    pi = watched(lab)
    assert pi.published().status == "idle"
    pi.submit(f"hold {gate} + say ready")
    pi.wait_status("working")
    model.release(gate)
    pi.wait_status("idle")
    assert pi.changes() == ["working", "idle"]


def test_a_run_that_ends_unseen_is_done_until_the_terminal_has_the_focus(
    lab: Lab, model: ScriptedModel, gate: str
) -> None:
    pi = lab.pi("pi")
    client = lab.attach("pi")
    pi.submit(f"hold {gate} + say ready")
    pi.wait_status("working")
    client.blur()
    model.release(gate)
    pi.wait_status("done")
    client.focus()
    pi.wait_status("idle")
    assert pi.changes() == ["working", "done", "idle"]


def test_a_key_press_clears_done_too(lab: Lab) -> None:
    pi = lab.pi("pi")
    pi.submit("say ready")
    pi.wait_status("done")
    pi.press("Left")
    pi.wait_status("idle")


@pytest.mark.parametrize(("attached", "status"), [(True, "idle"), (False, "done")])
def test_without_focus_reports_tmux_knows_whether_a_terminal_shows_the_pane(
    lab: Lab, model: ScriptedModel, gate: str, *, attached: bool, status: str
) -> None:
    pi = lab.pi("pi")
    if attached:
        lab.attach("pi", reports=False)
    pi.submit(f"hold {gate} + say ready")
    pi.wait_status("working")
    model.release(gate)
    pi.wait_status(status)


def test_a_pane_behind_another_window_is_not_seen(lab: Lab, model: ScriptedModel, gate: str) -> None:
    pi = lab.pi("pi")
    lab.attach("pi", reports=False)
    pi.submit(f"hold {gate} + say ready")
    pi.wait_status("working")
    lab.server.cmd("new-window", "-t", "=pi:", "sleep 60")
    model.release(gate)
    pi.wait_until(lambda: pi.status() != "working", "the run over")
    assert pi.status() == "done"


# Needs you


def test_a_tools_confirm_needs_the_person_and_says_its_title(lab: Lab) -> None:
    pi = watched(lab, DIALOGS)
    pi.submit(CONFIRM)
    entry = pi.wait_status("needs-you")
    assert entry.status_detail == "Delete the branch?"
    pi.wait_for("Shall it be so?")
    pi.press("Enter")
    assert pi.wait_status("idle").status_detail is None
    assert pi.changes() == ["working", "needs-you", "working", "idle"]


@pytest.mark.parametrize("kind", ["select", "input", "editor", "custom", "overlay"])
def test_every_kind_of_dialog_of_a_tool_needs_the_person(lab: Lab, kind: str) -> None:
    pi = watched(lab, DIALOGS)
    pi.submit(f'call ask {{"kind":"{kind}","title":"The question"}}')
    pi.wait_status("needs-you")
    pi.wait_for("The question")
    pi.press("Enter")
    pi.wait_status("idle")
    assert pi.changes() == ["working", "needs-you", "working", "idle"]


def test_a_confirm_before_a_tool_runs_needs_the_person(lab: Lab) -> None:
    pi = watched(lab, DIALOGS)
    pi.submit('call bash {"command":"echo GATED"}')
    pi.wait_status("needs-you", "Allow bash?")
    pi.wait_for("Allow bash?")
    pi.press("Escape")
    pi.wait_status("idle")
    assert pi.changes() == ["working", "needs-you", "working", "idle"]


def test_overlapping_dialogs_need_the_person_once_until_the_last_is_answered(lab: Lab) -> None:
    pi = watched(lab, DIALOGS)
    pi.submit('call ask {"kind":"confirm","title":"First?","second":"Second?"}')
    pi.wait_status("needs-you")
    pi.wait_for("Second?")
    pi.press("Enter")
    pi.wait_for("First?")
    assert pi.status() == "needs-you"
    pi.press("Enter")
    pi.wait_status("idle")
    assert pi.changes() == ["working", "needs-you", "working", "idle"]


def test_an_abort_under_an_open_dialog_leaves_nothing_stuck(lab: Lab) -> None:
    pi = watched(lab, DIALOGS)
    pi.submit(CONFIRM)
    pi.wait_status("needs-you")
    pi.wait_for("Shall it be so?")
    pi.press("Escape")
    pi.wait_status("idle")


@pytest.mark.parametrize("kind", ["confirm", "custom"])
def test_a_dialog_that_the_person_opened_at_rest_is_their_own(lab: Lab, kind: str) -> None:
    pi = watched(lab, DIALOGS)
    pi.submit(f"/ask {kind} The question")
    pi.wait_without("/ask ")  # typed, it names the question too
    pi.wait_for("The question")
    pi.press("Enter")
    pi.wait_for("answered: ")
    pi.submit("say a run")
    pi.wait_until(lambda: pi.changes() == ["working", "idle"], "only the run among the changes")


def test_a_failed_run_needs_the_person_until_a_key_press(lab: Lab) -> None:
    pi = watched(lab)
    pi.submit("status 400 no such model")
    entry = pi.wait_status("needs-you")
    assert entry.status_detail is not None
    assert entry.status_detail.startswith("failed: 400")
    assert "no such model" in entry.status_detail
    pi.press("Left")
    assert pi.wait_status("idle").status_detail is None


def test_focus_does_not_clear_a_failure(lab: Lab) -> None:
    pi = lab.pi("pi")
    client = lab.attach("pi")
    pi.submit("status 400 no such model")
    pi.wait_status("needs-you")
    client.blur()
    client.focus()

    def last_events() -> list[str]:
        explained = json.loads(lab.tank("explain", str(pi.pid), "--json").stdout)
        return [event["event"] for event in explained["events"]][-2:]

    pi.wait_until(lambda: last_events() == ["focus", "focus"], "both reports")
    assert pi.status() == "needs-you"


def test_no_server_at_all_is_a_failed_run(lab: Lab) -> None:
    lab.use_model("http://127.0.0.1:9/v1")
    pi = lab.pi("pi")
    pi.submit("hello")
    entry = pi.wait_status("needs-you")
    assert entry.status_detail is not None
    assert entry.status_detail.startswith("failed: Connection error")
    assert pi.changes() == ["working", "needs-you"]


# One working span


def test_retries_and_a_queued_follow_up_are_one_working_span_with_one_end(
    lab: Lab, model: ScriptedModel, gate: str
) -> None:
    pi = watched(lab)
    pi.submit(f"hold {gate} + status 529,529,529,200")
    pi.wait_status("working")
    pi.type("say and the follow-up")
    pi.pause()
    pi.press("M-Enter")
    pi.wait_for("Follow-up")
    model.release(gate)
    pi.wait_for("\n and the follow-up")
    pi.wait_status("idle")
    assert pi.changes() == ["working", "idle"]


def test_exhausted_retries_fail_once(lab: Lab) -> None:
    pi = watched(lab)
    pi.submit("status 529")
    pi.wait_status("needs-you")
    assert pi.changes() == ["working", "needs-you"]


def test_a_follow_up_that_runs_after_a_failure_makes_it_past(
    lab: Lab, model: ScriptedModel, gate: str
) -> None:
    pi = watched(lab)
    pi.submit(f"hold {gate} + status 400 bad request")
    pi.wait_status("working")
    pi.type("say better")
    pi.pause()
    pi.press("M-Enter")
    pi.wait_for("Follow-up")
    model.release(gate)
    pi.wait_status("idle")
    assert pi.changes() == ["working", "idle"]


# Aborts


def test_escape_while_text_streams_is_idle_even_unseen(lab: Lab, gate: str) -> None:
    pi = lab.pi("pi")
    pi.submit(f"say The first words + hold {gate}")
    pi.wait_for("\n The first words")
    pi.press("Escape")
    pi.wait_status("idle")
    assert pi.changes() == ["working", "idle"]


def test_escape_during_a_tool_is_idle(lab: Lab) -> None:
    pi = lab.pi("pi")
    pi.submit('call bash {"command":"sleep 60"}')
    pi.wait_until(lambda: (e := pi.entry()) and e.activity == "bash: sleep 60", "the tool as activity")
    pi.wait_for("sleep 60")
    pi.press("Escape")
    entry = pi.wait_status("idle")
    assert entry.activity is None
    assert pi.changes() == ["working", "idle"]


def test_escape_during_a_retrys_back_off_is_idle(lab: Lab) -> None:
    lab.settings(retry={"maxRetries": 3, "baseDelayMs": 20_000})
    pi = lab.pi("pi")
    pi.submit("status 529")
    pi.wait_for("Retrying")
    pi.press("Escape")
    pi.wait_status("idle")
    assert pi.changes() == ["working", "idle"]


def test_escape_in_a_tool_that_does_not_listen_is_idle_once_the_tool_returns(lab: Lab) -> None:
    pi = lab.pi("pi", extensions=[SLOW])
    file = lab.folder / "gate"
    pi.submit(f'call linger {{"until":"{file}","stubborn":true}}')
    pi.wait_until(lambda: (e := pi.entry()) and e.activity, "the tool as activity")
    pi.press("Escape")
    pi.wait_until(Path(f"{file}.aborted").exists, "Pi's abort told to the tool")
    file.touch()
    pi.wait_status("idle")
    assert pi.changes() == ["working", "idle"]


def test_after_an_abort_a_normal_run_is_done_again(lab: Lab, gate: str) -> None:
    pi = lab.pi("pi")
    pi.submit(f"say The first words + hold {gate}")
    pi.wait_for("\n The first words")
    pi.press("Escape")
    pi.wait_status("idle")
    pi.submit("say ready")
    pi.wait_status("done")
    assert pi.changes() == ["working", "idle", "working", "done"]


# Compaction


def talked(lab: Lab, *extensions: Path) -> PiSession:
    """A watched session with enough in it for a summary."""
    pi = watched(lab, *extensions)
    for count in (1, 2):
        pi.submit(TALK)
        pi.wait_runs(count)
    return pi


def test_a_manual_compaction_is_working_until_it_is_over(lab: Lab, model: ScriptedModel, gate: str) -> None:
    pi = talked(lab)
    pi.submit(f"/compact hold {gate} + say short")
    pi.wait_status("working")
    pi.wait_for("Compacting")
    model.release(gate)
    pi.wait_status("idle")
    pi.wait_for("[compaction]")


def test_a_failed_compaction_restores_what_was_before(lab: Lab) -> None:
    pi = talked(lab)
    before = len(pi.changes())
    pi.submit("/compact status 400 no summary")
    pi.wait_until(lambda: pi.changes()[before:] == ["working", "idle"], "working and back")
    pi.wait_for("no summary")
    assert pi.status() == "idle"


def test_a_compaction_ended_with_escape_restores_what_was_before(lab: Lab, gate: str) -> None:
    pi = talked(lab)
    pi.submit(f"/compact hold {gate}")
    pi.wait_status("working")
    pi.wait_for("Compacting")
    pi.press("Escape")
    pi.wait_status("idle")


def test_a_compaction_cancelled_by_an_extension_restores_what_was_before(lab: Lab) -> None:
    pi = talked(lab, CANCEL_COMPACTION)
    before = len(pi.changes())
    pi.submit("/compact")
    pi.wait_until(lambda: pi.changes()[before:] == ["working", "idle"], "working and back")


def test_a_compaction_with_nothing_to_do_changes_nothing(lab: Lab) -> None:
    pi = watched(lab)
    pi.submit("/compact")
    pi.wait_for("Nothing to compact")
    pi.submit("say a run")
    pi.wait_until(lambda: pi.changes() == ["working", "idle"], "only the run among the changes")


def test_an_automatic_compaction_is_part_of_its_run(lab: Lab) -> None:
    pi = watched(lab)
    pi.submit(TALK)
    pi.wait_until(lambda: pi.changes() == ["working", "idle"], "the first run over")
    pi.submit("usage 127000 + say The window is full now, so this is summed up in the same run.")
    pi.wait_for("[compaction]")
    pi.wait_until(lambda: pi.changes() == ["working", "idle"] * 2, "the second run over, in one span")


# What counts as no run


def test_a_shell_command_is_no_run(lab: Lab) -> None:
    pi = watched(lab)
    pi.submit("!echo from the shell")
    pi.wait_for("\n from the shell")
    assert pi.published().status == "idle"
    assert pi.changes() == []
