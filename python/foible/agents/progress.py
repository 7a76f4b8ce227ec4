"""When a player that averages over an opponent's errors stops doing so, and which move it plays then.

In a won game the expectations of all moves are nearly equal, and going by them leads to repetitions (opponent-modelling
§1.3). Here are the rule that was published (§1.4) and ours (§2.4).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import msgspec

from foible._core import ChessPosition
from foible.agents.candidates import Candidate
from foible.fields import Positive
from foible.judges.base import Judge, verdicts

WINNING = 0.95
"""Win probability from which progress counts more than traps (opponent-modelling §2.4)."""
SLACK = 0.02
"""In a won game the quickest win is chosen among moves that are within this win probability of the best one."""
REPETITION = 0.1
"""The win probability that may be given up to avoid a repetition."""


class Progress(Protocol):
    """Says when averaging stops, and which move is played then."""

    async def choose(
        self, position: ChessPosition, candidates: Sequence[Candidate], allowed: Sequence[Candidate]
    ) -> Candidate | None:
        """One of the moves that the safety allows; `None` where averaging goes on.

        `candidates`: all moves of the position that were weighed, those of `allowed` among them.
        """


@dataclass(frozen=True, slots=True)
class Quickest:
    """Plays for the quickest win at a win probability of 0.95, or with a short mate (§2.4).

    Progress goes by the judge's scores of the positions after our moves, not by V.
    """

    mates: int = 5
    """The longest mate, in moves, that is played out whatever the win probability; 0 never stops averaging."""

    async def choose(
        self, position: ChessPosition, candidates: Sequence[Candidate], allowed: Sequence[Candidate]
    ) -> Candidate | None:
        mate = min(map(moves_to_mate, candidates))
        if not self.mates or (_best_score(candidates) < WINNING and mate > self.mates):
            return None
        fresh = [c for c in allowed if not allows_repetition(position.play(c.move))]
        if fresh and _best_score(fresh) >= _best_score(candidates) - REPETITION:
            allowed = fresh
        best = _best_score(allowed)
        near = [c for c in allowed if best - c.score.wp <= SLACK]
        return min(near, key=lambda c: (moves_to_mate(c), -c.score.wp, -c.expected))


@dataclass(frozen=True, slots=True)
class FoundMates:
    """Plays a mate that the judge finds, and averages everywhere else, as the published program does (§1.4).

    First the judge is asked about the position itself, and the first move of its mate is played; else the first legal
    move after which it finds one.
    """

    judge: Judge
    """Belongs to somebody else, who closes it."""
    longest: int | None = None
    """The longest mate, in moves, that is played: 5 for the post (§1.3). The program plays any: `None`."""

    async def choose(
        self, position: ChessPosition, candidates: Sequence[Candidate], allowed: Sequence[Candidate]
    ) -> Candidate | None:
        by_move = {candidate.move: candidate for candidate in allowed}
        (here,) = await verdicts(self.judge, [position])
        if here.best in by_move and here.mate and here.mate > 0 and self._is_played(here.mate):
            return by_move[here.best]
        in_order = (by_move[move] for move in position.legal_moves if move in by_move)
        return next((c for c in in_order if self._is_played(moves_to_mate(c))), None)

    def _is_played(self, mate: float) -> bool:
        return mate < math.inf and (self.longest is None or mate <= self.longest)


class FoundMatesSpec(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="kind", tag="found"
):
    """A mate that the judge finds is played, and nothing else stops the averaging, as was published."""

    longest: Positive | None = None
    """The longest mate, in moves, that is played; any where absent."""

    def build(self, judge: Judge) -> FoundMates:
        return FoundMates(judge, self.longest)


def moves_to_mate(candidate: Candidate) -> float:
    """The number of moves in which a candidate mates, itself counted; infinite where no mate is known."""
    mate = candidate.score.mate
    return mate + 1 if mate is not None and candidate.score.wp > 0.5 else math.inf


def allows_repetition(after: ChessPosition) -> bool:
    """Whether the opponent, who is to move, may claim a draw by repetition now or with a move."""
    outcome = after.outcome(claim_draw=True)
    return outcome is not None and outcome.reason in ("threefold_repetition", "fivefold_repetition")


def _best_score(candidates: Sequence[Candidate]) -> float:
    """The win probability of the candidate that the judge scores highest."""
    return max(candidate.score.wp for candidate in candidates)
