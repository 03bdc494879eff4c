"""The contract between extension and sidecar: NDJSON over the sidecar's stdin (forwarded records) and stdout (orders).

Forwarded records use Pi's own names. A record with `id` is answered: `welcome` to hello, `taken` to any other;
an extension that waits longer than 5 s ends the sidecar and starts a new one.
"""

from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter

from tank.records.live import Published

STRING_LIMIT = 4096
"""Code points of one forwarded string."""
RECORD_LIMIT_BYTES = 16 * 1024
"""Bytes of one forwarded record, hello's `kept` not counted."""
KEPT_LIMIT_BYTES = 320 * 1024

DialogKind = Literal["select", "confirm", "input", "editor", "custom"]
CompactionReason = Literal["manual", "threshold", "overflow"]


class Usage(Published):
    """Pi's `getContextUsage()`; null parts are unknown to Pi."""

    tokens: int | None
    context_window: int
    percent: float | None


class ModelName(Published):
    """Pi's model; `unknown/unknown` when none is configured."""

    provider: str
    id: str


class Dialog(Published):
    """A dialog of an extension; only `custom` has no title."""

    kind: DialogKind
    title: str | None = None


class CustomEntry(Published):
    """A custom entry of the session file; `at` is its ISO timestamp."""

    custom_type: str
    data: Any = None
    at: str | None = None


class Ending(Published):
    """How an attempt of a run ended."""

    stop_reason: str | None
    error_message: str | None


class Facts(Published):
    """What Pi can be asked at any time."""

    session_id: str
    session_file: str | None
    cwd: str
    name: str | None
    model: ModelName | None
    context: Usage | None
    is_idle: bool
    has_pending_messages: bool
    dialog: Dialog | None
    ended: Ending | None = Field(
        default=None, description="The last agent_end since agent_start, for a sidecar that didn't hear it"
    )
    prompts: list[str] = Field(
        description="The first user texts on the current branch, at most 8, 512 code points each"
    )
    reply: str | None = Field(
        description="The last 1,024 code points of the latest answer's text on the branch"
    )
    priority: Any = Field(description="Data of the last tank-priority entry in file order, or null")
    recap: CustomEntry | None = Field(description="The last session-recap entry in file order")


class Hello(Published):
    """First record of each copy of the extension."""

    type: Literal["hello"]
    id: int
    tank: str
    protocol: int
    pid: int
    reason: Literal["startup", "reload", "new", "resume", "fork", "restart"] = Field(
        description="Pi's reason of session_start; restart: a new sidecar for the same copy"
    )
    facts: Facts
    kept: Any = Field(description="The value of the last keep order, or null")


class SessionShutdown(Published):
    """Pi's event; a hello follows within 10 s unless the reason is quit."""

    type: Literal["session_shutdown"]
    reason: Literal["quit", "reload", "new", "resume", "fork"]


class FactsChanged(Published):
    """Sent after Pi's session_tree: another branch, other prompts and reply."""

    type: Literal["session_tree"]
    facts: Facts


class Input(Published):
    """Pi's event, before expansion."""

    type: Literal["input"]
    text: str
    source: Literal["interactive", "rpc", "extension"]
    streaming_behavior: Literal["steer", "followUp"] | None = None


class Bare(Published):
    """Pi's events that carry nothing Tank needs."""

    type: Literal["before_agent_start", "session_before_tree"]


class AgentStart(Published):
    type: Literal["agent_start"]
    id: int


class AgentEnd(Published):
    """`stop_reason` and `error_message` of the last assistant message of this attempt."""

    type: Literal["agent_end"]
    stop_reason: str | None = None
    error_message: str | None = None


class AgentSettled(Published):
    type: Literal["agent_settled"]
    id: int
    aborted: bool
    is_idle: bool
    has_pending_messages: bool
    context: Usage | None = None


class MessageStart(Published):
    """`text` only for role user: its first 512 code points."""

    type: Literal["message_start"]
    role: str
    text: str | None = None
    has_pending_messages: bool


class MessageEnd(Published):
    """Of role assistant only; `reply` is the last 1,024 code points of its text."""

    type: Literal["message_end"]
    reply: str | None = None
    context: Usage | None = None


class ToolExecutionStart(Published):
    """`argument`: the first string among the arguments that name what a tool works on, such as a command or path."""

    type: Literal["tool_execution_start"]
    tool_call_id: str
    tool_name: str
    argument: str | None = None


class ToolExecutionEnd(Published):
    type: Literal["tool_execution_end"]
    tool_call_id: str


class Prompt(Published):
    """Pi's ui_prompt_start and ui_prompt_end; overlapping dialogs are one span with the first one's kind and title."""

    type: Literal["ui_prompt_start", "ui_prompt_end"]
    kind: DialogKind
    title: str | None = None


