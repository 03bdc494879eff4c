"""The first line of a message that Tank delivers. One predicate knows all its forms; label, guard and peek use it."""

import re
from typing import NamedTuple

from tank.records import text

WORD_CELLS = 60
"""Cells of a project's or a session's name in a header."""

PERSON = "[Message sent with tank, not by a session]"
BEGINNINGS = (
    "[Message from another Pi session (project ",
    "[Message from another Pi session (unverified: says project ",
    PERSON,
)
QUOTED = re.compile(r"^(?=\[Message )", re.MULTILINE)


class Sender(NamedTuple):
    """Who sent a message; `verified` by the peer's credentials, else only by its own word."""

    project: str
    label: str
    verified: bool


def _word(value: str) -> str:
    return text.short(re.sub(r"[\[\]()\r\n]", " ", value), WORD_CELLS)


def compose(sender: Sender | None, body: str) -> str:
    """The whole text that Pi gets; without a sender it came from a terminal or the board."""
    if sender is None:
        first = PERSON
    else:
        said = "" if sender.verified else "unverified: says "
        first = f"[Message from another Pi session ({said}project {_word(sender.project)}, session {_word(sender.label)})]"
    return f"{first}\n\n{QUOTED.sub('> ', body)}"


def begins(prompt: str) -> bool:
    """Whether a prompt begins with a Tank header, blank space before it ignored."""
    return prompt.lstrip().startswith(BEGINNINGS)
