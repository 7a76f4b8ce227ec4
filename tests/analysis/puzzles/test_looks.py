import pytest

from foible._core import Batch, ChessPosition
from foible.nets import Material
from tests.analysis.puzzles.known import PUZZLES, looks, to_solve

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
    monkeypatch.setattr("foible.analysis.puzzles.looks.VISITS", 130)
    assert looks().without(positions, best, 60) == together
