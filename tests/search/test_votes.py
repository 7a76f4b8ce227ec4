"""Experts that vote inside searches: the leaves of one tree, and nothing else."""

from collections import Counter

import numpy as np

from foible._core import Batch, ChessPosition
from foible.agents.search import NetSearch
from foible.loop import wait
from foible.nets.evaluator import Evaluation, Material
from foible.nets.gates import TableGate
from foible.nets.mixture import MajorityMixture, PhaseMixture
from foible.search.params import MoveChoice, SearchParams
from foible.search.trees import Trees
from foible.testing import check_agent, random_positions

POSITIONS = random_positions(ChessPosition(), 120, seed=3)[::10]
GATE = TableGate("current")


class Biased(Material):
    """The built-in evaluator, which takes one outcome for another."""

    def __init__(self, shift: int) -> None:
        self._shift = shift

    def evaluate(self, batch: Batch) -> Evaluation:
        plain = super().evaluate(batch)
        order = [self._shift, 1, 2 - self._shift]
        return Evaluation(plain.logits * (1 + self._shift), np.ascontiguousarray(plain.wdl[:, order]))


NETS = [Biased(0), Biased(2), Biased(0)]


class Recording(MajorityMixture):
    """Keeps the sizes of what it judged together."""

    def __init__(self) -> None:
        super().__init__(NETS, GATE)
        self.sizes: Counter[int] = Counter()

    def evaluate_together(self, batch: Batch) -> Evaluation:
        self.sizes[len(batch)] += 1
        return super().evaluate_together(batch)


def test_a_game_does_not_depend_on_the_games_beside_it() -> None:
    params = SearchParams(batch=8)
    check_agent(lambda: NetSearch([MajorityMixture(NETS, GATE)], nodes=60, params=params), POSITIONS)


def test_a_game_does_not_depend_on_the_games_before_it() -> None:
    voting = Trees([MajorityMixture(NETS, GATE)], SearchParams(batch=8))
    for position in POSITIONS:
        after = position.play(position.legal_moves[0])
        [alone] = wait(Trees([MajorityMixture(NETS, GATE)], SearchParams(batch=8)).searches([after], 60))
        wait(voting.searches([position], 60))
        [later] = wait(voting.searches([after], 60))
        assert later.q == alone.q


def test_only_the_leaves_of_one_tree_vote() -> None:
    mixture = Recording()
    wait(Trees([mixture], SearchParams(batch=8)).searches(POSITIONS, 60))
    assert max(mixture.sizes) == 8
    assert mixture.evaluated.off_phase > 0


def test_one_at_a_time_every_position_gets_its_own_net() -> None:
    voting, split = MajorityMixture(NETS, GATE), PhaseMixture(NETS, GATE)
    found = [
        [(move.move, move.n, move.q) for move in summary.moves]
        for mixture in (voting, split)
        for summary in wait(Trees([mixture]).searches(POSITIONS[:4], 50))
    ]
    assert found[:4] == found[4:]
    assert voting.evaluated.off_phase == 0


def test_a_vote_is_another_search_where_phases_meet() -> None:
    params = SearchParams(batch=8)
    voting = wait(Trees([MajorityMixture(NETS, GATE)], params).searches(POSITIONS, 60))
    split = wait(Trees([PhaseMixture(NETS, GATE)], params).searches(POSITIONS, 60))
    assert [found.q for found in voting] != [found.q for found in split]


def test_of_a_root_with_one_visit_a_temperature_near_zero_takes_the_largest_prior_that_noise_left() -> None:
    tree = Trees([Material()], SearchParams(noise_epsilon=1.0, seed=3)).plant(ChessPosition(), 5)
    wait(tree.grow(1))
    best = max(tree.summary().moves, key=lambda move: move.prior)
    assert {tree.choose(MoveChoice(temperature=0.001), seed) for seed in range(5)} == {best.move}
