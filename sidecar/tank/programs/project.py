"""`tank project`: which project a directory belongs to, as its sessions would say it."""

from pathlib import Path

from tank.edges import git
from tank.roster import project_key


def project(directory: str) -> dict[str, str]:
    """Key and name."""
    cwd = str(Path(directory).resolve())
    key, name = project_key.choose(git.facts(cwd), cwd)
    return {"key": key, "name": name}
