"""The board over real Pi: opened in the middle of anything, safe while it is open, and gone without a trace."""

import contextlib
import json
import signal
import time
import uuid
from collections.abc import Callable

import psutil
import pytest

from demo.scripted_model import ScriptedModel
from demo.waiting import eventually
from tests.support.pi import DIALOGS, EXTENSIONS, Lab, PiSession

MEANWHILE = EXTENSIONS / "meanwhile.ts"
HYPER_T = b"\x1b[116;16u"
CONFIRM = 'call ask {"kind":"confirm","title":"Delete the branch?"}'
SILENT = "did not answer"
STOPPED = "board stopped"


@pytest.fixture
def gate() -> str:
    """A name to hold an answer at, for this test alone."""
    return uuid.uuid4().hex[:8]


def boards(pi: PiSession) -> list[psutil.Process]:
    """The session's board processes."""
    found = []
    for child in psutil.Process(pi.pid).children():
        with contextlib.suppress(psutil.NoSuchProcess):
            found += [child] if child.cmdline()[-1:] == ["overlay"] else []
    return found


def board(pi: PiSession) -> psutil.Process:
    (process,) = boards(pi)
    return process


def first_line(pi: PiSession) -> str:
    return pi.screen().split("\n")[0]


def is_open(pi: PiSession) -> bool:
    """The extension's own first frame has another title."""
    return first_line(pi).startswith(" Tank") and not first_line(pi).startswith(" Tank …")


def open_board(pi: PiSession, keys: Callable[[], None] | None = None) -> None:
    """By these keys, else by the second key; returns when the board's own frame shows."""
    pi.published()  # Pi shows its editor before it knows the keys of extensions
    if keys:
        keys()
    else:
        pi.press("M-t")
    pi.wait_until(lambda: is_open(pi), "the board")


def wait_closed(pi: PiSession, timeout: float = 10) -> None:
    pi.wait_until(lambda: " Tank" not in first_line(pi), "Pi's own screen", timeout)
    pi.wait_until(lambda: not boards(pi), "no board process", timeout)


def close_board(pi: PiSession) -> None:
    pi.press("Escape")
    wait_closed(pi)


def type_and_look(pi: PiSession, text: str = "half a prompt") -> None:
    pi.type(text)
    pi.wait_for(text)


def use_tui_mode(lab: Lab, mode: str) -> None:
    lab.settings(tuiMode=mode)


both_modes = pytest.mark.parametrize("mode", ["fullscreen", "regular"])


# Opened and closed


@both_modes
def test_the_board_opens_over_a_half_typed_prompt_which_stays(lab: Lab, mode: str) -> None:
    use_tui_mode(lab, mode)
    pi = lab.pi("pi")
    pi.published()
    type_and_look(pi)
    time.sleep(1)  # Pi's own notices at its start
    before = pi.screen()
    for keys in (lambda: pi.send_bytes(HYPER_T), lambda: pi.press("M-t")):
        open_board(pi, keys)
        assert "half a prompt" not in pi.screen()
        assert f"{pi.published().session_id[:8]}" in pi.screen()
        close_board(pi)
        pi.wait_until(lambda: pi.screen() == before, "the screen as it was")
    pi.type("!")
    pi.wait_for("half a prompt!")


@pytest.mark.parametrize(
    "keys", [b"\x1b", b"\x03", HYPER_T, b"\x1bt"], ids=["esc", "ctrl-c", "hyper-t", "alt-t"]
)
def test_the_command_opens_it_and_each_of_these_keys_closes_it(lab: Lab, keys: bytes) -> None:
    pi = lab.pi("pi")
    open_board(pi, lambda: pi.command("/tank"))
    pi.pause()
    pi.send_bytes(keys)
    wait_closed(pi)
    assert pi.alive()
    assert pi.said() == []


def test_every_key_is_the_boards_until_it_is_closed(lab: Lab) -> None:
    pi = lab.pi("pi")
    open_board(pi)
    for keys in (
        b"?",
        b"\x1a",
        b"\x04",
        b"\x1b[I",
        b"\x1b[<0;5;5M",
        b"\x1b[<0;5;5m",
        b"\x1b[6;16;8t",
        "é👍".encode(),
    ):
        pi.send_bytes(keys)
    pi.wait_for("every key")
    pi.press("Escape")
    pi.wait_until(lambda: "every key" not in pi.screen() and is_open(pi), "the list")
    pi.press("/")
    pi.send_bytes("é👍".encode())
    pi.wait_for("/é👍")
    pi.press("Escape")
    close_board(pi)
    pi.submit("say still here")
    pi.wait_until(lambda: pi.said() == ["say still here"], "only this prompt")


def test_other_keys_may_be_named_in_launch_json(lab: Lab) -> None:
    settings = lab.folder / "config" / "pi-tank"
    settings.mkdir()
    (settings / "launch.json").write_text(json.dumps({"keys": ["ctrl+alt+b", 3, "f9"]}))
    pi = lab.pi("pi")
    pi.published()
    pi.press("M-t")
    for key in ("F9", "C-M-b"):
        open_board(pi, lambda key=key: pi.press(key))  # type: ignore[misc]
        close_board(pi)


