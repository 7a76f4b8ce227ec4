"""The core's search against its readable twin, visit for visit."""

import pytest
from hypothesis import given, strategies as st

from foible._core import BrainHand, ChessPosition, Coin, Follow, FollowBest, Forest, Puct, Seat
from foible.games import Position
from foible.nets.evaluator import Evaluator
from foible.search.params import SearchParams
from tests.reference_search import Rule, Search
from tests.search.synthetic import (
    FORTRESS,
    Synthetic,
    chess,
    examples,
    go,
    grow,
    params,
    plant,
    rules,
    seats,
    synthetic,
)

ORDINARY = (Seat(Puct(), 0), Seat(Puct(), 0))
visits = st.lists(st.integers(1, 250), min_size=1, max_size=2).map(sorted)


def assert_same(forest: Forest, tree: int, twin: Search) -> None:
    found = forest.summary(tree)
    ranked = twin.ranked()
    ds, root = twin.draw_score(twin.root), twin.root
    assert found.n == root.n
    assert {move.move: move.n for move in found.moves} == {edge.move: edge.child.n for edge in ranked}
    if ranked:
        assert {move.move: move.votes for move in found.moves} == {m: visits for m, (visits, _) in twin.votes().items()}
    assert [found.q, found.d, found.m] == pytest.approx([ds * root.d - root.wl, root.d, root.m], abs=1e-12)
    for move, edge in zip(found.moves, ranked, strict=True):
        child = edge.child
        proven = child.lower if child.lower == child.upper else None
        assert (move.move, move.proven, move.prior) == (edge.move, proven, edge.prior)
        if child.n:
            wanted = [child.wl + ds * child.d, child.d, child.m]
            assert [move.q, move.d, move.m] == pytest.approx(wanted, rel=1e-12, abs=1e-12)


def compare(
    position: Position,
    settings: SearchParams,
    seats: tuple[Seat, Seat],
    evaluators: list[Evaluator],
    counts: list[int],
    seed: int = 0,
    root: Rule | None = None,
) -> None:
    forest, tree = plant(settings, seats, position, counts[0], seed, root)
    twin = Search(position, settings, seats, evaluators, seed, root)
    for nodes in counts:
        forest.set_nodes(tree, nodes)
        grow(forest, evaluators)
        twin.run(nodes)
        assert_same(forest, tree, twin)


@examples(40)
@given(chess, params, synthetic, visits)
def test_puct_in_chess_equals_the_twin(
    position: Position, params: SearchParams, evaluator: Evaluator, counts: list[int]
) -> None:
    compare(position, params, ORDINARY, [evaluator], counts)


@examples(25)
@given(go, params, synthetic, visits)
def test_puct_in_go_equals_the_twin(
    position: Position, params: SearchParams, evaluator: Evaluator, counts: list[int]
) -> None:
    compare(position, params, ORDINARY, [evaluator], counts)


@examples(30)
@given(
    chess | go,
    params,
    st.tuples(seats(3), seats(3)),
    st.lists(synthetic, min_size=3, max_size=3),
    visits,
    st.data(),
)
def test_every_rule_equals_the_twin(
    position: Position,
    params: SearchParams,
    seats: tuple[Seat, Seat],
    evaluators: list[Evaluator],
    counts: list[int],
    data: st.DataObject,
) -> None:
    root = data.draw(st.none() | rules(3))
    compare(position, params, seats, evaluators, counts, data.draw(st.integers(0, 2**64 - 1)), root)


def play_and_compare(
    position: Position,
    settings: SearchParams,
    seats: tuple[Seat, Seat],
    evaluators: list[Evaluator],
    data: st.DataObject,
    root: Rule | None = None,
) -> None:
    """Search, play, and search on, some moves of a game."""
    seed = data.draw(st.integers(0, 2**64 - 1))
    forest, tree = plant(settings, seats, position, 1, seed, root)
    twin = Search(position, settings, seats, evaluators, seed, root)
    plies = 1 if seats[0] is seats[1] else 2
    for _ in range(4):
        nodes = data.draw(st.integers(1, 100))
        forest.set_nodes(tree, nodes)
        grow(forest, evaluators)
        twin.run(nodes)
        assert_same(forest, tree, twin)
        for _ in range(plies):
            edges = sorted(twin.root.edges, key=lambda edge: -edge.child.n)
            moves = [edge.move for edge in edges] or position.legal_moves
            move = moves[min(data.draw(st.integers(0, 6)), len(moves) - 1)]
            position = position.play(move)
            if not position.legal_moves:
                return
            keep = data.draw(st.sampled_from([True] * 7 + [False]))
            forest.advance(tree, move, keep=keep)
            twin.advance(move, keep)
        assert_same(forest, tree, twin)


