import time

import pytest

from tank.records import text
from tank.session.run import ACTIVITY_CELLS, DETAIL_CELLS, Run
from tank.session.status import Happening
from tests.session.driver import Stage, session


def ended(*attempts: tuple[str, str | None]) -> Run:
    """A run whose attempts ended so."""
    run = Run()
    for reason, error in attempts:
        run.hear({"type": "agent_start", "id": 1})
        run.hear({"type": "agent_end", "stopReason": reason, "errorMessage": error})
    return run


def test_a_run_is_judged_by_its_last_attempt_when_retries_succeed() -> None:
    run = ended(("error", "529: overloaded"), ("error", "529: overloaded"), ("stop", None))
    assert run.settle(aborted=False, seen=True) is Happening.FINISHED_SEEN


def test_a_run_is_judged_by_its_last_attempt_when_retries_are_exhausted() -> None:
    run = ended(("stop", None), ("error", "529: overloaded"))
    assert run.settle(aborted=False, seen=True) is Happening.RUN_FAILED
    assert run.reason == "failed: 529: overloaded"


def test_a_run_of_which_no_attempt_was_heard_has_finished() -> None:
    stage = session()
    stage.focus(focused=False)
    stage.start()
    stage.settle()
    assert stage.status == "done"


def test_while_an_attempt_runs_no_key_is_asked_for() -> None:
    stage = session()
    stage.start()
    stage.end("error", "529: overloaded")
    stage.start()
    stage.key()
    assert len(stage.ordered("watch_key")) == 1


def test_a_failure_followed_by_a_follow_up_that_succeeds_is_past() -> None:
    stage = session()
    stage.start()
    stage.end("error", "400: bad request")
    stage.start()
    stage.end()
    stage.settle()
    assert stage.statuses == ["idle", "working", "idle"]


def test_retries_and_a_queued_follow_up_are_one_span_of_work_with_one_end() -> None:
    stage = session()
    stage.focus(focused=False)
    for reason, error in [("error", "529")] * 3 + [("stop", None)] * 2:
        stage.start()
        stage.end(reason, error)
    stage.settle()
    stage.wait(1800)
    assert stage.statuses == ["idle", "working", "done"]


def test_escape_while_a_retry_is_waited_for_is_an_abort() -> None:
    stage = session()
    stage.start()
    stage.end("error", "529: overloaded")
    assert stage.ordered("watch_key")
    stage.key(escape=True)
    stage.settle()
    assert stage.statuses == ["idle", "working", "idle"]
    assert stage.kept["detail"] is None


def test_another_key_while_a_retry_is_waited_for_leaves_the_failure_and_is_asked_for_again() -> None:
    stage = session()
    stage.start()
    stage.end("error", "529: overloaded")
    stage.key()
    stage.key(escape=True)
    assert len(stage.ordered("watch_key")) == 3
    stage.start()
    stage.end("error", "529: overloaded")
    stage.settle()
    assert stage.status == "needs-you"
    assert stage.entry["statusDetail"] == "failed: 529: overloaded"


def test_another_key_as_the_retries_are_exhausted_leaves_the_failure() -> None:
    stage = session()
    stage.start()
    stage.end("error", "529: overloaded")
    stage.key()
    stage.settle()
    assert stage.status == "needs-you"


def test_escape_before_an_attempt_failed_says_nothing_about_it() -> None:
    stage = session()
    stage.start()
    stage.key(escape=True)
    stage.end("error", "400")
    stage.settle()
    assert stage.status == "needs-you"


@pytest.mark.parametrize("settled_as_aborted", [True, False])
def test_an_aborted_run_is_no_failure_although_it_carries_an_error_message(
    *, settled_as_aborted: bool
) -> None:
    run = ended(("aborted", "Operation aborted"))
    assert run.settle(aborted=settled_as_aborted, seen=False) is Happening.ABORTED


def test_a_run_that_pi_calls_aborted_is_aborted_whatever_its_last_attempt_said() -> None:
    assert ended(("error", "boom")).settle(aborted=True, seen=True) is Happening.ABORTED


def test_a_failure_without_a_message_still_has_a_reason() -> None:
    assert ended(("error", None)).reason == "failed: no reason given"


def test_what_a_failure_says_is_one_clean_short_line_without_secrets() -> None:
    stage = session()
    stage.run(
        "error", "401:\n\x1b]52;c;aGk=\x07bad api_key sk-123 at https://u:pw@host/v1 \u202e" + "x" * 999
    )
    detail = stage.entry["statusDetail"]
    assert detail.startswith("failed: 401: ]52;c;aGk=bad api_key *** at https://***@host/v1 xxx")
    assert text.width(detail) == DETAIL_CELLS


def test_a_long_error_of_nothing_costs_no_time() -> None:
    begun = time.perf_counter()
    for blank in (" ", "\n", "\u3000"):
        session().run("error", "token" + blank * 4000)
    assert time.perf_counter() - begun < 0.5


# Tools


