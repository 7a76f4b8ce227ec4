"""What holds of a forest whatever its trees: independence, limits, choices, and recovery from failure."""

import math
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.stats import chisquare

from foible._core import (
    Batch,
    Bonus,
    BrainHand,
    ChessPosition,
    Coin,
    Follow,
    Forest,
    FreezeAfter,
    GoPosition,
    Puct,
    Request,
    RootSummary,
    Seat,
    average_winrate,
    perft,
)
from foible.errors import EvaluationError, FoibleError, MemoryLimitError, MoveError
from foible.games import Position
from foible.loop import wait
from foible.nets.evaluator import Evaluation, Evaluator, Material
from foible.search.params import SearchParams
from foible.search.trees import Trees
from tests.reference_search import Rule, Search
from tests.search.synthetic import (
    FORTRESS,
    Synthetic,
    as_read,
    chess,
    evaluate,
    examples,
    go,
    go_on,
    grow,
    params,
    plant,
    scatter,
    seats,
    synthetic,
)
from tests.search.test_twin import ORDINARY, assert_same


def found(summary: RootSummary) -> list[object]:
    """All that a summary says, to be compared exactly."""
    moves = [(m.move, m.n, m.q, m.d, m.m, m.prior, m.proven) for m in summary.moves]
    return [summary.n, summary.q, summary.d, summary.m, moves]


@examples(25)
@given(
    st.lists(chess, min_size=5, max_size=5) | st.lists(go_on(st.just(4)), min_size=5, max_size=5),
    params,
    st.tuples(seats(2), seats(2)),
    st.lists(synthetic, min_size=2, max_size=2),
    st.sampled_from([1, 8]),
    st.sampled_from([1, 3, 64]),
)
def test_neither_cache_nor_neighbours_nor_request_size_change_a_tree(
    positions: list[Position],
    params: SearchParams,
    seats: tuple[Seat, Seat],
    evaluators: list[Evaluator],
    batch: int,
    leaves: int,
) -> None:
    alone = []
    for i, position in enumerate(positions):
        forest, tree = plant(replace(params, batch=batch, cache=0), seats, position, 30 + 20 * i, seed=i)
        grow(forest, evaluators)
        alone.append(found(forest.summary(tree)))
    game = "chess" if isinstance(positions[0], ChessPosition) else "go"
    together = Forest(as_read(replace(params, batch=batch, cache=1000), positions[0]), *seats, game=game)
    trees = [together.add(position, 30 + 20 * i, i) for i, position in enumerate(positions)]
    grow(together, evaluators, leaves)
    assert [found(together.summary(tree)) for tree in trees] == alone


@examples(40)
@given(
    chess | go,
    params,
    st.tuples(seats(2), seats(2)),
    st.lists(synthetic, min_size=2, max_size=2),
    st.integers(2, 40),
    st.integers(1, 2),
    st.integers(1, 300),
)
def test_trees_grown_in_batches_are_whole_and_repeatable(
    position: Position,
    params: SearchParams,
    seats: tuple[Seat, Seat],
    evaluators: list[Evaluator],
    batch: int,
    lanes: int,
    nodes: int,
) -> None:
    params = replace(params, batch=batch, lanes=lanes)
    results = []
    for _ in range(2):
        forest, tree = plant(params, seats, position, nodes, seed=7)
        grow(forest, evaluators, batch)
        assert forest.is_done(tree)
        assert forest.done([tree]) == [tree]
        summary = forest.summary(tree)
        results.append(found(summary))
        assert summary.n == nodes
        assert sum(move.n for move in summary.moves) == nodes - 1
        for q, d in [(summary.q, summary.d), *((move.q, move.d) for move in summary.moves)]:
            assert -1 - 1e-9 <= q <= 1 + 1e-9
            assert -1e-9 <= d <= 1 + 1e-9
        move = forest.choose(tree)
        assert move == summary.best == summary.moves[0].move
        if position.play(move).legal_moves:
            forest.advance(tree, move, keep=True)
            assert forest.summary(tree).n <= summary.moves[0].n
    assert results[0] == results[1]


