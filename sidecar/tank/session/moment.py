"""Time as the rooms get it: they have no clock of their own."""

from typing import NamedTuple


class Moment(NamedTuple):
    """Now: `wall` in seconds since 1970 for what people read, `tick` in seconds of a clock that never steps."""

    wall: float
    tick: float