class CompactionStart(Published):
    type: Literal["session_before_compact"]
    reason: CompactionReason


class CompactionEnd(Published):
    type: Literal["session_compact", "session_compact_failed"]
    reason: CompactionReason
    context: Usage | None = None


class NameChanged(Published):
    type: Literal["session_info_changed"]
    name: str | None = None


class ModelSelected(Published):
    type: Literal["model_select"]
    model: ModelName | None
    context: Usage | None = None


class Key(Published):
    """The key press that a watch_key order asked for."""

    type: Literal["key"]
    escape: bool


class Focus(Published):
    """A focus report of the terminal (DECSET 1004)."""

    type: Literal["focus"]
    focused: bool


class Entries(Published):
    """New custom entries of the types that welcome asked for; of several of one type the last."""

    type: Literal["entries"]
    entries: list[CustomEntry]


class Prepare(Published):
    """A run is about to start in a directory with the marker of Tank's home; answered by notes, which it waits for 200 ms."""

    type: Literal["prepare"]
    id: int


class Asked(Published):
    """What the person answered to `ask`; null: it could not be put."""

    type: Literal["asked"]
    id: int
    confirmed: bool | None


class Call(Published):
    """The model calls one of Tank's tools; answered by taken and, within 8 s, by result."""

    type: Literal["call"]
    id: int
    tool: str
    arguments: dict[str, Any]


class Answer(Published):
    """What became of an order with an id.

    taken: about to be given to Pi, whose handlers may take their time; the outcome follows;
    done: carried out (for deliver: given to Pi, not yet seen in its events); busy: Pi would lose it now;
    expired: read after `expires_at`, dropped; failed: Pi refused, see `error`.
    """

    type: Literal["answer"]
    id: int
    outcome: Literal["taken", "done", "busy", "expired", "failed"]
    error: str | None = None
    is_idle: bool = Field(description="Whether Pi was idle just before the order was carried out")
    has_pending_messages: bool = Field(description="Whether Pi holds queued messages now")


Forwarded = Annotated[
    Hello
    | SessionShutdown
    | FactsChanged
    | Input
    | Bare
    | AgentStart
    | AgentEnd
    | AgentSettled
    | MessageStart
    | MessageEnd
    | ToolExecutionStart
    | ToolExecutionEnd
    | Prompt
    | CompactionStart
    | CompactionEnd
    | NameChanged
    | ModelSelected
    | Key
    | Focus
    | Entries
    | Call
    | Prepare
    | Asked
    | Answer,
    Field(discriminator="type"),
]


class Welcome(Published):
    """Answers hello. `entry_types`: the custom entries to forward as they appear."""

    type: Literal["welcome"]
    id: int
    tank: str
    protocol: int
    entry_types: list[str]


class Taken(Published):
    """The record with this id was read."""

    type: Literal["taken"]
    id: int


class Deliver(Published):
    """Give Pi a literal user message; `expires_at` in milliseconds since 1970."""

    type: Literal["deliver"]
    id: int
    text: str
    mode: Literal["follow_up", "steer"]
    expires_at: int


class Show(Published):
    """Show a message in the session without starting or continuing a run."""

    type: Literal["show"]
    id: int
    text: str


class Append(Published):
    """Append a custom entry to the session."""

    type: Literal["append"]
    id: int
    custom_type: str
    data: Any


class Notify(Published):
    """Show the person a notice."""

    type: Literal["notify"]
    text: str
    level: Literal["info", "warning", "error"]


class Home(Published):
    """Told at each hello in a directory with the marker: the tools to register besides, none in an ordinary session.

    `notes`: whether its prompt has a section of notes.
    """

    type: Literal["home"]
    tools: list[str]
    notes: bool


class Notes(Published):
    """Answers prepare: the notes section of the prompt; null: none."""

    type: Literal["notes"]
    id: int
    text: str | None


class Ask(Published):
    """Put a question to the person; answered by asked."""

    type: Literal["ask"]
    id: int
    title: str
    text: str


class Keep(Published):
    """Keep this value for the next hello, whoever serves then."""

    type: Literal["keep"]
    value: Any


class WatchKey(Published):
    """Report the next key press, once."""

    type: Literal["watch_key"]


class Result(Published):
    """Answers call, for the model."""

    type: Literal["result"]
    id: int
    text: str
    is_error: bool


Order = Annotated[
    Welcome | Taken | Deliver | Show | Append | Notify | Home | Notes | Ask | Keep | WatchKey | Result,
    Field(discriminator="type"),
]

FORWARDED: TypeAdapter[Forwarded] = TypeAdapter(Forwarded)
ORDER: TypeAdapter[Order] = TypeAdapter(Order)
