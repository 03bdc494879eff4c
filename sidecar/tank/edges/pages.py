"""One page of a session file, read backwards from its end or from a cursor: as fast deep in a file as at its end."""

from pathlib import Path

from tank.edges import transcripts
from tank.edges.transcripts import BLOCK_BYTES, LIMIT_BYTES, LINE_LIMIT_BYTES, PASSED_LIMIT_BYTES
from tank.roster import branch
from tank.roster.pages import WEIGHT, Cursor, Page, Stretch


def read(
    path: Path,
    since: Cursor | None = None,
    block_bytes: int = BLOCK_BYTES,
    line_limit_bytes: int = LINE_LIMIT_BYTES,
    weight: int = WEIGHT,
) -> Page:
    """The newest page, or the one before `since`. Raises `OSError`: the file comes with the session's first prompt."""
    with transcripts.opened(path) as (descriptor, found):
        if since and since.end > found.st_size:
            return Page((), None, newest=False, lost=True)
        end = since.end if since else found.st_size
        stretch = Stretch(since, end, weight)
        left, passable = LIMIT_BYTES, PASSED_LIMIT_BYTES
        is_last = True
        for line, size_bytes in transcripts.lines_back(descriptor, end, block_bytes, line_limit_bytes):
            start = end - size_bytes
            # What the file ends with may still be written.
            if not is_last or branch.is_record(line):
                stretch.before(line, size_bytes, start)
            is_last, end = False, start - 1
            if len(line) == size_bytes:
                left -= size_bytes
            else:
                passable -= size_bytes
            if left <= 0 or passable <= 0 or not stretch.wants_more:
                return stretch.page(reached_start=start <= 0)
        return stretch.page(reached_start=True)
