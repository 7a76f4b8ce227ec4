"""Preparation against one player: where they err in the openings that they play."""
