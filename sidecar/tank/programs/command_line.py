"""The command `tank`: reads arguments and prints what the commands return.

Each command imports what it needs, no more.
"""

import os
import sys
from pathlib import Path
from typing import Any, Literal, NoReturn

import click

from tank.programs import console
from tank.programs.console import say
from tank.records.entry import STATUSES
from tank.version import __version__

NAME = "tank"
COMPLETING = "_TANK_COMPLETE"
"""Set by the scripts that complete commands; click answers them instead of running one."""


def _sessions(*asked: Any) -> Any:
    from tank.programs import completion

    return completion.sessions(*asked)


def _schemas(*asked: Any) -> Any:
    from tank.programs import completion

    return completion.schemas(*asked)


as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
target = click.argument("target", shell_complete=_sessions)


class Commands(click.Group):
    """In the order in which a person meets them."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click passes it by this name
        return list(self.commands)


@click.group(
    cls=Commands,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, message="tank %(version)s")
@click.pass_context
def tank(context: click.Context) -> None:
    """One board for every Pi session you have open. Without a command: the board.

    TARGET is a session's full id, its pid, its exact label, project/label, or the first 6 or more characters of its id.
    """
    if context.invoked_subcommand is None:
        from tank.programs import terminal_board

        context.exit(terminal_board.run())


@tank.command("list")
@as_json
def list_(*, as_json: bool) -> None:
    """Show every live session, one line each."""
    from tank.programs import listing

    roster = listing.read()
    if as_json:
        say([listing.as_json(listing.entries(roster))])
    else:
        say(listing.table(roster, listing.width()))
        console.complain([*roster.problems, *listing.advice(roster)])


@tank.command()
@target
@as_json
def peek(target: str, *, as_json: bool) -> None:
    """Show a session's last two prompts with replies and tool calls."""
    from tank.programs import peeking

    say(peeking.peek(target, as_json=as_json))


@tank.command()
@target
def focus(target: str) -> None:
    """Bring a session's tmux pane or Rex tab before you."""
    from tank.programs import going

    say(going.focus(target))


@tank.command()
@target
def attach(target: str) -> None:
    """Enter a session in tmux with this terminal, until you detach."""
    from tank.programs import going

    going.attach(target)


@tank.command()
@target
@click.argument("message")
@click.option("--steer", is_flag=True, help="Come in between two steps of a run instead of after it.")
@as_json
def send(target: str, message: str, *, steer: bool, as_json: bool) -> None:
    """Send a session a message; - reads it from standard input."""
    from tank.programs import talking

    said = talking.read_message(sys.stdin.buffer) if message == "-" else talking.message_of(message)
    if not said.strip():
        raise click.BadParameter("the message is empty", param_hint="MESSAGE")
    say(talking.send(target, said, steer=steer, as_json=as_json))


@tank.command()
@target
@click.argument("priority", type=click.Choice(["0", "1", "2", "3", "-"]))
def priority(target: str, priority: str) -> None:
    """Set a session's priority, 0 (first) to 3; - clears it."""
    from tank.programs import talking

    say(talking.set_priority(target, None if priority == "-" else int(priority)))


@tank.command()
@target
@click.argument("statuses", metavar="STATUS...", nargs=-1, required=True, type=click.Choice(STATUSES))
@click.option(
    "--timeout", "timeout_s", metavar="S", type=click.FloatRange(min=0), help="Give up after so many seconds."
)
def wait(target: str, statuses: tuple[str, ...], timeout_s: float | None) -> None:
    """Wait until a session has one of these statuses.

    STATUS is idle, working, needs-you or done. One that holds already counts, and so does one that held for a moment. done
    also counts once the session is idle right after a run: whoever watches a run end leaves nothing unseen.

    Exit code 1: timed out, or the session has ended.
    """
    from tank.programs import waiting

    say(waiting.wait(target, frozenset(statuses), timeout_s))


@tank.command()
@target
@as_json
def explain(target: str, *, as_json: bool) -> None:
    """Say why a session has its status, and what would change it."""
    from tank.programs import talking

    say(talking.explain(target, as_json=as_json))


@tank.command()
@click.option("--tmux", is_flag=True, help="Colour it for tmux's status line.")
@click.pass_context
def status(context: click.Context, *, tmux: bool) -> None:
    """Count the sessions that need you, work or are done.

    One line for a status bar or a prompt: `● 2 ◐ 3 ✓ 1`, empty when there is nothing to tell.
    """
    from tank.programs import status_line

    context.exit(status_line.show(tmux=tmux))


@tank.command()
@click.argument("directory", default=".", type=click.Path(file_okay=False, exists=True))
@as_json
def project(directory: str, *, as_json: bool) -> None:
    """Show the key by which the sessions of a directory are grouped."""
    from tank.programs import listing
    from tank.programs import project as projects

    found = projects.project(directory)
    say([listing.as_json(found) if as_json else found["key"]])


@tank.command()
@click.argument("path", type=click.Path(path_type=Path))
def home(path: Path) -> None:
    """Make or list a home for Tank, the meta agent."""
    from tank.programs import home as homes

    say(homes.make(path))


@tank.command()
@click.argument("name", required=False, shell_complete=_schemas)
def schema(name: str | None) -> None:
    """List the JSON Schemas of what Tank writes, or print one."""
    from tank.programs import documents

    names = documents.names()
    if name is None:
        say(names)
    elif name in names:
        say(documents.document(name).splitlines())
    else:
        raise click.BadParameter(f"no schema is called so; there are {', '.join(names)}", param_hint="NAME")


@tank.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: Literal["bash", "zsh", "fish"]) -> None:
    """Print the script that lets a shell complete commands."""
    from tank.programs import completion as completing

    say(completing.script(shell))


@tank.command()
@click.option(
    "--key",
    "keys",
    multiple=True,
    metavar="KEY",
    help="Open the board in Pi with this key (again for another) instead of alt+t; none: only with Hyper+T.",
)
def install(*, keys: tuple[str, ...]) -> None:
    """Put Tank into Pi."""
    from tank.agent import commands
    from tank.programs import install as installing

    chosen = () if keys == ("none",) else keys
    for key in chosen:
        if not commands.is_shortcut(key):
            raise click.BadParameter(f"{key!r} is no key for this: {commands.KEY_SYNTAX}", param_hint="--key")
    say(installing.install(chosen if keys else None))


@tank.command()
def uninstall() -> None:
    """Take Tank out of Pi."""
    from tank.programs import install as installing

    say(installing.uninstall())


@tank.command()
@as_json
@click.pass_context
def doctor(context: click.Context, *, as_json: bool) -> None:
    """Check every link between Pi and Tank, and say what to do."""
    from tank.programs import doctor as examining

    checks = []
    for check in examining.examine():
        checks.append(check)
        if not as_json:
            say(examining.lines(check))
    if as_json:
        from tank.programs import listing

        say([listing.as_json([check._asdict() for check in checks])])
    context.exit(int(any(check.verdict == "bad" for check in checks)))


def main() -> NoReturn:
    """Runs `sys.argv`, or answers a shell that completes it; never returns."""
    if COMPLETING in os.environ:
        sys.stderr = Path(os.devnull).open("w")  # noqa: SIM115 - nothing may be written into a prompt
    console.run(lambda: tank.main(prog_name=NAME))
