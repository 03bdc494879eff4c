"""What git said of a directory, read from the output of `edges.git.commands`."""

from collections.abc import Sequence
from typing import NamedTuple


class GitFacts(NamedTuple):
    """A repository's remotes by name, the remote of the current branch's upstream, and the directory its worktrees share."""

    remotes: dict[str, str]
    upstream: str | None
    common_dir: str | None

    def __repr__(self) -> str:
        """Without the addresses: they may hold tokens, and tracebacks are written to logs."""
        return f"GitFacts({sorted(self.remotes)}, {self.upstream!r}, {self.common_dir!r})"


def parse(answers: Sequence[bytes | None]) -> GitFacts | None:
    """From the commands' outputs in order, None for each that failed. None: the directory is in no repository."""
    if answers[0] is None:
        return None
    common, remotes, upstream = ((answer or b"").decode(errors="surrogateescape") for answer in answers)
    common = common.removesuffix("\n")
    # A git before 2.31 answers with two lines: the unknown option, and a path that depends on where it ran.
    known = common.startswith("/") and "\n" not in common
    return GitFacts(_remotes(remotes), upstream.strip() or None, common if known else None)


class Changes:
    """Counts the entries of `git status --porcelain=v1 -z` as its output comes, in pieces, without keeping them."""

    def __init__(self) -> None:
        self.count = 0
        self._rest = b""
        self._names_former = False

    def hear(self, data: bytes) -> None:
        """A renamed or copied path's entry is followed by its former name."""
        *ended, self._rest = (self._rest + data).split(b"\0")
        for part in ended:
            if self._names_former:
                self._names_former = False
            else:
                self.count += 1
                self._names_former = bool(set(part[:2]) & set(b"RC"))


def _remotes(output: str) -> dict[str, str]:
    """`remote.NAME.url`, a line break, the address, NUL. Of several addresses git fetches from the first."""
    found: dict[str, str] = {}
    for item in output.split("\0"):
        key, _, address = item.partition("\n")
        if address:
            found.setdefault(key.removeprefix("remote.").removesuffix(".url"), address)
    return found
