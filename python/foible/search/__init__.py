"""Search: its constants, and the loop that joins a forest of trees to evaluators."""