@examples(100)
@given(st.integers(1, 2), st.lists(st.tuples(st.integers(0, 4), st.integers(0, 30)), max_size=60))
def test_a_forest_tells_once_which_trees_have_become_done(lanes: int, steps: list[tuple[int, int]]) -> None:
    forest = Forest(SearchParams(batch=3, lanes=lanes), *ORDINARY)
    positions = [ChessPosition(), ChessPosition("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1"), FORTRESS]
    trees = [forest.add(position, 5) for position in positions]
    requests: list[Request] = []
    done: set[int] = set()
    news: set[int] = set()
    for step, number in steps:
        tree = trees[number % len(trees)]
        match step:
            case 0:
                requests.append(forest.gather(1 + number % 4))
            case 1 if requests:
                request = requests.pop(number % len(requests))
                scatter(forest, request, evaluate([Material()], request))
            case 2 if requests:
                forest.withdraw(requests.pop(number % len(requests)))
            case 3:
                forest.set_nodes(tree, number)
            case 4:
                assert forest.take_done() == sorted(news)
                news = set()
        before, done = done, set(forest.done(trees))
        news = (news | (done - before)) & done
    assert forest.take_done() == sorted(news)
    for tree in trees:
        forest.set_nodes(tree, 0)
        forest.remove(tree)
    assert not forest.take_done()


@pytest.mark.parametrize(
    ("fen", "mate"),
    [
        ("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1", "a1a8"),
        ("r3k3/8/8/8/8/8/5PPP/6K1 b - - 0 1", "a8a1"),
        ("7k/8/5KQ1/8/8/8/8/8 w - - 0 1", "g6g7"),
    ],
)
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("batch", [1, 16])
def test_mate_in_one_is_found_and_ranked_first(fen: str, mate: str, seed: int, batch: int) -> None:
    forest, tree = plant(SearchParams(batch=batch), ORDINARY, ChessPosition(fen), 400)
    grow(forest, [Synthetic(seed)])
    best = forest.summary(tree).moves[0]
    assert (best.proven, best.q) == (1, 1.0)
    assert not ChessPosition(fen).play(best.move).legal_moves
    assert ChessPosition(fen, [mate]).outcome() is not None
    assert forest.choose(tree) == best.move
    assert forest.line(tree) == [best.move]


@dataclass(frozen=True)
class Level:
    """Every move and every result alike."""

    logit: float = 0.0
    value: float = 1 / 3
    left: float | None = None

    name = "level"
    batch_size = 1

    def evaluate(self, batch: Batch) -> Evaluation:
        logits = np.full(len(batch.policy_indices()), self.logit, np.float32)
        wdl = np.full((len(batch), 3), self.value, np.float32)
        return Evaluation(logits, wdl, None if self.left is None else np.full(len(batch), self.left, np.float32))


@pytest.mark.parametrize("draw_score", [0.8, -0.8])
@pytest.mark.parametrize(
    ("fen", "draw", "sign"),
    [("7k/8/8/8/8/8/1p6/K7 w - - 0 1", "a1b2", 1), ("k7/1P6/8/8/8/8/8/7K b - - 0 1", "a8b7", -1)],
)
def test_the_draw_score_makes_draws_good_for_one_side(fen: str, draw: str, sign: int, draw_score: float) -> None:
    forest, tree = plant(SearchParams(draw_score=draw_score), ORDINARY, ChessPosition(fen), 200)
    grow(forest, [Level()])
    by_move = {move.move: move for move in forest.summary(tree).moves}
    assert (by_move[draw].proven, by_move[draw].d) == (0, 1.0)
    assert by_move[draw].q == pytest.approx(sign * draw_score)
    assert (forest.choose(tree) == draw) == (sign * draw_score > 0)


def priors(seed: int, epsilon: float, alpha: float) -> dict[str, float]:
    forest, tree = plant(SearchParams(noise_epsilon=epsilon, noise_alpha=alpha), ORDINARY, ChessPosition(), 1, seed)
    grow(forest, [Synthetic()])
    return {move.move: move.prior for move in forest.summary(tree).moves}


