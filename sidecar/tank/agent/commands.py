"""What Tank adds to Pi for the person, as data: command, keys, colours, sentences. Generated into `schema/tools.json`."""

import re
from collections.abc import Mapping
from typing import Final

HYPER_T: Final = "ctrl+shift+alt+super+t"
SECOND_KEYS: Final = ("alt+t",)
"""For terminals that have no Super key, which are most; `launch.json` may name others. Unused by Pi."""

BOARD: Final[Mapping[str, object]] = {
    "command": {"name": "tank", "description": "Tank's board: every Pi session you have open"},
    "keys": {"always": HYPER_T, "second": list(SECOND_KEYS), "close": "ctrl+c"},
    "opening": " Tank …",
    "looks": {
        "strong": {"bold": True},
        "dim": {"fg": "muted"},
        "selected": {"bg": "selectedBg", "bold": True},
        "selected_border": {"fg": "accent", "bold": True},
        "needs_you": {"fg": "warning", "bold": True},
        "working": {"fg": "accent"},
        "done": {"fg": "success"},
        "idle": {"fg": "muted"},
        "p0": {"fg": "error", "bold": True},
        "p1": {"fg": "warning"},
        "p2": {},
        "p3": {"fg": "muted"},
        "warning": {"fg": "warning"},
        "problem": {"fg": "error", "bold": True},
        "prompt": {"bold": True},
        "tool": {"fg": "accent"},
    },
    "notices": {
        "command": "Another extension has the command /tank too; Tank's board opens with",
        "failed": "Tank's board can't start:",
        "stopped": "Tank's board stopped. After an update: /reload; else `tank doctor` may say why.",
        "silent": "Tank's board did not answer and was closed.",
    },
}
"""`looks`: for each meaning of `board.theme.Theme` what Pi's `theme.style` takes."""

KEY_SYNTAX: Final = (
    "ctrl+, alt+ or super+ (also together, and with shift+) before a letter, a digit, a sign or a key's name, "
    "or f1 to f12: alt+t, ctrl+alt+space, f9"
)

_NAMED = "escape enter tab space backspace delete insert clear home end pageup pagedown up down left right"
_KEY: Final = re.compile(
    rf"(?P<modifiers>(?:(?:ctrl|shift|alt|super)\+)*)(?:(?P<function>f(?:[1-9]|1[0-2]))|[!-~]|{_NAMED.replace(' ', '|')})"
)


def is_shortcut(key: str) -> bool:
    """Whether Pi knows the key, and pressing it types nothing."""
    found = _KEY.fullmatch(key.lower())
    if not found:
        return False
    modifiers = found["modifiers"].split("+")[:-1]
    typed = not found["function"] and not {"ctrl", "alt", "super"} & set(modifiers)
    return not typed and len(set(modifiers)) == len(modifiers)
