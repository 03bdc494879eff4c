"""What a session is called: its name, else the first line the person asked."""

import re
from collections.abc import Iterable

from tank.records import header, text

CELLS = 120
SKILL = re.compile(r'\s*<skill name="([^"]+)"')
FILES = re.compile(r"\s*(?:<file name=[^>]*>.*?(?:</file>\s*|\Z))+", re.DOTALL)
"""Pi puts the files that were named beside a prompt before it; what is cut may end within one."""
COMMAND = re.compile(r"!|/[\w:.-]*(\s|$)")


def of_prompt(prompt: str) -> str | None:
    """The label a user text gives: None for Tank's messages, images alone, `!` and slash commands."""
    if header.begins(prompt):
        return None
    skill = SKILL.match(prompt)
    if skill:
        return text.short(f"/skill:{skill[1]}", CELLS)
    files = FILES.match(prompt)
    said = prompt[files.end() :] if files else prompt
    first = next((line for line in text.lines(said).split("\n") if text.line(line)), "")
    return None if COMMAND.match(first.lstrip()) else text.short(first, CELLS) or None


def choose(name: str | None, prompts: Iterable[str]) -> str | None:
    """The label of a session with this name and these first user texts of its branch."""
    named = text.short(name, CELLS) if name else ""
    return named or next((label for label in map(of_prompt, prompts) if label), None)
