"""What tmux answers, parsed."""


def pane_shown(output: bytes | None) -> bool | None:
    """Whether an attached client shows the pane; None when tmux didn't say.

    The first line is the pane's window, whether that is zoomed and whether the pane is its active one; each further
    line is the window that one client shows.
    """
    if output is None:
        return None
    first, *clients = output.decode("ascii", "replace").split("\n")
    match first.split():
        case [window, zoomed, active]:
            hidden = zoomed == "1" and active == "0"
            return not hidden and window in clients
    return None
