"""Plain readers of one field of an untrusted record: the wanted type, or None. Never raise."""

from collections.abc import Mapping

Record = Mapping[str, object]


def string(record: Record, name: str) -> str | None:
    value = record.get(name)
    return value if isinstance(value, str) else None


def integer(record: Record, name: str) -> int | None:
    """None also for booleans, which Python counts as integers."""
    value = record.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def number(record: Record, name: str) -> float | None:
    value = record.get(name)
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def boolean(record: Record, name: str) -> bool:
    """True only for true: a missing or odd value is false."""
    return record.get(name) is True


def mapping(record: Record, name: str) -> Record | None:
    value = record.get(name)
    return value if isinstance(value, dict) else None


def items(record: Record, name: str) -> list[object]:
    value = record.get(name)
    return value if isinstance(value, list) else []
