"""What other programs answer, parsed: pure."""
