"""Statistics of games: results, repetition, ends, openings, material and complications."""
