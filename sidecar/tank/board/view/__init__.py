"""What the board looks like: state, size and theme in, lines out."""
