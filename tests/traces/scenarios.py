"""What people do with Pi, scenario by scenario, and the statuses that Tank must show for it, each change once.

`shown`: what tmux says when asked whether a terminal shows the pane; it counts only without focus reports.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from demo.waiting import eventually
from tests.support.pi import CANCEL_COMPACTION, DIALOGS, RECAP, SLOW
from tests.traces.performance import Performance

Act = Callable[[Performance], None]


@dataclass(frozen=True)
class Scenario:
    name: str
    statuses: tuple[str, ...]
    act: Act
    shown: bool = True
    extensions: tuple[Path, ...] = ()
    settings: dict[str, Any] = field(default_factory=dict)

    def expected(self) -> dict[str, Any]:
        return {"statuses": list(self.statuses), "shown": self.shown}


SCENARIOS: dict[str, Scenario] = {}


def scenario(
    statuses: str, *extensions: Path, shown: bool = True, settings: dict[str, Any] | None = None
) -> Callable[[Act], Act]:
    def add(act: Act) -> Act:
        name = act.__name__
        SCENARIOS[name] = Scenario(name, tuple(statuses.split()), act, shown, extensions, settings or {})
        return act

    return add


def settled(pi: Performance) -> None:
    pi.until("agent_settled")


# Runs


@scenario("idle working idle")
def plain_run(pi: Performance) -> None:
    pi.say("say hello")
    settled(pi)


@scenario("idle working done idle", shown=False)
def run_that_nobody_watches(pi: Performance) -> None:
    pi.say("say hello")
    settled(pi)
    pi.key("x")


@scenario("idle working idle")
def run_with_tools(pi: Performance) -> None:
    pi.say('say first + call bash {"command":"echo one"} ; call read {"path":"missing"} ; say done')
    settled(pi)


@scenario("idle working idle")
def parallel_tools(pi: Performance) -> None:
    pi.say('call bash {"command":"echo one"} + call bash {"command":"echo two"} ; say done')
    settled(pi)


@scenario("idle working idle")
def huge_answer(pi: Performance) -> None:
    pi.say("huge 60000")
    settled(pi)


@scenario("idle working idle working idle")
def two_runs(pi: Performance) -> None:
    for text in ("say one", "say two"):
        pi.say(text)
        settled(pi)


# Dialogs


@scenario("idle working needs-you working idle", DIALOGS)
def confirm_of_a_tool(pi: Performance) -> None:
    pi.say('call ask {"kind":"confirm","title":"Delete the branch?"}')
    pi.until("ui_prompt_start")
    pi.sees("Shall it be so?")
    pi.key("Enter")
    settled(pi)


@scenario("idle working needs-you working needs-you working needs-you working idle", DIALOGS)
def every_dialog_of_a_tool(pi: Performance) -> None:
    calls = [f'call ask {{"kind":"{kind}","title":"A {kind}"}}' for kind in ("select", "input", "editor")]
    pi.say(" ; ".join(calls))
    for kind in ("select", "input", "editor"):
        pi.until("ui_prompt_start", kind=kind)
        pi.sees(f"A {kind}")
        pi.key("Enter")
        pi.until("ui_prompt_end")
    settled(pi)


@scenario("idle working needs-you working idle", DIALOGS)
def confirm_before_a_tool(pi: Performance) -> None:
    pi.say('call bash {"command":"echo GATED"}')
    pi.until("ui_prompt_start")
    pi.sees("Allow bash?")
    pi.key("Enter")
    settled(pi)


@scenario("idle working needs-you working idle", DIALOGS)
def confirm_that_is_refused_with_escape(pi: Performance) -> None:
    pi.say('call bash {"command":"echo GATED"}')
    pi.until("ui_prompt_start")
    pi.sees("Allow bash?")
    pi.key("Escape")
    settled(pi)


@scenario("idle working needs-you working idle", DIALOGS)
def overlapping_dialogs(pi: Performance) -> None:
    pi.say('call ask {"kind":"confirm","title":"First?","second":"Second?"}')
    pi.until("ui_prompt_start")
    pi.sees("Second?")
    pi.key("Enter")
    pi.sees("First?")
    pi.key("Enter")
    pi.until("ui_prompt_end")
    settled(pi)


@scenario("idle working needs-you working idle", DIALOGS)
def custom_screen_of_a_tool(pi: Performance) -> None:
    pi.say('call ask {"kind":"custom","title":"a screen"}')
    pi.until("ui_prompt_start")
    pi.sees("custom: a screen")
    pi.key("q")
    settled(pi)


@scenario("idle", DIALOGS)
def custom_screen_of_the_person(pi: Performance) -> None:
    pi.say("/ask custom a screen")
    pi.until("ui_prompt_start")
    pi.sees("custom: a screen")
    pi.key("q")
    pi.until("ui_prompt_end")


@scenario("idle working idle", DIALOGS)
def custom_screen_of_the_person_in_a_run(pi: Performance) -> None:
    pi.say("hold text + say done")
    pi.until("message_start", role="user")
    pi.say("/ask custom a screen")
    pi.until("ui_prompt_start")
    pi.sees("custom: a screen")
    pi.key("q")
    pi.until("ui_prompt_end")
    pi.model.release("text")
    settled(pi)


@scenario("idle", DIALOGS)
def dialog_of_the_person(pi: Performance) -> None:
    pi.say("/ask confirm Really?")
    pi.until("ui_prompt_start")
    pi.sees("Shall it be so?")
    pi.key("Enter")
    pi.until("ui_prompt_end")


@scenario("idle working needs-you working idle", DIALOGS)
def dialog_of_the_person_in_a_run(pi: Performance) -> None:
    pi.say("hold text + say done")
    pi.until("message_start", role="user")
    pi.say("/ask confirm Really?")
    pi.until("ui_prompt_start")
    pi.sees("Shall it be so?")
    pi.key("Enter")
    pi.until("ui_prompt_end")
    pi.model.release("text")
    settled(pi)


@scenario("idle working idle", DIALOGS)
def dialog_that_outlives_its_run(pi: Performance) -> None:
    """The person's own dialog opens at rest, and a message starts a run under it: judged once, as it opened."""
    pi.say("/ask confirm Really?")
    pi.until("ui_prompt_start")
    pi.sees("Shall it be so?")
    pi.deliver("say under a dialog")
    settled(pi)
    pi.key("Enter")
    pi.until("ui_prompt_end")


