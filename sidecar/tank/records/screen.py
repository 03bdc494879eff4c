"""Between the extension and the board over Pi: NDJSON on the board process's stdin and stdout, both of one version.

Documentation and test of what `programs/overlay.py` and `overlay.ts` write and read with plain code.
"""

from typing import Annotated, Literal

from pydantic import Field, TypeAdapter

from tank.records.live import Published

Looks = dict[str, str]
"""By meaning, as `board.theme.Theme` names them: the escape sequence with which Pi's theme begins its look."""


class Hello(Published):
    """First record. `pid` is Pi's; columns and rows are the screen's."""

    type: Literal["hello"]
    tank: str
    protocol: int
    pid: int
    columns: int
    rows: int
    looks: Looks


class Key(Published):
    """One input as the terminal sent it, whole: a key, a paste, a report. Answered by taken."""

    type: Literal["key"]
    id: int
    data: str


class Resize(Published):
    """The screen has another size."""

    type: Literal["resize"]
    columns: int
    rows: int


class Theme(Published):
    """Pi's theme changed."""

    type: Literal["theme"]
    looks: Looks


class Frame(Published):
    """The whole screen from its first row on: text and SGR sequences, each line within the columns."""

    type: Literal["frame"]
    lines: list[str]


class Taken(Published):
    """The key with this id did what it does."""

    type: Literal["taken"]
    id: int


class Close(Published):
    """The person closed the board."""

    type: Literal["close"]


class Copy(Published):
    """Give the terminal this text for its clipboard (OSC 52)."""

    type: Literal["copy"]
    text: str


ToBoard = Annotated[Hello | Key | Resize | Theme, Field(discriminator="type")]
FromBoard = Annotated[Frame | Taken | Close | Copy, Field(discriminator="type")]

TO_BOARD: TypeAdapter[ToBoard] = TypeAdapter(ToBoard)
FROM_BOARD: TypeAdapter[FromBoard] = TypeAdapter(FromBoard)
