"""Puzzles: what they are, how their themes are told, the files that hold them (search-contempt §5)."""
