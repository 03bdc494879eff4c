"""python -m tank."""


def main() -> None:
    raise SystemExit(2)