def test_opening_and_closing_twenty_times_leaves_nothing(lab: Lab) -> None:
    pi = lab.pi("pi")
    pi.published()
    descriptors = psutil.Process(pi.pid).num_fds()
    for _ in range(20):
        pi.press("M-t")
        pi.wait_until(lambda: first_line(pi).startswith(" Tank"), "a first frame")
        pi.press("C-c")
        pi.wait_until(lambda: " Tank" not in first_line(pi), "Pi's own screen")
    wait_closed(pi)
    eventually(lambda: psutil.Process(pi.pid).num_fds() < descriptors + 10)  # some of Pi's own come and go
    type_and_look(pi, "keys are Pi's")


# Dialogs underneath


@both_modes
def test_a_dialog_under_the_board_is_not_answered_by_its_keys(
    lab: Lab, model: ScriptedModel, gate: str, mode: str
) -> None:
    use_tui_mode(lab, mode)
    pi = lab.pi("pi", extensions=[DIALOGS])
    pi.submit(f"hold {gate} + {CONFIRM}")
    pi.wait_status("working")
    open_board(pi)
    model.release(gate)
    pi.wait_status("needs-you", "Delete the branch?")
    pi.wait_for("needs you")
    for key in ("j", "?", "Escape", "Space", "Escape", "Enter"):
        pi.press(key)
        pi.pause()
    pi.wait_for("Shall it be so?")
    time.sleep(0.6)
    assert pi.status() == "needs-you"
    pi.press("Enter")
    pi.wait_for("answers: true")


@both_modes
@pytest.mark.parametrize("second", [{}, {"second": "And the tag?"}])
def test_dialogs_that_lie_over_each_other_under_the_board_are_answered_afterwards_one_by_one(
    lab: Lab, model: ScriptedModel, gate: str, mode: str, second: dict[str, str]
) -> None:
    use_tui_mode(lab, mode)
    pi = lab.pi("pi", extensions=[DIALOGS])
    asked = json.dumps({"kind": "confirm", "title": "Delete the branch?", **second})
    more = "" if second else f" + call ask {asked}"
    pi.submit(f"hold {gate} + call ask {asked}{more}")
    pi.wait_status("working")
    open_board(pi)
    model.release(gate)
    pi.wait_status("needs-you")
    pi.press("j", "Enter", "C-c")
    pi.wait_for("Shall it be so?")
    time.sleep(0.6)
    assert pi.status() == "needs-you"
    for _ in range(2):
        pi.press("Enter")
        pi.pause()
    pi.wait_until(lambda: pi.status() in ("idle", "done"), "both answered")
    pi.type("typed afterwards")
    pi.wait_for("typed afterwards")


def test_keys_go_nowhere_for_a_moment_after_the_board_closed_over_a_dialog(
    lab: Lab, model: ScriptedModel, gate: str
) -> None:
    pi = lab.pi("pi", extensions=[DIALOGS])
    pi.submit(f"hold {gate} + {CONFIRM}")
    pi.wait_status("working")
    open_board(pi)
    model.release(gate)
    pi.wait_status("needs-you")
    pi.press("C-c", "Enter", "Enter")
    pi.wait_for("Shall it be so?")
    time.sleep(0.6)
    assert pi.status() == "needs-you"
    pi.press("Enter")
    pi.wait_for("answers: true")


@pytest.mark.parametrize(
    ("script", "status"), [("status 400 no such thing", "needs-you"), ("say it", "done")]
)
def test_what_waits_to_be_seen_is_not_seen_because_the_board_was_used_over_it(
    lab: Lab, script: str, status: str
) -> None:
    pi = lab.pi("pi")
    pi.submit(script)
    pi.wait_status(status)
    open_board(pi, lambda: pi.send_bytes(HYPER_T))
    for key in ("j", "Space", "Space", "?", "Escape"):
        pi.press(key)
        pi.pause()
    close_board(pi)
    assert pi.status() == status
    pi.type("x")
    pi.wait_status("idle")


# While Pi goes on


@both_modes
def test_the_board_stays_on_top_of_a_stream(lab: Lab, model: ScriptedModel, gate: str, mode: str) -> None:
    use_tui_mode(lab, mode)
    pi = lab.pi("pi")
    pi.submit(f"slow 6 + hold {gate} + say the end")
    pi.wait_status("working")
    open_board(pi)
    wrong = 0
    for _ in range(150):
        wrong += not is_open(pi)
    assert wrong == 0
    model.release(gate)
    pi.wait_until(lambda: pi.status() != "working", "the run over")
    assert is_open(pi)
    close_board(pi)
    pi.wait_for("the end")
    type_and_look(pi)


