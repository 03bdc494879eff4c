"""Which project a directory belongs to: the repository's remote without what differs between its clones."""

import re
from pathlib import PurePosixPath
from urllib.parse import unquote, urlsplit

from tank.records import text
from tank.roster.git_facts import GitFacts

KEY_CELLS = 300
SSH = ("ssh", "git+ssh", "ssh+git")
DEFAULT_PORTS = {"git": 9418, "http": 80, "https": 443}
SCP = re.compile(r"(?:[^@/\s:]+@|(?![A-Za-z]:))(\[[^\]]+\]|[^@:/\s]+):(?!//)(.+)", re.DOTALL)
"""`user@host:path`, as ssh takes it; one letter with no user before it is a drive."""
USER_END = "@"
"""In a path it may end a user part that began unescaped or without a scheme: what stands before it may be a token."""


def of_remote(url: str) -> str | None:
    """The key of a remote URL, None when it names no host (a path, file://, a drive). Never holds user info."""
    address = url.strip()
    if "://" in address:
        return _of_url(address)
    scp = SCP.fullmatch(address)
    if scp is None or address.startswith(("/", ".", "~")) or USER_END in scp[2]:
        return None
    return _joined(scp[1].strip("[]"), None, scp[2])


def _of_url(address: str) -> str | None:
    try:
        parts = urlsplit(address)
        port, host = parts.port, parts.hostname
    except ValueError:
        return None
    scheme = parts.scheme.lower()
    if scheme not in (*SSH, *DEFAULT_PORTS) or not host or USER_END in parts.path:
        return None
    # One forge answers ssh and https on different ports, so an ssh port tells no projects apart.
    plain = scheme in SSH or port == DEFAULT_PORTS[scheme]
    return _joined(host, None if plain else port, unquote(parts.path))


def _joined(host: str, port: int | None, path: str) -> str | None:
    folders = [part for part in path.split("/") if part not in ("", ".", "..")]
    if not folders:
        return None
    last = folders[-1].removesuffix(".git")
    folders = [*folders[:-1], last] if last else folders[:-1]
    where = f"{host.lower()}:{port}" if port else host.lower()
    return text.short("/".join([where, *folders]), KEY_CELLS) or None


def choose(found: GitFacts | None, cwd: str) -> tuple[str, str]:
    """Key and name: by `origin`, else the current branch's remote, else the only one; else the common directory; else cwd."""
    remotes, upstream, common_dir = found or GitFacts({}, None, None)
    only = next(iter(remotes)) if len(remotes) == 1 else None
    chosen = next((name for name in ("origin", upstream, only) if name and name in remotes), None)
    key = of_remote(remotes[chosen]) if chosen else None
    key = key or text.short(common_dir or cwd, KEY_CELLS)
    return key, name_of(key)


def name_of(key: str) -> str:
    """The last part of a key; a repository's `.git` directory is named by the folder it stands in."""
    path = PurePosixPath(key)
    return (path.parent.name if path.name == ".git" else path.name.removesuffix(".git")) or key
