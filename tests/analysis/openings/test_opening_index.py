"""What games did in a position, against games counted by hand and by a plain recount."""

from collections import defaultdict
from pathlib import Path

import pytest

from foible._core import ChessPosition
from foible.analysis.openings import PLIES, OpeningIndex, PlayedMoves, RatedGames, open_index
from foible.games.pgn import read_pgn
from tests.analysis.games.pgn_games import game
from tests.shared_data import shared


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def index_of(folder: Path, *games: str) -> OpeningIndex:
    path = folder / "games.pgn"
    path.write_text("".join(games))
    return open_index([path])


def shown(found: PlayedMoves) -> dict[str, tuple[int, float | None]]:
    return {one.san: (one.games, one.score.value) for one in found.moves}


def after(moves: str) -> ChessPosition:
    return ChessPosition(None, moves.split())


CLUB = {"WhiteElo": "1500", "BlackElo": "1540"}
GAMES = (
    game("1. e4 e5 2. Nf3 Nc6", "1-0", **CLUB),
    game("1. e4 e5 2. Nf3 Nc6", "1/2-1/2", WhiteElo="1900", BlackElo="1480"),
    game("1. e4 c5 2. Nf3 d6", "0-1", WhiteElo="1700", BlackElo="1650"),
    game("1. d4 d5 2. c4 e6", "1-0", WhiteElo="1500", BlackElo="?"),
)


def test_moves_come_with_their_games_and_scores(tmp_path: Path) -> None:
    found = index_of(tmp_path, *GAMES).look_up(ChessPosition())
    assert shown(found) == {"e4": (3, 0.5), "d4": (1, 1.0)}
    assert [one.san for one in found.moves] == ["e4", "d4"]
    assert (found.games, found.score.value) == (4, 0.625)
    e4 = found.moves[0]
    assert e4.share == 0.75
    assert e4.score.standard_error == pytest.approx(0.5 / 3**0.5)
    assert found.moves[1].score.standard_error is None


def test_scores_are_those_of_the_side_to_move(tmp_path: Path) -> None:
    found = index_of(tmp_path, *GAMES).look_up(after("e4"))
    assert shown(found) == {"e5": (2, 0.25), "c5": (1, 1.0)}


def test_only_games_between_players_of_these_ratings_count(tmp_path: Path) -> None:
    index = index_of(tmp_path, *GAMES)
    found = index.look_up(ChessPosition(), RatedGames(1400, 1600))
    assert (found.games, found.games_of_any_rating) == (1, 4)
    assert shown(found) == {"e4": (1, 1.0)}
    nobody = index.look_up(ChessPosition(), RatedGames(2500, 2600))
    assert (nobody.games, nobody.moves, nobody.score.value) == (0, (), None)
    assert (index.description.games, index.description.rated) == (4, 3)


def test_orders_of_moves_lead_to_one_position(tmp_path: Path) -> None:
    index = index_of(tmp_path, game("1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5", "1-0"), game("1. Nf3 Nc6 2. e4 e5 3. Bb5", "0-1"))
    assert shown(index.look_up(after("e4 e5 Nf3 Nc6"))) == {"Bc4": (1, 1.0), "Bb5": (1, 0.0)}


def test_a_game_that_comes_back_to_a_position_counts_once(tmp_path: Path) -> None:
    index = index_of(tmp_path, game("1. Nf3 Nf6 2. Ng1 Ng8 3. e4", "1-0"), game("1. e4 e5", "0-1"))
    assert shown(index.look_up(ChessPosition())) == {"Nf3": (1, 1.0), "e4": (1, 0.0)}


def test_what_one_game_alone_came_to_is_not_kept(tmp_path: Path) -> None:
    assert index_of(tmp_path, *GAMES).look_up(after("d4")).games == 0


def test_the_opening_has_the_name_that_most_games_give_it(tmp_path: Path) -> None:
    king = game("1. e4 e5 2. Nf3", "1-0", ECO="C20", Opening="King's Pawn Game")
    index = index_of(tmp_path, king, king, game("1. e4 e5 2. d4", "0-1", ECO="C21"), game("1. e4 e5", "1-0"))
    found = index.look_up(after("e4"))
    assert found.opening == "C20 King's Pawn Game"
    assert found.opening_share == pytest.approx(2 / 3)
    assert index_of(tmp_path, *GAMES).look_up(after("e4")).opening is None


def test_an_index_that_was_damaged_says_so(tmp_path: Path) -> None:
    index = index_of(tmp_path, *GAMES)
    for part in (tmp_path / "cache").rglob("*.parquet"):
        part.write_bytes(b"")
    with pytest.raises(ValueError, match=r"parquet: the index of openings is damaged"):
        index.look_up(ChessPosition())


def test_a_thousand_club_games_are_counted_as_a_plain_recount_does(tmp_path: Path) -> None:
    texts, counts = [], defaultdict[str, dict[str, int]](lambda: defaultdict(int))
    for number, one in enumerate(read_pgn(shared("data/chess_club_online.pgn.xz"))):
        if number == 1000:
            break
        position, seen, sans = ChessPosition(), set[str](), list[str]()
        for move in one.moves[:PLIES]:
            board = position.fen.rsplit(" ", 2)[0]
            if board not in seen:
                counts[board][move] += 1
            seen.add(board)
            sans.append(position.san(move))
            position = position.play(move)
        texts.append(game(" ".join(sans), one.result))
    index = index_of(tmp_path, *texts)
    asked = 0
    for board, moves in counts.items():
        if sum(moves.values()) >= 10:
            asked += 1
            found = index.look_up(ChessPosition(f"{board} 0 1"))
            assert {one.move: one.games for one in found.moves} == moves
    assert asked > 50
