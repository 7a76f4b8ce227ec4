"""ATT: a net tuned to its partner on the games of the team that it will play in (skill-compatible §4)."""
