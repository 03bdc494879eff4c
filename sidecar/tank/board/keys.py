"""Bytes from a terminal become keys: legacy, kitty (CSI u) and modifyOtherKeys forms.

What is no key press (releases, bare modifiers, mouse, focus, a terminal's answers) becomes nothing, and nothing
unknown takes what follows with it. The caller owns the time: `final` says that no more bytes came in good time.
"""

import re
from typing import NamedTuple

PASTE_LIMIT_BYTES = 64 * 1024
"""A longer paste comes in parts, so that one without an end costs bounded memory."""
STRING_LIMIT_BYTES = 4096
"""Bytes of a terminal's answer that are waited for; what claims to be longer is no answer."""

PASTE_BEGIN, PASTE_END = b"\x1b[200~", b"\x1b[201~"
PASTE_MORE = b"\x1b[200;0~"
"""Put before what follows the first part of a long paste."""
CSI = re.compile(rb"\x1b\[([<=>?]?)([0-9:;]*)([ -/]*)([@-~])")
CSI_BEGUN = re.compile(rb"\x1b\[[0-?]*[ -/]*\Z")
CSI_BROKEN = re.compile(rb"\x1b\[[0-?]*[ -/]*")
RXVT_SHIFT = re.compile(rb"\x1b\[([0-9]+)\$")
STRING_STOP = re.compile(rb"[\x07\x1b]")
STRING_BEGINS = b"P]X^_"

LETTERS = {
    "A": "up",
    "B": "down",
    "C": "right",
    "D": "left",
    "F": "end",
    "H": "home",
    "M": "enter",
    "P": "f1",
    "Q": "f2",
    "S": "f4",
}
NUMBERS = {
    1: "home",
    2: "insert",
    3: "delete",
    4: "end",
    5: "pageup",
    6: "pagedown",
    7: "home",
    8: "end",
    **{number: f"f{place}" for place, number in enumerate((11, 12, 13, 14, 15), 1)},
    **{number: f"f{place}" for place, number in enumerate((17, 18, 19, 20, 21, 23, 24), 6)},
}
CODES = {8: "backspace", 9: "tab", 10: "enter", 13: "enter", 27: "escape", 32: "space", 127: "backspace"}
ARROWS = ("left", "right", "up", "down")
KEYPAD = dict(
    zip(
        range(57399, 57427),
        (
            *"0123456789./*-+",
            "enter",
            "=",
            ",",
            *ARROWS,
            "pageup",
            "pagedown",
            "home",
            "end",
            "insert",
            "delete",
        ),
        strict=True,
    )
)
PRIVATE_USE = range(0xE000, 0xF900)
MODIFIERS = ((1, "shift"), (4, "ctrl"), (2, "alt"), (8, "super"), (16, "hyper"), (32, "meta"))
RELEASE = 3
OTHER_KEYS = 27
RXVT = {"~": 1, "^": 5, "@": 6}
"""Last letters of a numbered key, and the modifiers that rxvt says with them."""


class Key(NamedTuple):
    """One key press. A printable character is its own name, except `space`; others are named as Pi's `parseKey` does."""

    name: str


class Pasted(NamedTuple):
    """Text that the terminal says was pasted, or with `in_parts` a part of one that is too long. Untrusted."""

    text: str
    in_parts: bool = False


def decode(data: bytes, *, final: bool = False) -> tuple[list[Key | Pasted], bytes]:
    """The keys in `data`, and the bytes to put before the next read because they may be the beginning of a key."""
    found: list[Key | Pasted] = []
    while data:
        event, taken = _next(data, final=final)
        if not taken:
            break
        if event:
            found.append(event)
        data = data[taken:]
        if isinstance(event, Pasted) and not data.startswith(PASTE_END):
            data = PASTE_MORE + data
        elif isinstance(event, Pasted):
            data = data[len(PASTE_END) :]
    return found, data


