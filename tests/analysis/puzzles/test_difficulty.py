import numpy as np
import pytest

from foible._core import Batch
from foible.analysis.puzzles import difficulty
from foible.analysis.puzzles.difficulty import FEATURES, HIGHEST, LEVELS, LOWEST, WEIGHTS
from foible.analysis.puzzles.puzzle import Puzzle
from foible.analysis.puzzles.table import read_table
from foible.nets import Evaluation, open_net
from tests.analysis.puzzles.known import PUZZLES
from tests.shared_data import shared


class Player:
    """Plays one move with a probability wherever it is legal, the others alike."""

    name, batch_size = "player", 4

    def __init__(self, moves: str, p: float) -> None:
        self._moves, self._p = moves.split(), p

    def evaluate(self, batch: Batch) -> Evaluation:
        logits = []
        for legal in batch.moves():
            others = len(legal) - 1
            logits += [np.log(self._p) if m in self._moves else np.log((1 - self._p) / others) for m in legal]
        wdl = np.full((len(batch), 3), 1 / 3, np.float32)
        return Evaluation(np.array(logits, np.float32), wdl)


def puzzle(theme: str) -> Puzzle:
    fen, setup, line = PUZZLES[theme]
    return Puzzle(fen=fen, setup=setup, solution=tuple(line.split()))


def test_a_net_says_how_probable_each_of_the_solvers_moves_is() -> None:
    puzzles = [puzzle("fork"), puzzle("mate in one")]
    first, second = difficulty.chances({"weak": Player("c3e2 e2c1 d6h2", 0.25)}, puzzles)
    assert first["weak"] == pytest.approx([0.25, 0.25], abs=1e-6)
    assert second["weak"] == pytest.approx([0.25], abs=1e-6)


def test_the_features_are_expected_misses_and_whether_it_mates() -> None:
    chances = {level: [0.5, 0.25] for level in LEVELS}
    assert difficulty.features(puzzle("fork"), chances) == [1.0, 1.25, 1.25, 1.25, 0.0]
    assert difficulty.features(puzzle("mate in two"), chances)[-1] == 1.0


def test_whoever_all_find_is_easier_than_whoever_none_finds() -> None:
    easy, hard = ({level: [p] for level in LEVELS} for p in (1.0, 0.0))
    values = [difficulty.features(puzzle("fork"), one) for one in (easy, hard)]
    low, high = difficulty.ratings(values)
    assert low + 300 < high


def test_ratings_stay_on_the_scale() -> None:
    values = [[1.0, misses, misses, misses, mates] for misses in (-9.0, 0.0, 3.0, 99.0) for mates in (0.0, 1.0)]
    assert all(LOWEST <= rating <= HIGHEST for rating in difficulty.ratings(values))


def test_the_fit_finds_weights_again() -> None:
    values = np.random.default_rng(0).uniform(0, 3, (50, len(FEATURES)))
    assert difficulty.fit(values.tolist(), (values @ WEIGHTS).tolist()) == pytest.approx(WEIGHTS)


def test_stronger_levels_find_more_of_the_public_puzzles() -> None:
    puzzles = list(read_table(shared("data/puzzles/lichess_puzzles.csv")))[:400]
    nets = {name: open_net(str(shared(f"nets/{name}.pb.gz"))) for name in LEVELS}
    found = difficulty.chances(nets, puzzles)
    means = [np.mean([np.prod(one[level]) for one in found]) for level in LEVELS]
    assert 0.2 < means[0] < means[1] < means[2] < 0.6
