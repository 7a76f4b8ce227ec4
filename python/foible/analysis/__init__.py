"""Analyses of games, of players and of training runs.

    calibration   how well models of players predict moves, and the playing levels that moves point to
    games         statistics of games: results, repetition, ends, openings, material
    go            the strength of Go nets in matches, and the course of their training runs
    openings      what was played in a position, and how it scored
    prep          preparation against one player
    puzzles       finding and rating puzzles
    quality       who loses how much win probability, who helps whom and who tricks whom
    runs          the contents of run folders, and how far each run has come

Notebooks and commands import from these subpackages themselves: each exports its public names.
"""