def test_the_activity_is_the_running_tool_that_started_last() -> None:
    stage = session()
    stage.start()
    stage.tool("call-1", "bash", "pytest -q")
    stage.wait(1)
    assert stage.entry["activity"] == "bash: pytest -q"
    stage.tool("call-2", "read", "src/app.py")
    stage.wait(1)
    assert stage.entry["activity"] == "read: src/app.py"
    stage.tool_ends("call-2")
    stage.wait(1)
    assert stage.entry["activity"] == "bash: pytest -q"
    stage.tool_ends("call-1")
    stage.wait(1)
    assert stage.entry["activity"] is None


def test_the_end_of_a_tool_that_never_started_changes_nothing() -> None:
    stage = session()
    stage.start()
    stage.tool("call-1", "bash")
    stage.tool_ends("call-9")
    assert stage.brain.course.run.activity == "bash"


def test_no_tool_outlives_its_run() -> None:
    stage = session()
    stage.start()
    stage.tool()
    stage.end("aborted", "Operation aborted")
    stage.settle(aborted=True)
    assert stage.entry["activity"] is None
    stage.start()
    assert stage.entry["activity"] is None


@pytest.mark.parametrize(
    ("argument", "shown"),
    [
        ("export API_TOKEN=abc && run", "bash: export API_TOKEN=*** && run"),
        ("curl -H 'Authorization: Bearer abc' u", "bash: curl -H 'Authorization: Bearer ***' u"),
        ("curl -H 'Authorization: token ghp_abc' u", "bash: curl -H 'Authorization: token ***' u"),
        ("login --password abc", "bash: login --password ***"),
        ('{"secret": "abc"}', 'bash: {"secret": "***"}'),
        ("git clone https://me:abc@h.test/app", "bash: git clone https://***@h.test/app"),
        ("TOKEN:\n abc", "bash: TOKEN: ***"),
        ("pass\u200bword abc", "bash: password ***"),
        ("a\tb\r\nc\x1b[2J", "bash: a b c[2J"),
    ],
)
def test_an_activity_is_one_clean_line_with_its_secrets_masked(argument: str, shown: str) -> None:
    stage = session()
    stage.start()
    stage.tool(argument=argument)
    assert stage.brain.course.run.activity == shown


@pytest.mark.parametrize("prefix", ["curl https://", "TOKEN="])
def test_a_secret_into_which_the_cut_falls_is_masked_too(prefix: str) -> None:
    stage = session()
    stage.start()
    stage.tool(argument=prefix + "s3cr3t" * 200 + "@host")
    activity = stage.brain.course.run.activity or ""
    assert "s3cr3t" not in activity
    assert text.width(activity) <= ACTIVITY_CELLS


def test_an_activity_of_wide_characters_fits_in_its_cells() -> None:
    stage = session()
    stage.start()
    stage.tool(name="read", argument="漢" * 500)
    assert text.width(stage.brain.course.run.activity or "") <= ACTIVITY_CELLS


def test_a_tool_without_a_name_or_an_argument_is_still_one() -> None:
    run = Run()
    run.hear({"type": "tool_execution_start", "toolName": 7, "argument": ["x"]})
    assert run.activity == "tool"


# Dialogs


@pytest.mark.parametrize("kind", ["confirm", "select", "input", "editor"])
def test_a_dialog_of_a_tool_needs_the_person_and_says_its_title(kind: str) -> None:
    stage = session()
    stage.start()
    stage.tool()
    stage.asks(kind, "Allow bash: rm -rf build?")
    assert stage.status == "needs-you"
    assert stage.entry["statusDetail"] == "Allow bash: rm -rf build?"
    stage.answers(kind)
    assert stage.status == "working"
    assert stage.entry["statusDetail"] is None


def test_a_dialog_of_a_hook_needs_the_person_with_no_tool_running() -> None:
    stage = session()
    stage.start()
    stage.asks("select", "Which one?")
    assert stage.status == "needs-you"


def test_a_title_is_one_clean_short_line_without_secrets() -> None:
    stage = session()
    stage.start()
    stage.asks(title="Run\nPASSWORD=abc \x1b[31mnow\u202e? " + "x" * 4000)
    assert stage.entry["statusDetail"].startswith("Run PASSWORD=*** [31mnow? xxx")
    assert text.width(stage.entry["statusDetail"]) == DETAIL_CELLS


@pytest.mark.parametrize("title", [None, "", " \n ", "\u200b"])
def test_a_dialog_that_says_nothing_needs_the_person_without_a_detail(title: str | None) -> None:
    stage = session()
    stage.start()
    stage.asks(title="the one before")
    stage.answers()
    stage.asks(title=title)
    assert (stage.status, stage.entry["statusDetail"]) == ("needs-you", None)


def test_a_custom_screen_needs_the_person_while_a_tool_runs() -> None:
    stage = session()
    stage.start()
    stage.tool(name="review")
    stage.asks("custom", None)
    assert (stage.status, stage.entry["statusDetail"]) == ("needs-you", "review shows a screen")
    stage.answers("custom", None)
    assert stage.status == "working"


def test_a_custom_screen_with_no_tool_running_is_the_persons_own_and_is_judged_once() -> None:
    stage = session()
    stage.start()
    stage.asks("custom", None)
    stage.tool()
    stage.answers("custom", None)
    assert stage.statuses == ["idle", "working"]


