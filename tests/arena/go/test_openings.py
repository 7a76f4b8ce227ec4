"""Openings that are drawn: distinct, reproducible, from a policy."""

from collections import Counter

import pytest
from hypothesis import given, settings, strategies as st

from foible._core import GoPosition
from foible.arena.go.openings import BLOCK, GoOpenings, shape
from foible.games.go import SYMMETRIES, transformed
from foible.nets.evaluator import Material
from tests.search.synthetic import Fond, Synthetic, go_on


def drawn(openings: GoOpenings, count: int) -> list[tuple[str, ...]]:
    return [openings.of_pair(pair) for pair in range(count)]


@pytest.mark.parametrize("evaluator", [None, Material(), Synthetic()])
def test_no_two_are_alike_but_for_a_symmetry(evaluator: Material | Synthetic | None) -> None:
    openings = drawn(GoOpenings(3, size=5, komi=9.5, seed=1, evaluator=evaluator), 100)
    positions = [GoPosition(5, moves) for moves in openings]
    assert len({shape(position) for position in positions}) == 100
    assert {position.ply for position in positions} == {3}
    assert not any("pass" in moves for moves in openings)


def test_an_opening_depends_on_the_seed_and_its_number_alone() -> None:
    first = drawn(GoOpenings(2, size=4, komi=0.5, seed=3), BLOCK + 6)
    other = GoOpenings(2, size=4, komi=0.5, seed=3)
    assert [other.of_pair(pair) for pair in (BLOCK + 5, 0, 7)] == [first[BLOCK + 5], first[0], first[7]]
    assert drawn(GoOpenings(2, size=4, komi=0.5, seed=4), 10) != first[:10]


def test_where_there_are_no_more_positions_some_come_again() -> None:
    openings = drawn(GoOpenings(1, size=3, komi=0.5), 20)
    shapes = Counter(shape(GoPosition(3, moves)) for moves in openings)
    assert len(shapes) == 3


def test_without_plies_games_start_from_the_empty_board() -> None:
    assert drawn(GoOpenings(0, size=3, komi=0.5), 3) == [()] * 3


def test_they_end_where_nothing_but_a_pass_is_left() -> None:
    assert drawn(GoOpenings(4, size=1, komi=0.5), 2) == [()] * 2
    assert {len(moves) for moves in drawn(GoOpenings(9, size=2, komi=0.5), 30)} > {9}


def test_they_follow_the_policy_where_they_can() -> None:
    """Nearly all of it is on A1 and C3, which are alike: one opening has it, the others must do without."""
    openings = drawn(GoOpenings(1, size=3, komi=0.5, evaluator=Fond(("A1", "C3"))), BLOCK)
    assert Counter(shape(GoPosition(3, moves)) for moves in openings).most_common(1)[0][1] > BLOCK - 10
    assert len(set(openings) - {("A1",), ("C3",)}) <= 7


@settings(max_examples=50, deadline=None)
@given(go_on(st.integers(1, 5)), st.sampled_from(SYMMETRIES))
def test_a_shape_is_that_of_all_symmetries(position: GoPosition, symmetry: int) -> None:
    assert shape(transformed(position, symmetry)) == shape(position)


def test_shapes_of_other_stones_differ() -> None:
    lines = [["A1"], ["B2"], ["A2"], ["A1", "B2"], ["B2", "A1"], ["pass", "A1"]]
    assert len({shape(GoPosition(3, moves)) for moves in lines}) == len(lines)
