"""How well models of players predict moves, and the levels that moves speak of."""
