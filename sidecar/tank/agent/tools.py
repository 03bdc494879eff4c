"""The tools that Tank gives to models, as data; `schema/tools.json` is generated from them and the extension registers them."""

from typing import Final

Tool = dict[str, object]
"""As Pi's registerTool takes it, without `execute`: name, label, description, promptSnippet, parameters (JSON Schema)."""

SEND_TO_SESSION: Final = "send_to_session"

TOOLS: Final[tuple[Tool, ...]] = (
    {
        "name": SEND_TO_SESSION,
        "label": "Send to session",
        "description": (
            "Send a message to another Pi session on this machine, where it arrives as a user message. Use it to "
            "hand over work, ask for something, or report a result; don't send bare thanks or acknowledgements. "
            "The receiver sees who sent it, not this conversation: say all it needs to know. The result tells what "
            "became of the message: started (it runs now), queued or held (it waits for its turn), shown (displayed "
            "without running: too many messages since a person last typed there), no (not delivered) or unknown. "
            "A target that names no session, or several, sends nothing and lists the sessions there are."
        ),
        "promptSnippet": "Send a message to another Pi session on this machine",
        "parameters": {
            "type": "object",
            "properties": {
                "to": {
                    "type": "string",
                    "minLength": 1,
                    "description": "The session: its id or the first 6 or more characters of it, its pid, its exact label, or project/label",
                },
                "message": {
                    "type": "string",
                    "minLength": 1,
                    "description": "Literal text, at most 16 KiB; put more into a file and send its path",
                },
                "mode": {
                    "type": "string",
                    "enum": ["follow_up", "steer"],
                    "default": "follow_up",
                    "description": "If the session is working: follow_up (the default) waits for its run to end, steer comes in between two steps of it",
                },
            },
            "required": ["to", "message"],
            "additionalProperties": False,
        },
    },
)
