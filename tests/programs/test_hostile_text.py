"""Whatever others wrote is text and nothing more to the terminal, in columns that stay columns: by the raw bytes, and by what tmux makes of them."""

import json
import re
from dataclasses import astuple
from pathlib import Path
from typing import Any

import pytest

from tank.board import theme
from tank.board.cells import RESET
from tank.edges.tty import BEGIN, END, ENTER, LEAVE
from tests.support.desk import Desk
from tests.support.emulator import Emulator
from tests.support.terminal import Terminal
from tests.support.terminal_board import OLD, board

EVIL = (
    "\x1b]52;c;eA==\x07\x1b[2J\x1b[35m\x1b[9;9H\x1b[?1049l\x1bP1$q\x1b\\\x1bc\x9b31m\x9d0;title\x9c\x90q\x9c\x07\r\n\b\x7f\x0e\x00"
    "\u202e\u2066\u200b\u200e\u2028\ufeff#(touch x)#{pane_id}$(touch y)"
)
WIDE = {
    "ideographs": "家族計画" * 30,
    "families": "👨‍👩‍👧‍👦 fam " * 30,
    "flags": "🇩🇪🇫🇷 flag " * 30,
    "keycaps": "1️⃣2️⃣ keys " * 30,
    "variants": "❤️☀️✔️ heart " * 30,
    "stacks": "e" + "\u0301" * 90 + " Z̸̧̢̛͇̗̩ stack " * 20,
    "skins": "👍🏽👩🏽‍💻 skin " * 30,
    "conjuncts": "क्षत्रिय हिन्दी " * 30,
    "thai": "ภาษาไทยกำ " * 30,
    "hangul": "한국어 각 " * 30,
    "bidi": "سلام עברית " * 30,
    "tabs": "a\tb\tc " * 30,
    "nothing": "\u200b\u200d\u200e\u2060",
    "long": "x" * 40_000,
}
LOOKS = "|".join(re.escape(look) for look in {*astuple(theme.COLOURS), RESET} if look)
TEXT = r"[^\x00-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufffe\ud800-\udfff]"
LINE = rf"\x1b\[[0-9]+;1H\x1b\[2K(?:{TEXT}|\x1b\[[0-9]+G|{LOOKS})*"
WRITTEN = re.compile(rf"(?:{re.escape(BEGIN)}(?:{LINE})*{re.escape(END)})*")


def only_frames(terminal: Terminal) -> str:
    """What the board wrote between taking the terminal and giving it back."""
    written = terminal.written.decode()
    assert written.startswith(ENTER)
    assert written.endswith(LEAVE)
    return written.removeprefix(ENTER).removesuffix(LEAVE)


def prompted(text: str, reply: str, tool: str) -> str:
    """A transcript as Pi writes it."""
    call = {"type": "toolCall", "id": "t", "name": tool, "arguments": {"command": tool, tool: reply}}
    said = [
        {"role": "user", "content": text},
        {"role": "assistant", "content": [{"type": "text", "text": reply}, call]},
        {
            "role": "toolResult",
            "toolCallId": "t",
            "toolName": tool,
            "isError": True,
            "content": [{"type": "text", "text": text}],
        },
    ]
    records = [
        {
            "type": "message",
            "id": str(at),
            "parentId": str(at - 1) if at else None,
            "timestamp": OLD,
            "message": each,
        }
        for at, each in enumerate(said)
    ]
    return "".join(json.dumps(record) + "\n" for record in records)


def told(evil: str) -> dict[str, Any]:
    """Every text of an entry, each with its own beginning."""
    names = (
        "label",
        "cwd",
        "statusDetail",
        "activity",
        "lastReply",
        "model",
        "tank",
        "sessionId",
        "processStart0",
    )
    nested = {
        "project": {"key": f"key{evil}", "name": f"name{evil}"},
        "recap": {"text": f"recap{evil}", "at": OLD},
        "terminal": {
            "program": f"program{evil}",
            "tty": f"/dev/{evil}",
            "tmux": {"socket": f"/t{evil}", "pane": f"%1{evil}"},
        },
    }
    return {name: f"{name}{evil}" for name in names} | nested


