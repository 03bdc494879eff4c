"""tmux's command lines. Targets are ids, sockets are paths; none of them starts a server."""

ASK_S = 0.5


def ask_pane(socket: str, pane: str) -> list[str]:
    """Asks what `tmux_replies.pane_shown` reads."""
    where = "#{window_id} #{window_zoomed_flag} #{pane_active}"
    clients = ["list-clients", "-F", "#{window_id}"]
    return ["tmux", "-S", socket, "display-message", "-p", "-t", pane, where, ";", *clients]
