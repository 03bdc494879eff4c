"""Sessions that are replaced, reloaded, suspended and killed, and sidecars that are: what is published stays true."""

import contextlib
import itertools
import json
import os
import re
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from demo.agent_dir import OTHER_MODEL, PROVIDER
from demo.scripted_model import ScriptedModel
from demo.stage import EXTENSION, PI_BIN, ROOT, runs
from demo.waiting import eventually
from tests.support.client import Client
from tests.support.pi import DIALOGS, RECAP, Lab, PiSession, files_in, pi_run

SECOND = 1.5
"""`within a second`, and what this machine adds when it is busy."""


class Gap:
    """Looks at a live entry thousands of times a second."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._stop = threading.Event()
        self.missing = 0
        self._thread = threading.Thread(target=self._look)
        self._thread.start()

    def _look(self) -> None:
        while not self._stop.is_set():
            self.missing += not self._file.exists()
            time.sleep(0.0002)

    def close(self) -> None:
        self._stop.set()
        self._thread.join()


@contextlib.contextmanager
def no_gap(pi: PiSession) -> Iterator[None]:
    """The entry exists at every moment."""
    gap = Gap(pi.entry_file)
    try:
        yield
    finally:
        gap.close()
    assert gap.missing == 0


def sidecar(pi: PiSession) -> int:
    """The only sidecar of the session, which is the one it publishes."""
    pid = pi.published().sidecar_pid
    assert [child.pid for child in pi.sidecars()] == [pid]
    assert pid is not None
    return pid


def sockets(lab: Lab) -> list[str]:
    return [name for name in files_in(lab.live) if name.endswith(".sock")]


# Replaced sessions


def test_a_name_shows_at_once_and_goes_at_once(lab: Lab) -> None:
    pi = lab.pi("pi")
    first = sidecar(pi)
    with no_gap(pi):
        pi.submit("/name alpha beta")
        pi.wait_until(lambda: pi.published().label == "alpha beta", "the name as label")
        pi.submit("/name gamma")
        pi.wait_until(lambda: pi.published().label == "gamma", "the new name as label")
    assert pi.published().status == "idle"
    assert sidecar(pi) == first


def test_another_model_shows_at_once(lab: Lab) -> None:
    pi = lab.pi("pi")
    assert pi.published().model == "scripted/scripted-1"
    with no_gap(pi):
        pi.command(f"/model {PROVIDER}/{OTHER_MODEL}")
        pi.wait_until(lambda: pi.published().model == "scripted/scripted-2", "the other model")


def test_new_leaves_label_priority_and_recap_behind_and_keeps_the_sidecar(lab: Lab) -> None:
    pi = lab.pi("pi", extensions=[RECAP])
    pi.submit("say first session")
    pi.wait_until(lambda: pi.published().recap, "the recap")
    assert lab.tank("priority", str(pi.pid), "1").returncode == 0
    old, first = pi.published(), sidecar(pi)
    assert (old.label, old.priority, old.recap) == ("say first session", 1, "what was done")
    with no_gap(pi):
        pi.submit("/new")
        pi.wait_until(lambda: pi.published().session_id != old.session_id, "another session")
    entry = pi.published()
    assert (entry.label, entry.priority, entry.recap, entry.last_reply) == (None, None, None, None)
    assert (entry.status, entry.started_at) == ("idle", old.started_at)
    assert sidecar(pi) == first


def test_resume_shows_the_other_sessions_label_priority_and_recap(lab: Lab) -> None:
    pi = lab.pi("pi", extensions=[RECAP])
    pi.submit("say first session")
    pi.wait_until(lambda: pi.published().recap, "the recap")
    assert lab.tank("priority", str(pi.pid), "2").returncode == 0
    first, serving = pi.published(), sidecar(pi)
    pi.submit("/new")
    pi.wait_until(lambda: pi.published().label is None, "no label")
    pi.submit("say second session")
    pi.wait_until(lambda: pi.published().label == "say second session", "the second label")
    pi.wait_without("Working")
    with no_gap(pi):
        pi.submit("/resume")
        pi.wait_for("say first session")
        pi.press("Down")
        pi.pause()
        pi.press("Enter")
        pi.wait_until(lambda: pi.published().session_id == first.session_id, "the first session again")
    entry = pi.published()
    assert (entry.label, entry.priority, entry.recap) == ("say first session", 2, "what was done")
    assert (entry.status, entry.session_file) == ("idle", first.session_file)
    assert sidecar(pi) == serving


@pytest.mark.parametrize("command", ["/fork", "/clone"])
def test_a_copy_keeps_label_priority_and_recap(lab: Lab, command: str) -> None:
    pi = lab.pi("pi", extensions=[RECAP])
    pi.submit("/name alpha")
    pi.submit("say first")
    pi.wait_until(lambda: pi.published().recap, "the recap")
    assert lab.tank("priority", str(pi.pid), "3").returncode == 0
    pi.submit("say second")
    pi.wait_until(lambda: pi.said() == ["say first", "say second"], "both prompts")
    pi.wait_without("Working")
    old, serving = pi.published(), sidecar(pi)
    with no_gap(pi):
        pi.submit(command)
        if command == "/fork":
            pi.wait_for("Fork")
            pi.press("Enter")
        pi.wait_until(lambda: pi.published().session_id != old.session_id, "the copy")
    entry = pi.published()
    assert (entry.status, entry.label, entry.priority) == ("idle", "alpha", 3)
    assert entry.recap == "what was done"
    assert sidecar(pi) == serving


def test_a_session_resumed_by_another_process_keeps_what_its_file_holds(lab: Lab) -> None:
    pi = lab.pi("one", extensions=[RECAP])
    pi.submit("say first session")
    pi.wait_until(lambda: pi.published().recap, "the recap")
    assert lab.tank("priority", str(pi.pid), "1").returncode == 0
    assert lab.tank("send", str(pi.pid), "say counted").returncode == 0
    pi.wait_until(lambda: pi.published().messages_since_input == 1, "one message counted")
    old = pi.published()
    pi.wait_without("Working")
    pi.quit()
    eventually(lambda: files_in(lab.live) == [], SECOND)
    again = lab.pi("two", "--session", str(old.session_file))
    entry = again.published()
    assert (entry.session_id, entry.label, entry.priority) == (old.session_id, "say first session", 1)
    assert (entry.status, entry.recap, entry.messages_since_input) == ("idle", "what was done", 0)


def test_reload_starts_the_status_over_and_keeps_the_rest(lab: Lab) -> None:
    pi = lab.pi("pi", extensions=[RECAP])
    pi.submit("say first session")
    pi.wait_until(lambda: pi.published().recap, "the recap")
    assert lab.tank("priority", str(pi.pid), "1").returncode == 0
    assert lab.tank("send", str(pi.pid), "status 400 bad request").returncode == 0
    pi.wait_status("needs-you")
    old, serving = pi.published(), sidecar(pi)
    with no_gap(pi):
        pi.submit("/reload")
        pi.wait_for("Reloaded")
        pi.wait_status("idle")
    entry = pi.published()
    assert (entry.session_id, entry.label, entry.priority) == (old.session_id, old.label, 1)
    assert (entry.recap, entry.messages_since_input) == ("what was done", 1)
    assert sidecar(pi) == serving


def test_ten_reloads_leave_one_sidecar_one_socket_and_single_delivery(lab: Lab, model: ScriptedModel) -> None:
    pi = lab.pi("pi")
    serving = sidecar(pi)
    with no_gap(pi):
        for _ in range(10):
            pi.submit("/reload")
            pi.wait_for("Reloaded")
            pi.submit("/name")
    assert sidecar(pi) == serving
    assert sockets(lab) == [f"{pi.pid}.sock"]
    assert lab.tank("send", str(pi.pid), "say once after ten reloads").returncode == 0
    pi.wait_until(lambda: pi.changes()[-2:] == ["working", "done"], "one run over")
    assert len(pi.said()) == 1
    assert len(model.asked("say once after ten reloads")) == 1


def test_an_extension_that_is_gone_after_reload_leaves_nothing_published(lab: Lab) -> None:
    """Removed from Pi's settings: no hello follows, and the sidecar gives up by itself."""
    settings = json.loads((lab.agent_dir / "settings.json").read_text())
    lab.settings(packages=[str(EXTENSION)])
    pi = lab.pi("pi", tank=False)
    pi.published()
    (lab.agent_dir / "settings.json").write_text(json.dumps(settings))
    pi.submit("/reload")
    pi.wait_until(lambda: files_in(lab.live) == [], "an empty live directory", 20)
    pi.wait_until(lambda: pi.sidecars() == [], "no sidecar")
    pi.quit()


