"""A text being written: what the keys of an editor do to it. The cursor stands between two grapheme clusters."""

from collections.abc import Callable
from typing import NamedTuple

from tank.records import text


class Text(NamedTuple):
    """`before` and `after` the cursor; clean, with line feeds between its lines."""

    before: str = ""
    after: str = ""

    @property
    def whole(self) -> str:
        return self.before + self.after


def pasted(found: Text, more: str) -> Text:
    """With untrusted text put in at the cursor."""
    return found._replace(before=found.before + text.lines(more))


def typed(found: Text, key: str) -> Text | None:
    """What a key makes of the text; None for a key that no editor knows."""
    if key in EDITS:
        return EDITS[key](found)
    character = {"space": " ", "alt+enter": "\n", "shift+enter": "\n"}.get(key, key)
    return found._replace(before=found.before + character) if len(character) == 1 else None


def _left(found: Text) -> Text:
    clusters = text.clusters(found.before)
    return Text("".join(clusters[:-1]), "".join(clusters[-1:]) + found.after)


def _right(found: Text) -> Text:
    clusters = text.clusters(found.after)
    return Text(found.before + "".join(clusters[:1]), "".join(clusters[1:]))


def _home(found: Text) -> Text:
    lines, feed, line = found.before.rpartition("\n")
    return Text(lines + feed, line + found.after)


def _end(found: Text) -> Text:
    line, feed, lines = found.after.partition("\n")
    return Text(found.before + line, feed + lines)


def _word_back(found: Text) -> Text:
    """Up to the space before the last word, which stays."""
    head = found.before.rstrip(" ")
    at = max(head.rfind(" "), head.rfind("\n")) + 1
    return found._replace(before=head[:at] if head else "")


EDITS: dict[str, Callable[[Text], Text]] = {
    "left": _left,
    "right": _right,
    "home": _home,
    "end": _end,
    "ctrl+a": _home,
    "ctrl+e": _end,
    "backspace": lambda found: found._replace(before=_left(found).before),
    "delete": lambda found: found._replace(after=_right(found).after),
    "ctrl+w": _word_back,
    "ctrl+u": lambda found: found._replace(before=_home(found).before),
    "ctrl+k": lambda found: found._replace(after=_end(found).after),
}
