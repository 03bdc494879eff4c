"""git's command lines, and one blocking run of them. Never prints or logs what git says: an address may hold a token."""

import os
import time
from collections.abc import Mapping

from tank.edges import children
from tank.roster import git_facts
from tank.roster.git_facts import GitFacts

TIMEOUT_S = 2.0
LIMIT_BYTES = 16 * 1024 * 1024
"""What one run may say; a branch is one line, most of them empty."""
QUIET = ["git", "--no-optional-locks", "-c", "core.fsmonitor=false"]
"""A clone can bring a program of its own as fsmonitor."""
KEPT = ("GIT_CEILING_DIRECTORIES", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_NOSYSTEM", "GIT_CONFIG_SYSTEM")
"""The person's settings; every other GIT_ variable would speak of another repository than the directory's."""


def commands(cwd: str) -> list[list[str]]:
    """What `git_facts.parse` reads the outputs of, in this order. Each may fail."""
    upstream = "--format=%(if)%(HEAD)%(then)%(upstream:remotename)%(end)"
    return [
        [*QUIET, "-C", cwd, "rev-parse", "--path-format=absolute", "--git-common-dir"],
        [*QUIET, "-C", cwd, "config", "-z", "--get-regexp", r"^remote\..*\.url$"],
        [*QUIET, "-C", cwd, "for-each-ref", upstream, "refs/heads"],
    ]


def status(top: str) -> list[str]:
    """What `git_facts.Changes` reads the output of."""
    return [*QUIET, "-C", top, "status", "--porcelain=v1", "-z"]


def environment() -> Mapping[str, str]:
    """For every run of git: no other repository, no question, no lock, plain words."""
    ours = {"GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}
    kept = {name: said for name, said in os.environ.items() if not name.startswith("GIT_") or name in KEPT}
    return kept | ours


def facts(cwd: str, timeout_s: float = TIMEOUT_S) -> GitFacts | None:
    """Blocks. None when the directory is in no repository or gone, and when git is missing, refuses or is slow."""
    deadline = time.monotonic() + timeout_s
    answers: list[bytes | None] = []
    for command in commands(cwd):
        answers.append(_output(command, max(deadline - time.monotonic(), 0)))
        if answers[0] is None:
            return None
    return git_facts.parse(answers)


def _output(command: list[str], timeout_s: float) -> bytes | None:
    [ran] = children.run([command], environment(), timeout_s, LIMIT_BYTES)
    return ran.output if ran.end is children.End.EXITED and ran.code == 0 else None
