"""How text from elsewhere is made safe to write and draw. Lengths are terminal cells, cuts fall between grapheme clusters."""

import re
import unicodedata

import wcwidth

ELLIPSIS = "…"
JOINERS = "\u200c\u200d"
"""Zero-width joiners stay: emoji families and several scripts need them."""
CLUSTER_LIMIT = 16
"""Code points of one cluster that are kept: the longest emoji family has 11, a stack of accents has no end."""

WORD = r"(?:token|key|secret|passwd|password|authorization)[\"']?"
SECRET = re.compile(
    rf"((?:{WORD}\s*[:=]\s*|(?<![a-z]){WORD}\s+)[\"']?)((?:bearer|basic|token)\s+)?([^\s\"']+)",
    re.IGNORECASE,
)
URL_USER = re.compile(r"(?<=://)[^/\s@]+(?=@)")


class _Kept(dict[int, int | None]):
    """What `str.translate` makes of a character: itself, or nothing if a terminal could obey it. Learns as it goes."""

    def __missing__(self, code: int) -> int | None:
        character = chr(code)
        is_kept = unicodedata.category(character) not in ("Cc", "Cf", "Cs") or character in "\n" + JOINERS
        if len(self) < LEARNED:
            self[code] = code if is_kept else None
        return code if is_kept else None


KEPT = _Kept()
LEARNED = 4096


def lines(text: str) -> str:
    """Text of several lines without anything a terminal would obey; ends of line become LF, lone surrogates U+FFFD."""
    if text.isascii() and text.isprintable():
        return text
    whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    whole = re.sub("\r\n?|\u2028|\u2029|\x85|\v|\f", "\n", whole).replace("\t", "    ")
    return whole.translate(KEPT)


def line(text: str) -> str:
    """The same as one line: white space runs become one space; text that would show nothing is empty."""
    flat = " ".join(lines(text).split())
    return flat if flat.isascii() or wcwidth.width(flat, control_codes="ignore") else ""


def width(text: str) -> int:
    """Cells of clean text."""
    return len(text) if text.isascii() else wcwidth.width(text, control_codes="ignore")


def clusters(text: str) -> list[str]:
    """The grapheme clusters of clean text, each cut to `CLUSTER_LIMIT` code points."""
    return list(text) if text.isascii() else [c[:CLUSTER_LIMIT] for c in wcwidth.iter_graphemes(text)]


def cut(text: str, cells: int) -> str:
    """Clean one-line text in at most `cells` cells; the cut shows as an ellipsis."""
    if text.isascii():
        return text if len(text) <= cells else text[: max(cells - 1, 0)] + ELLIPSIS[: max(cells, 0)]
    room = text[: max(cells, 0) * CLUSTER_LIMIT + CLUSTER_LIMIT]
    kept: list[str] = []
    used = 0
    for cluster in clusters(room):
        used += width(cluster)
        if used > cells:
            break
        kept.append(cluster)
    else:
        if len(room) == len(text):
            return "".join(kept)
        used = cells + 1
    while kept and width("".join(kept)) > cells - 1:
        kept.pop()
    return "".join(kept) + ELLIPSIS if cells > 0 else ""


def short(text: str, cells: int) -> str:
    """Untrusted text as one clean line of at most `cells` cells."""
    return cut(line(text[: cells * CLUSTER_LIMIT * 4]), cells)


def masked(text: str) -> str:
    """Text with the words after token, key, secret, password or authorization, and a URL's user part, as `***`."""
    return URL_USER.sub("***", SECRET.sub(lambda found: found[1] + (found[2] or "") + "***", text))
