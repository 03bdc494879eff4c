"""The shapes that Tank's parts exchange, and the text rules every one of them obeys."""