@both_modes
def test_another_size_is_drawn_at_once(lab: Lab, mode: str) -> None:
    use_tui_mode(lab, mode)
    pi = lab.pi("pi")
    type_and_look(pi)
    open_board(pi)
    for columns, rows in ((60, 20), (140, 40), (24, 8)):
        lab.server.cmd("resize-window", "-t", "=pi:", "-x", str(columns), "-y", str(rows))

        def fits(rows: int = rows) -> bool:
            lines = pi.screen().split("\n")
            return is_open(pi) and len(lines) == rows and "Esc" in lines[-1]

        pi.wait_until(fits, f"a board of {columns} by {rows}")
    lab.server.cmd("resize-window", "-t", "=pi:", "-x", "120", "-y", "35")
    pi.wait_until(lambda: len(pi.screen().split("\n")) == 35 and is_open(pi), "the first size")
    close_board(pi)
    pi.wait_for("half a prompt")


def test_the_board_has_the_colours_of_pis_theme_also_of_the_next_one(lab: Lab) -> None:
    pi = lab.pi("pi", extensions=[MEANWHILE])
    file = lab.folder / "now"
    pi.command(f"/when {file} theme light")
    open_board(pi)

    def colours() -> str:
        return "\n".join(pi.pane.cmd("capture-pane", "-p", "-e").stdout)

    dark = colours()
    assert "\x1b[38;" in dark
    file.touch()
    pi.wait_until(lambda: colours() != dark and is_open(pi), "other colours")
    close_board(pi)


@pytest.mark.parametrize("act", ["reload", "new"])
def test_the_board_goes_with_its_session(lab: Lab, act: str) -> None:
    pi = lab.pi("pi", extensions=[MEANWHILE])
    pi.published()
    file = lab.folder / "now"
    pi.command(f"/when {file} {act}")
    open_board(pi)
    file.touch()
    wait_closed(pi)
    file.unlink()
    pi.ready()
    type_and_look(pi)
    open_board(pi)
    close_board(pi)
    pi.wait_for("half a prompt")
    assert "rror" not in pi.screen()


# Another command of this name


def test_another_extensions_command_stays_and_the_key_is_named(lab: Lab) -> None:
    file = lab.folder / "tank.ts"
    file.write_text(
        "export default (pi) => pi.registerCommand('tank', { handler: async (_, ctx) => ctx.ui.notify('not ours') });"
    )
    pi = lab.pi("pi", extensions=[file])
    pi.wait_for("opens with alt+t")
    pi.command("/tank")
    pi.wait_for("not ours")
    open_board(pi)
    close_board(pi)


def test_a_command_that_another_extension_registers_later_sends_nothing_to_the_model(lab: Lab) -> None:
    pi = lab.pi("pi", extensions=[MEANWHILE])
    file = lab.folder / "now"
    pi.command(f"/when {file} command tank")
    file.touch()
    time.sleep(0.3)
    open_board(pi, lambda: pi.command("/tank"))
    close_board(pi)
    pi.wait_for("opens with alt+t")
    assert pi.said() == []


# Boards and Pis that die


def test_a_board_that_dies_is_closed_with_one_notice(lab: Lab) -> None:
    pi = lab.pi("pi")
    type_and_look(pi)
    open_board(pi)
    board(pi).kill()
    wait_closed(pi)
    assert pi.wait_for(STOPPED).count(STOPPED) == 1
    pi.type("!")
    pi.wait_for("half a prompt!")
    open_board(pi)
    close_board(pi)


def test_a_board_that_hangs_is_closed_two_seconds_after_a_key(lab: Lab) -> None:
    pi = lab.pi("pi")
    open_board(pi)
    board(pi).suspend()
    time.sleep(0.5)
    assert is_open(pi)
    began = time.monotonic()
    pi.press("j", "j")
    wait_closed(pi)
    assert 1.5 < time.monotonic() - began < 4
    assert pi.wait_for(SILENT).count(SILENT) == 1


def test_a_board_that_hangs_is_closed_at_once_by_its_keys(lab: Lab) -> None:
    pi = lab.pi("pi")
    for keys in (HYPER_T, b"\x03"):
        open_board(pi)
        board(pi).suspend()
        pi.pause()
        pi.send_bytes(keys)
        wait_closed(pi, 2)
        pi.pause()
    assert SILENT not in pi.screen()


def test_without_a_python_the_reason_is_told(lab: Lab) -> None:
    pi = lab.pi("pi", environment={"TANK_PYTHON": "/nowhere/python"})
    pi.wait_for("Tank can't start")
    pi.press("M-t")
    pi.wait_for("Tank's board can't start: spawn /nowhere/python")
    type_and_look(pi)


def test_a_pi_that_is_killed_leaves_no_board(lab: Lab) -> None:
    pi = lab.pi("pi")
    open_board(pi)
    process = board(pi)
    pi.kill(signal.SIGKILL)
    eventually(lambda: not process.is_running() or process.status() == psutil.STATUS_ZOMBIE, 2)
