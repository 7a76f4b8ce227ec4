"""Models of the other player: for every position, how probable each of their moves is."""
