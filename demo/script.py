"""What the scripted model answers, read from the prompt itself. Pure.

A prompt is a script from its first line that begins with one of these words; any other is answered `You said: …`.

    say TEXT              the text
    slow SECONDS [TEXT]   the text, spread over so long
    wait SECONDS          nothing for so long, also before the first word
    hold NAME             nothing until `release(NAME)`
    huge CHARACTERS       so much text
    call TOOL {JSON}      a call of the tool with these arguments
    usage TOKENS          report so many prompt tokens instead of an estimate
    status CODES [TEXT]   answer with these HTTP codes, one a request, the last one for ever: `status 529,529,200`
    cut                   break the connection in the middle of the answer
    ring TARGET…          call send_to_session for the first target with the same ring, its targets rotated by one

` + ` or an end of line joins parts of one answer (two calls so joined run in parallel); ` ; ` begins the next
answer, which is given once the tools of the one before have run. After the last one a tool's result is answered
`The tool said: …`. The header of a message that Tank delivered is skipped: its body decides. A request for a
summary (compaction, /tree) is answered by what follows the command: `/compact slow 3`.
"""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass

from tank.records import header

SUMMARY = re.compile(r"\A(<conversation>|# Conversation)\n")
FOCUS = re.compile(r"^Additional focus: (.*)\Z", re.MULTILINE | re.DOTALL)
SLOW_TEXT = "I'll start with the lexer, then the parser, then the tests that hold both to the old behaviour."


@dataclass(frozen=True)
class Say:
    text: str
    over_s: float = 0


@dataclass(frozen=True)
class Wait:
    seconds: float


@dataclass(frozen=True)
class Hold:
    name: str


@dataclass(frozen=True)
class Call:
    tool: str
    arguments: dict[str, object]


@dataclass(frozen=True)
class Usage:
    tokens: int


@dataclass(frozen=True)
class Status:
    codes: tuple[int, ...]
    text: str


@dataclass(frozen=True)
class Cut:
    pass


Part = Say | Wait | Hold | Call | Usage | Status | Cut
Answer = tuple[Part, ...]


def answers(prompt: str) -> tuple[Answer, ...]:
    """The answers that a prompt asks for, in order; never empty."""
    text = rest = body(prompt)
    while rest:
        try:
            return _script(rest)
        except (ValueError, IndexError):
            rest = rest.partition("\n")[2]
    return ((Say(f"You said: {text}"),),)


def body(prompt: str) -> str:
    """The part of a prompt that decides: without Tank's header, and of a request for a summary only its focus."""
    if SUMMARY.match(prompt):
        focus = FOCUS.search(prompt)
        return focus[1].strip() if focus else "say The conversation so far, in one line."
    if header.begins(prompt):
        return prompt.partition("\n\n")[2].strip()
    return prompt.strip()


def _script(text: str) -> tuple[Answer, ...]:
    """Raises ValueError or IndexError when the text is no script."""
    rounds: list[Answer] = []
    parts: list[Part] = []
    rest = text
    while True:
        word = rest.split(None, 1)[0]
        part, rest = WORDS[word](rest[len(word) :]) if word in WORDS else _unknown(word)
        parts.append(part)
        joint = re.match(r"\s*(?:([+;])\s+|\Z)|\s*\n\s*", rest)
        if joint is None:
            raise ValueError(f"what follows {word} can't be read: {rest}")
        rest = rest[joint.end() :]
        if joint[1] == ";" or not rest:
            rounds.append(tuple(parts))
            parts = []
        if not rest:
            return tuple(rounds)


def _unknown(word: str) -> tuple[Part, str]:
    raise ValueError(f"{word} is no word of a script")


def _words(rest: str) -> tuple[str, str]:
    """Free text up to the next joint, and what follows it."""
    found = re.search(r"(?: [+;] |\n|\Z)", rest)
    end = found.start() if found else len(rest)
    return rest[:end].strip(), rest[end:]


def _say(rest: str) -> tuple[Part, str]:
    text, rest = _words(rest)
    return Say(text), rest


def _slow(rest: str) -> tuple[Part, str]:
    text, rest = _words(rest)
    seconds, _, text = text.partition(" ")
    return Say(text or SLOW_TEXT, float(seconds)), rest


def _wait(rest: str) -> tuple[Part, str]:
    text, rest = _words(rest)
    return Wait(float(text)), rest


def _hold(rest: str) -> tuple[Part, str]:
    text, rest = _words(rest)
    return Hold(text), rest


def _huge(rest: str) -> tuple[Part, str]:
    text, rest = _words(rest)
    line = "All work and no play makes a long answer. " * 3 + "\n"
    return Say((line * (int(text) // len(line) + 1))[: int(text)]), rest


def _call(rest: str) -> tuple[Part, str]:
    tool, _, rest = rest.lstrip().partition(" ")
    arguments, end = json.JSONDecoder().raw_decode(rest)
    if not isinstance(arguments, dict):
        raise ValueError("a tool's arguments are an object")
    return Call(tool, arguments), rest[end:]


def _usage(rest: str) -> tuple[Part, str]:
    text, rest = _words(rest)
    return Usage(int(text)), rest


def _status(rest: str) -> tuple[Part, str]:
    text, rest = _words(rest)
    codes, _, text = text.partition(" ")
    return Status(tuple(int(code) for code in codes.split(",")), text), rest


def _cut(rest: str) -> tuple[Part, str]:
    return Cut(), rest


def _ring(rest: str) -> tuple[Part, str]:
    text, rest = _words(rest)
    first, *others = text.split()
    message = " ".join(["ring", *others, first])
    return Call("send_to_session", {"to": first, "message": message}), rest


WORDS: dict[str, Callable[[str], tuple[Part, str]]] = {
    "say": _say,
    "slow": _slow,
    "wait": _wait,
    "hold": _hold,
    "huge": _huge,
    "call": _call,
    "usage": _usage,
    "status": _status,
    "cut": _cut,
    "ring": _ring,
}