# Ends


def test_quit_leaves_nothing(lab: Lab) -> None:
    pi = lab.pi("pi")
    serving = sidecar(pi)
    pi.quit()
    eventually(lambda: not runs(serving) and files_in(lab.live) == [], SECOND)
    assert files_in(lab.folder / "state" / "pi" / "tank" / "log") == []


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_killed_pi_leaves_nothing_within_a_second(lab: Lab, number: signal.Signals) -> None:
    pi = lab.pi("pi")
    serving = sidecar(pi)
    pi.kill(number)
    eventually(lambda: not runs(serving) and files_in(lab.live) == [], SECOND)


def test_a_closed_terminal_leaves_nothing_within_a_second(lab: Lab) -> None:
    pi, other = lab.pi("pi"), lab.pi("other")
    other.published()
    serving = sidecar(pi)
    pi.close()
    eventually(lambda: not runs(serving), SECOND)
    assert files_in(lab.live) == [f"{other.pid}.json", f"{other.pid}.sock"]


def test_pi_and_its_sidecar_killed_together_are_cleared_by_the_next_reader(lab: Lab) -> None:
    pi = lab.pi("pi")
    serving = sidecar(pi)
    os.kill(serving, signal.SIGSTOP)
    os.kill(pi.pid, signal.SIGKILL)
    os.kill(serving, signal.SIGKILL)
    pi.wait_gone()
    assert f"{pi.pid}.json" in files_in(lab.live)
    listed = lab.tank("list", "--json")
    assert json.loads(listed.stdout) == []
    assert files_in(lab.live) == []


