"""What games tell.

    calibration   how well models of players predict moves, and the levels that moves speak of
    games         statistics of games: results, repetition, ends, openings, material
    go            what matches and training runs of Go tell of nets
    prep          preparation against one player
    puzzles       finding and rating puzzles
    quality       who loses how much win probability, who helps whom and who tricks whom
    runs          what is in run folders, and how far they are

Each has a face of its own, from which notebooks and commands import.
"""
