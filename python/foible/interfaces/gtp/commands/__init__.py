"""The commands, by subject. Each takes the session and its arguments, and returns the text of its answer."""
