"""The board in a terminal of its own; where none can be drawn on, the board printed once."""

import os
import signal
import sys
from typing import assert_never

from tank.board import theme
from tank.board.keys import decode
from tank.board.state import (
    Copy,
    FrontendEffect,
    HandOver,
    Quit,
    Refresh,
    Resized,
    Rostered,
    Shown,
    Size,
    State,
    Suspend,
)
from tank.board.update import update
from tank.board.view.screen import printed, view
from tank.edges import clipboard, transcripts, tty
from tank.edges.live_directory import LiveDirectory
from tank.edges.loop import Loop
from tank.edges.tty import Tty
from tank.programs.board import Board, now

ESCAPE_S = 0.03
"""After an ESC byte with nothing behind it, it was the Esc key."""
PRINTED_COLUMNS = 80


def run() -> int:
    """Returns when the board is closed. A signal that ends it leaves as `SystemExit`, the terminal as it was."""
    if not tty.usable():
        return print_once()
    with Tty() as terminal:
        TerminalBoard(terminal).run()
    return 0


def print_once() -> int:
    """The whole list as plain text, as wide as `COLUMNS` says, else the terminal, else 80 cells."""
    columns = _printed_columns()
    roster = LiveDirectory().scan()
    state, _ = update(_opened(Size(columns, 1)), Rostered(roster, transcripts.shared(roster), now()))
    text = "\n".join(line.rstrip() for line in printed(state, columns)) + "\n"
    sys.stdout.buffer.write(text.encode(sys.stdout.encoding or "utf-8", "replace"))
    sys.stdout.flush()
    return 0


def _printed_columns() -> int:
    named = os.environ.get("COLUMNS", "")
    if named.isascii() and named.isdigit() and int(named[:9]) > 0:
        return int(named[:9])
    try:
        return os.get_terminal_size(1).columns or PRINTED_COLUMNS
    except OSError:
        return PRINTED_COLUMNS


def _opened(size: Size) -> State:
    return State(now(), size, own=os.environ.get("PI_SESSION_ID"))


class TerminalBoard:
    """The board's frontend in a terminal that is already taken."""

    def __init__(self, terminal: Tty) -> None:
        self._terminal = terminal
        self._theme = theme.chosen(os.environ)
        self._loop = Loop()
        self._unread = b""
        self._reads = 0
        self._board = Board(_opened(Size(*terminal.size())), self._loop, self._draw, self._act, terminal.wake)

    def run(self) -> None:
        self._loop.watch(self._terminal.incoming, self._typed)
        self._loop.watch(self._terminal.woken, self._woken)
        try:
            self._board.start()
            self._loop.run()
        finally:
            self._board.close()

    def _draw(self, state: State) -> None:
        self._terminal.draw(view(state, state.size, self._theme))

    def _typed(self) -> None:
        data = self._terminal.read()
        if data == b"":
            self._loop.stop()
        elif data:
            self._decode(data, final=False)

    def _decode(self, data: bytes, *, final: bool) -> None:
        self._reads += 1
        events, self._unread = decode(self._unread + data, final=final)
        if events:
            self._board.feed(*events)
        if self._unread and not final:
            reads = self._reads
            self._loop.later(ESCAPE_S, lambda: self._lapsed(reads))

    def _lapsed(self, reads: int) -> None:
        if reads == self._reads:
            self._decode(b"", final=True)

    def _woken(self) -> None:
        news = self._terminal.news()
        self._board.collect()
        if signal.SIGTSTP in news:
            self._suspend(group=False)
        elif signal.SIGCONT in news:
            self._terminal.retake()
            self._resize()
        elif signal.SIGWINCH in news:
            self._resize()

    def _resize(self) -> None:
        self._terminal.forget()
        self._board.feed(Resized(Size(*self._terminal.size())))

    def _hand_over(self, wanted: HandOver) -> Shown:
        """What happened meanwhile is drawn afterwards, on a screen that may have another size."""
        try:
            code = self._terminal.hand_over(wanted.argv)
        except OSError as error:
            return Shown(f"{wanted.argv[0]} can't be started: {error.strerror}")
        self._resize()
        told = f"tmux ended with exit code {code}: its session may be gone; press r" if code else ""
        return Shown(told, back=True)

    def _suspend(self, *, group: bool) -> None:
        self._terminal.suspend(group=group)
        self._resize()

    def _act(self, effect: FrontendEffect) -> None:
        match effect:
            case Quit():
                self._loop.stop()
            case Suspend():
                self._suspend(group=True)
            case HandOver():
                self._board.feed(self._hand_over(effect))
            case Copy():
                self._terminal.say(clipboard.by_terminal(effect.text))
            case Refresh():
                self._terminal.forget()
            case _:
                assert_never(effect)
