from collections.abc import Iterator

import pytest

from foible._core import ChessPosition
from foible.analysis.puzzles.referee import confirmed
from foible.engines.pool import EnginePool
from foible.engines.search import Line
from tests.analysis.puzzles.known import PUZZLES, to_solve

SOLUTION = tuple(PUZZLES["fork"][2].split())


class Scripted(EnginePool):
    """Answers in the order of the questions."""

    def __init__(self, *answers: list[Line]) -> None:
        self._answers: Iterator[list[Line]] = iter(answers)
        self.asked: list[ChessPosition] = []

    def search(self, positions: object, multipv: int = 1) -> list[list[Line]]:
        assert isinstance(positions, list)
        assert multipv == 2
        self.asked += positions
        return [next(self._answers) for _ in positions]


def line(move: str, cp: int | None = None, mate: int | None = None) -> Line:
    return Line(move, 0.0, cp, mate)


WIN = [line("c3e2", 500), line("g8f8", -100)]
TAKE = [line("e2c1", 500), line("e2f4", 0)]


@pytest.mark.parametrize(
    ("first", "second", "kept"),
    [
        (WIN, TAKE, SOLUTION),
        (WIN, [line("e2c1", 500), line("e2f4", 480)], SOLUTION[:1]),
        (WIN, [line("e2f4", 500), line("e2c1", 0)], SOLUTION[:1]),
        ([line("c3e2", 500), line("g8f8", 480)], TAKE, ()),
        ([line("g8f8", 500), line("c3e2", 0)], TAKE, ()),
        ([line("c3e2", mate=2), line("g8f8", mate=3)], TAKE, ()),
        (WIN, [line("e2c1", mate=2), line("e2f4", mate=3)], SOLUTION),
        (WIN, [line("e2c1", mate=2), line("e2f4", mate=2)], SOLUTION[:1]),
        (WIN, [line("e2c1", mate=2), line("e2f4", mate=-1)], SOLUTION),
        (WIN, [line("e2c1", 900)], SOLUTION),
    ],
)
def test_a_solution_is_kept_as_far_as_the_engine_agrees(
    first: list[Line], second: list[Line], kept: tuple[str, ...]
) -> None:
    assert confirmed(Scripted(first, second), [to_solve("fork")], [SOLUTION], 0.15) == [kept]


def test_any_mate_will_do_at_the_end() -> None:
    moves = PUZZLES["mate in two"][2].split()
    engine = Scripted([line("c5f2", mate=2), line("g7g6", 0)], [line("g5g4", mate=1), line("f2g3", mate=1)])
    assert confirmed(engine, [to_solve("mate in two")], [moves], 0.15) == [tuple(moves)]


def test_only_the_solvers_positions_are_asked() -> None:
    engine = Scripted(WIN, TAKE)
    start = to_solve("fork")
    confirmed(engine, [start], [SOLUTION], 0.15)
    assert engine.asked == [start, start.play("c3e2").play("g1h1")]
