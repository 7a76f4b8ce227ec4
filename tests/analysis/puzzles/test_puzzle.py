"""A puzzle, solved move by move."""

import pytest

from foible.analysis.puzzles.puzzle import QUICK_SECONDS, WRONG, Assessment, Puzzle, grade, try_move
from foible.errors import ConfigError, MoveError
from tests.analysis.puzzles.known import PUZZLES


def puzzle(theme: str) -> Puzzle:
    fen, mistake, line = PUZZLES[theme]
    return Puzzle(fen, mistake, tuple(line.split()))


def test_a_right_move_is_answered_by_the_line_until_it_ends() -> None:
    fork = puzzle("fork")
    assert try_move(fork, [], "c3e2") == Assessment(right=True, reply="g1h1")
    assert not try_move(fork, [], "c3e2").solved
    assert try_move(fork, ["c3e2", "g1h1"], "e2c1").solved


def test_another_move_is_wrong_and_ends_nothing() -> None:
    assert try_move(puzzle("fork"), [], "g8h8") == WRONG
    assert try_move(puzzle("fork"), ["c3e2", "g1h1"], "g8h8") == WRONG
    assert not WRONG.solved


def test_any_mate_is_right() -> None:
    ladder = Puzzle("7k/R7/8/8/8/8/8/KR3Q2 w - - 0 1", None, ("b1b8",))
    assert try_move(ladder, [], "f1f8").solved
    assert try_move(ladder, [], "b1b8").solved
    assert try_move(ladder, [], "f1e1") == WRONG


def test_a_mate_on_the_way_solves_the_puzzle_at_once() -> None:
    longer = Puzzle("7k/R7/8/8/8/8/8/KR3Q2 w - - 0 1", None, ("a1a2", "h8g8", "b1b8"))
    assert try_move(longer, [], "a1a2") == Assessment(right=True, reply="h8g8")
    assert try_move(longer, [], "f1f8").solved


def test_castling_is_known_in_both_ways_of_writing_it() -> None:
    castles = Puzzle("4k3/8/8/8/8/8/8/4K2R w K - 0 1", None, ("e1h1", "e8e7", "f1f2"))
    assert try_move(castles, [], "e1g1").reply == "e8e7"
    assert try_move(castles, ["e1g1", "e8e7"], "f1f2").solved


@pytest.mark.parametrize("played", [["c3e2"], ["g8h8", "g1h1"], ["c3e2", "g1h1", "e2c1", "h2h3"]])
def test_moves_that_are_not_on_the_way_are_refused(played: list[str]) -> None:
    with pytest.raises(ConfigError, match="beginning of the solution"):
        try_move(puzzle("fork"), played, "e2c1")


def test_an_illegal_move_is_no_answer() -> None:
    with pytest.raises(MoveError):
        try_move(puzzle("fork"), [], "c3c8")


def test_grades() -> None:
    fork, mate = puzzle("fork"), puzzle("mate in one")
    assert grade(fork, wrong_moves=0, shown=False, seconds=2 * QUICK_SECONDS) == "good"
    assert grade(mate, wrong_moves=0, shown=False, seconds=2 * QUICK_SECONDS) == "hard"
    assert grade(fork, wrong_moves=1, shown=False, seconds=1) == "again"
    assert grade(fork, wrong_moves=0, shown=True, seconds=1) == "again"
