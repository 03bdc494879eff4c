"""How many descriptors this process holds."""

import gc
from pathlib import Path


def descriptors() -> int:
    """What only garbage holds is closed first."""
    gc.collect()
    return len(list(Path("/dev/fd").iterdir()))