# Failures


@scenario("idle working needs-you idle")
def run_that_fails(pi: Performance) -> None:
    pi.say("status 400 bad request")
    settled(pi)
    pi.key("x")


@scenario("idle working idle")
def retries_that_succeed(pi: Performance) -> None:
    pi.say("status 529,529,200")
    settled(pi)


@scenario("idle working needs-you")
def retries_that_are_exhausted(pi: Performance) -> None:
    pi.say("status 529")
    settled(pi)


@scenario("idle working idle")
def connection_that_breaks_once(pi: Performance) -> None:
    pi.say("status 500,200")
    settled(pi)


@scenario("idle working idle")
def follow_up_after_a_failure(pi: Performance) -> None:
    pi.say("hold gate + status 400 bad request")
    pi.until("message_start", role="user")
    pi.say("say better", key="M-Enter")
    pi.until("input", streamingBehavior="followUp")
    pi.model.release("gate")
    settled(pi)


@scenario("idle working needs-you idle working idle")
def run_after_a_failure(pi: Performance) -> None:
    pi.say("status 400 bad request")
    settled(pi)
    pi.say("say better")
    settled(pi)


# Aborts


@scenario("idle working idle")
def escape_in_text(pi: Performance) -> None:
    pi.say("slow 30")
    pi.sees("start with the")
    pi.key("Escape")
    settled(pi)


@scenario("idle working idle", shown=False)
def escape_that_nobody_watches(pi: Performance) -> None:
    pi.say("slow 30")
    pi.sees("start with the")
    pi.key("Escape")
    settled(pi)


@scenario("idle working idle")
def escape_before_text(pi: Performance) -> None:
    pi.say("hold for-ever")
    pi.until("message_start", role="user")
    pi.sees("Working")
    pi.key("Escape")
    settled(pi)


@scenario("idle working idle")
def escape_in_a_tool(pi: Performance) -> None:
    pi.say('call bash {"command":"sleep 30"}')
    pi.until("tool_execution_start")
    pi.sees("sleep 30")
    pi.key("Escape")
    settled(pi)


@scenario("idle working idle", settings={"retry": {"maxRetries": 3, "baseDelayMs": 20_000}})
def escape_in_back_off(pi: Performance) -> None:
    pi.say("status 529")
    pi.until("agent_end")
    pi.sees("Retrying")
    pi.key("Escape")
    settled(pi)


@scenario("idle working idle", DIALOGS)
def abort_by_an_extension(pi: Performance) -> None:
    pi.say("slow 30")
    pi.sees("start with the")
    pi.say("/abort")
    settled(pi)


@scenario("idle working idle", SLOW)
def escape_in_a_tool_that_does_not_listen(pi: Performance) -> None:
    gate = pi.lab.folder / "gate"
    pi.say(f'call linger {{"until":"{gate}","stubborn":true}}')
    pi.until("tool_execution_start")
    pi.sees("linger")
    pi.key("Escape")
    eventually(Path(f"{gate}.aborted").exists)
    gate.touch()
    settled(pi)


# Typing while it works


