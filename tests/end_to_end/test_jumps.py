"""Going to a session's terminal: real Pi in two tmux servers and in a plain terminal, from the board and from a shell."""

import shlex
import sys
from collections.abc import Iterator
from dataclasses import dataclass

import libtmux
import pytest

from demo.scripted_model import ScriptedModel
from demo.stage import EXTENSION, Terminal
from demo.waiting import eventually
from tests.support.board import BoardScreen
from tests.support.client import Client
from tests.support.pi import Lab, PiSession
from tests.support.terminal import Terminal as Pty

HERE, THERE, OTHER, ALONE = "lead the release", "fix the login test", "port the parser", "write the notes"
TANK = (sys.executable, "-I", "-m", "tank")


@dataclass
class Floor:
    """Two sessions in one tmux server, one in another, one in a terminal of its own; all are idle."""

    lab: Lab
    here: PiSession
    there: PiSession
    second: libtmux.Server

    def clients(self) -> dict[str, str]:
        """Which tmux session each client of the first server shows, and in it which window."""
        listed = self.lab.server.cmd(
            "list-clients", "-F", "#{client_tty} #{session_name} #{window_id}"
        ).stdout
        return {line.split()[0]: line.split(None, 1)[1] for line in listed}

    def sessions(self) -> set[str]:
        return {str(session.name) for session in self.lab.server.sessions}

    def screens(self) -> dict[str, str]:
        """What stands in each pane of the first server."""
        return {
            str(pane.pane_id): "\n".join(pane.cmd("capture-pane", "-p").stdout)
            for pane in self.lab.server.panes
        }

    def watch(self, name: str) -> tuple[Client, str]:
        """A person's terminal that shows this tmux session, and what tmux calls it."""
        before = self.clients()
        client = self.lab.attach(name)
        (tty,) = eventually(lambda: list(self.clients().keys() - before.keys()))
        return client, tty

    def board_over(self, pi: PiSession) -> BoardScreen:
        pi.command("/tank")
        board = BoardScreen(pi)
        board.wait_open()
        return board

    def shell(self, name: str) -> Terminal:
        return self.lab.open(name, ["bash", "--norc", "-i"], kind=Terminal)


@pytest.fixture(scope="module")
def building(model: ScriptedModel) -> Iterator[Floor]:
    lab = Lab(model.base_url)
    second = libtmux.Server(socket_path=str(lab.folder / "second"), config_file="/dev/null")
    plain: Pty | None = None
    try:
        here = lab.pi("here", f"{HERE}\nsay Ready.", ready=False)
        there = lab.pi("there", f"{THERE}\nsay Ready.", ready=False)
        words = [f"{name}={said}" for name, said in lab.environment().items()]
        pi = shlex.join([*words, "pi", "-e", str(EXTENSION), f"{OTHER}\nsay Ready."])
        inherited = 'TMUX="$TMUX" TMUX_PANE="$TMUX_PANE"'
        second.cmd(
            "new-session", "-d", "-s", "other", "-x", "100", "-y", "30", f"exec env -i {inherited} {pi}"
        )
        environment = lab.environment(TERM="xterm-256color", TMUX="", TMUX_PANE="")
        command = shlex.join(["pi", "-e", str(EXTENSION), f"{ALONE}\nsay Ready."])
        plain = Pty(["sh", "-c", f"cd {lab.folder}/work && exec {command}"], environment, 100, 30)
        floor = Floor(lab, here, there, second)
        eventually(lambda: lab.live.exists() and len(list(lab.live.glob("*.json"))) == 4, 30)
        for session in (here, there):
            eventually(lambda session=session: session.status() in ("done", "idle"))  # type: ignore[misc]
        yield floor
    finally:
        if plain:
            plain.close()
        second.kill()
        left = lab.close()
    assert not left, f"processes left behind: {left}"


@pytest.fixture
def floor(building: Floor) -> Iterator[Floor]:
    yield building
    building.lab.detach()


def test_enter_over_pi_switches_the_client_that_pressed_it_and_no_other(floor: Floor) -> None:
    _, mine = floor.watch("here")
    _, another = floor.watch("here")
    bystander = floor.shell("bystander")
    _, third = floor.watch("bystander")
    before = floor.clients()
    screens = floor.screens()
    client = floor.lab._clients[0]
    board = floor.board_over(floor.here)
    client.write(b"j")  # the keys of this terminal: tmux counts it as the one used last
    board.select(THERE)
    client.write(b"\r")
    eventually(lambda: floor.clients()[mine].startswith("there"), message=lambda: str(floor.clients()))
    board.wait_closed()
    after = floor.clients()
    assert {tty: after[tty] for tty in (another, third)} == {tty: before[tty] for tty in (another, third)}
    assert floor.screens()[str(bystander.pane.pane_id)] == screens[str(bystander.pane.pane_id)]
    bystander.close()