def _next(data: bytes, *, final: bool) -> tuple[Key | Pasted | None, int]:
    """The first event and the bytes that it took; 0 when more bytes are needed to tell."""
    for begin in (PASTE_BEGIN, PASTE_MORE):
        if data.startswith(begin):
            return _pasted(data, begin)
    if data[0] == 0x1B:
        return _escape(data, final=final)
    if data[0] < 0x20 or data[0] == 0x7F:
        return _control(data[0]), 1
    return _character(data, final=final)


def _pasted(data: bytes, begin: bytes) -> tuple[Pasted | None, int]:
    """The text up to the end of the paste, which stays in place for `decode` to see."""
    end, in_parts = data.find(PASTE_END), begin is PASTE_MORE
    if end < 0:
        if len(data) < PASTE_LIMIT_BYTES:
            return None, 0
        end, in_parts = len(data) - len(PASTE_END), True
    return Pasted(data[len(begin) : end].decode(errors="replace"), in_parts), end


def _control(byte: int) -> Key:
    if byte in CODES:
        return Key(CODES[byte])
    if byte == 0:
        return Key("ctrl+space")
    return Key("ctrl+" + chr(byte | 0x60 if byte < 0x1B else byte | 0x40))


def _character(data: bytes, *, final: bool) -> tuple[Key | None, int]:
    """One code point of UTF-8; a byte that begins none is dropped alone."""
    first = data[0]
    length = 1 if first < 0x80 else 2 if 0xC2 <= first < 0xE0 else 3 if 0xE0 <= first < 0xF0 else 4
    if first in range(0x80, 0xC2) or first > 0xF4:
        return None, 1
    for size in range(2, min(length, len(data)) + 1):
        if data[size - 1] & 0xC0 != 0x80:
            return None, size - 1
    if len(data) < length:
        return None, len(data) if final else 0
    try:
        return _printable(data[:length].decode()), length
    except UnicodeDecodeError:
        return None, 1


def _printable(character: str) -> Key | None:
    if character == " ":
        return Key("space")
    return Key(character) if character.isprintable() else None


def _escape(data: bytes, *, final: bool) -> tuple[Key | None, int]:
    if len(data) == 1:
        return (Key("escape"), 1) if final else (None, 0)
    second = data[1:2]
    if second == b"\x1b":
        return Key("escape"), 1
    if second == b"[":
        return _csi(data, final=final)
    if second == b"O":
        return _ss3(data, final=final)
    if second in STRING_BEGINS:
        return _string(data, final=final)
    key, taken = _next(data[1:], final=final)
    if not taken:
        return None, 0
    return (Key(_named("alt", key.name)) if isinstance(key, Key) else None), taken + 1


def _named(modifier: str, name: str) -> str:
    return f"ctrl+{modifier}+{name[5:]}" if name.startswith("ctrl+") else f"{modifier}+{name}"


def _ss3(data: bytes, *, final: bool) -> tuple[Key | None, int]:
    """ESC O and a letter: keys of a terminal in application mode."""
    if len(data) == 2:
        return (Key("alt+O"), 2) if final else (None, 0)
    third = chr(data[2])
    name = LETTERS.get(third) or {"R": "f3", "X": "="}.get(third)
    if name:
        return Key(name), 3
    if "j" <= third <= "y":
        return Key("*+,-./0123456789"[ord(third) - ord("j")]), 3
    return Key("alt+O"), 2


def _string(data: bytes, *, final: bool) -> tuple[Key | None, int]:
    """A terminal's answer up to its end or to the escape that cuts it off; ESC and the letter alone is a key with alt."""
    stop = STRING_STOP.search(data, 2)
    if stop and stop[0] == b"\x07":
        return None, stop.end()
    if stop and data[stop.end() : stop.end() + 1] == b"\\":
        return None, stop.end() + 1
    waits = not stop or stop.end() == len(data)
    if waits and not final and len(data) <= STRING_LIMIT_BYTES:
        return None, 0
    taken = stop.start() if stop else len(data)
    return (Key("alt+" + chr(data[1])) if taken == 2 else None), taken


