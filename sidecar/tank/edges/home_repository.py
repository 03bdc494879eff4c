"""A home's own git repository: one file committed at a time, and nothing run that a clone brings along."""

import os
import time
from contextlib import suppress
from pathlib import Path

from tank.edges import children, git
from tank.edges.children import End
from tank.errors import RefusedError
from tank.records import text

TIMEOUT_S = 3.0
OUTPUT_LIMIT_BYTES = 64 * 1024
REASON_CELLS = 200
NEVER_RUN = ("core.fsmonitor=false", "core.hooksPath=/dev/null", "commit.gpgSign=false", "gc.auto=0")
"""Programs that a repository's settings start, a question for a passphrase, and work in the background."""
TANK = ("user.name=Tank", "user.email=tank@localhost")
"""Who commits where git knows no name of the person's."""
UNFINISHED = {
    "MERGE_HEAD": "a merge",
    "CHERRY_PICK_HEAD": "a cherry-pick",
    "REVERT_HEAD": "a revert",
    "rebase-merge": "a rebase",
    "rebase-apply": "a rebase",
}
MISSING = "git is missing: install it"


class Repository:
    """Of one home, for one task: blocks, at most `timeout_s` in all. Whatever can't be done raises `RefusedError`."""

    def __init__(self, home: Path, timeout_s: float = TIMEOUT_S) -> None:
        self._home = home
        self._deadline = time.monotonic() + timeout_s

    def start(self) -> bool:
        """Makes the repository, with one commit of all there is. Whether git knew whose commit it is."""
        self._run("init", "--quiet", "--template=", "--", str(self._home))
        self._git("add", "--force", "--all")
        identity = self._identity()
        self._commit(identity, "Start Tank's home")
        return not identity

    def refuse_unless_free(self) -> None:
        """Raises where there is no repository, where another git works in it, or where something isn't finished."""
        if not os.path.lexists(self._home / ".git"):
            raise RefusedError(f"{self._home} is no git repository: run `git init` there")
        folder = Path(self._git("rev-parse", "--absolute-git-dir").removesuffix("\n"))
        if os.path.lexists(folder / "index.lock"):
            raise RefusedError(
                f"git is at work in {self._home}: try again; if it isn't, remove {folder / 'index.lock'}"
            )
        for name, what in UNFINISHED.items():
            if os.path.lexists(folder / name):
                raise RefusedError(f"{what} isn't finished in {self._home}: the person has to end it")

    def differs(self, file: str) -> bool:
        """Whether a file that stands there is another than the last commit's. Raises where the person staged one and went on writing."""
        asked = ("status", "--porcelain=v1", "-z", "--ignored", "--untracked-files=all", "--", file)
        found = self._git(*asked)
        staged, written = found[:1].strip("?! "), found[1:2].strip("?! ")
        if staged and written:
            raise RefusedError(
                f"{file} is staged in one version and stands there in another: commit one of them"
            )
        return bool(found) and written != "D"

    def commit(self, file: str, message: str) -> None:
        """Commits this file as it stands; what else is changed or staged stays so."""
        self._git("add", "--force", "--", file)
        self._commit(self._identity(), message, "--only", "--", file)

    def unstage(self, file: str) -> None:
        """After a commit that failed. Never raises."""
        with suppress(RefusedError):
            self._git("reset", "--quiet", "--", file)

    def _commit(self, identity: list[str], message: str, *more: str) -> None:
        """A message that is a trailer alone, such as `Signed-off-by: x`, counts as empty for git."""
        as_said = ("--no-verify", "--cleanup=whitespace", "--allow-empty-message", f"--message={message}")
        self._git(*identity, "commit", "--quiet", *as_said, *more)

    def _identity(self) -> list[str]:
        """Options that name Tank, where git knows no name and address."""
        asked = ("config", "--get-regexp", r"^user\.(name|email)$")
        known = {line.split(" ")[0] for line in self._git(*asked, may_fail=True).splitlines()}
        return [] if len(known) == len(TANK) else [part for setting in TANK for part in ("-c", setting)]

    def _git(self, *arguments: str, may_fail: bool = False) -> str:
        """Here and nowhere else: git doesn't look for a repository among the parents."""
        here = (f"--git-dir={self._home / '.git'}", f"--work-tree={self._home}", "--literal-pathspecs")
        return self._run(*here, *arguments, may_fail=may_fail)

    def _run(self, *arguments: str, may_fail: bool = False) -> str:
        settings = [part for setting in NEVER_RUN for part in ("-c", setting)]
        left_s = max(self._deadline - time.monotonic(), 0)
        command = ["git", *settings, *arguments]
        (ran,) = children.run([command], git.environment(), left_s, OUTPUT_LIMIT_BYTES)
        if ran.end is End.MISSING:
            raise RefusedError(MISSING)
        if ran.end is not End.EXITED:
            raise RefusedError(
                f"git took too long in {self._home} and was ended: a look at `git status` may tell"
            )
        if ran.code and not may_fail:
            said = text.short(ran.errors.decode(errors="replace") or f"exit code {ran.code}", REASON_CELLS)
            raise RefusedError(f"git refused in {self._home}: {said}")
        return ran.output.decode(errors="surrogateescape")
