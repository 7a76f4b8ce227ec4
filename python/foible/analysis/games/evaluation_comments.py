"""Evaluations in the comments of moves, and how much they swing.

Four ways of writing them are read: `[%eval 0.35]` and `[%eval #-3]` (White's pawns, mate in 3 for Black), `wv=0.35`
(the same, as tournament programs write), `+0.35/12 1.2s` and `-M5/20` (the mover's pawns and depth, as match runners
write), and `senior 0.5312; …` (the mover's expected score, as foible writes).
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from foible.engines.search import win_probability

LARGE = 0.1
"""Expected score from which a swing is a large one."""

_COMMENT = re.compile(
    r"\[%eval\s+(?P<eval>[-+#M\d.]+)"
    r"|\bwv=(?P<wv>[-+#M\d.]+)"
    r"|^(?P<mover>[-+]?(?:M\d+|\d+\.\d+))/\d+"
    r"|^\w+ (?P<score>[01]\.\d{4})(?=;|$)"
)
_PAWNS = re.compile(r"[-+]?(?P<mate>[#M]?)[-+]?(?P<number>\d+(?:\.\d*)?|\.\d+)")


@dataclass(frozen=True, slots=True)
class Swings:
    """How much the evaluation of a game moved."""

    plies: int = 0
    """Plies that have an evaluation, as the one before them has."""
    total: float = 0.0
    """Sum of the absolute changes of White's expected score, each 0 to 1."""
    large: int = 0
    """Changes of at least `LARGE`."""


def white_score(comment: str, white_moved: bool) -> float | None:
    """White's expected score after a move, 0 to 1; `None` where the comment holds no evaluation.

    Pawns become 1 / (1 + exp(−0.4 pawns)) (opponent-modelling §1.5), a mate 1 or 0.
    """
    found = _COMMENT.search(comment)
    if found is None:
        return None
    if found["score"] is not None:
        score = float(found["score"])
        return score if white_moved else 1 - score
    pawns = _PAWNS.fullmatch(found["eval"] or found["wv"] or found["mover"])
    if pawns is None:
        return None
    number = float(pawns["number"])
    if pawns["mate"] and number == 0:
        return float(white_moved)
    negative = "-" in pawns[0]
    of_mover = float(not negative) if pawns["mate"] else win_probability(100 * (-number if negative else number))
    return of_mover if white_moved or found["mover"] is None else 1 - of_mover


def swings(comments: Sequence[str | None], white_first: bool) -> Swings:
    """`comments`: one per ply, as `PgnGame.comments` has them."""
    last: float | None = None
    steps: list[float] = []
    for ply, comment in enumerate(comments):
        score = white_score(comment, (ply % 2 == 0) == white_first) if comment else None
        if score is not None and last is not None:
            steps.append(abs(score - last))
        last = score
    return Swings(len(steps), sum(steps), sum(step >= LARGE for step in steps))