def test_a_dialog_with_no_run_active_is_the_persons_own() -> None:
    stage = session()
    stage.asks()
    stage.answers()
    assert stage.statuses == ["idle"]


def test_overlapping_dialogs_are_one_span() -> None:
    stage = session()
    stage.start()
    stage.tool()
    stage.asks(title="the first")
    stage.tool("call-2", "bash")
    stage.tool_ends("call-2")
    stage.say("assistant")
    assert stage.status == "needs-you"
    stage.answers(title="the first")
    assert stage.statuses == ["idle", "working", "needs-you", "working"]


def test_a_persons_dialog_under_which_a_run_goes_by_leaves_no_trace() -> None:
    stage = session()
    stage.asks()
    stage.run()
    stage.answers()
    assert stage.statuses == ["idle", "working", "idle"]


@pytest.mark.parametrize(
    ("reason", "error", "status"),
    [("stop", None, "idle"), ("error", "x", "needs-you"), ("aborted", "x", "idle")],
)
def test_a_dialog_that_never_ends_is_over_when_the_run_settles(
    reason: str, error: str | None, status: str
) -> None:
    stage = session()
    stage.start()
    stage.asks()
    stage.end(reason, error)
    stage.settle(aborted=reason == "aborted")
    assert stage.status == status
    stage.answers()
    assert stage.status == status


def test_a_run_that_fails_under_a_dialog_says_the_failure_not_the_question() -> None:
    stage = session()
    stage.start()
    stage.asks(title="Really?")
    stage.end("error", "400")
    stage.settle()
    assert stage.entry["statusDetail"] == "failed: 400"


# Compaction


def after_a_run(status: str) -> Stage:
    """A session at rest with this status."""
    stage = session()
    stage.focus(focused=status != "done")
    stage.run(*(("error", "400") if status == "needs-you" else ("stop",)))
    assert stage.status == status
    return stage


@pytest.mark.parametrize("before", ["idle", "done", "needs-you"])
@pytest.mark.parametrize("end", ["session_compact", "session_compact_failed"])
def test_a_compaction_that_works_fails_or_is_cancelled_restores_what_was_before(
    end: str, before: str
) -> None:
    stage = after_a_run(before)
    detail = stage.entry["statusDetail"]
    stage.wait(60)
    stage.compacts()
    assert (stage.status, stage.entry["statusDetail"]) == ("working", None)
    stage.wait(30)
    stage.hear(end, reason="manual")
    assert (stage.status, stage.entry["statusDetail"]) == (before, detail)
    assert stage.statuses == [
        "idle",
        "working",
        *([before] if before != "idle" else ["idle"]),
        "working",
        before,
    ]


@pytest.mark.parametrize("before", ["idle", "done", "needs-you"])
def test_a_compaction_that_has_nothing_to_do_changes_nothing(before: str) -> None:
    stage = after_a_run(before)
    since = stage.entry["statusSince"]
    stage.wait(5)
    stage.hear("session_compact_failed", reason="manual")
    assert (stage.status, stage.entry["statusSince"]) == (before, since)


@pytest.mark.parametrize("reason", ["threshold", "overflow"])
@pytest.mark.parametrize("end", ["session_compact", "session_compact_failed"])
def test_an_automatic_compaction_within_a_run_changes_no_status(reason: str, end: str) -> None:
    stage = session()
    stage.start()
    stage.end()
    stage.hear("session_before_compact", reason=reason)
    stage.hear(end, reason=reason)
    assert stage.status == "working"
    stage.settle()
    assert stage.statuses == ["idle", "working", "idle"]


def test_a_run_that_begins_as_a_compaction_ends_goes_on_working() -> None:
    stage = session()
    stage.compacts()
    stage.compacted()
    stage.run()
    assert stage.statuses == ["idle", "working", "idle", "working", "idle"]


def test_done_that_is_seen_during_a_compaction_is_idle_after_it() -> None:
    stage = after_a_run("done")
    stage.compacts()
    stage.focus(focused=True)
    stage.compacted()
    assert stage.status == "idle"


# What Pi doesn't call a run


def test_a_shell_command_is_no_run() -> None:
    stage = session()
    stage.tool_ends("call-1")
    stage.receive({"type": "user_bash", "command": "ls"})
    assert stage.statuses == ["idle"]


@pytest.mark.parametrize(
    "sign",
    [
        {"type": "message_start", "role": "assistant"},
        {"type": "tool_execution_start", "toolCallId": "c", "toolName": "bash"},
    ],
)
def test_activity_after_an_early_end_is_work_again(sign: dict[str, object]) -> None:
    stage = session()
    stage.start()
    stage.settle()
    stage.receive(sign)
    assert stage.status == "working"
    stage.end()
    stage.settle()
    assert stage.statuses == ["idle", "working", "idle", "working", "idle"]


@pytest.mark.parametrize("role", ["user", "system", "toolResult", "custom"])
def test_a_message_of_another_role_starts_no_run(role: str) -> None:
    stage = session()
    stage.say(role, "hello")
    assert stage.statuses == ["idle"]
