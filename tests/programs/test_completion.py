"""What shells are told, and what real ones make of it: bash always, zsh and fish where they are."""

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from demo.waiting import eventually
from tests.support.desk import Desk
from tests.support.terminal import Terminal

APP = {"key": "github.com/you/app", "name": "app"}
EVIL = "$(touch probe) `touch probe` #(touch probe)"
SHELLS = {
    "bash": (["--norc", "--noprofile", "-i"], "PS1='ready> '; eval \"$(tank completion bash)\"\n"),
    "zsh": (
        ["-f", "-i"],
        "PS1='ready> '; autoload -U compinit; compinit -u; eval \"$(tank completion zsh)\"\n",
    ),
    "fish": (
        ["--private", "-i"],
        "function fish_prompt; echo 'ready> '; end; tank completion fish | source\n",
    ),
}


CLEAR = "\x15"


def offered(desk: Desk, shell: str, words: str, word: int, **environment: str) -> list[str]:
    """The lines that a shell is given for the word at the end of these."""
    environment |= {"_TANK_COMPLETE": f"{shell}_complete", "COMP_WORDS": words, "COMP_CWORD": str(word)}
    if shell == "fish":
        environment["COMP_CWORD"] = words.split(" ")[-1]
    ran = desk.tank(cwd=desk.home, **environment)
    assert ran.stderr == ""
    return ran.stdout.rstrip("\n").splitlines()


def in_bash(desk: Desk, words: str) -> list[str]:
    return [line.removeprefix("plain,") for line in offered(desk, "bash", words, words.count(" "))]


def test_commands_options_statuses_priorities_and_documents_are_completed(desk: Desk) -> None:
    assert in_bash(desk, "tank pr") == ["priority", "project"]
    assert in_bash(desk, "tank wait x --t") == ["--timeout"]
    assert in_bash(desk, "tank wait x idle n") == ["needs-you"]
    assert in_bash(desk, "tank priority x ") == ["0", "1", "2", "3", "-"]
    assert in_bash(desk, "tank schema l") == ["link", "live-entry"]
    assert in_bash(desk, "tank completion ") == ["bash", "zsh", "fish"]


@pytest.mark.parametrize("command", ["peek", "send", "priority", "wait", "explain"])
def test_a_session_is_offered_by_its_label_else_by_its_id_else_by_its_pid(desk: Desk, command: str) -> None:
    desk.session(label="parser", sessionId="0199aaaa-bbb1-7000")
    desk.session(sessionId="0199aaaa-bbb2-7000")
    desk.session(label="twice", sessionId="7c3faaaa-1")
    desk.session(label="twice", sessionId="8d4faaaa-1")
    offers = in_bash(desk, f"tank {command} ")
    assert sorted(offers) == ["0199aaaa-bbb2", "7c3faaaa-1", "8d4faaaa-1", "parser"]
    assert in_bash(desk, f"tank {command} 0199") == ["0199aaaa-bbb1", "0199aaaa-bbb2"]
    assert in_bash(desk, f"tank {command} pa") == ["parser"]
    assert in_bash(desk, f"tank {command} x") == []
    again = [
        desk.session(sessionId="7c3faaaa-1").pid,
        desk.session(label="`x`", sessionId="$(touch probe)").pid,
    ]
    assert set(again) <= set(in_bash(desk, f"tank {command} "))


@pytest.mark.parametrize(
    "label", [EVIL, "a;b", "a,b", "a:b", "-n", "~you", "a*", "'a'", 'a"b', "a\\b", "a&b", "!a"]
)
@pytest.mark.parametrize("shell", SHELLS)
def test_what_a_shell_could_act_on_is_never_offered(desk: Desk, shell: str, label: str) -> None:
    desk.session(label=label, sessionId="0199aaaa-1")
    offers = offered(desk, shell, "tank peek ", 2)
    value = offers[1] if shell == "zsh" else offers[0].removeprefix("plain,").split("\t")[0]
    assert value == "0199aaaa"


def test_status_project_and_label_are_told_beside_it(desk: Desk) -> None:
    desk.session(label="fix: it", project=APP, status="needs-you", sessionId="0199aaaa-1")
    desk.session(label="port it", project=APP, status="working", sessionId="0199bbbb-1")
    assert offered(desk, "zsh", "tank peek ", 2) == [
        *("plain", "0199aaaa", "needs you · app · fix: it"),
        *("plain", "port it", "working · app"),
    ]
    assert offered(desk, "fish", "tank peek ", 2) == [
        "plain,0199aaaa\tneeds you · app · fix: it",
        "plain,port it\tworking · app",
    ]


@pytest.mark.parametrize("shell", SHELLS)
def test_no_error_reaches_the_prompt(desk: Desk, shell: str) -> None:
    desk.live.parent.mkdir(parents=True)
    desk.live.write_text("in the way")
    assert offered(desk, shell, "tank peek ", 2) == []
    assert offered(desk, shell, "tank peek x", 2, XDG_STATE_HOME="/" + "x" * 300) == []
    broken = desk.tank(_TANK_COMPLETE=f"{shell}_complete")
    assert (broken.stdout, broken.stderr) == ("", "")
    assert broken.returncode != 0


def test_completing_loads_nothing_heavy() -> None:
    code = "import sys\nfrom tank.programs import completion\nprint(*sys.modules)"
    ran = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True)
    assert {"pydantic", "asyncio", "psutil"} & set(ran.stdout.split()) == set()


@pytest.fixture(params=SHELLS)
def shell(request: pytest.FixtureRequest, desk: Desk) -> Iterator[Terminal]:
    """A real shell with completion switched on, in the desk's home."""
    program = shutil.which(request.param)
    if program is None:
        pytest.skip(f"{request.param} is not installed")
    arguments, setup = SHELLS[request.param]
    desk.fake("tank", f'exec {" ".join(desk.command())} "$@"')
    environment = {"TERM": "xterm", "BASH_SILENCE_DEPRECATION_WARNING": "1", "LS_COLORS": ""}
    with Terminal([program, *arguments], desk.environment | environment, 100, 24) as terminal:
        terminal.type(f"cd {desk.home}\n{setup}")
        eventually(lambda: terminal.text().count("ready> ") >= 2)
        yield terminal


def test_a_real_shell_completes_what_can_be_sent_as_it_stands(
    shell: Terminal, desk: Desk, tmp_path: Path
) -> None:
    desk.session(label="fix the login test", project=APP)
    desk.session(label=EVIL, project={"key": EVIL, "name": EVIL})
    for typed, completed in (
        ("tank pe\t", "tank peek "),
        ("tank explain fi\t", "tank explain fix\\ the\\ login\\ test "),
        ("tank explain fix\\ the\\ l\t", "tank explain fix\\ the\\ login\\ test "),
        ('tank explain "fix the\t', 'tank explain "fix the login test" '),
        ("tank wait fix\\ the\\ login\\ test n\t", "test needs-you "),
        ("tank schema liv\t", "tank schema live-entry "),
    ):
        since = shell.mark()
        shell.type(typed)
        shell.until(completed, since)
        shell.type(CLEAR)
    since = shell.mark()
    shell.type("tank explain fi\t\n")
    shell.until("it has no message socket", since)
    assert list(tmp_path.rglob("probe")) == []