def test_a_session_of_another_server_is_a_command_that_y_copies(floor: Floor) -> None:
    floor.watch("here")
    before = floor.clients()
    board = floor.board_over(floor.here)
    board.select(OTHER)
    board.press("Enter")
    board.wait_for("y copies the command")
    board.press("y")
    board.wait_for("copied the command")
    copied = "\n".join(floor.lab.server.cmd("show-buffer").stdout)
    assert copied.startswith(f"tmux -S {floor.lab.folder / 'second'}")
    assert floor.clients() == before
    board.press("Escape")
    board.wait_closed()
    terminal = Client(["sh", "-c", f"exec {copied}"], floor.lab.environment(TERM="xterm-256color"), (100, 30))
    eventually(lambda: floor.second.cmd("list-clients").stdout)
    floor.second.cmd("detach-client", "-a")
    terminal.close()


def test_a_session_in_a_plain_terminal_is_named_with_its_terminal(floor: Floor) -> None:
    floor.watch("here")
    board = floor.board_over(floor.here)
    board.select(ALONE)
    board.press("Enter")
    board.wait_for("/dev/pts/", "by hand")
    board.press("Escape")
    board.wait_closed()


def test_a_plain_terminal_is_handed_to_tmux_and_back_on_the_board_after_detach(floor: Floor) -> None:
    person = Client(TANK, floor.lab.environment(TERM="xterm-256color"), (120, 35))
    floor.lab._clients.append(person)
    eventually(lambda: b"tmux there" in person.output, message=lambda: repr(bytes(person.output[-3000:])))
    person.write(b"/login\r")
    eventually(lambda: b"1 of 4" in person.output)
    person.write(b"\r")
    eventually(lambda: any(shown.startswith("there") for shown in floor.clients().values()))
    at = len(person.output)
    person.write(b"\x02d")
    eventually(lambda: not any(shown.startswith("there") for shown in floor.clients().values()))
    eventually(lambda: b"1 of 4" in person.output[at:], message=lambda: repr(bytes(person.output[at:])))
    assert person.process.poll() is None
    at = len(person.output)
    person.write(b"\x1b")
    eventually(lambda: b"Esc close" in person.output[at:], message=lambda: repr(bytes(person.output[at:])))
    person.write(b"\x03")
    assert person.process.wait(10) == 0


def test_a_shell_in_tmux_goes_there_with_tank_focus(floor: Floor) -> None:
    shell = floor.shell("shell")
    _, mine = floor.watch("shell")
    shell.submit(shlex.join([*TANK, "focus", THERE]))
    eventually(lambda: floor.clients()[mine].startswith("there"), message=shell.screen)
    shell.wait_for("is before you")
    shell.close()


def test_a_moved_pane_is_found(floor: Floor) -> None:
    floor.lab.server.cmd("new-session", "-d", "-s", "attic", "sleep 600")
    floor.lab.server.cmd("join-pane", "-d", "-s", str(floor.there.pane.pane_id), "-t", "attic:")
    shell = floor.shell("shell")
    _, mine = floor.watch("shell")
    shell.submit(shlex.join([*TANK, "focus", THERE]))
    eventually(lambda: floor.clients()[mine].startswith("attic"), message=shell.screen)
    active = floor.lab.server.cmd("display-message", "-p", "-t", "attic:", "#{pane_id}").stdout
    assert active == [floor.there.pane.pane_id]
    shell.close()


def test_a_session_that_was_killed_is_refused_and_nothing_moves_or_is_typed(floor: Floor) -> None:
    doomed = floor.lab.pi_in_a_shell("doomed")
    doomed.published()
    shell = floor.shell("shell")
    floor.watch("shell")
    doomed.kill()
    doomed.wait_gone()
    doomed.wait_for("Killed")
    before, screen = floor.clients(), doomed.screen()
    shell.submit(shlex.join([*TANK, "focus", str(doomed.pid)]))
    shell.wait_for("no session is")
    assert floor.clients() == before
    assert doomed.screen() == screen
    shell.close()