def _csi(data: bytes, *, final: bool) -> tuple[Key | None, int]:
    shifted = RXVT_SHIFT.match(data)
    if shifted:
        return _modified(NUMBERS.get(_number(shifted[1])), 2), shifted.end()
    match = CSI.match(data)
    if not match:
        if CSI_BEGUN.match(data) and not final and len(data) <= STRING_LIMIT_BYTES:
            return None, 0
        broken = CSI_BROKEN.match(data)
        return (Key("alt+[") if len(data) == 2 else None), broken.end() if broken else 2
    private, parameters, between, last = match[1], match[2].decode(), match[3], match[4].decode()
    if last == "M" and not parameters and not private:
        return _fixed(data, match.end(), 3, final=final)
    if last == "[":
        return _fixed(data, match.end(), 1, final=final)
    if private or between:
        return None, match.end()
    return _sequence(parameters, last), match.end()


def _fixed(data: bytes, start: int, more: int, *, final: bool) -> tuple[Key | None, int]:
    """A sequence with bytes after its last letter: an old mouse report, or the Linux console's F1 to F5."""
    if len(data) < start + more:
        return None, len(data) if final else 0
    name = f"f{data[start] - 0x40}" if more == 1 and data[start] in b"ABCDE" else ""
    return (Key(name) if name else None), start + more


def _sequence(parameters: str, last: str) -> Key | None:
    fields = [[_number(part) for part in field.split(":")] for field in parameters.split(";")]
    modifiers, kind = (fields[1] + [0])[:2] if len(fields) > 1 else (0, 0)
    if kind == RELEASE:
        return None
    if last == "u":
        return _coded(fields, modifiers)
    if last == "Z":
        return Key("shift+tab")
    if last == "~" and fields[0][0] == OTHER_KEYS and len(fields) > 2:
        return _coded([fields[2]], modifiers)
    if last in RXVT:
        return _modified(NUMBERS.get(fields[0][0]), modifiers or RXVT[last])
    if last in LETTERS and last != "M" and fields[0][0] <= 1:
        return _modified(LETTERS[last], modifiers)
    return None


def _coded(fields: list[list[int]], modifiers: int) -> Key | None:
    """A key by its code point: `code:shifted:base ; modifiers:event ; text`."""
    code, shifted, base = (fields[0] + [0, 0])[:3]
    bits = max(modifiers - 1, 0)
    if code in KEYPAD:
        return _modified(KEYPAD[code], modifiers)
    if code in CODES:
        return _modified(CODES[code], modifiers)
    if code < 0x20 or code in PRIVATE_USE or code > 0x10FFFF:
        return None
    text = "".join(map(chr, (point for point in fields[2] if point < 0x110000))) if len(fields) > 2 else ""
    if not bits & 0b111110:
        character = text or (chr(shifted or code) if bits & 1 and shifted < 0x110000 else chr(code))
        if bits & 1 and not shifted and not text:
            character = character.upper()
        return _printable(character) if len(character) == 1 else None
    return _modified(_letter(code, base), modifiers)


def _letter(code: int, base: int) -> str | None:
    """With ctrl, alt or super a key counts by its place on a Latin keyboard."""
    character = chr(base if code > 0x7F and 0x20 < base < 0x7F else code)
    return character.lower() if character.isprintable() else None


def _modified(name: str | None, modifiers: int) -> Key | None:
    bits = max(modifiers - 1, 0)
    return Key("".join(f"{word}+" for bit, word in MODIFIERS if bits & bit) + name) if name else None


def _number(digits: str | bytes) -> int:
    """A parameter; 0 when absent or absurd."""
    return int(digits) if digits and len(digits) < 9 else 0
