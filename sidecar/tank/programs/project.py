"""`tank project`: which project a directory belongs to, as its sessions would say it."""

from pathlib import Path

from tank.edges import git
from tank.roster.git_facts import GitFacts
from tank.session import project_key


def project(directory: str) -> dict[str, str]:
    """Key and name."""
    cwd = str(Path(directory).resolve())
    found = git.facts(cwd) or GitFacts({}, None, None)
    key, name = project_key.choose(found.remotes, found.upstream, found.common_dir, cwd)
    return {"key": key, "name": name}
