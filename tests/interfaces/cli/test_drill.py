"""`foible drill`: puzzles on the terminal."""

import io
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import pytest

from foible import ChessPosition
from foible.analysis.game_review import numbered
from foible.analysis.puzzles.puzzle import Puzzle
from foible.analysis.puzzles.puzzle_table import write_table
from foible.analysis.puzzles.training_deck import Deck
from tests.analysis.puzzles.known import PUZZLES
from tests.interfaces.cli.command import Command, Ran

Drill = Callable[..., Ran]
RATINGS = {"fork": 900, "mate in one": 1000, "mate in two": 1200, "skewer": 1400}
FORK = "Ne2+\nNxc1\n"


@pytest.fixture
def decks(tmp_path: Path) -> Path:
    """A folder with one deck."""
    (tmp_path / "jane").mkdir()
    rows = [
        Puzzle(fen, mistake, tuple(line.split()), rating=RATINGS[name], themes=(name.replace(" ", ""), "short"))
        for name, (fen, mistake, line) in PUZZLES.items()
    ]
    write_table(tmp_path / "jane" / "puzzles.csv", rows)
    return tmp_path


@pytest.fixture
def drill(foible: Command, monkeypatch: pytest.MonkeyPatch, decks: Path) -> Drill:
    """The command with lines to read."""

    def drilled(lines: str, *words: object) -> Ran:
        monkeypatch.setattr("sys.stdin", io.StringIO(lines))
        return foible("drill", *words, "--puzzles", decks)

    return drilled


def reviewed(decks: Path) -> list[tuple[str, str]]:
    with Deck(decks / "jane" / "puzzles.csv") as deck:
        return [(deck.puzzles[review.puzzle].themes[0], review.grade) for review in deck.reviews]


def test_a_puzzle_is_solved_in_san_and_kept(drill: Drill, decks: Path) -> None:
    ran = drill(FORK, "jane")
    assert ran.code == 0
    assert ran.err == ""
    before, _, after = ran.out.partition("Solved.")
    assert before.startswith("4 puzzles in the deck. `help` lists what can be typed.\n")
    assert "Black to move" in before
    assert "Find the 2 moves. Difficulty 900. New to you." in before
    assert "fork" not in before
    assert "Ne2+ is right;" in before
    assert "It comes again in 2 days." in after
    assert "fork, short" in after
    assert "Today: 1 answered, 1 right at once; left: 0 due, 3 new." in after
    assert reviewed(decks) == [("fork", "good")]


def test_the_move_that_led_to_a_puzzle_is_told(drill: Drill) -> None:
    before, _, _ = drill("quit\n", "jane", "--theme", "fork").out.partition("Find the")
    fen, mistake, _ = PUZZLES["fork"]
    assert f"The last move: {numbered(ChessPosition(fen), mistake)}.\n" in before


def test_wrong_moves_and_the_solution_miss_a_puzzle(drill: Drill, decks: Path) -> None:
    ran = drill("Kh8\nNxh1\nresign\nhelp\nsolution\nsolution\nquit\n", "jane")
    assert ran.code == 0
    assert "Kh8 is not it: try again" in ran.out
    assert "expected a legal move" in ran.out
    assert "show the solution" in ran.out
    assert ran.out.count("Missed. It comes again in 10 minutes.") == 2
    assert reviewed(decks) == [("fork", "again"), ("mateinone", "again")]


def test_puzzles_of_one_theme_alone(drill: Drill, decks: Path) -> None:
    ran = drill("solution\n", "jane", "--theme", "skewer")
    assert "That is all for now. The next puzzle comes in 10 minutes." in ran.out
    assert reviewed(decks) == [("skewer", "again")]


def test_themes_are_counted(drill: Drill) -> None:
    ran = drill("themes\n", "jane")
    assert ["short", "4", "0", "4"] in [line.replace("│", " ").split() for line in ran.out.splitlines()]


def test_without_a_deck_it_tells_which_there_are(drill: Drill) -> None:
    assert drill("").out == "jane\n"


def test_a_table_is_a_deck(drill: Drill, decks: Path) -> None:
    for name in (decks / "jane", decks / "jane" / "puzzles.csv"):
        assert "Find the 2 moves." in drill("quit\n", name).out
    assert reviewed(decks) == []


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("jame",), "near is jane"),
        (("jane", "--theme", "forks"), "near is fork"),
        (("/nowhere.csv",), "expected one of jane"),
        (("jane", "--new-a-day", "-1"), "new-a-day"),
    ],
)
def test_what_is_no_deck_is_one_line(drill: Drill, words: tuple[str, ...], said: str) -> None:
    ran = drill("", *words)
    assert ran.code == 2
    assert said in ran.err
    assert ran.err.count("\n") == 1


def test_a_deck_that_is_trained_with_elsewhere_is_left_alone(drill: Drill, decks: Path) -> None:
    with Deck(decks / "jane" / "puzzles.csv") as deck:
        ran = drill(FORK, "jane")
        assert ran.code == 2
        assert ran.err.count("\n") == 1
        assert deck.day(datetime.now().astimezone()).answers == 0
