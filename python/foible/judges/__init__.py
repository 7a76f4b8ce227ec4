"""Judges: what a position is worth, said by a net, a search or an engine. They know nothing of players."""
