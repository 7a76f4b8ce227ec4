"""The quality of moves: who loses how much win probability, who helps whom and who tricks whom."""
