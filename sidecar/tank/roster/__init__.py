"""Who lives, whom a word names, what a transcript says: pure, what several rooms need."""
