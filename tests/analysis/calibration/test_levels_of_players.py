"""The levels of the players of a file."""

from pathlib import Path

import numpy as np
import pytest

from foible._core import ChessPosition
from foible.analysis.calibration import levels_of_players as module
from foible.analysis.calibration.levels_of_players import player_levels
from foible.games.pgn import read_pgn
from foible.loop import wait
from foible.opponents.estimate import LevelEstimate
from tests.opponents.scripted import Scripted, drawn_by

FEN = "4k3/4p3/8/8/8/8/4P3/4K3 b - - 0 1"
GAMES = f"""[White "Ann"]
[Black "Bob"]
[WhiteElo "1500"]
[SetUp "1"]
[FEN "{FEN}"]

1... e5 2. e4 Ke7 3. Ke2 Ke6 1-0

[White "Bob"]
[Black "Ann"]
[WhiteElo "?"]

1. e4 e5 2. Nf3 *

[White "Ann"]
[Black "Cid"]

0-1
"""


def estimate() -> LevelEstimate:
    return LevelEstimate({1100: Scripted(drawn_by(1)), 1900: Scripted(drawn_by(2))})


@pytest.fixture
def games(tmp_path: Path) -> Path:
    file = tmp_path / "games.pgn"
    file.write_text(GAMES)
    return file


def test_evidence_of_a_player_adds_up_over_colours_and_starts(games: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = ChessPosition(FEN, ["e7e5", "e2e4", "e8e7", "e1e2", "e7e6"])
    second = ChessPosition(moves=["e4", "e5", "Nf3"])
    model = estimate()
    expected = {
        "Ann": wait(model.evidence([first], "first"))[0] + wait(model.evidence([second], "second"))[0],
        "Bob": wait(model.evidence([first], "second"))[0] + wait(model.evidence([second], "first"))[0],
    }
    for batch in (1, 50):
        monkeypatch.setattr(module, "GAMES", batch)
        found = {entry.player: entry for entry in player_levels(read_pgn(games), estimate())}
        assert {name: entry.evidence == pytest.approx(expected[name]) for name, entry in found.items()} == {
            "Ann": True,
            "Bob": True,
        }
        assert (found["Ann"].games, found["Ann"].moves, found["Ann"].rating) == (2, 3, 1500)
        assert (found["Bob"].games, found["Bob"].moves, found["Bob"].rating) == (2, 5, None)


def test_only_the_first_moves_of_a_side_count_where_asked(games: Path) -> None:
    model = estimate()
    found = player_levels(read_pgn(games), estimate(), moves=1, per_game=True)
    assert [(e.player, e.game, e.color, e.moves) for e in found] == [
        ("Ann", 1, "white", 1),
        ("Bob", 1, "black", 1),
        ("Bob", 2, "white", 1),
        ("Ann", 2, "black", 1),
    ]
    [ann] = [e for e in found if (e.player, e.game) == ("Ann", 1)]
    [expected] = wait(model.evidence([ChessPosition(FEN, ["e7e5", "e2e4"])], "first"))
    assert ann.evidence == pytest.approx(expected)
    assert np.ptp(expected) > 0


def test_players_and_games_are_chosen(games: Path) -> None:
    assert [entry.player for entry in player_levels(read_pgn(games), estimate(), player="Bob")] == ["Bob"]
    assert [entry.player for entry in player_levels(read_pgn(games), estimate(), player="BOB")] == ["Bob"]
    assert [entry.games for entry in player_levels(read_pgn(games), estimate(), limit=1)] == [1, 1]
    assert player_levels(read_pgn(games), estimate(), player="Eve") == []
