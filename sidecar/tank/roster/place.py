"""Where a session's terminal shows it now, as the terminal's own server says: what the board groups and names by."""

from typing import NamedTuple


class Tab(NamedTuple):
    """A place in Rex. `session` and `label` name the Rex session; `order` sorts: the session's place, its tab's, the block's."""

    session: str
    label: str
    order: tuple[int, int, int]


class Place(NamedTuple):
    """`name` is what the card shows, such as `tmux work`; a session that no server knows has no place."""

    name: str = ""
    tab: Tab | None = None
