"""Matches: teams, openings, referees, run folders, and honest statistics."""