def test_noise_follows_the_seed_and_leaves_a_distribution() -> None:
    plain, noisy = priors(1, 0.0, 0.3), priors(1, 0.25, 0.3)
    assert noisy == priors(1, 0.25, 0.3)
    assert noisy != priors(2, 0.25, 0.3)
    assert sum(noisy.values()) == pytest.approx(1, abs=1e-6)
    assert all(noisy[move] >= 0.75 * plain[move] - 1e-7 for move in plain)
    assert max(noisy[move] - 0.75 * plain[move] for move in plain) > 0.01


def test_noise_has_the_mean_and_the_variance_of_a_dirichlet_distribution() -> None:
    alpha, moves = 0.5, 20
    samples = np.array([list(priors(seed, 1.0, alpha).values()) for seed in range(400)])
    share = 1 / moves
    variance = share * (1 - share) / (alpha * moves + 1)
    assert np.square(samples).mean() - share**2 == pytest.approx(variance, rel=0.1)


@pytest.mark.parametrize("temperature", [0.5, 1.0, 2.0])
@pytest.mark.parametrize("offset", [0.0, -2.0, 3.0])
def test_moves_are_sampled_by_their_visits(temperature: float, offset: float) -> None:
    forest, tree = plant(SearchParams(), ORDINARY, ChessPosition(), 200)
    grow(forest, [Synthetic()])
    moves = [move for move in forest.summary(tree).moves if move.n]
    weights = np.array([max(move.n + offset, 0) for move in moves]) ** (1 / temperature)
    draws = Counter(
        forest.choose(tree, temperature=temperature, visit_offset=offset, seed=seed) for seed in range(3000)
    )
    likely = weights / weights.sum() * draws.total() >= 5
    assert sum(draws[move.move] for move in moves) == draws.total()
    assert all(not draws[move.move] for move, weight in zip(moves, weights, strict=True) if not weight)
    counts = np.array([draws[move.move] for move in moves])
    seen = np.append(counts[likely], counts[~likely].sum())
    expected = np.append(weights[likely], weights[~likely].sum()) / weights.sum() * draws.total()
    keep = expected > 0
    assert chisquare(seen[keep], expected[keep]).pvalue > 1e-3


@pytest.mark.parametrize("temperature", [0.01, 1e-3, 1e-4])
def test_a_low_temperature_plays_a_move_with_the_most_visits_whatever_is_added(temperature: float) -> None:
    forest, tree = plant(SearchParams(), ORDINARY, ChessPosition(), 200)
    grow(forest, [Synthetic()])
    moves = forest.summary(tree).moves
    leaders = {move.move for move in moves if move.n == max(move.n for move in moves)}
    drawn = {forest.choose(tree, temperature=temperature, visit_offset=50, seed=seed) for seed in range(50)}
    assert drawn <= leaders


def test_the_line_of_a_move_that_is_left_out_is_empty() -> None:
    forest = Forest(SearchParams(), *ORDINARY)
    tree = forest.add(ChessPosition(), 50, only=["e2e4"])
    grow(forest, [Material()])
    assert forest.line(tree)[0] == forest.line(tree, "e2e4")[0] == "e2e4"
    assert forest.line(tree, "d2d4") == []


def test_a_position_is_evaluated_by_the_net_of_its_move_number() -> None:
    """What an evaluation depends on, a phase by the move counter included, tells positions of several trees apart."""

    class Number(Material):
        def evaluate(self, batch: Batch) -> Evaluation:
            found, phases = super().evaluate(batch), batch.move_phases(3)
            return replace(found, wdl=np.eye(3, dtype=np.float32)[phases])

    board = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0"
    early, late = ChessPosition(f"{board} 3"), ChessPosition(f"{board} 90")
    assert [found.q for found in wait(Trees([Number()]).searches([early, late], 1))] == [1, -1]


