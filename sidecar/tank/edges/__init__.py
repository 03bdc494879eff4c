"""One outside thing each: no decisions."""
