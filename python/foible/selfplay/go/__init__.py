"""What self-play of Go has of its own: komi as the net would have it, and games that branch off others."""
