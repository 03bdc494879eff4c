"""What the brain wants done. The sidecar does it and tells the brain what came of it."""

from typing import NamedTuple

from tank.records import text
from tank.records.fields import Record

NOTICE_POINTS = 4096


class Order(NamedTuple):
    """Write this record to the extension."""

    record: Record


class Publish(NamedTuple):
    """Write this entry."""

    entry: Record


class Reply(NamedTuple):
    """Answer the socket request with this token."""

    token: int
    record: Record


class FindProject(NamedTuple):
    """Ask git about a directory; answered by `Brain.project_found`."""

    cwd: str


class AskPane(NamedTuple):
    """Ask tmux whether an attached client shows the pane; answered by `Brain.pane_asked`."""


class SendOut(NamedTuple):
    """Send a request to the session that `target` names; answered by `Brain.sent_out` with the same call."""

    call: int
    target: str
    request: Record


class Leave(NamedTuple):
    """Remove the session's files and end."""


Effect = Order | Publish | Reply | FindProject | AskPane | SendOut | Leave


def notice(said: str) -> Order:
    """A warning in the session."""
    shown = text.lines(f"Tank: {said}")[:NOTICE_POINTS]
    return Order({"type": "notify", "text": shown, "level": "warning"})
