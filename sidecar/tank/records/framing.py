"""Newline-delimited records cut out of a stream: split on LF bytes only, memory bounded."""


class Lines:
    """Collects bytes and gives back whole lines without their LF. A line over `limit` bytes comes back as None, once."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._parts = bytearray()
        self._searched = 0
        self._skipping = False
        self.skipped = 0
        """Bytes thrown away since the last whole line."""

    @property
    def held(self) -> int:
        """Bytes that wait to be given back."""
        return len(self._parts)

    def feed(self, data: bytes) -> None:
        self._parts += data

    def next(self) -> bytes | None:
        """The next line; None for one that is too long. Raises `LookupError` when no line is complete."""
        while True:
            end = self._parts.find(b"\n", self._searched)
            if end >= 0:
                line = bytes(self._parts[:end])
                del self._parts[: end + 1]
                self._searched = 0
                if self._skipping:
                    self._skipping, self.skipped = False, 0
                    continue
                return line if len(line) <= self._limit else None
            self._searched = len(self._parts)
            if not self._skipping and len(self._parts) > self._limit:
                self._skipping = True
                self._drop()
                return None
            if self._skipping:
                self._drop()
            raise LookupError("no line is complete")

    def _drop(self) -> None:
        self.skipped += len(self._parts)
        self._parts.clear()
        self._searched = 0
