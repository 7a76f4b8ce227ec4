from collections.abc import Iterator

import pytest

from foible._core import ChessPosition
from foible.analysis.puzzles.mining_stages import confirmed, solve, without_forced_end
from foible.analysis.puzzles.puzzle_table import read_table
from foible.engines.pool import EnginePool
from foible.engines.search import Variation
from foible.games.chess import is_mate, positions_along
from tests.analysis.puzzles.known import PUZZLES, QUICK, looks, to_solve
from tests.shared_data import shared


@pytest.mark.parametrize("theme", PUZZLES)
def test_the_known_line_is_found(theme: str) -> None:
    line = PUZZLES[theme][2].split()
    (found,) = solve(looks(), [to_solve(theme)], [line[0]], QUICK)
    assert found[::2] == tuple(line[::2])


def test_mates_are_played_to_the_end() -> None:
    position = to_solve("mate in two")
    (found,) = solve(looks(), [position], ["c5f2"], QUICK)
    assert is_mate(positions_along(position, found)[-1])


def test_lines_are_legal_and_end_with_the_solver() -> None:
    puzzles = list(read_table(shared("data/puzzles/lichess_puzzles.csv")))[300:360]
    starts, firsts = [p.position for p in puzzles], [p.solution[0] for p in puzzles]
    for start, first, line in zip(starts, firsts, solve(looks(), starts, firsts, QUICK), strict=True):
        assert line[0] == first
        assert len(line) % 2 == 1
        positions_along(start, line)


def test_together_or_alone_the_line_is_the_same() -> None:
    starts, firsts = [to_solve(theme) for theme in PUZZLES], [line.split()[0] for *_, line in PUZZLES.values()]
    together = solve(looks(), starts, firsts, QUICK)
    alone = [solve(looks(), [start], [first], QUICK)[0] for start, first in zip(starts, firsts, strict=True)]
    assert alone == together


def test_what_the_rules_force_at_the_end_is_left_out() -> None:
    start = ChessPosition("8/8/7P/8/8/5k2/r7/6K1 w - - 0 1")
    assert without_forced_end(start, ["h6h7", "a2a1", "g1h2"]) == ("h6h7",)
    assert without_forced_end(start, ["h6h7", "a2a1", "g1h2", "a1a2", "h2g1"]) == (
        "h6h7",
        "a2a1",
        "g1h2",
        "a1a2",
        "h2g1",
    )


def test_a_mate_stays_though_it_is_forced() -> None:
    start = ChessPosition("R1r3k1/5ppp/8/8/8/8/3P1P1P/3RKR2 w - - 0 1")
    moves = ("h2h3", "c8e8", "a8e8")
    assert positions_along(start, moves)[2].legal_moves == ["a8e8"]
    assert without_forced_end(start, moves) == moves


SOLUTION = tuple(PUZZLES["fork"][2].split())


class Scripted(EnginePool):
    """Answers in the order of the questions."""

    def __init__(self, *answers: list[Variation]) -> None:
        self._answers: Iterator[list[Variation]] = iter(answers)
        self.asked: list[ChessPosition] = []

    async def search(self, positions: object, multipv: int = 1, *, nodes: int | None = None) -> list[list[Variation]]:
        assert isinstance(positions, list)
        assert multipv == 2
        self.asked += positions
        return [next(self._answers) for _ in positions]


def line(move: str, cp: int | None = None, mate: int | None = None) -> Variation:
    return Variation(move, 0.0, cp, mate)


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
    first: list[Variation], second: list[Variation], kept: tuple[str, ...]
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
