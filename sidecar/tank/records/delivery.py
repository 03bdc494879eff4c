"""What became of a message, in words for the person or the model that sent it."""

SENTENCES = {
    "started": "“{who}” was idle and started a run on it.",
    "queued": "“{who}” is busy; the message lies in its queue, where Pi reads it in turn.",
    "held": "“{who}” can't take a message right now; it is held there and delivered as soon as that is possible.",
    "shown": "The message is shown in “{who}” but starts no run.",
    "no": "The message was not delivered to “{who}”.",
    "unknown": "Whether the message arrived in “{who}” is unknown.",
}


def sentence(who: str, delivered: str | None, note: str | None = None) -> str:
    """A sentence for `data.delivered` of a reply; an unknown word counts as unknown. `note` is the receiver's own."""
    said = SENTENCES.get(delivered or "unknown", SENTENCES["unknown"]).format(who=who)
    return f"{said} ({note})" if note else said
