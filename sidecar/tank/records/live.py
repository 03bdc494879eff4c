"""The contract of `live/<pid>.json`: what a session publishes. FORMAT.md explains each field."""

from typing import Annotated, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

Status = Literal["idle", "working", "needs-you", "done"]
Priority = Annotated[int, Field(ge=0, le=3)]


class Published(BaseModel):
    """Camel case in JSON, frozen; a field that Tank doesn't know is Tank's own mistake."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        strict=True,
        alias_generator=to_camel,
        validate_by_name=True,
        serialize_by_alias=True,
    )


class HostRecord(Published):
    """Where a pid means something; parts are null where unknown."""

    machine: str | None
    boot: str | None
    pidns: str | None


class Project(Published):
    """`key` groups every clone of one repository; `name` is its last part."""

    key: str
    name: str


class TmuxPane(Published):
    """The tmux server's socket and the pane's id (`%3`), as the session's environment names them."""

    socket: str
    pane: str


class Terminal(Published):
    """What the process says of its terminal."""

    program: str | None = None
    tty: str | None = None
    tmux: TmuxPane | None = None
    rex_server: str | None = Field(default=None, description="The Rex server that knows terminalId")


class Change(Published):
    """One change of status."""

    status: Status
    detail: str | None
    at: AwareDatetime


class Recap(Published):
    """The latest recap that an extension wrote into the session."""

    text: str
    at: AwareDatetime | None


class Context(Published):
    """The model's context in tokens; `percent` from 0 to 100."""

    tokens: int
    window: int
    percent: float


class LiveEntry(Published):
    """One interactive Pi session."""

    v: Literal[1] = Field(description="Format; rises only when an older reader would be misled")
    tank: str | None = Field(default=None, description="Version of the Tank that wrote this")
    protocol: int | None = Field(default=None, description="Protocol between extension, sidecar and board")
    pid: int = Field(gt=0, description="The Pi process")
    process_start: str | None = Field(
        default=None,
        description="linux:<boot_id>:<start ticks> or macos:<seconds>.<microseconds>; compared as text",
    )
    host: HostRecord | None = Field(default=None, description="Says whether a local pid means anything")
    sidecar_pid: int | None = Field(default=None, gt=0, description="The process that serves the socket")
    socket: str | None = Field(default=None, description="Path of the message socket; null: no messages")
    session_id: str = Field(min_length=1)
    session_file: str | None = Field(default=None, description="May not exist yet; may begin with ~/")
    cwd: str
    project: Project | None = None
    label: str | None = None
    role: Literal["tank"] | None = Field(default=None, description="tank: the meta agent in his home")
    terminal_id: str | None = Field(
        default=None, description="The Rex block, when Rex is the innermost terminal"
    )
    terminal: Terminal | None = None
    status: Status
    status_since: AwareDatetime | None = None
    status_detail: str | None = Field(default=None, description="Why it needs the person")
    activity: str | None = Field(default=None, description="The running tool with its main argument")
    recent: list[Change] | None = Field(
        default=None, max_length=8, description="The last changes of status, oldest first"
    )
    priority: Priority | None = None
    recap: Recap | None = None
    last_reply: str | None = Field(default=None, description="Closing line of the most recent answer")
    context: Context | None = None
    model: str | None = Field(default=None, description="provider/id")
    messages_since_input: int | None = Field(default=None, ge=0, description="The loop guard's count")
    started_at: AwareDatetime
    updated_at: AwareDatetime | None = None
