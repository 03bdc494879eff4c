"""`tank schema`: the JSON Schemas as they are shipped. `make schema` writes them, in `tank.programs.schema`."""

from tank.edges import paths
from tank.errors import RefusedError


def names() -> list[str]:
    """Raises `RefusedError` when the files are missing."""
    folder = paths.shipped("schema")
    found = sorted(path.stem for path in folder.glob("*.json"))
    if not found:
        raise RefusedError(f"{folder} is missing: this installation of Tank is incomplete, install it again")
    return found


def document(name: str) -> str:
    """One of `names`, as it is in its file."""
    return (paths.shipped("schema") / f"{name}.json").read_text(encoding="utf-8")
