"""The sidecar's clock."""

import time

from tank.session.moment import Moment


def now() -> Moment:
    return Moment(time.time(), time.monotonic())