def test_moves_worse_than_the_cutoff_are_not_sampled() -> None:
    forest, tree = plant(SearchParams(), ORDINARY, ChessPosition(), 200)
    grow(forest, [Synthetic()])
    moves = forest.summary(tree).moves
    good = {move.move for move in moves if move.n and (moves[0].q - move.q) / 2 <= 0.05}
    assert 1 < len(good) < sum(move.n > 0 for move in moves)
    chosen = {forest.choose(tree, temperature=5.0, value_cutoff=0.05, seed=seed) for seed in range(2000)}
    assert chosen == good


def test_a_tree_that_outgrows_its_memory_stops_and_the_forest_lives_on() -> None:
    forest, big = plant(SearchParams(memory_mb=1, batch=32), ORDINARY, ChessPosition(), 100_000)
    with pytest.raises(MemoryLimitError, match="memory_mb = 1"):
        grow(forest, [Level()], 32)
    assert forest.summary(big).n > 100
    assert 1 << 20 < forest.size[2] < 3 << 20, "the bytes are those that are limited"
    forest.remove(big)
    assert forest.size[2] == 0
    tree = forest.add(GAME, 50)
    grow(forest, [Level()], 32)
    fresh, other = plant(SearchParams(batch=32), ORDINARY, GAME, 50)
    grow(fresh, [Level()], 32)
    assert found(forest.summary(tree)) == found(fresh.summary(other))


GAME = ChessPosition(moves=["e2e4", "e7e5", "g1f3"])
BAD: dict[str, Callable[[Evaluation], Evaluation]] = {
    "logit": lambda good: replace(good, logits=good.logits * np.float32(np.nan)),
    "infinite logit": lambda good: replace(good, logits=good.logits + np.float32(np.inf)),
    "value": lambda good: replace(good, wdl=good.wdl * np.float32(np.nan)),
    "moves left": lambda good: replace(good, moves_left=np.full(len(good.wdl), np.nan, np.float32)),
    "too few logits": lambda good: replace(good, logits=good.logits[:-1]),
    "too many values": lambda good: replace(good, wdl=np.concatenate([good.wdl, good.wdl])),
    "too few margins": lambda good: replace(good, margins=np.empty((0, 2), np.float32)),
    "no moves left": lambda good: replace(good, moves_left=np.empty(0, np.float32)),
    "values of another shape": lambda good: replace(good, wdl=np.ascontiguousarray(good.wdl.reshape(-1, 1))),
    "values without rows": lambda good: replace(good, wdl=good.wdl.ravel()),
    "values of another type": lambda good: replace(good, wdl=good.wdl.astype(np.float64)),
}


@pytest.mark.parametrize("fault", BAD)
@pytest.mark.parametrize("rule", [Puct(), Follow(0)], ids=str)
def test_a_bad_evaluation_is_refused_and_leaves_the_tree_as_it_was(fault: str, rule: Puct | Follow) -> None:
    evaluator, seat = Synthetic(moves_left=True), Seat(rule)
    forest, tree = plant(SearchParams(), (seat, seat), GAME, 20)
    grow(forest, [evaluator])
    forest.set_nodes(tree, 100)
    before = found(forest.summary(tree))
    for _ in range(3):
        request = forest.gather(1)
        answer = evaluate([evaluator], request)[0]
        assert answer is not None
        with pytest.raises(EvaluationError):
            scatter(forest, request, [BAD[fault](answer)])
    assert found(forest.summary(tree)) == before
    grow(forest, [evaluator])
    twin = Search(GAME, SearchParams(), (seat, seat), [evaluator])
    twin.run(100)
    assert_same(forest, tree, twin)


def test_an_evaluator_that_fails_leaves_the_forest_ready() -> None:
    class Failing:
        name = "failing"
        batch_size = 8

        def evaluate(self, batch: Batch) -> Evaluation:
            raise OSError("the device is gone")

    forest, tree = plant(SearchParams(batch=8, lanes=2), ORDINARY, GAME, 60)
    with pytest.raises(OSError, match="device is gone"):
        grow(forest, [Failing()], 8)
    grow(forest, [Synthetic()], 8)
    fresh, other = plant(SearchParams(batch=8, lanes=2), ORDINARY, GAME, 60)
    grow(fresh, [Synthetic()], 8)
    assert found(forest.summary(tree)) == found(fresh.summary(other))


