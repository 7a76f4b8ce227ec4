"""Search: its constants, and the loop that has the leaves of a forest of trees evaluated by nets."""