@pytest.mark.parametrize("columns", [200, 80, 40, 20, 7, 1])
def test_of_hostile_text_nothing_reaches_the_terminal_but_what_can_be_seen(
    desk: Desk, tmp_path: Path, columns: int
) -> None:
    file = tmp_path / f"session{EVIL.translate({0: None})}.jsonl"
    file.write_text(prompted(f"prompt{EVIL}", f"reply{EVIL}" + "x" * 100_000, f"tool{EVIL}"))
    needy = desk.session(**told(EVIL) | {"status": "needs-you", "sessionFile": str(file), "statusSince": OLD})
    needy.listen(lambda _: {"ok": False, "error": f"refused{EVIL}"})
    for status in ("idle", "working", "done"):
        desk.session(
            **told(EVIL),
            status=status,
            statusSince=OLD,
            recent=[{"status": "idle", "detail": EVIL, "at": OLD}],
        )
    pasted = f"\x1b[200~draft{EVIL}\x1b[201~".encode()
    with board(desk, columns, 40) as terminal:
        for keys in (
            b" ",
            b"\x1b[5~" * 50,
            b"p1",
            b"m" + pasted,
            b"\r",
            b"/" + pasted,
            b"\x1b[27u",
            b"?",
            b"\x1b[27u",
            b"GgjlG",
            b"\r",
            b"r",
        ):
            before = terminal.mark()
            terminal.type(keys)
            if columns >= 20:
                terminal.until(END.encode(), before)
        terminal.type("\x03")
        assert terminal.ended() == 0
    frames = only_frames(terminal)
    assert WRITTEN.fullmatch(frames)
    if columns == 200:
        for seen in (
            "statusDetail]52",
            "prompt]52",
            "reply]52",
            "draft]52",
            "refused]52",
            "recap]52",
            "name]52",
        ):
            assert seen in re.sub(LOOKS, "", frames), seen


def measured(
    desk: Desk, folder: Path, size: tuple[int, int], keys: str, shown: str, marks: str
) -> list[list[int]]:
    """In which columns of each line tmux shows these marks, once the keys were typed and this was shown."""
    for at, (name, wide) in enumerate({"plain": "words", **WIDE}.items()):
        label, reply = f"{name} {wide}"[: size[0]], f"§{wide}"
        desk.session(
            label=label, lastReply=reply, statusSince=OLD, startedAt=f"2026-07-01T10:00:{at:02}Z"
        ).listen(lambda _: None)
    with board(desk, *size, NO_COLOR="1") as terminal:
        terminal.until(END.encode())
        terminal.type(keys)
        terminal.until(shown)
        written = bytes(terminal.written)
    with Emulator(folder, written, *size) as emulator:
        return emulator.columns_of(marks)


@pytest.mark.parametrize(("columns", "across"), [(200, 3), (120, 2)])
def test_the_borders_of_cards_stand_below_each_other(
    desk: Desk, tmp_path: Path, columns: int, across: int
) -> None:
    lines = measured(desk, tmp_path, (columns, 60), "", "plain words", "╭╮╔╗│║╰╯╚╝")
    cards = [line for line in lines if line]
    assert len(cards) == 6 * -(-(len(WIDE) + 1) // across)
    whole = cards[0]
    assert len(whole) == 2 * across
    assert all(line == whole[: len(line)] for line in cards)


@pytest.mark.parametrize("columns", [160, 80])
def test_the_reasons_of_rows_stand_below_each_other(desk: Desk, tmp_path: Path, columns: int) -> None:
    rows = measured(desk, tmp_path, (columns, 24), "", "plain words", "§")[3:][: len(WIDE) + 1]
    assert len({tuple(row) for row in rows}) == 1
    assert rows[0]


def test_the_rule_beside_the_peek_is_straight(desk: Desk, tmp_path: Path) -> None:
    lines = measured(desk, tmp_path, (200, 30), " ", "no prompt yet", "│")
    rules = [line for line in lines if line]
    assert len(rules) >= 20
    assert len({line[-1] for line in rules}) == 1


@pytest.mark.parametrize("columns", [40, 20])
def test_a_narrow_row_ends_within_its_line(desk: Desk, tmp_path: Path, columns: int) -> None:
    lines = measured(desk, tmp_path, (columns, 24), "", "…", "…")
    assert len([line for line in lines if line]) >= len(WIDE) - 2
    assert all(line[-1] < columns for line in lines if line)