@pytest.mark.parametrize("keep", [True, False])
def test_a_tree_cannot_move_past_the_end_of_its_game(keep: bool) -> None:
    position = ChessPosition("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1")
    forest, tree = plant(SearchParams(), ORDINARY, position, 50)
    grow(forest, [Synthetic()])
    before = found(forest.summary(tree))
    with pytest.raises(MoveError, match="a1b8"):
        forest.advance(tree, "a1b8", keep=keep)
    with pytest.raises(FoibleError, match="the game is over"):
        forest.advance(tree, "a1a8", keep=keep)
    assert found(forest.summary(tree)) == before


def test_a_move_that_cannot_be_read_is_told_as_by_the_position() -> None:
    for position in (ChessPosition(), GoPosition(5)):
        forest, tree = plant(SearchParams(), ORDINARY, position, 1)
        for text in ("Z9", "x" * 5000):
            with pytest.raises(MoveError) as told:
                position.play(text)
            with pytest.raises(MoveError, match=re.escape(str(told.value))):
                forest.advance(tree, text, keep=True)


def test_a_finished_game_cannot_be_planted() -> None:
    for position in (ChessPosition(moves=["f2f3", "e7e5", "g2g4", "d8h4"]), GoPosition(3, ["pass", "pass"])):
        with pytest.raises(FoibleError, match="the game is over"):
            plant(SearchParams(), ORDINARY, position, 10)


def test_a_tree_under_evaluation_cannot_move_on() -> None:
    forest, tree = plant(SearchParams(), ORDINARY, FORTRESS, 10)
    request = forest.gather(1)
    with pytest.raises(FoibleError, match="waits for an evaluation"):
        forest.advance(tree, "a1b1", keep=True)
    forest.withdraw(request)
    forest.advance(tree, "a1b1", keep=True)
    assert forest.summary(tree).n == 0


def test_a_request_finds_back_only_to_its_own_forest() -> None:
    own, other = (Forest(SearchParams(), Seat(), Seat()) for _ in range(2))
    tree = own.add(ChessPosition(), 1)
    request = own.gather(1)
    with pytest.raises(FoibleError, match="another forest"):
        other.scatter(request, [None])
    with pytest.raises(FoibleError, match="another forest"):
        other.withdraw(request)
    (batch,) = request.batches
    assert batch is not None
    found = Material().evaluate(batch)
    own.scatter(request, [(found.logits, found.wdl, None, None)])
    assert own.summary(tree).n == 1


@pytest.mark.parametrize("number", [-1, 64, 10**9, 2**64 - 1, 2**64])
def test_evaluators_have_small_numbers(number: int) -> None:
    for make in (lambda: Seat(evaluator=number), lambda: Follow(number), lambda: BrainHand(number)):
        with pytest.raises(FoibleError, match=f"evaluator {number}: expected a number from 0 to 63"):
            make()


def coins(rules: int) -> Rule:
    """A coin in a coin and so on, with so many rules in all."""
    nested: Rule = Puct()
    for _ in range(rules - 1):
        nested = Coin(0.5, Puct(), nested)
    return nested


def test_a_coin_may_have_many_coins_in_it() -> None:
    forest, tree = plant(SearchParams(), (Seat(coins(1000)), Seat()), GAME, 5)
    grow(forest, [Material()])
    assert forest.summary(tree).n == 5


