from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.stats import spearmanr

from foible._core import Batch
from foible.analysis.puzzles import difficulty
from foible.analysis.puzzles.difficulty import (
    FEATURES,
    HIGHEST,
    LEVELS,
    LOWEST,
    WEIGHTS,
    chances,
    check_ratings,
    fit_weights,
    human_nets,
    is_held_out,
    spearman,
)
from foible.analysis.puzzles.puzzle import UNTRIED, Puzzle
from foible.analysis.puzzles.puzzle_table import read_table
from foible.nets import Evaluation, open_net
from foible.nets.evaluator import Evaluator
from foible.nets.shelf import NetShelf
from foible.scale.lending import Offer, offer
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


MAIAS = [f"maia-{level}" for level in LEVELS]


class Shelf(NetShelf):
    """Has one evaluator for all nets."""

    def evaluator(self, net: str | Sequence[str]) -> Evaluator:
        return Player("e2e4", 0.5)


def test_club_rates_where_the_maias_are_neither_here_nor_lent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FOIBLE_NETS", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    try:
        offer({name: Offer("hash", f"/nets/{name}.pb.gz", bytes) for name in MAIAS[1:]})
        assert list(human_nets(Shelf())) == ["club:1100", "club:1500", "club:1900"]
        offer({name: Offer("hash", f"/nets/{name}.pb.gz", bytes) for name in MAIAS})
        assert list(human_nets(Shelf())) == MAIAS
    finally:
        offer({})


def test_a_net_says_how_probable_each_of_the_solvers_moves_is() -> None:
    puzzles = [puzzle("fork"), puzzle("mate in one")]
    first, second = difficulty.chances({"weak": Player("c3e2 e2c1 d6h2", 0.25)}, puzzles)
    assert first["weak"] == pytest.approx([0.25, 0.25], abs=1e-6)
    assert second["weak"] == pytest.approx([0.25], abs=1e-6)


def test_the_features_are_expected_misses_and_whether_it_mates() -> None:
    chances = {name: [0.5, 0.25] for name in MAIAS}
    assert difficulty.features(puzzle("fork"), chances) == [1.0, 1.25, 1.25, 1.25, 0.0]
    assert difficulty.features(puzzle("mate in two"), chances)[-1] == 1.0


def test_whoever_all_find_is_easier_than_whoever_none_finds() -> None:
    easy, hard = ({name: [p] for name in MAIAS} for p in (1.0, 0.0))
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
    nets = {name: open_net(str(shared(f"nets/{name}.pb.gz"))) for name in MAIAS}
    found = difficulty.chances(nets, puzzles)
    means = [np.mean([np.prod(one[name]) for one in found]) for name in MAIAS]
    assert 0.2 < means[0] < means[1] < means[2] < 0.6


VALUES = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=3, max_size=30)


@given(VALUES)
def test_rank_correlation_is_that_of_the_textbooks(pairs: list[tuple[int, int]]) -> None:
    one, other = (np.array(values, np.float64) for values in zip(*pairs, strict=True))
    if len(set(one)) > 1 and len(set(other)) > 1:
        assert spearman(one, other) == pytest.approx(spearmanr(one, other)[0])
    else:
        assert spearman(one, other) == 0


def some_puzzles(count: int) -> list[Puzzle]:
    return [
        Puzzle(
            fen="8/8/7P/8/8/5k2/r7/6K1 w - - 0 1",
            setup=None,
            solution=("h6h7",),
            rating=1000 + n,
            name=f"{n:05}",
            reception=None,
        )
        for n in range(count)
    ]


def test_the_halves_are_of_like_size() -> None:
    held_out = sum(map(is_held_out, some_puzzles(1000)))
    assert 400 < held_out < 600


def test_figures_come_from_one_half_and_weights_from_the_other() -> None:
    puzzles = some_puzzles(400)
    found = [{name: [1 - (p.rating or 0) / 2000] for name in MAIAS} for p in puzzles]
    check = check_ratings(puzzles, found, fit_weights(puzzles, found))
    assert check is not None
    assert check.puzzles == sum(map(is_held_out, puzzles))
    assert check.correlations[0].value == pytest.approx(1.0, abs=0.001)
    assert check.error < 2
    # Whatever the held-out half says, the weights stay.
    lies = [replace(p, rating=3000) if is_held_out(p) else p for p in puzzles]
    assert fit_weights(lies, found) == fit_weights(puzzles, found)


def test_a_predicted_rating_is_not_compared_with_itself() -> None:
    puzzles = some_puzzles(400)
    found = [{name: [1 - (p.rating or 0) / 2000] for name in MAIAS} for p in puzzles]
    assert check_ratings([replace(p, reception=UNTRIED) for p in puzzles], found, WEIGHTS) is None


def test_few_ratings_say_nothing() -> None:
    puzzles = some_puzzles(20)
    assert check_ratings(puzzles, [{name: [0.5] for name in MAIAS}] * 20, WEIGHTS) is None


def test_the_formula_is_ahead_of_plain_guesses_on_public_puzzles() -> None:
    puzzles = list(read_table(shared("data/puzzles/lichess_puzzles.csv")))[:600]
    nets = {name: open_net(str(shared(f"nets/{name}.pb.gz"))) for name in MAIAS}
    check = check_ratings(puzzles, chances(nets, puzzles), WEIGHTS)
    assert check is not None
    formula, *guesses = check.correlations
    assert formula.value > 0.7
    assert formula.low < formula.value < formula.high
    for guess in guesses:
        assert guess.behind is not None
        assert guess.behind[0] > 0.05, guess.guess
