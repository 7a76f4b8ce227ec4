"""The core's search against its readable twin, visit for visit."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from foible._core import Forest, Puct, Seat
from foible.games import Position
from foible.nets.evaluator import Evaluator
from foible.search.params import SearchParams
from tests.reference_search import Search
from tests.search.synthetic import chess, go, grow, params, plant, seats, synthetic

ORDINARY = (Seat(Puct(), 0), Seat(Puct(), 0))


def examples(n: int) -> settings:
    return settings(max_examples=n, deadline=None, suppress_health_check=list(HealthCheck), print_blob=True)


visits = st.lists(st.integers(1, 400), min_size=1, max_size=2).map(sorted)


def assert_same(forest: Forest, tree: int, twin: Search) -> None:
    found = forest.summary(tree)
    ranked = twin.ranked()
    ds, root = twin.draw_score(twin.root), twin.root
    assert found.n == root.n
    assert {move.move: move.n for move in found.moves} == {edge.move: edge.child.n for edge in ranked}
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
) -> None:
    forest, tree = plant(settings, seats, position, counts[0], seed)
    twin = Search(position, settings, seats, evaluators, seed)
    for nodes in counts:
        forest.set_nodes(tree, nodes)
        grow(forest, evaluators)
        twin.run(nodes)
        assert_same(forest, tree, twin)


@examples(100)
@given(chess, params, synthetic, visits)
def test_puct_in_chess_equals_the_twin(
    position: Position, params: SearchParams, evaluator: Evaluator, counts: list[int]
) -> None:
    compare(position, params, ORDINARY, [evaluator], counts)


@examples(60)
@given(go, params, synthetic, visits)
def test_puct_in_go_equals_the_twin(
    position: Position, params: SearchParams, evaluator: Evaluator, counts: list[int]
) -> None:
    compare(position, params, ORDINARY, [evaluator], counts)


@examples(80)
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
    compare(position, params, seats, evaluators, counts, data.draw(st.integers(0, 2**64 - 1)))


def play_and_compare(
    position: Position,
    settings: SearchParams,
    seats: tuple[Seat, Seat],
    evaluators: list[Evaluator],
    data: st.DataObject,
) -> None:
    """Search, play, and search on, some moves of a game."""
    seed = data.draw(st.integers(0, 2**64 - 1))
    forest, tree = plant(settings, seats, position, 1, seed)
    twin = Search(position, settings, seats, evaluators, seed)
    plies = 1 if seats[0] is seats[1] else 2
    for _ in range(4):
        nodes = data.draw(st.integers(1, 200))
        forest.set_nodes(tree, nodes)
        grow(forest, evaluators)
        twin.run(nodes)
        assert_same(forest, tree, twin)
        for _ in range(plies):
            moves = [edge.move for edge in twin.ranked()] or position.legal_moves
            move = moves[min(data.draw(st.integers(0, 6)), len(moves) - 1)]
            position = position.play(move)
            if not position.legal_moves:
                return
            keep = data.draw(st.sampled_from([True] * 7 + [False]))
            forest.advance(tree, move, keep=keep)
            twin.advance(move, keep)
        assert_same(forest, tree, twin)


@examples(80)
@given(chess | go, params, synthetic, st.data())
def test_a_reused_tree_equals_the_twin(
    position: Position, params: SearchParams, evaluator: Evaluator, data: st.DataObject
) -> None:
    play_and_compare(position, params, (ORDINARY[0], ORDINARY[0]), [evaluator], data)


@examples(80)
@given(
    chess | go, params, st.tuples(seats(2), seats(2)), st.lists(synthetic, min_size=2, max_size=2), st.data()
)
def test_a_reused_tree_of_any_rule_equals_the_twin(
    position: Position,
    params: SearchParams,
    seats: tuple[Seat, Seat],
    evaluators: list[Evaluator],
    data: st.DataObject,
) -> None:
    play_and_compare(position, params, seats, evaluators, data)
