"""The contract of `live/<pid>.sock`: newline-delimited JSON, one reply a request, many requests a connection."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter
from pydantic.alias_generators import to_camel

from tank.records.limits import REQUEST_ID_LIMIT
from tank.records.live import Priority, Published

Delivered = Literal["started", "queued", "held", "shown", "no", "unknown"]


class Asked(BaseModel):
    """Requests come from other programs: what Tank doesn't know is ignored."""

    model_config = ConfigDict(
        frozen=True,
        extra="ignore",
        strict=True,
        alias_generator=to_camel,
        validate_by_name=True,
        serialize_by_alias=True,
    )


class From(Asked):
    """Who a session says it is."""

    session_id: str
    label: str | None = None
    project: str | None = None


class To(Asked):
    """Whom the message is for; a sidecar that serves another session now refuses."""

    session_id: str


class Send(Asked):
    """Deliver a message to the session. With `id`, a repeat within 10 minutes gets the first answer."""

    type: Literal["send"]
    message: str = Field(min_length=1)
    mode: Literal["follow_up", "steer"] = "follow_up"
    from_: From | None = Field(default=None, alias="from")
    to: To | None = None
    id: str | None = Field(default=None, min_length=1, max_length=REQUEST_ID_LIMIT)


class SetPriority(Asked):
    """Set or, with null, clear the session's priority."""

    type: Literal["priority"]
    priority: Priority | None


class Ping(Asked):
    """Answered with the entry as it would be published now."""

    type: Literal["ping"]


class Explain(Asked):
    """Answered with the last events and the rule that made the status."""

    type: Literal["explain"]


Request = Annotated[Send | SetPriority | Ping | Explain, Field(discriminator="type")]


class Sent(Published):
    """Data of a reply to send."""

    delivered: Delivered
    note: str | None = Field(default=None, description="Why, where the word alone could mislead")


class Event(Published):
    """One event that the status looked at; `age` in seconds."""

    event: str
    age: float


class Explanation(Published):
    """Data of a reply to explain."""

    status: str
    detail: str | None
    rule: str
    next: list[str] = Field(description="What would change the status")
    events: list[Event] = Field(description="Newest last")


class Ok(Published):
    """The request was carried out."""

    ok: Literal[True]
    data: Any = None


class Refused(Published):
    """The request was not carried out; `error` says what is wrong, with what, and what to do."""

    ok: Literal[False]
    error: str
    data: Any = None


Reply = Annotated[Ok | Refused, Field(discriminator="ok")]

REQUEST: TypeAdapter[Request] = TypeAdapter(Request)
REPLY: TypeAdapter[Reply] = TypeAdapter(Reply)
