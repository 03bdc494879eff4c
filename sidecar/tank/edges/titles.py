"""Which title Tank gave each tab last: one file for all sidecars, changed under a lock.

A tab whose label is still that title, or Rex's own, may be titled anew; any other label is the person's.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from tank.edges import state_file

NAME = "titles.json"
MOST = 500
"""Tabs that are remembered; the ones titled longest ago go first."""
WAIT_S = 20.0
"""Whoever has the file asks Rex meanwhile, several times three seconds at worst."""


@contextmanager
def kept() -> Iterator[dict[str, object]]:
    """By server and tab. What is changed inside the block is written at its end. Raises as `state_file.changing` does."""
    with state_file.changing(NAME, WAIT_S) as titles:
        yield titles
        for oldest in list(titles)[:-MOST]:
            del titles[oldest]
