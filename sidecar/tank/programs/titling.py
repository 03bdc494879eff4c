"""Titles the Rex tab that a session runs in, on change only: loaded by the sidecars of sessions in Rex and by no other."""

import threading
from collections.abc import Callable, Mapping

from tank.edges import rex, titles
from tank.edges.live_directory import LiveDirectory
from tank.records import fields
from tank.terminals import rex as places


class Titling:
    """Follows what one session publishes. Its thread ends with its work; of several changes meanwhile only the last counts."""

    def __init__(self, server: str, block_id: str, warn: Callable[[str], object]) -> None:
        self._server, self._block, self._warn = server, block_id, warn
        self._lock = threading.Lock()
        self._words = ""
        self._running = False

    def follow(self, entry: Mapping[str, object]) -> None:
        """Never waits. A session without a label leaves its tab alone."""
        label = fields.string(entry, "label")
        words = places.title_words(label, fields.integer(entry, "priority")) if label else ""
        with self._lock:
            if words == self._words:
                return
            self._words = words
            if self._running or not words:
                return
            self._running = True
        threading.Thread(target=self._work, daemon=True).start()

    def _work(self) -> None:
        done = None
        while True:
            with self._lock:
                words = self._words
                if words in (done, ""):
                    self._running = False
                    return
            try:
                give(self._server, self._block, words)
            except Exception as error:  # noqa: BLE001 - else no title would ever be given again
                self._warn(f"the tab could not be titled: {error}")
            done = words


def give(server: str, block_id: str, words: str) -> bool:
    """Whether the tab got the title: not where another session comes first in it, and not over what the person wrote.

    Raises `TerminalError` and `OSError`.
    """
    with titles.kept() as given:
        blocks = {
            each.entry.terminal_id
            for each in LiveDirectory().scan().sessions
            if each.entry.terminal_id
            and places.endpoint(each.entry.rex_server or "") == places.endpoint(server)
        } | {block_id}
        snapshot = rex.snapshot(server, blocks)
        at = places.place(snapshot, block_id)
        if at is None or at.window_id is None:
            return False
        if places.titling(snapshot, blocks).get(at.window_id) != block_id:
            return False
        key = f"{server} {at.window_id}"
        title = places.title(at.window_label, fields.string(given, key), words)
        if title is None:
            return False
        if not rex.set_title(server, at.session_id, at.window_id, title, instead_of=at.window_label):
            return False
        given.pop(key, None)
        given[key] = title
        return True