@scenario("idle working idle")
def queued_follow_up(pi: Performance) -> None:
    pi.say("hold gate + say one")
    pi.until("message_start", role="user")
    pi.say("say two", key="M-Enter")
    pi.until("input", streamingBehavior="followUp")
    pi.model.release("gate")
    settled(pi)


@scenario("idle working idle")
def queued_steer(pi: Performance) -> None:
    pi.say('hold gate + call bash {"command":"echo one"}')
    pi.until("message_start", role="user")
    pi.say("say two")
    pi.until("input", streamingBehavior="steer")
    pi.model.release("gate")
    settled(pi)


@scenario("idle working idle")
def escape_with_a_queue(pi: Performance) -> None:
    pi.say("hold for-ever")
    pi.until("message_start", role="user")
    pi.say("say two", key="M-Enter")
    pi.until("input", streamingBehavior="followUp")
    pi.key("Escape")
    settled(pi)


# Compaction


def _long_talk(pi: Performance) -> None:
    for count in ("one", "two"):
        pi.say(f"say Answer number {count} is long enough to be worth a summary of its own.")
        settled(pi)


@scenario("idle working idle working idle working idle")
def compaction(pi: Performance) -> None:
    _long_talk(pi)
    pi.say("/compact slow 1")
    pi.until("session_compact")


@scenario("idle working idle working idle working idle")
def compaction_that_fails(pi: Performance) -> None:
    _long_talk(pi)
    pi.say("/compact status 400 no summary")
    pi.until("session_compact_failed")


@scenario("idle working idle working idle working idle")
def compaction_ended_with_escape(pi: Performance) -> None:
    _long_talk(pi)
    pi.say("/compact hold for-ever")
    pi.until("session_before_compact")
    pi.sees("Compacting")
    pi.key("Escape")
    pi.until("session_compact_failed")


@scenario("idle working idle working idle working idle", CANCEL_COMPACTION)
def compaction_cancelled_by_an_extension(pi: Performance) -> None:
    _long_talk(pi)
    pi.say("/compact")
    pi.until("session_compact_failed")


@scenario("idle")
def compaction_of_nothing(pi: Performance) -> None:
    pi.say("/compact")
    pi.until("session_compact_failed")


@scenario("idle working idle working idle")
def compaction_at_the_threshold(pi: Performance) -> None:
    pi.say("say Answer number one is long enough to be worth a summary of its own.")
    settled(pi)
    pi.say("usage 127000 + say The window is full now, so this is summed up in the same run.")
    pi.until("session_compact")
    settled(pi)


@scenario("idle working idle working idle working idle working idle")
def prompt_typed_during_compaction(pi: Performance) -> None:
    _long_talk(pi)
    pi.say("/compact hold gate")
    pi.until("session_before_compact")
    pi.sees("Compacting")
    pi.say("say after it")
    pi.sees("say after it")
    pi.model.release("gate")
    settled(pi)


# Sessions


@scenario("idle")
def name(pi: Performance) -> None:
    pi.say("/name alpha")
    pi.until("session_info_changed")


@scenario("idle working idle")
def new(pi: Performance) -> None:
    pi.say("say hello")
    settled(pi)
    pi.say("/new")
    pi.until("hello", reason="new")


@scenario("idle working idle")
def new_in_a_run(pi: Performance) -> None:
    pi.say("hold for-ever")
    pi.until("message_start", role="user")
    pi.say("/new")
    pi.until("hello", reason="new")


@scenario("idle working idle")
def reload(pi: Performance) -> None:
    pi.say("say hello")
    settled(pi)
    pi.say("/reload")
    pi.until("hello", reason="reload")


@scenario("idle working needs-you idle")
def reload_after_a_failure(pi: Performance) -> None:
    pi.say("status 400 bad request")
    settled(pi)
    pi.say("/reload")
    pi.until("hello", reason="reload")


@scenario("idle working idle working idle")
def resume(pi: Performance) -> None:
    for text in ("say first session", "say second session"):
        pi.say(text)
        settled(pi)
        if "first" in text:
            pi.say("/new")
            pi.until("hello", reason="new")
    pi.say("/resume")
    pi.sees("say first session")
    pi.key("Down")
    pi.key("Enter")
    pi.until("hello", reason="resume")


@scenario("idle working idle")
def fork(pi: Performance) -> None:
    pi.say("say hello")
    settled(pi)
    pi.say("/fork")
    pi.sees("Fork")
    pi.key("Enter")
    pi.until("hello", reason="fork")


@scenario("idle working idle")
def clone(pi: Performance) -> None:
    pi.say("say hello")
    settled(pi)
    pi.say("/clone")
    pi.until("hello", reason="fork")


