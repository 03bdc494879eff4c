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


def changed(status: bytes) -> int:
    """How many paths `git status --porcelain=v1 -z` names; a renamed or copied one is followed by its former name."""
    parts = iter(status.split(b"\0")[:-1])
    count = 0
    for part in parts:
        count += 1
        if set(part[:2]) & set(b"RC"):
            next(parts, None)
    return count


def _remotes(output: str) -> dict[str, str]:
    """`remote.NAME.url`, a line break, the address, NUL. Of several addresses git fetches from the first."""
    found: dict[str, str] = {}
    for item in output.split("\0"):
        key, _, address = item.partition("\n")
        if address:
            found.setdefault(key.removeprefix("remote.").removesuffix(".url"), address)
    return found
