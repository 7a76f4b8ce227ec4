"""What an engine's numbers say of a position."""

import math

import chess.engine


def win_probability(cp: float) -> float:
    """1 / (1 + exp(−0.004 cp)), 0 to 1 (opponent-modelling §1.5). From 10 000 centipawns on nothing changes."""
    return 1 / (1 + math.exp(-0.004 * max(-10_000, min(10_000, cp))))


def expected_score(info: chess.engine.InfoDict) -> float | None:
    """The expected score of the side that was to move, 0 to 1.

    W + D/2 where the engine reports WDL; else `win_probability` of its centipawns, and 1 or 0 for mates.
    """
    if "wdl" in info:
        wdl = info["wdl"].relative
        if min(wdl) >= 0 and wdl.total() > 0:
            return float(wdl.expectation())
    score = info.get("score")
    if score is None:
        return None
    centipawns = score.relative.score()
    if centipawns is None:
        return float(score.relative > chess.engine.Cp(0))
    return win_probability(centipawns)