@scenario("idle working idle")
def tree_with_a_summary(pi: Performance) -> None:
    pi.say("say hello")
    settled(pi)
    pi.say("/tree")
    pi.sees("Session Tree")
    pi.key("Up")
    pi.key("Enter")
    pi.sees("Summarize")
    pi.key("Down")
    pi.key("Enter")
    pi.until("session_tree")


@scenario("idle")
def model(pi: Performance) -> None:
    pi.say("/model scripted/scripted-2")
    pi.until("model_select")


@scenario("idle")
def shell_command(pi: Performance) -> None:
    pi.say("!echo hello from the shell")
    pi.sees("hello from the shell\n")


@scenario("idle working idle")
def unknown_command(pi: Performance) -> None:
    pi.say("/nonsense")
    settled(pi)


@scenario("idle working idle")
def quit_in_a_run(pi: Performance) -> None:
    pi.say("hold for-ever")
    pi.until("message_start", role="user")
    pi.say("/quit")
    pi.until("session_shutdown")


@scenario("idle working idle", RECAP)
def recap_after_a_run(pi: Performance) -> None:
    pi.say("say hello")
    settled(pi)
    pi.until("entries")


# Terminal


@scenario("idle working done idle working idle")
def focus_reports(pi: Performance) -> None:
    client = pi.attach()
    pi.say("hold away + say one")
    pi.until("message_start", role="user")
    pi.look_away(client)
    pi.model.release("away")
    settled(pi)
    pi.look(client)
    pi.say("say two")
    settled(pi)


@scenario("idle working done")
def focus_lost_before_the_run(pi: Performance) -> None:
    client = pi.attach()
    pi.look_away(client)
    pi.say("say one")
    settled(pi)


@scenario("idle")
def keys_at_rest(pi: Performance) -> None:
    pi.key("x", "Left", "F5", "BSpace", "Escape")


# Messages


@scenario("idle working idle")
def message_while_idle(pi: Performance) -> None:
    pi.deliver("say to you")
    pi.until("answer", outcome="done")
    settled(pi)


@scenario("idle working idle")
def message_while_typing(pi: Performance) -> None:
    pi.key("d", "r", "a", "f", "t")
    pi.sees("draft")
    pi.deliver("say to you")
    settled(pi)


@scenario("idle working idle")
def message_as_follow_up(pi: Performance) -> None:
    pi.say("hold gate + say one")
    pi.until("message_start", role="user")
    pi.deliver("say two")
    pi.until("answer", outcome="done")
    pi.model.release("gate")
    settled(pi)


@scenario("idle working idle")
def message_as_steer(pi: Performance) -> None:
    pi.say('hold gate + call bash {"command":"echo one"}')
    pi.until("message_start", role="user")
    pi.deliver("say two", mode="steer")
    pi.until("answer", outcome="done")
    pi.model.release("gate")
    settled(pi)


@scenario("idle working idle")
def messages_in_one_tick(pi: Performance) -> None:
    pi.deliver("say 1", "say 2")
    pi.until("answer", id=1, outcome="done")
    pi.until("answer", id=2, outcome="busy")
    settled(pi)


@scenario("idle working idle working idle working idle")
def message_during_compaction(pi: Performance) -> None:
    _long_talk(pi)
    pi.say("/compact hold gate")
    pi.until("session_before_compact")
    pi.deliver("say two")
    pi.until("answer", outcome="busy")
    pi.model.release("gate")
    pi.until("session_compact")


@scenario("idle")
def message_read_too_late(pi: Performance) -> None:
    pi.deliver("say late", life_ms=-1)
    pi.until("answer", outcome="expired")


@scenario("idle working idle")
def message_shown(pi: Performance) -> None:
    pi.say("hold gate + say one")
    pi.until("message_start", role="user")
    pi.order({"type": "show", "id": 1, "text": "only to be seen"})
    pi.until("answer", outcome="busy")
    pi.model.release("gate")
    settled(pi)
    pi.order({"type": "show", "id": 2, "text": "only to be seen"})
    pi.until("answer", outcome="done")
    pi.sees("only to be seen")


@scenario("idle working idle")
def queue_that_a_new_session_drops(pi: Performance) -> None:
    pi.say("hold for-ever")
    pi.until("message_start", role="user")
    pi.deliver("say lost")
    pi.until("answer", outcome="done")
    pi.say("/new")
    pi.until("hello", reason="new")


@scenario("idle working idle")
def priority_appended(pi: Performance) -> None:
    pi.say("say hello")
    settled(pi)
    pi.order({"type": "append", "id": 1, "customType": "tank-priority", "data": {"priority": 1}})
    pi.until("answer", outcome="done")


@scenario("idle working idle")
def call_of_a_tool(pi: Performance) -> None:
    pi.say('call send_to_session {"to":"nobody","message":"hello"}')
    pi.until("call")
    settled(pi)
