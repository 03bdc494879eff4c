"""`tank` and `python -m tank`. What each way needs is imported once it's known.

The sidecar's memory is paid per session, and status bars run `tank status` every few seconds.
"""

import sys


def main() -> None:
    if sys.argv[1:2] == ["sidecar"]:
        from tank.programs import sidecar

        sidecar.main()
    elif sys.argv[1:2] == ["overlay"]:
        from tank.programs import overlay

        overlay.main()
    elif sys.argv[1:] in (["status"], ["status", "--tmux"]):
        from tank.programs import status_line

        status_line.main(tmux=len(sys.argv) > 2)
    else:
        from tank.programs import command_line

        command_line.main()


if __name__ == "__main__":
    main()
