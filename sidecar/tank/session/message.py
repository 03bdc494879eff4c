"""One message for this session: what Pi is to get, and who waits to be told what became of it."""

from dataclasses import dataclass, field

MODES = ("follow_up", "steer")


@dataclass(eq=False)
class Message:
    """`text` begins with the header; `tokens` are the requests that still wait for an answer."""

    text: str
    mode: str
    guarded: bool
    tokens: list[int] = field(default_factory=list)
    key: str | None = None
    note: str | None = None
    """Said to the sender beside the outcome."""
    due: float = 0.0
    """When its sender must have an answer."""
    answered: bool = False
    """Whether its sender has one: held, or shown."""
    counted: bool = True
    """Whether the guard's count holds it: until the person types."""
