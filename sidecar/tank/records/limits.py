"""Limits that several rooms hold to, one number each: what a session takes, and what its guard lets pass."""

REQUEST_LIMIT_BYTES = 1024 * 1024
"""One request to a message socket."""
MESSAGE_LIMIT_BYTES = 16 * 1024
MESSAGE_TOO_LONG = "the message is over 16 KiB: write it to a file and send the file's path"
REQUEST_ID_LIMIT = 128
"""Characters of a request's `id`."""
RUNNING_MESSAGES = 3
"""Messages from sessions that start or continue a run with no typed prompt in between; later ones are only shown."""
NOTES_LIMIT = 4000
"""Characters of the meta agent's notes, which are in his prompt on every turn."""
