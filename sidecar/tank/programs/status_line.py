"""`tank status`: how many sessions need the person, work or are done, for a status bar or a prompt.

It prints counts and signs of our own alone: tmux and shells act on text, and what sessions publish may be anybody's.
"""

from typing import NoReturn

from tank.board.said import GLYPHS
from tank.edges.live_directory import LiveDirectory
from tank.programs import console

COLOURS = {"needs-you": "yellow", "working": "cyan", "done": "green"}
"""The statuses that are counted, the most urgent first, and how tmux shows them."""


def main(*, tmux: bool) -> NoReturn:
    """The whole command. Status bars run it every few seconds, so it goes without click."""
    console.run(lambda: show(tmux=tmux))


def show(*, tmux: bool) -> int:
    """Prints one line, empty when nothing is to be told, `?` when no session could be read; returns the exit code."""
    roster = LiveDirectory().scan()
    unread = bool(roster.problems) and not roster.sessions
    console.say(["?" if unread else line([each.entry.status for each in roster.sessions], tmux=tmux)])
    console.complain(f"tank: {problem}" for problem in roster.problems)
    return int(unread)


def line(statuses: list[str], *, tmux: bool) -> str:
    """`● 2 ◐ 3 ✓ 1`, each part in a colour that tmux understands if it's for tmux."""
    counts = {status: statuses.count(status) for status in COLOURS}
    parts = {status: f"{GLYPHS[status]} {count}" for status, count in counts.items() if count}
    if tmux:
        return " ".join(f"#[fg={COLOURS[status]}]{part}#[default]" for status, part in parts.items())
    return " ".join(parts.values())
