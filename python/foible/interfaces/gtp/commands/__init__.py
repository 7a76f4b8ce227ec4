"""The commands, by subject. Each takes the session and what it was called with, and gives the text of its answer."""
