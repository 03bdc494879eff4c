"""Tank: one board for every Pi session on the machine."""