# Sidecars that die, stop or can't start


def test_a_killed_sidecar_comes_back_true(lab: Lab) -> None:
    pi = lab.pi("pi", extensions=[RECAP])
    pi.submit("say hello")
    pi.wait_until(lambda: pi.published().recap, "the recap")
    assert lab.tank("priority", str(pi.pid), "1").returncode == 0
    assert lab.tank("send", str(pi.pid), "status 400 bad request").returncode == 0
    pi.wait_status("needs-you")
    old, serving = pi.published(), sidecar(pi)
    os.kill(serving, signal.SIGKILL)
    pi.wait_until(lambda: pi.published().sidecar_pid != serving, "another sidecar")
    entry = pi.published()
    assert (entry.status, entry.status_detail, entry.status_since) == (
        old.status,
        old.status_detail,
        old.status_since,
    )
    assert (entry.label, entry.priority, entry.recap) == (old.label, 1, "what was done")
    assert (entry.messages_since_input, entry.started_at) == (1, old.started_at)
    assert sidecar(pi) != serving


def test_a_sidecar_killed_in_a_run_is_back_for_its_end(lab: Lab, model: ScriptedModel) -> None:
    pi = lab.pi("pi")
    pi.submit("hold sidecar-killed-in-a-run + say ready")
    pi.wait_status("working")
    serving = sidecar(pi)
    os.kill(serving, signal.SIGKILL)
    pi.wait_until(lambda: pi.published().sidecar_pid != serving, "another sidecar")
    assert pi.published().status == "working"
    model.release("sidecar-killed-in-a-run")
    pi.wait_status("done")


def test_a_sidecar_killed_while_a_run_ends_does_not_leave_working_behind(
    lab: Lab, model: ScriptedModel
) -> None:
    pi = lab.pi("pi")
    pi.submit("hold sidecar-killed-at-the-end + say ready")
    pi.wait_status("working")
    os.kill(sidecar(pi), signal.SIGKILL)
    model.release("sidecar-killed-at-the-end")
    pi.wait_for("\n ready")
    pi.wait_until(lambda: pi.published().status != "working", "no longer working")


def test_a_stopped_sidecar_is_replaced_and_never_felt(lab: Lab) -> None:
    pi = lab.pi("pi")
    serving = sidecar(pi)
    os.kill(serving, signal.SIGSTOP)
    pi.submit("say hello")
    pi.wait_for("\n hello")
    pi.wait_until(lambda: pi.published().sidecar_pid != serving, "another sidecar", 20)
    assert pi.published().status in ("idle", "done")
    assert sidecar(pi) != serving


