"""What the meta agent may write into his home, and what he is told of it."""

import re
from typing import NamedTuple

from tank.records import text
from tank.records.limits import NOTES_LIMIT

NOTES = "NOTES.md"
TOPIC_LIMIT_BYTES = 16 * 1024
TOPIC = re.compile(r"topics/[A-Za-z0-9_-]{1,60}\.md")
WHY_CELLS = 120
FILES = f"{NOTES}, or topics/NAME.md with a name of 1 to 60 letters (a to z), digits, - and _"


class Edit(NamedTuple):
    """A file of the home with its new text, which is clean and ends with one line break; `message` is the commit's."""

    file: str
    text: str
    message: str


class Wrong(NamedTuple):
    """Why the call can't be carried out; for the model."""

    said: str


def edit(file: object, written: object, why: object) -> Edit | Wrong:
    """What a call of `tank_notes` asks for; its arguments may be anything."""
    if file is None:
        file = NOTES
    if not isinstance(file, str) or (file != NOTES and not TOPIC.fullmatch(file)):
        return Wrong(f"file must be {FILES}. Nothing was changed.")
    if not isinstance(written, str) or not text.lines(written).strip():
        return Wrong("text must be the whole new text of the file, and isn't empty. Nothing was changed.")
    message = text.short(why, WHY_CELLS) if isinstance(why, str) else ""
    if not message:
        return Wrong("why must say in one line what changed. Nothing was changed.")
    clean = text.lines(written).strip("\n") + "\n"
    too_long = _too_long(file, clean)
    return Wrong(f"{too_long} Nothing was changed.") if too_long else Edit(file, clean, message)


def _too_long(file: str, clean: str) -> str:
    if file == NOTES and len(clean) > NOTES_LIMIT:
        over = len(clean) - NOTES_LIMIT
        return (
            f"{NOTES} would have {len(clean)} characters, {over} more than the {NOTES_LIMIT} it may have: "
            "drop what is done, and move details to a topic."
        )
    size_bytes = len(clean.encode())
    if size_bytes > TOPIC_LIMIT_BYTES:
        return (
            f"{file} would have {size_bytes} bytes, and may have {TOPIC_LIMIT_BYTES}: make two topics of it."
        )
    return ""


def section(shown: str, problem: str) -> str:
    """The notes in the prompt; `problem` says what is wrong with the file."""
    return "\n\n".join(part for part in (shown.strip(), f"({problem})" if problem else "") if part)


def written(edit: Edit, *, kept: bool) -> str:
    """`kept`: what the person had changed and not committed got a commit of its own before."""
    size = f", {len(edit.text)} of {NOTES_LIMIT} characters" if edit.file == NOTES else ""
    before = " What the person had changed by hand is in the commit before it." if kept else ""
    return f"{edit.file} is replaced{size}, committed as: {edit.message}.{before}"


def unchanged(file: str) -> str:
    return f"{file} says this already. Nothing was changed."


def changed(file: str, current: str) -> str:
    """The file isn't what the model was shown: it gets the text to merge, as the last thing said, unless that is too long."""
    size_bytes = len(current.encode("utf-8", "replace"))
    if size_bytes > TOPIC_LIMIT_BYTES:
        return (
            f"Nothing of yours was written: {file} isn't what you were last shown, and has {size_bytes} bytes, more than "
            f"the {TOPIC_LIMIT_BYTES} that can be shown here. Read it in parts, and ask the person to shorten or split it."
        )
    return (
        f"Nothing of yours was written: {file} isn't what you were last shown. Somebody, most likely the person, wrote "
        f"it since, or you hadn't read it. Below is its text now. Merge, keep what the person wrote, and call again.\n\n{current}"
    )


def refused(file: str, why: str) -> str:
    return f"{file} was not changed: {why}."
