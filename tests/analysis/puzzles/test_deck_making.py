from pathlib import Path

import pytest

from foible.analysis.puzzles.deck_making import Making, make_deck
from foible.analysis.puzzles.mining_stages import Tools
from foible.analysis.puzzles.training_deck import Deck, find_decks
from foible.errors import ConfigError, GameFileError
from tests.analysis.puzzles.known import PUZZLES, QUICK, every_game, looks, pgn_game

PGN = "".join(every_game())
MANY = 10_000


def made(folder: Path, pgn: str = PGN, *, name: str = "jane", player: str | None = None, most: int = MANY) -> Making:
    """The last that is told."""
    return list(make_deck(folder, name, pgn, Tools(looks(), QUICK, player=player), {}, most=most))[-1]


def test_a_deck_is_made_of_games_and_can_be_trained_with(tmp_path: Path) -> None:
    end = made(tmp_path)
    assert end.done
    assert (end.puzzles, end.games, end.games_given) == (len(PUZZLES), len(PUZZLES), len(PUZZLES))
    assert end.positions == end.total == 2 * len(PUZZLES)
    assert {path.name for path in tmp_path.iterdir()} == {"jane"}
    with Deck(find_decks(tmp_path)["jane"]) as deck:
        assert {puzzle.setup for puzzle in deck.puzzles.values()} == {mistake for _, mistake, _ in PUZZLES.values()}
        assert all("after a mistake of" in puzzle.source for puzzle in deck.puzzles.values())


def test_only_the_mistakes_of_the_player_are_taken(tmp_path: Path) -> None:
    fork, skewer = PUZZLES["fork"], PUZZLES["skewer"]
    games = pgn_game(*fork[:2], white="Doe, Jane") + pgn_game(*skewer[:2], white="Poe, Ann", black="Loe, Max")
    end = made(tmp_path, games, player="Jane Doe")
    assert (end.puzzles, end.games_given) == (1, 1)


def test_work_is_bounded_by_whole_games(tmp_path: Path) -> None:
    quiet = pgn_game(
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "e2e4 e7e5 " + "b1c3 b8c6 c3b1 c6b8 " * 20
    )
    steps = list(
        make_deck(tmp_path, "jane", PGN + quiet + quiet.replace("Doe", "Poe"), Tools(looks(), QUICK), {}, most=70)
    )
    assert steps[0].total == steps[-1].total == steps[-1].positions == 70
    assert steps[-1].games == len(PUZZLES) + 1 < steps[-1].games_given


def test_nothing_is_left_where_somebody_goes_away(tmp_path: Path) -> None:
    steps = make_deck(tmp_path, "jane", PGN, Tools(looks(), QUICK), {}, most=MANY)
    assert not next(steps).done
    assert find_decks(tmp_path) == {}
    steps.close()
    assert list(tmp_path.iterdir()) == []


def test_what_a_kill_left_is_no_obstacle(tmp_path: Path) -> None:
    steps = make_deck(tmp_path, "jane", PGN, Tools(looks(), QUICK), {}, most=MANY)
    next(steps)
    (left,) = tmp_path.iterdir()
    content = {path.name: path.read_bytes() for path in left.iterdir()}
    steps.close()
    left.mkdir()
    for name, data in content.items():
        (left / name).write_bytes(data)
    assert made(tmp_path).puzzles == len(PUZZLES)
    assert [path.name for path in tmp_path.iterdir()] == ["jane"]


def test_games_without_a_puzzle_make_no_deck(tmp_path: Path) -> None:
    end = made(tmp_path, "1. e4 e5 *\n")
    assert (end.done, end.puzzles) == (True, 0)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["", "..", ".x", "a/b", "a\\b", "a\n", "x" * 61, " x", "x."])
def test_a_name_that_is_none_for_a_folder_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(ConfigError, match="deck"):
        made(tmp_path, name=name)
    assert list(tmp_path.iterdir()) == []


def test_a_name_that_is_taken_is_refused(tmp_path: Path) -> None:
    (tmp_path / "jane").mkdir()
    with pytest.raises(ConfigError, match="another name"):
        made(tmp_path)


def test_what_is_no_game_or_nobodys_is_told_and_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(GameFileError, match=r"^the games: no game in it"):
        made(tmp_path, "hello")
    with pytest.raises(ConfigError, match=r"nearest names are .*Doe, Jane"):
        made(tmp_path, player="Jane Do")
    assert list(tmp_path.iterdir()) == []