def test_a_sidecar_that_cannot_start_costs_one_notice(lab: Lab) -> None:
    pi = lab.pi("pi", environment={"TANK_PYTHON": str(lab.folder / "no-such-python")})
    pi.wait_for("Tank can't start")
    pi.submit("say hello")
    pi.wait_for("\n hello")
    assert pi.screen().count("Tank can't start") == 1
    assert files_in(lab.live) == []


def test_a_sidecar_that_exits_at_once_costs_one_notice(lab: Lab) -> None:
    python = lab.fake("python-that-exits", "exit 1")
    pi = lab.pi("pi", environment={"TANK_PYTHON": str(python)})
    pi.submit("say hello")
    pi.wait_for("\n hello")
    pi.wait_for("keeps stopping", 40)
    assert pi.screen().count("keeps stopping") == 1


# Disks


def test_a_live_directory_that_is_deleted_comes_back(lab: Lab) -> None:
    pi = lab.pi("pi")
    pi.published()
    for name in files_in(lab.live):
        (lab.live / name).unlink()
    lab.live.rmdir()
    pi.submit("/name still here")
    pi.wait_until(lambda: (e := pi.entry()) and e.label == "still here", "the entry again")
    assert lab.tank("send", str(pi.pid), "say reached").returncode == 0
    pi.wait_for("\n reached")


@pytest.fixture
def small_disk(lab: Lab) -> Iterator[Path]:
    """The state directory on a file system of 64 KiB."""
    folder = lab.folder / "state"
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=64k", "none", str(folder)], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("mounting a small file system needs rights that this user doesn't have")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


def test_a_full_disk_costs_one_notice_and_publishing_resumes(lab: Lab, small_disk: Path) -> None:
    pi = lab.pi("pi")
    old = pi.published()
    ballast = small_disk / "ballast"
    with contextlib.suppress(OSError), ballast.open("wb", buffering=0) as file:
        while True:
            file.write(b"x" * 4096)
    pi.submit("/name while it is full")
    pi.wait_for("No space left")
    assert pi.published().label == old.label
    ballast.unlink()
    pi.submit("/name after it was full")
    pi.wait_until(lambda: pi.published().label == "after it was full", "publishing again")
    assert [name for name in files_in(lab.live) if name.startswith(".")] == []
    assert pi.screen().count("No space left") == 1


def test_a_read_only_disk_costs_one_notice_and_publishing_resumes(lab: Lab, small_disk: Path) -> None:
    remount = ["mount", "-o", "remount", str(small_disk)]
    subprocess.run([*remount[:2], "remount,ro", remount[3]], check=True)
    pi = lab.pi("pi")
    pi.submit("say hello")
    pi.wait_for("\n hello")
    pi.wait_for("Read-only")
    assert pi.entry() is None
    subprocess.run([*remount[:2], "remount,rw", remount[3]], check=True)
    pi.submit("/name writable")
    pi.wait_until(lambda: (e := pi.entry()) and e.label == "writable", "publishing after all")


# Suspended


def test_a_suspended_session_lives_says_so_and_comes_back(lab: Lab) -> None:
    pi = lab.pi_in_a_shell("pi")
    serving = sidecar(pi)
    pi.press("C-z")
    pi.wait_until(lambda: psutil.Process(pi.pid).status() == psutil.STATUS_STOPPED, "Pi stopped")
    assert psutil.Process(serving).status() != psutil.STATUS_STOPPED
    assert "suspended" in lab.tank("list").stdout
    pi.submit("fg")
    pi.wait_until(lambda: psutil.Process(pi.pid).status() != psutil.STATUS_STOPPED, "Pi running")
    assert "suspended" not in lab.tank("list").stdout
    pi.wait_for("scripted-1")
    pi.submit("say back again")
    pi.wait_status("done")
    assert sidecar(pi) == serving


@pytest.mark.parametrize("mode", ["regular", "fullscreen"])
def test_focus_reports_are_off_while_suspended_and_after_the_end(lab: Lab, mode: str) -> None:
    """Else the shell would show them as text."""
    pi = f"pi --tui-mode {mode} -e {EXTENSION}"
    command = ["bash", "--norc", "-c", f"set -m; {pi}; echo SUSPENDED; fg; echo OVER"]
    client = Client(command, lab.environment(TERM="xterm-256color"), (120, 35), lab.folder / "work")

    def shows(text: bytes, switch: str) -> None:
        eventually(
            lambda: text in client.output and _switches(client)[-1:] == [switch],
            20,
            lambda: f"{_switches(client)} {client.output.decode(errors='replace')}",
        )

    try:
        shows(b"\x1b]0;", "h")
        client.write(b"draft")
        shows(b"draft", "h")
        client.write(b"\x1a")
        shows(b"SUSPENDED", "h")
        assert _switches(client)[:-1].count("l") == 1
        client.write(b"\x03\x04")
        shows(b"OVER", "l")
    finally:
        client.close()


