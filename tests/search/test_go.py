"""What the weight of margins changes in a position."""

from collections.abc import AsyncGenerator

import pytest

from foible._core import Bonus, GoPosition
from foible.errors import FoibleError
from foible.loop import each
from foible.nets.evaluator import Material
from foible.search.go import BATCH, Preference, by_bonus, go_params, go_seats
from foible.search.trees import Trees

POSITION = GoPosition(5, ["C3", "B2", "C2"], komi=0.5)
BONUSES = [None, Bonus(), Bonus(0.5), Bonus(1.0, 0.25)]


@pytest.fixture(scope="module")
def found() -> list[tuple[Preference, ...]]:
    return list(each(by_bonus(Material(), POSITION, BONUSES, 240)))


def test_drafts_come_first_each_with_twice_the_visits(found: list[tuple[Preference, ...]]) -> None:
    assert [[one.visits for one in draft] for draft in found] == [[n] * len(BONUSES) for n in (30, 60, 120, 240)]


@pytest.mark.parametrize("index", range(len(BONUSES)))
def test_each_bonus_is_searched_as_if_alone(found: list[tuple[Preference, ...]], index: int) -> None:
    trees = Trees([Material()], go_params(size=5, batch=BATCH), *go_seats(BONUSES[index]))
    *_, alone = each(_search(trees))
    told = found[-1][index]
    assert [(move.move, move.visits) for move in told.moves] == alone
    assert sum(move.visits for move in told.moves) == told.visits - 1


async def _search(trees: Trees) -> AsyncGenerator[list[tuple[str, int]], None]:
    with trees.plant(POSITION) as tree:
        for visits in (30, 60, 120, 240):
            await tree.grow(visits)
            yield [(move.move, move.n) for move in tree.summary().moves if move.n]


def test_margins_are_told_where_there_is_a_bonus(found: list[tuple[Preference, ...]]) -> None:
    plain, *others = found[-1]
    assert plain.margin is None
    assert all(move.margin is None for move in plain.moves)
    for one in others:
        assert one.margin is not None
        assert all(move.margin is not None and 0 <= move.winrate <= 1 for move in one.moves)


def test_lambda_changes_what_is_preferred(found: list[tuple[Preference, ...]]) -> None:
    _, plain, half, _ = found[-1]
    assert [move.visits for move in plain.moves] != [move.visits for move in half.moves]


def test_one_visit_prefers_nothing() -> None:
    ((found,),) = each(by_bonus(Material(), POSITION, [Bonus()], 1))
    assert (found.visits, found.moves) == (1, ())


def test_a_game_that_is_over_has_no_moves() -> None:
    with pytest.raises(FoibleError, match="over"):
        list(each(by_bonus(Material(), GoPosition(5, ["pass", "pass"]), [Bonus()], 10)))
