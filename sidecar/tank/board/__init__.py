"""The board: state and keys in, lines out. Pure."""