def test_a_search_of_chess_has_no_margins_to_weigh() -> None:
    with pytest.raises(FoibleError, match="games of chess have no margins"):
        Forest(SearchParams(), Seat(), Seat(bonus=Bonus(0.5)))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda forest, _: forest.add(GAME, -1), "-1: expected a whole number from 0 to 4294967295"),
        (lambda forest, _: forest.add(GAME, 1, 2**64), "expected a whole number from 0 to 18446744073709551615"),
        (lambda forest, _: forest.gather(-1), "-1: expected a whole number"),
        (lambda forest, tree: forest.set_nodes(tree, -1), "-1: expected a whole number"),
        (lambda forest, tree: forest.choose(tree, seed=-1), "-1: expected a whole number"),
        (lambda forest, tree: forest.choose(tree, temperature=-1), "temperature = -1: expected at least 0"),
        (lambda forest, tree: forest.choose(tree, temperature=math.nan), "temperature = NaN"),
        (lambda forest, tree: forest.choose(tree, value_cutoff=2), "value_cutoff = 2: expected 0 to 1"),
        (lambda forest, tree: forest.choose(tree, visit_offset=math.inf), "visit_offset = inf: expected a finite"),
        (lambda forest, tree: forest.choose(tree, temperature=10**400), "temperature = inf: expected at least 0"),
        (lambda *_: FreezeAfter(1, temperature=10**400), "temperature of inf: expected"),
        (lambda *_: Coin(-(10**400), Puct(), Puct()), "probability -inf: expected 0 to 1"),
        (lambda *_: Bonus(0.5, mu_behind=10**400), "mu_behind = inf: expected -10 to 10"),
        (lambda *_: Bonus(1).interval(10**400, 1, black_to_move=True), "margin = inf: expected a finite number"),
        (lambda *_: average_winrate(0, 1, 0, 10**400), "end = inf: expected a finite number"),
        (lambda *_: FreezeAfter(2**32), "4294967296: expected a whole number from 0 to 4294967295"),
        (lambda *_: Bonus(1).interval(1, 0, black_to_move=True), "beta = 0: expected a finite number above 0"),
        (lambda *_: average_winrate(0, 1, -math.inf, 1), "start = -inf: expected a finite number"),
        (lambda *_: average_winrate(0, -1, 0, 1), "beta = -1: expected a number above 0"),
        (lambda *_: Batch([GAME]).move_phases(-1), "-1: expected a whole number"),
        (lambda forest, _: forest.summary(-1), "-1: expected a whole number from 0"),
        (lambda forest, tree: forest.done([tree, -1]), "-1: expected a whole number from 0"),
        (lambda forest, _: forest.advance(-1, "e2e4", keep=True), "-1: expected a whole number from 0"),
        (lambda *_: perft(GAME, 200_000), "depth = 200000: expected at most 1000"),
        (lambda *_: Batch([GAME]).select([-1]), "row -1 of a batch of 1"),
        (lambda *_: Batch([GAME]).select([2**70]), f"row {2**70} of a batch of 1"),
        (lambda *_: GoPosition(2**70), f"board size {2**70}: must be from 1 to 19"),
        (lambda *_: coins(1001), "a coin with 1001 rules: expected at most 1000"),
    ],
)
def test_numbers_out_of_range_are_told(wrong: Callable[[Forest, int], object], message: str) -> None:
    forest, tree = plant(SearchParams(), ORDINARY, GAME, 5)
    grow(forest, [Material()])
    with pytest.raises(FoibleError, match=re.escape(message)):
        wrong(forest, tree)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork processes")
def test_a_forked_process_grows_many_trees_as_its_parent_does() -> None:
    script = (
        "import os, signal\n"
        "from foible.games.chess import random_positions\n"
        "from foible.interfaces.bench.search import grow\n"
        "from foible.search.params import SearchParams\n"
        "def size():\n"
        "    return grow(random_positions(128), SearchParams(), 5, 1024)[1]\n"
        "grown = size()\n"
        "child = os.fork()\n"
        "if not child:\n"
        "    signal.alarm(600)\n"
        "    os._exit(size() != grown)\n"
        "assert os.waitpid(child, 0)[1] == 0\n"
    )
    several = {**os.environ, "RAYON_NUM_THREADS": "2"}
    subprocess.run([sys.executable, "-W", "ignore", "-c", script], check=True, env=several)


def test_results_show_themselves_in_a_line() -> None:
    trees = Trees([Material()])
    found = wait(trees.search(ChessPosition("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1"), 100))
    best = found.moves[0]
    assert repr(found) == f"RootSummary(n=100, q={found.q:+.3f}, best=d1d8)"
    assert repr(best) == f"RootMove(d1d8, n={best.n}, q={best.q:+.3f}, prior={best.prior:.3f})"
