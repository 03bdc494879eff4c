"""How one session is called: by its label, else by the beginning of its id."""

ID_SHOWN = 8
"""Characters of its id that stand for a session without a label."""


def called(label: str | None, session_id: str) -> str:
    """A session's name in a sentence or a header."""
    return label or session_id[:ID_SHOWN]
