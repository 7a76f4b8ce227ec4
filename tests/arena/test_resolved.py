"""A run goes on with what it began with: other programs, games or books under the same names are refused."""

from pathlib import Path

import pytest

from foible.arena.config import MatchConfig, parse_config, with_changes
from foible.arena.play import play
from foible.errors import ConfigError
from tests.engines.fake import Fake

PGN = '[White "A"]\n[Black "B"]\n\n1. {first} e5 1-0\n\n'
EPD = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -\n"


def config_of(focal: str) -> MatchConfig:
    text = f"framework = 'standard'\ngames = 2\nmax_plies = 4\nfocal = {focal}\nalter = {{ kind = 'random' }}"
    return parse_config(text, "test")


def exploit(opponent: str, judge: str = "{ kind = 'net', net = 'material' }") -> str:
    return f"{{ kind = 'exploit', opponent = {opponent}, judge = {judge} }}"


def engine_of(folder: Path) -> Path:
    """A program that becomes the fake engine."""
    path = folder / "engine"
    path.write_text("#!/bin/sh\nexec " + " ".join(f"'{word}'" for word in Fake(folder).command()) + "\n")
    path.chmod(0o755)
    return path


def check(config: MatchConfig, file: Path, folder: Path, addition: str) -> None:
    play(config, folder)
    assert play(with_changes(config, games=4), folder) is not None
    with file.open("a") as stream:
        stream.write(addition)
    with pytest.raises(ConfigError, match=rf"{file}.*sha256.*choose another folder"):
        play(with_changes(config, games=6), folder)


def test_another_version_of_an_engine_is_refused(tmp_path: Path) -> None:
    engine = engine_of(tmp_path)
    config = config_of(f"{{ kind = 'uci', command = '{engine}', nodes = 1 }}")
    check(config, engine, tmp_path / "run", "# newer\n")


def test_another_version_of_a_judge_is_refused(tmp_path: Path) -> None:
    engine = engine_of(tmp_path)
    judge = f"{{ kind = 'uci', command = '{engine}', depth = 1 }}"
    check(config_of(exploit("{ kind = 'net', net = 'material' }", judge)), engine, tmp_path / "run", "# newer\n")


def test_other_games_of_a_player_are_refused(tmp_path: Path) -> None:
    games = tmp_path / "games.pgn"
    games.write_text(PGN.format(first="e4"))
    model = f"{{ kind = 'games', file = '{games}', player = 'B', base = {{ kind = 'net', net = 'material' }} }}"
    check(config_of(exploit(model)), games, tmp_path / "run", PGN.format(first="d4"))


def test_another_book_is_refused(tmp_path: Path) -> None:
    book = tmp_path / "book.epd"
    book.write_text(EPD)
    model = f"{{ kind = 'estimate', nets = {{ 1100 = 'material' }}, book = '{book}' }}"
    check(config_of(exploit(model)), book, tmp_path / "run", EPD)
