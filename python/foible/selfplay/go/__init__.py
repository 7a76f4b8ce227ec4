"""Self-play of Go: with komi drawn by the net's own judgement, and games that branch off others."""
