"""Everything that Tank raises on purpose.

TankError                what went wrong, for a person; the command line prints it and exits with `code`
├── RefusedError (1)          the thing asked for can't be done now
│   ├── UnreachableError          nobody took the request: nothing was done
│   ├── NoAnswerError             the request was taken and no answer came: it may have been carried out
│   └── TerminalError             a terminal can't be asked, or can't show what it was asked to
├── BadRequestError (1)       what a peer sent can't be read as a request
└── NoSuchSessionError (3)    a target names no session, or more than one
"""


class TankError(Exception):
    """`str()` of it names the thing, what is wrong, and what to do."""

    code = 1


class RefusedError(TankError):
    """The thing asked for can't be done now."""


class UnreachableError(RefusedError):
    """Nobody took the request: nothing was done."""


class NoAnswerError(RefusedError):
    """The request was taken and no answer came: it may have been carried out."""


class TerminalError(RefusedError):
    """A terminal can't be asked, or can't show what it was asked to: what can't be done, why, what to do."""


class BadRequestError(TankError):
    """What a peer sent can't be read as a request."""


class NoSuchSessionError(TankError):
    """A target names no session, or more than one; the message lists the candidates."""

    code = 3