def _switches(client: Client) -> list[str]:
    """What was written for DECSET 1004 so far, doubles once: h is on, l is off."""
    found = [switch.decode() for switch in re.findall(rb"\x1b\[\?1004([hl])", bytes(client.output))]
    return [switch for switch, _ in itertools.groupby(found)]


# Who publishes


@pytest.mark.parametrize(
    "arguments", [["-p", "say printed"], ["--mode", "json", "say as json"], ["--mode", "rpc"]]
)
def test_runs_without_a_terminal_start_no_sidecar_and_publish_nothing(lab: Lab, arguments: list[str]) -> None:
    python = lab.fake("python-that-tells", f"touch {lab.folder}/started")
    done = pi_run(lab, *arguments, TANK_PYTHON=str(python))
    assert done.returncode == 0, done.stderr
    assert not (lab.folder / "started").exists()
    assert files_in(lab.folder / "state") == []


def test_a_print_run_inside_a_session_touches_nothing(lab: Lab) -> None:
    pi = lab.pi("pi", extensions=[DIALOGS])
    before = pi.published()
    command = f"{PI_BIN / 'pi'} -e {EXTENSION} -p 'say from inside'"
    pi.submit(f"call bash {json.dumps({'command': command})}")
    pi.wait_for("The tool said: from inside", 30)
    pi.wait_status("done")
    assert files_in(lab.live) == [f"{pi.pid}.json", f"{pi.pid}.sock"]
    assert sidecar(pi) == before.sidecar_pid


def test_a_subagents_pi_publishes_nothing(lab: Lab) -> None:
    pi = lab.pi("pi", environment={"PI_SUBAGENT_CHILD": "1"})
    pi.submit("say hello")
    pi.wait_for("\n hello")
    assert files_in(lab.folder / "state") == []


def test_modules_in_the_projects_folder_shadow_nothing(lab: Lab) -> None:
    folder = lab.folder_in_work("shadows")
    for name in (
        "tank",
        "orjson",
        "wcwidth",
        "json",
        "selectors",
        "os",
        "site",
        "sitecustomize",
        "usercustomize",
    ):
        (folder / f"{name}.py").write_text("raise SystemExit('shadowed')")
    (folder / "tank.py").unlink()
    (folder / "tank").mkdir()
    (folder / "tank" / "__init__.py").write_text("raise SystemExit('shadowed')")
    shadows = {"PYTHONPATH": str(folder), "PYTHONHOME": str(folder), "PYTHONSTARTUP": str(folder / "os.py")}
    pi = lab.pi("pi", cwd=folder, environment=shadows)
    assert pi.published().cwd == str(folder)
    pi.submit("say hello")
    pi.wait_status("done")


def test_a_second_copy_of_the_extension_does_nothing_but_say_so(lab: Lab) -> None:
    copy = lab.folder / "copy"
    copy.mkdir()
    for name in ("pi-extension", "schema"):
        (copy / name).mkdir()
    for file in ("package.json", "src"):
        (copy / "pi-extension" / file).symlink_to(ROOT / "pi-extension" / file)
    (copy / "schema" / "tools.json").write_bytes((ROOT / "schema" / "tools.json").read_bytes())
    subprocess.run(["cp", "-rL", str(copy / "pi-extension"), str(copy / "second")], check=True)
    pi = lab.pi("pi", extensions=[copy / "second"])
    pi.wait_for("loaded twice")
    pi.submit("say hello")
    pi.wait_status("done")
    sidecar(pi)
    assert pi.changes() == ["working", "done"]


def test_pi_with_a_second_tank_in_its_start_up_prompt_has_the_tool_in_its_first_request(
    lab: Lab, model: ScriptedModel
) -> None:
    pi = lab.pi("pi", "say with the tool from the start", ready=False)
    pi.wait_until(lambda: model.asked("say with the tool from the start"), "the request")
    assert "send_to_session" in model.asked("say with the tool from the start")[0].tools()
