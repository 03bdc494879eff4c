"""The board over Pi: reads keys and writes whole frames, as long as its stdin is open. `records/screen.py` is the contract."""

import os
import signal
import sys
from contextlib import suppress
from typing import assert_never

import orjson

from tank.board import theme
from tank.board.keys import decode
from tank.board.state import Copy, FrontendEffect, HandOver, Quit, Refresh, Resized, Size, State, Suspend
from tank.board.view.screen import view
from tank.edges.inlet import Inlet
from tank.edges.log import Log
from tank.edges.loop import Loop
from tank.edges.outlet import Outlet
from tank.programs.board import Board, now
from tank.records import fields
from tank.records.fields import Record
from tank.version import PROTOCOL

STDIN, STDOUT = 0, 1
CHUNK_BYTES = 64 * 1024
RECORD_LIMIT_BYTES = 1024 * 1024
"""Six times the longest input that the extension forwards: as much as JSON can make of it."""


class Overlay:
    """The board's frontend in an overlay of Pi."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._loop = Loop()
        self._outlet = Outlet(self._loop, os.dup(STDOUT), self._drained)
        self._woken, self._waker = os.pipe()
        self._theme = theme.PLAIN
        self._board: Board | None = None
        self._shown: list[str] = []
        self._latest: list[str] | None = None

    def run(self) -> None:
        """Until the end of stdin."""
        for descriptor in (self._woken, self._waker):
            os.set_blocking(descriptor, False)
        Inlet(self._loop, STDIN, RECORD_LIMIT_BYTES, self._hear, self._loop.stop)
        self._loop.watch(self._woken, self._collect)
        try:
            self._loop.run()
        finally:
            if self._board:
                self._board.close()

    # What Pi says

    def _hear(self, line: bytes | None) -> None:
        try:
            record = orjson.loads(line or b"")
        except orjson.JSONDecodeError as error:
            self._log.warn(f"a record is not JSON or too long: {error}")
            return
        kind = fields.string(record, "type") if isinstance(record, dict) else None
        if kind == "hello" and not self._board:
            self._open(record)
        elif self._board and kind == "key":
            self._typed(self._board, record)
        elif self._board and kind == "resize":
            self._board.feed(Resized(_size(record)))
        elif self._board and kind == "theme":
            self._theme = _theme(record)
            self._board.draw()

    def _open(self, record: Record) -> None:
        """An extension that speaks another protocol gets no board: it says what to do when this process ends."""
        if fields.integer(record, "protocol") != PROTOCOL:
            self._loop.stop()
            return
        self._theme = _theme(record)
        state = State(now(), _size(record), own=fields.integer(record, "pid"), overlay=True)
        self._board = Board(state, self._loop, self._draw, self._act, self._wake)
        self._board.start()

    def _typed(self, board: Board, record: Record) -> None:
        events, _ = decode((fields.string(record, "data") or "").encode(), final=True)
        if events:
            board.feed(*events)
        self._write({"type": "taken", "id": fields.integer(record, "id")})

    # What the board wants

    def _draw(self, state: State) -> None:
        """Of the frames that Pi has no time for only the latest counts."""
        lines = view(state, state.size, self._theme)
        if lines == self._shown:
            return
        self._shown = lines
        if self._outlet.backlog:
            self._latest = lines
        else:
            self._write({"type": "frame", "lines": lines})

    def _drained(self) -> None:
        lines, self._latest = self._latest, None
        if lines is not None:
            self._write({"type": "frame", "lines": lines})

    def _act(self, effect: FrontendEffect) -> None:
        match effect:
            case Quit():
                self._write({"type": "close"})
            case Copy():
                self._write({"type": "copy", "text": effect.text})
            case Refresh():
                self._shown = []
            case Suspend() | HandOver():
                pass  # neither is asked for over Pi
            case _:
                assert_never(effect)

    def _write(self, record: Record) -> None:
        self._outlet.write(orjson.dumps(record) + b"\n")

    # The board's threads

    def _wake(self) -> None:
        with suppress(OSError):
            os.write(self._waker, b"\0")

    def _collect(self) -> None:
        with suppress(BlockingIOError):
            while os.read(self._woken, CHUNK_BYTES):
                pass
        if self._board:
            self._board.collect()


def _size(record: Record) -> Size:
    return Size(fields.integer(record, "columns") or 0, fields.integer(record, "rows") or 0)


def _theme(record: Record) -> theme.Theme:
    looks = fields.mapping(record, "looks") or {}
    return theme.read({meaning: look for meaning, look in looks.items() if isinstance(look, str)})


def main() -> None:
    """Serve the overlay that holds the other ends of stdin and stdout."""
    log = Log(os.getpid())
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    sys.stderr = log
    with suppress(SystemExit):
        Overlay(log).run()
    log.remove()
