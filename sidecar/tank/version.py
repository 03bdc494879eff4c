"""The version of this Tank and of the protocol its parts speak."""

__version__ = "0.1.0"

PROTOCOL = 1
"""Rises when extension, sidecar and board of two versions could misread each other."""

FORMAT = 1
"""The `v` of a live entry; rises only when an older reader would be misled."""

OLDEST_PI = (1, 4, 0)
"""The first published Pi on which the end-to-end tests pass; 1.3.0 tells of overlapping dialogs in another way."""

OLDEST_NODE = (22, 19)
"""What that Pi needs."""
