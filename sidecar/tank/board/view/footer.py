"""The last line says what can be pressed; where the person is asked or writes, it is where they do."""

from collections.abc import Iterator, Sequence

from tank.board import cells, said
from tank.board.bindings import BINDINGS, COPIES, Act
from tank.board.cells import Piece
from tank.board.layout import MOST_WRITTEN_ROWS, shows_notice
from tank.board.state import Draft, Mode, Size, State, is_own, session
from tank.board.theme import Theme
from tank.board.view.title import left
from tank.records.entry import Entry

CURSOR = "▏"
PEEK_HINT = ("PgUp PgDn", "scroll")
ALWAYS = (Act.REFRESH, Act.HELP, Act.BACK)
"""What can be done with no session."""
HEAD = "─ message to "
WRITING = ("Alt+Enter new line", "Enter send", "Esc put away")
STEERS = {"follow_up": "Tab steer instead", "steer": "Tab follow up instead"}


def footer(state: State, size: Size, theme: Theme) -> list[str]:
    """Exactly `size.rows` lines."""
    if state.mode is Mode.MESSAGE and state.draft and size.rows > 1:
        return _message(state, state.draft, size, theme)
    if shows_notice(state) and size.rows:
        told = cells.wrapped(state.notice, max(size.columns - 2, 1), size.rows)
        return [cells.join([Piece(f" {line}", theme.warning)], size.columns) for line in told][: size.rows]
    pieces = _line(state, size.columns, theme)
    return [cells.join(pieces, size.columns)][: size.rows]


def _line(state: State, columns: int, theme: Theme) -> list[Piece]:
    """The question being asked, else the last notice, else the keys to know."""
    if state.mode is Mode.MESSAGE and state.draft:
        return [
            Piece(" › ", theme.strong),
            Piece(state.draft.text.before[-columns + 5 :]),
            Piece(CURSOR, theme.strong),
        ]
    if state.mode is Mode.FILTER:
        words = cells.clean(state.filter, columns) + " " * state.filter.endswith(" ")
        return [
            Piece(" /", theme.strong),
            Piece(words),
            Piece(CURSOR, theme.strong),
            Piece(f" {left(state)}   Enter keep   Esc drop", theme.dim),
        ]
    if state.mode is Mode.PRIORITY:
        return [Piece(" priority: ", theme.strong), Piece("0 1 2 3, - for none   Esc cancel", theme.dim)]
    if state.mode is Mode.COPY:
        choices = "   ".join(f"{key} {what}" for key, what in COPIES.items())
        return [Piece(" copy: ", theme.strong), Piece(f"{choices}   Esc cancel", theme.dim)]
    if state.mode is Mode.HELP:
        return [Piece(" ↑↓ scroll   Esc back", theme.dim)]
    return [Piece(" " + _hints(state, columns - 2), theme.dim)]


def _message(state: State, draft: Draft, size: Size, theme: Theme) -> list[str]:
    """A rule that names the receiver, the end of what was written around the cursor, and what the keys do."""
    chosen = session(state, draft.to)
    serves = chosen is not None and chosen.entry.session_id == draft.session_id
    name = state.listed.labels[chosen.file] if chosen and serves else draft.session_id[:8]
    becomes = f" · {_becomes(chosen.entry if chosen and serves else None, draft)} "
    what = becomes if cells.width(becomes) + 30 <= size.columns else " "
    name = cells.clean(name, max(size.columns - cells.width(what) - len(HEAD), 0))
    rest = max(size.columns - cells.width(what) - cells.width(name) - len(HEAD), 0)
    rule = [Piece(HEAD, theme.dim), Piece(name, theme.strong), Piece(what + "─" * rest, theme.dim)]
    room, rows = max(size.columns - 4, 1), min(size.rows - 2, MOST_WRITTEN_ROWS)
    lines, at = _broken(draft, room)
    first = max(min(at - rows + 1, len(lines) - rows), 0)
    written = [
        cells.join([Piece(" › " if not place + first else "   ", theme.strong), Piece(line)], size.columns)
        for place, line in enumerate(lines[first : first + rows])
    ]
    works = chosen is not None and chosen.entry.status == "working"
    hints = (*([STEERS[draft.mode]] if works else []), *WRITING)
    last = cells.clean(state.notice, size.columns) if state.notice else _fitting(hints, size.columns - 2)
    end = cells.join([Piece(f" {last}", theme.warning if state.notice else theme.dim)], size.columns)
    return [cells.join(rule, size.columns), *written, *[""] * (rows - len(written)), end]


def _becomes(entry: Entry | None, draft: Draft) -> str:
    """What a session in this status will do with the message."""
    if entry is None:
        return "it has ended: nothing can be sent"
    if said.asks(entry):
        return "no answer to its question: read after that"
    if entry.status != "working":
        return "it rests and starts on it"
    return "steer: read within its run" if draft.mode == "steer" else "follow-up: read when its run is over"


def _broken(draft: Draft, room: int) -> tuple[list[str], int]:
    """The text with its cursor as lines that fit, and the line that holds the cursor."""
    lines: list[str] = []
    at = 0
    for part in (draft.text.before + CURSOR + draft.text.after).split("\n"):
        line = ""
        for cluster in cells.clusters(part):
            if cells.width(line) + cells.width(cluster) > room:
                lines.append(line)
                line = ""
            line += cluster
        lines.append(line)
    for place, line in enumerate(lines):
        if CURSOR in line:
            at = place
    return lines, at


def _hints(state: State, room: int) -> str:
    """All of them, by their first words alone where they don't fit; then as many as do, and the way out last."""
    shown = list(_hinted(state))
    whole = [f"{key} {hint}" for key, hint in shown]
    for gap in ("   ", "  "):
        if cells.width(gap.join(whole)) <= room:
            return gap.join(whole)
    return _fitting([f"{key} {hint.split()[0]}" for key, hint in shown], room, least=-3, gap=2)


def _hinted(state: State) -> Iterator[tuple[str, str]]:
    chosen = session(state, state.selected)
    for binding in BINDINGS:
        act = binding.act
        if not binding.hint or (not chosen and not (state.filter if act is Act.FILTER else act in ALWAYS)):
            continue
        if act is Act.REFRESH and not (state.roster.problems and not chosen):
            continue
        if act is Act.COPY and chosen and chosen.entry.status == "needs-you":
            continue  # beside a question, y would be read as yes
        if act is Act.PEEK and state.peeked:
            yield PEEK_HINT
        elif act is Act.SHOW and chosen and is_own(state, chosen):
            yield "Enter", "show it"
        else:
            yield binding.shown.split()[0], _back(state) if act is Act.BACK else binding.hint


def _fitting(hints: Sequence[str], room: int, *, least: int = 0, gap: int = 3) -> str:
    """As many as fit; `least` is the place of the one that goes first. The last one stays."""
    shown = list(hints)
    while len(shown) > 1 and cells.width((" " * gap).join(shown)) > room:
        shown.pop(least if -least <= len(shown) else 0)
    return (" " * gap).join(shown)


def _back(state: State) -> str:
    if state.peeked:
        return "close the peek"
    return "drop the filter" if state.filter else "close the board"
