import threading
from typing import Any

import pytest
from hypothesis import given, strategies as st

from foible._core import Batch, ChessPosition
from foible.analysis.puzzles.criterion import Criterion, SearchView, lead
from foible.errors import ConfigError, FoibleError
from foible.nets import Material
from tests.analysis.puzzles.known import PUZZLES, looks, to_solve

PROBABILITY = st.floats(0, 1)
POSITIVE = st.floats(0.001, 1)


def view(wp: float, second: float = 0.0, *, mate: float | None = None, second_mate: float | None = None) -> SearchView:
    return SearchView("e2e4", wp, second, mate, second_mate)


@given(shallow=PROBABILITY, wp=PROBABILITY, delta=POSITIVE, smaller=POSITIVE)
def test_what_gains_more_gains_less(shallow: float, wp: float, delta: float, smaller: float) -> None:
    low, high = sorted((delta, smaller))
    if Criterion(delta=high).gains(shallow, view(wp)):
        assert Criterion(delta=low).gains(shallow, view(wp))


@given(wp=PROBABILITY, second=PROBABILITY, other=PROBABILITY, margin=POSITIVE, smaller=POSITIVE)
def test_what_is_unique_by_more_is_unique_by_less(
    wp: float, second: float, other: float, margin: float, smaller: float
) -> None:
    low, high = sorted((margin, smaller))
    if Criterion(margin=high).is_unique(view(wp, second), view(other)):
        assert Criterion(margin=low).is_unique(view(wp, second), view(other))
        assert Criterion(margin=high).is_unique(view(wp, second))


@given(shallow=PROBABILITY, wp=PROBABILITY, delta=POSITIVE)
def test_the_first_stage_loses_no_puzzle(shallow: float, wp: float, delta: float) -> None:
    criterion = Criterion(delta=delta)
    if criterion.gains(shallow, view(wp)):
        assert criterion.leaves_room(shallow) or shallow + delta == pytest.approx(1)


@given(shallow=PROBABILITY, wp=PROBABILITY, delta=POSITIVE)
def test_a_scout_that_sees_the_whole_gain_is_enough(shallow: float, wp: float, delta: float) -> None:
    criterion = Criterion(delta=delta)
    if criterion.gains(shallow, view(wp)):
        assert criterion.is_promising(shallow, view(wp))


def test_a_loss_that_the_long_look_sees_is_no_gain() -> None:
    assert Criterion().gains(0.4, view(0.7))
    assert not Criterion().gains(0.7, view(0.4))


def test_the_lead_counts_the_better_of_both_looks_at_the_others() -> None:
    assert lead(view(0.9, 0.4)) == pytest.approx(0.5)
    assert lead(view(0.9, 0.4), view(0.7)) == pytest.approx(0.2)
    assert lead(view(0.9, 0.8), view(0.7)) == pytest.approx(0.1)


@pytest.mark.parametrize(
    ("deep", "others", "goes_on"),
    [
        (view(1.0, 1.0, mate=0, second_mate=0), view(1.0, mate=0), True),
        (view(1.0, 0.97, mate=2), view(0.98), True),
        (view(1.0, 1.0, mate=2, second_mate=4), view(1.0, mate=4), True),
        (view(1.0, 1.0, mate=2, second_mate=2), view(1.0, mate=2), False),
        (view(1.0, 0.97, mate=4), view(1.0, mate=2), False),
        (view(0.9, 0.6), view(0.6), True),
        (view(0.9, 0.6), view(0.8), False),
        (view(0.9, 0.6), None, True),
    ],
)
def test_a_solution_goes_on_by_only_moves_and_shortest_mates(
    deep: SearchView, others: SearchView | None, goes_on: bool
) -> None:
    assert Criterion().goes_on(deep, others) is goes_on


@pytest.mark.parametrize(
    "settings",
    [{"shallow": 400}, {"shallow": 0}, {"check_nodes": 399}, {"delta": 0.0}, {"margin": 1.1}, {"mistake": -0.1}],
)
def test_looks_that_do_not_grow_and_odd_probabilities_are_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(ConfigError):
        Criterion(**settings)


def test_there_is_no_scout_that_sees_hardly_more_than_the_short_look() -> None:
    assert Criterion(shallow=10, nodes=400).scout_nodes == 100
    assert Criterion(shallow=60, nodes=400).scout_nodes is None


START = ChessPosition()


def test_one_visit_is_the_nets_own_word() -> None:
    positions = [START, *map(to_solve, PUZZLES)]
    word = (1 + Material().evaluate(Batch(positions)).q) / 2
    assert [view.wp for view in looks().search(positions, 1)] == pytest.approx(word, abs=1e-6)


def test_a_look_depends_on_its_position_alone() -> None:
    positions = [START, *map(to_solve, PUZZLES)]
    together = looks().search(positions, 120)
    alone = looks()
    assert [alone.search([position], 120)[0] for position in positions] == together


def test_the_forbidden_move_is_not_found() -> None:
    position = to_solve("mate in one")
    (best,) = looks().search([position], 50)
    (other,) = looks().without([position], [best.best], 50)
    assert (best.best, best.wp, best.mate) == ("d6h2", 1.0, 0)
    assert other is not None
    assert other.best != best.best
    assert other.wp < 1


def test_where_there_is_no_other_move_nothing_is_found() -> None:
    forced = ChessPosition("8/8/8/8/8/5k2/8/r6K w - - 0 1")
    assert forced.legal_moves == ["h1h2"]
    found = looks().without([forced, START], ["h1h2", "e2e4"], 20)
    assert found[0] is None
    assert found[1] is not None


def test_mates_are_counted_in_plies_after_the_move() -> None:
    (view,) = looks().search([to_solve("mate in two")], 400)
    assert (view.best, view.mate) == ("c5f2", 2)


def test_no_positions_no_looks() -> None:
    assert [looks().search([], 10), looks().without([], [], 10)] == [[], []]


def test_looks_that_would_need_much_memory_come_one_after_another(monkeypatch: pytest.MonkeyPatch) -> None:
    positions = [START, *map(to_solve, PUZZLES)]
    best = [view.best for view in looks().search(positions, 60)]
    together = looks().without(positions, best, 60)
    monkeypatch.setattr("foible.analysis.puzzles.criterion.VISITS", 130)
    assert looks().without(positions, best, 60) == together


def test_looks_that_are_stopped_end_at_once_and_look_no_more() -> None:
    looking, position = looks(), to_solve("fork")
    stopper = threading.Timer(0.1, looking.stop)
    stopper.start()
    with pytest.raises(FoibleError, match="stopped"):
        looking.search([position] * 50, 1_000_000)  # hours of work
    stopper.join()
    with pytest.raises(FoibleError, match="stopped"):
        looking.search([position], 10)
