"""Matches: teams, openings, the lock-step match, run folders, and honest statistics."""
