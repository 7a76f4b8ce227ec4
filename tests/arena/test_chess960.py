"""Matches in Chess960."""

import io
from pathlib import Path

import chess
import chess.pgn
import pytest

from foible.arena.config import MatchConfig, parse_config
from foible.arena.openings import read_openings
from foible.arena.pgn import read_records
from foible.arena.play import play
from foible.errors import ConfigError, PositionError
from tests.engines.fake import Fake, find_stockfish

XFEN = "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w KQkq - 2 9"
SHREDDER = "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9"


def config(tmp_path: Path, focal: str, *, plies: int = 4, variant: str = 'variant = "chess960"') -> MatchConfig:
    book = tmp_path / "book.epd"
    book.write_text(f"{XFEN}\n{SHREDDER}\n")
    text = f"""
    framework = "standard"
    games = 4
    max_plies = {plies}
    judge = "material"
    [openings]
    file = "{book}"
    {variant}
    [focal]
    {focal}
    [alter]
    kind = "random"
    """
    return parse_config(text, "my.toml")


def engine(*command: str) -> str:
    return f'kind = "uci"\nnodes = 200\ncommand = {list(command)}'


def test_both_ways_to_write_castling_rights_are_one(tmp_path: Path) -> None:
    config(tmp_path, 'kind = "random"')
    first, second = read_openings(tmp_path / "book.epd", chess960=True)
    assert first.chess960
    assert first.position() == second.position()


def test_without_the_variant_such_a_book_is_refused_with_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(PositionError, match=r"book\.epd, line 1: .*a Chess960 start needs chess960"):
        play(config(tmp_path, 'kind = "random"', variant=""), tmp_path / "run")


def test_games_of_a_pgn_say_themselves_that_they_are_chess960(tmp_path: Path) -> None:
    book = tmp_path / "book.pgn"
    book.write_text(f'[Variant "Chess960"]\n[SetUp "1"]\n[FEN "{XFEN}"]\n\n1. e4 *\n\n')
    (opening,) = read_openings(book)
    assert opening.chess960
    assert opening.position().chess960


def test_engines_are_told_and_the_record_reads_back(tmp_path: Path) -> None:
    fake = Fake(tmp_path)
    play(config(tmp_path, engine(*fake.command())), tmp_path / "run")
    assert "setoption name UCI_Chess960 value true" in fake.told("setoption")
    data = (tmp_path / "run" / "games.pgn").read_bytes()
    records = read_records(data)
    assert all(record.opening.chess960 for record in records)
    for record in records:
        assert record.position().chess960
    game = chess.pgn.read_game(io.StringIO(data.decode()))
    assert game is not None
    assert [game.headers[name] for name in ("Variant", "SetUp")] == ["Chess960", "1"]
    assert game.headers["FEN"] in (XFEN, SHREDDER)
    assert game.board().chess960


def test_stockfish_plays_chess960_matches_to_their_end(tmp_path: Path) -> None:
    report = play(config(tmp_path, engine(find_stockfish()), plies=200), tmp_path / "run")
    assert report is not None
    assert report.failures == ()
    assert report.games.n == 4
    text = io.StringIO((tmp_path / "run" / "games.pgn").read_text())
    for _ in range(4):
        game = chess.pgn.read_game(text)
        assert game is not None
        assert not game.errors


def test_odds_are_of_ordinary_chess(tmp_path: Path) -> None:
    text = """
    framework = "odds"
    odds = "queen"
    openings = { file = "balanced", variant = "chess960" }
    focal = { kind = "random" }
    alter = { kind = "random" }
    """
    with pytest.raises(ConfigError, match=r"openings\.variant"):
        parse_config(text, "my.toml")