@examples(30)
@given(chess | go, params, synthetic, st.data())
def test_a_reused_tree_equals_the_twin(
    position: Position, params: SearchParams, evaluator: Evaluator, data: st.DataObject
) -> None:
    play_and_compare(position, params, (ORDINARY[0], ORDINARY[0]), [evaluator], data)


@examples(30)
@given(
    chess | go,
    params,
    st.tuples(seats(2), seats(2)),
    st.none() | rules(2),
    st.lists(synthetic, min_size=2, max_size=2),
    st.data(),
)
def test_a_reused_tree_of_any_rule_equals_the_twin(
    position: Position,
    params: SearchParams,
    seats: tuple[Seat, Seat],
    root: Rule | None,
    evaluators: list[Evaluator],
    data: st.DataObject,
) -> None:
    play_and_compare(position, params, seats, evaluators, data, root)


@examples(40)
@given(
    chess,
    params,
    seats(2),
    st.none() | rules(2),
    st.lists(synthetic, min_size=2, max_size=2),
    st.data(),
)
def test_a_tree_of_equal_seats_is_kept_after_every_move_as_the_twin_says(
    position: Position,
    params: SearchParams,
    seat: Seat,
    root: Rule | None,
    evaluators: list[Evaluator],
    data: st.DataObject,
) -> None:
    play_and_compare(position, params, (seat, seat), evaluators, data, root)


@pytest.mark.parametrize("rule", [Puct(), Follow(0), Coin(0.5, Puct(), FollowBest(0)), BrainHand(0)], ids=str)
def test_repetitions_that_reuse_undoes_are_taken_out_as_the_twin_says(rule: Rule) -> None:
    seat, params = Seat(rule), SearchParams(policy_temperature=2)
    evaluators: list[Evaluator] = [Synthetic(scale=0.5)]
    forest, tree = plant(params, (seat, seat), FORTRESS, 1)
    twin = Search(FORTRESS, params, (seat, seat), evaluators)
    undone = 0
    for nodes in range(60, 180, 20):
        forest.set_nodes(tree, nodes)
        grow(forest, evaluators)
        twin.run(nodes)
        assert_same(forest, tree, twin)
        searched = twin.root.n
        best = twin.ranked()[0]
        visits = best.child.n
        forest.advance(tree, best.move, keep=True)
        twin.advance(best.move)
        undone += visits - twin.root.n
        assert searched > visits
        assert_same(forest, tree, twin)
    assert undone > 0


@pytest.mark.parametrize(
    ("fen", "seed", "move", "result"),
    [
        ("7k/8/8/5K2/8/8/8/6Q1 w - - 0 1", 2, "f5f6", 1),
        ("7k/8/8/5K2/8/8/8/6Q1 w - - 0 1", 2, "g1g8", 0),
        ("7k/8/5K2/8/8/8/8/1Q6 b - - 0 1", 0, "h8g8", -1),
    ],
)
def test_a_proven_root_is_searched_again_as_the_twin_says(fen: str, seed: int, move: str, result: int) -> None:
    position = ChessPosition(fen)
    evaluators: list[Evaluator] = [Synthetic(seed, scale=0.5, moves_left=True)]
    params = SearchParams(moves_left_threshold=0.0, cpuct=4)
    forest, tree = plant(params, ORDINARY, position, 300)
    twin = Search(position, params, ORDINARY, evaluators)
    grow(forest, evaluators)
    twin.run(300)
    assert {found.move: found.proven for found in forest.summary(tree).moves}[move] == result
    forest.advance(tree, move, keep=True)
    twin.advance(move)
    assert_same(forest, tree, twin)
    forest.set_nodes(tree, 600)
    grow(forest, evaluators)
    twin.run(600)
    assert_same(forest, tree, twin)
