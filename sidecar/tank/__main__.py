"""`tank` and `python -m tank`. The sidecar is started before anything else is imported: its memory is paid per session."""

import sys


def main() -> None:
    if sys.argv[1:2] == ["sidecar"]:
        from tank.programs import sidecar

        sidecar.main()
    elif sys.argv[1:2] == ["overlay"]:
        from tank.programs import overlay

        overlay.main()
    else:
        from tank.programs import command_line

        command_line.main()


if __name__ == "__main__":
    main()
