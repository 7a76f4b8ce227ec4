import csv
import os
from pathlib import Path

import pytest

from foible.analysis.puzzles.mining_sources import SourceGame, _opening_words, expand, read_games, take_census
from foible.errors import ConfigError, FoibleError, GameFileError
from tests.analysis.puzzles.known import every_game, pgn_game, write_games
from tests.shared_data import shared

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"


def test_every_position_with_a_choice_is_a_candidate() -> None:
    game = SourceGame("game", None, ("e2e4", "e7e5", "d1h5"), "Doe", "Roe")
    found = list(game.candidates())
    assert [candidate.ply for candidate in found] == [0, 1, 2, 3]
    assert [candidate.setup for candidate in found] == [None, "e2e4", "e7e5", "d1h5"]
    assert [candidate.played for candidate in found] == ["e2e4", "e7e5", "d1h5", None]
    assert [candidate.solver for candidate in found] == ["Doe", "Roe", "Doe", "Roe"]
    assert [candidate.opponent for candidate in found] == ["Roe", "Doe", "Roe", "Doe"]
    assert found[0].before is None
    assert all(
        candidate.before is not None and candidate.before.play(candidate.setup or "") == candidate.position
        for candidate in found[1:]
    )


def test_a_position_without_a_choice_or_a_game_that_is_over_is_none() -> None:
    forced = SourceGame("forced", "8/8/8/8/8/5k2/8/r6K w - - 0 1")
    mated = SourceGame("mated", None, ("f2f3", "e7e5", "g2g4", "d8h4"))
    assert list(forced.candidates()) == []
    assert [candidate.ply for candidate in mated.candidates()] == [0, 1, 2, 3]


def test_a_game_is_known_by_its_players_and_moves_not_by_its_place() -> None:
    game = SourceGame("a.pgn, game 1", None, ("e2e4",), "Doe", "Roe", url="https://example.org/1")
    assert game.key == SourceGame("b.pgn, game 7", None, ("e2e4",), "Doe", "Roe").key
    others = [
        SourceGame("a", None, ("e2e4",), "Roe", "Doe"),
        SourceGame("a", None, ("e2e3",), "Doe", "Roe"),
        SourceGame("a", START, ("e2e4",), "Doe", "Roe"),
    ]
    assert game.key not in {other.key for other in others}


def test_positions_are_games_without_moves(tmp_path: Path) -> None:
    file = tmp_path / "some.epd"
    file.write_text('8/8/7P/8/8/5k2/r7/6K1 w - - id "end";\n\n4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\n')
    games = list(read_games([file]))
    assert [(game.name, game.moves) for game in games] == [("some.epd, position 1", ()), ("some.epd, position 2", ())]
    assert take_census([file]).positions == dict.fromkeys((game.key for game in games), 1)


def test_a_file_whose_name_is_no_text_is_named_as_well_as_it_can_be(tmp_path: Path) -> None:
    file = tmp_path / os.fsdecode(b"J\xf6rg.pgn")
    file.write_text("1. e4 e5 *\n")
    assert [game.name for game in read_games([file])] == ["J\\udcf6rg.pgn, game 1"]
    assert [one.file for one in take_census([file]).files] == ["J\\udcf6rg.pgn"]


def test_a_folder_stands_for_its_pgn_files(tmp_path: Path) -> None:
    write_games(tmp_path / "games.pgn", *every_game())
    (tmp_path / "config.toml").write_text("")
    (tmp_path / "old.pgn").mkdir()
    write_games(tmp_path / "OLD.PGN", *every_game())
    assert expand([tmp_path]) == [tmp_path / "OLD.PGN", tmp_path / "games.pgn"]
    (tmp_path / "empty").mkdir()
    with pytest.raises(GameFileError, match="a folder without a PGN file"):
        expand([tmp_path / "empty"])
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(GameFileError, match="pipe: no file; expected files that can be read twice"):
        expand([tmp_path / "pipe"])


def test_the_census_counts_each_game_once_and_tells_what_is_left_out(tmp_path: Path) -> None:
    games = every_game()
    broken = '[White "Doe"]\n\n1. e4 e5 2. Ke5 *\n\n'
    file = write_games(tmp_path / "games.pgn", *games, games[0], broken)
    census = take_census([file])
    assert sum(census.positions.values()) == 2 * len(games)
    (left_out,) = census.files
    assert (census.left_out, left_out.file, left_out.games) == (1, "games.pgn", 1)
    assert left_out.reasons[0].startswith(f"game {len(games) + 2}, move 2 (white)")


def test_a_player_is_found_in_any_spelling(tmp_path: Path) -> None:
    other = pgn_game(START, "e2e4 e7e5", white="Miller, Ann", black="Smith, Bob")
    file = write_games(tmp_path / "games.pgn", *every_game(), other)
    assert len(take_census([file], "ann MILLER").positions) == 1
    with pytest.raises(ConfigError, match="nearest names are 'Miller, Ann'"):
        take_census([file], "Ann Müller")
    with pytest.raises(ConfigError, match="expected a name"):
        take_census([file], " ")
    nameless = write_games(tmp_path / "study.pgn", "1. e4 e5 *\n\n")
    with pytest.raises(ConfigError, match="no game of 'Ann' in the files; they name no players"):
        take_census([nameless], "Ann")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("missing.pgn", None, "no such file"),
        ("noise.pgn", "nothing of chess\n", "no game in it"),
        ("broken.pgn", "1. e4 e5 2. Ke5 *\n", "the first that could not be read: game 1"),
        ("bad.epd", "8/8/8 w - -\n", "bad.epd, line 1"),
    ],
)
def test_what_cannot_be_read_is_said(tmp_path: Path, name: str, content: str | None, message: str) -> None:
    if content is not None:
        (tmp_path / name).write_text(content)
    with pytest.raises(FoibleError, match=message):
        take_census([tmp_path / name])


def test_openings_and_links_travel_as_public_tables_write_them(tmp_path: Path) -> None:
    tags = (
        '[ECO "B90"]\n[Opening "Sicilian Defense: Najdorf Variation, Adams Attack"]\n[Site "https://lichess.org/abc"]\n'
    )
    (tmp_path / "games.pgn").write_text(f"{tags}\n1. e4 c5 *\n")
    (game,) = read_games([tmp_path / "games.pgn"])
    assert game.opening == "Sicilian_Defense Sicilian_Defense_Najdorf_Variation"
    assert game.url == "https://lichess.org/abc"


def test_openings_are_named_as_in_the_public_table() -> None:
    """Hyphens stay, accents and apostrophes go; the table has some names that the list of openings lacks."""
    names = [line.split("\t")[1] for line in shared("data/openings/eco.tsv").read_text("utf-8").splitlines()[1:]]
    ours = {word for name in names for word in _opening_words(name).split()}
    with shared("data/puzzles/lichess_puzzles.csv").open(encoding="utf-8") as file:
        tags = [tag for row in csv.DictReader(file) for tag in row["OpeningTags"].split()]
    known = [tag for tag in tags if not tag.endswith("_Other_variations")]
    assert "Caro-Kann_Defense" in known
    assert sum(tag in ours for tag in known) > 0.95 * len(known)
    assert _opening_words("Gr\u00fcnfeld Defense: O'Kelly") == "Grunfeld_Defense Grunfeld_Defense_OKelly"
