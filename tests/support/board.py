"""The board as a person sees it in a terminal: which sessions it shows, what it says of each, and which is selected."""

import re
from typing import NamedTuple

from demo.stage import Terminal

TOP = re.compile("[╭╔┏](?P<head>.+?)[╮╗┓]")
BODY_ROWS = 4
ROW = re.compile(
    r"(?P<mark>[▸ ]) (?P<head>[●◐✓○?] [a-z]+(?: you)? +(?:\d+[smhd])? +(?:p[0-3])?) +(?P<label>\S.*?)(?:  .*)?"
)


class Shown(NamedTuple):
    """A session's card or row: its label, and all that is said of it."""

    label: str
    text: str
    selected: bool
    place: tuple[int, int]
    """Row and column of its first character."""


def shown(screen: str) -> list[Shown]:
    """In reading order. Cells are counted in characters: what stands to the left of a card must be narrow."""
    lines = screen.split("\n")
    found = []
    for at, line in enumerate(lines):
        for top in TOP.finditer(line):
            body = [each[top.start() + 1 : top.end() - 1].strip() for each in lines[at + 1 :][:BODY_ROWS]]
            head = top["head"].strip("─═━▸ ")
            found.append(Shown(body[0], "\n".join([head, *body]), "▸" in top["head"], (at, top.start())))
        if row := ROW.fullmatch(line):
            found.append(Shown(row["label"], line, row["mark"] == "▸", (at, 0)))
    return found


class BoardScreen:
    """A board that is open, or may be, in this terminal."""

    def __init__(self, terminal: Terminal) -> None:
        self.terminal = terminal

    def is_open(self) -> bool:
        """Not yet while the title is the one that Pi's extension draws first."""
        title = self.title()
        return title.startswith(" Tank") and not title.startswith(" Tank …")

    def title(self) -> str:
        return self.terminal.screen().split("\n")[0]

    def footer(self) -> str:
        return self.terminal.screen().split("\n")[-1].strip()

    def press(self, *keys: str) -> None:
        self.terminal.press(*keys)

    def wait_open(self) -> None:
        self.terminal.wait_until(self.is_open, "the board")

    def wait_closed(self) -> None:
        self.terminal.wait_until(lambda: not self.title().startswith(" Tank"), "no board")

    def wait_for(self, *texts: str) -> str:
        """The screen, once it shows all of these, however it breaks lines."""
        self.terminal.wait_until(
            lambda: all(text in " ".join(self.terminal.screen().split()) for text in texts), repr(texts)
        )
        return self.terminal.screen()

    def wait_without(self, text: str) -> None:
        self.terminal.wait_without(text)

    def sessions(self) -> list[Shown]:
        return shown(self.terminal.screen())

    def labels(self) -> list[str]:
        return [each.label for each in self.sessions()]

    def selected(self) -> str | None:
        """The label of the selected session."""
        return next((each.label for each in self.sessions() if each.selected), None)

    def says(self, label: str) -> str:
        """All that is said of a session, empty while it isn't shown."""
        return next((each.text for each in self.sessions() if each.label == label), "")

    def wait_says(self, label: str, *texts: str) -> None:
        """Wait until the session is shown and all of these are said of it."""

        def look() -> bool:
            said = self.says(label)
            return bool(said) and all(text in said for text in texts)

        self.terminal.wait_until(look, f"{label}: {texts}")

    def wait_selected(self, label: str) -> None:
        self.terminal.wait_until(lambda: self.selected() == label, f"{label} selected")

    def select(self, label: str) -> None:
        """With the keys that go from one to the next."""
        screen = self.terminal.screen()

        def whole() -> bool:
            """A screen can be read while it is being drawn."""
            nonlocal screen
            screen = self.terminal.screen()
            return label in [each.label for each in shown(screen)]

        self.terminal.wait_until(whole, f"{label} on the board")
        labels = [each.label for each in shown(screen)]
        self.press("g", *["l" if TOP.search(screen) else "j"] * labels.index(label))
        self.wait_selected(label)
