"""Matches over a grid: players × visits × opponents, each cell a run of its own."""
