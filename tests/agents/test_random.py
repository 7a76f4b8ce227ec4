"""The uniformly random player."""

from collections import Counter

import numpy as np
from scipy.stats import chisquare

from foible._core import ChessPosition
from foible.agents.base import Turn
from foible.agents.random import RandomMover
from tests.playing import choose


def test_every_legal_move_is_as_likely_as_the_others() -> None:
    position, rng = ChessPosition(), np.random.default_rng(7)
    decisions = choose(RandomMover(), [Turn(position, 0, 0, rng) for _ in range(4000)])
    seen = Counter(decision.move for decision in decisions)
    assert set(seen) == set(position.legal_moves)
    assert chisquare(list(seen.values())).pvalue > 0.001


def test_the_reported_distribution_is_the_one_played() -> None:
    position = ChessPosition("7k/8/8/8/8/8/8/KR6 w - - 0 1")
    (decision,) = choose(RandomMover(), [Turn(position, 0, 0, np.random.default_rng(1))])
    assert decision.policy is not None
    assert set(decision.policy) == set(position.legal_moves)
    assert abs(sum(decision.policy.values()) - 1) < 1e-12


def test_an_answer_depends_on_its_own_turn_alone() -> None:
    def turns(*seeds: int) -> list[Turn]:
        return [Turn(ChessPosition(), seed, 0, np.random.default_rng(seed)) for seed in seeds]

    together = [d.move for d in choose(RandomMover(), turns(1, 2, 3))]
    apart = [choose(RandomMover(), turns(seed))[0].move for seed in (3, 2, 1)]
    assert together == apart[::-1]
