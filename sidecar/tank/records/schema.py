"""JSON Schemas of the records, made from their models.

What programs of other people may read allows fields that it doesn't name: a newer Tank adds some.
"""

from typing import Any

from pydantic import TypeAdapter

from tank.records import link, live, screen, socket

Schema = dict[str, Any]

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def documents() -> dict[str, Schema]:
    """By file name without `.json`; each has `$defs` for every record it is made of."""
    return {
        "live-entry": _open(
            _document(
                "One live Pi session: a file in the live directory. FORMAT.md says how to judge it.",
                ("LiveEntry",),
                LiveEntry=TypeAdapter(live.LiveEntry),
            )
        ),
        "socket": _open(
            _document(
                "The message socket of a live session: NDJSON, one reply a request. "
                "A reply's data is Sent for send, Explanation for explain, a live entry for ping.",
                ("Request", "Reply"),
                Request=socket.REQUEST,
                Reply=socket.REPLY,
                Sent=TypeAdapter(socket.Sent),
                Explanation=TypeAdapter(socket.Explanation),
            )
        ),
        "link": _document(
            "Between Tank's Pi extension and its sidecar, both of one version: NDJSON over the sidecar's stdin "
            "(Forwarded) and stdout (Order). Internal: it changes with any release.",
            ("Forwarded", "Order"),
            Forwarded=link.FORWARDED,
            Order=link.ORDER,
        ),
        "screen": _document(
            "Between Tank's Pi extension and the board over Pi, both of one version: NDJSON over the board process's "
            "stdin (ToBoard) and stdout (FromBoard). Internal: it changes with any release.",
            ("ToBoard", "FromBoard"),
            ToBoard=screen.TO_BOARD,
            FromBoard=screen.FROM_BOARD,
        ),
    }


def _document(description: str, roots: tuple[str, ...], **records: TypeAdapter[Any]) -> Schema:
    """A document that allows what `roots` name and defines all the records."""
    found, shared = TypeAdapter.json_schemas(
        [(name, "validation", record) for name, record in records.items()]
    )
    definitions = dict(shared["$defs"])
    for name in records:
        # A model is defined already, and found is a mere reference to it; a union stands nowhere else.
        definitions.setdefault(name, found[name, "validation"])
    references = [{"$ref": f"#/$defs/{name}"} for name in roots]
    return {
        "$schema": DIALECT,
        "description": description,
        **(references[0] if len(references) == 1 else {"anyOf": references}),
        "$defs": {name: _untitled(definitions[name]) for name in sorted(definitions)},
    }


def _untitled(schema: Any) -> Any:
    """Without the titles that pydantic makes up from names; a property named title stays."""
    if isinstance(schema, list):
        return [_untitled(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        name: {key: _untitled(each) for key, each in part.items()}
        if name == "properties"
        else _untitled(part)
        for name, part in schema.items()
        if name != "title"
    }


def _open(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_open(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        name: _open(part) for name, part in schema.items() if (name, part) != ("additionalProperties", False)
    }
