"""Completion of `tank …` in shells: click's scripts, and the sessions that a TARGET can name.

A shell acts on what stands on its command line, and what sessions publish may be anybody's: only plain words are offered.
"""

import os
import re
from contextlib import suppress
from typing import Literal

from click.core import Context, Parameter
from click.shell_completion import CompletionItem, get_completion_class

from tank.board.said import WORDS
from tank.errors import NoSuchSessionError
from tank.programs import documents, listing
from tank.programs.command_line import COMPLETING, NAME, tank
from tank.roster import target
from tank.roster.groups import project
from tank.roster.roster import Session

Shell = Literal["bash", "zsh", "fish"]

PLAIN = re.compile(r"\w[\w ./+-]*")
"""What no shell reads as more than words. Not `:` and `=`, where bash breaks words, nor `,`, which click's scripts split."""

OPEN_QUOTE = re.compile(r"""\s(["'])(?!.*\1)""")
"""In bash's words: inside quotes a blank needs no backslash."""


def script(shell: Shell) -> list[str]:
    return get_completion_class(shell)(tank, {}, NAME, COMPLETING).source().splitlines()


def sessions(context: Context, parameter: Parameter, incomplete: str) -> list[CompletionItem[str]]:  # noqa: ARG001 - click's
    """Each session by its label, else its id, else its pid: the first that fits, is plain, and names it alone."""
    found = listing.read().sessions
    named = zip(found, target.shown_ids(found), strict=True)
    return [item for session, identity in named if (item := _item(session, identity, found, incomplete))]


def schemas(context: Context, parameter: Parameter, incomplete: str) -> list[CompletionItem[str]]:  # noqa: ARG001 - click's
    return [CompletionItem(name) for name in documents.names() if name.startswith(incomplete)]


def _item(
    session: Session, identity: str, found: tuple[Session, ...], incomplete: str
) -> CompletionItem[str] | None:
    entry = session.entry
    label = entry.label or ""
    for word in (label, identity, str(entry.pid)):
        if word.startswith(incomplete) and PLAIN.fullmatch(word) and _is_named(session, word, found):
            told = [WORDS[entry.status], project(entry)[1], "" if word == label else label]
            return CompletionItem(_typed(word), help=" · ".join(filter(None, told)))
    return None


def _is_named(session: Session, word: str, found: tuple[Session, ...]) -> bool:
    with suppress(NoSuchSessionError):
        return target.resolve(word, found) is session
    return False


def _typed(word: str) -> str:
    """As the shell wants it: bash as it would be typed, the others quote it themselves."""
    if not os.environ[COMPLETING].startswith("bash") or OPEN_QUOTE.search(os.environ["COMP_WORDS"]):
        return word
    return word.replace(" ", r"\\ ")  # click's script reads one of the two backslashes away
