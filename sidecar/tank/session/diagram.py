"""The status table as a diagram for README."""

from tank.session.status import STATUS, TABLE, Happening, Phase


def mermaid() -> str:
    """A Mermaid state diagram of the four statuses; phases of one status are drawn as one."""
    arrows: dict[tuple[str, str], list[Happening]] = {}
    for phase, row in TABLE.items():
        for happening, then in row.items():
            pair = STATUS[phase], STATUS[then]
            if pair[0] != pair[1] and happening not in arrows.setdefault(pair, []):
                arrows[pair].append(happening)
    lines = [
        "stateDiagram-v2",
        '    state "needs-you" as needs_you',
        f"    [*] --> {_name(STATUS[Phase.IDLE])}",
    ]
    for (before, after), happenings in arrows.items():
        lines.append(f"    {_name(before)} --> {_name(after)}: {',<br/>'.join(happenings)}")
    return "\n".join(lines)


def _name(status: str) -> str:
    return status.replace("-", "_")
