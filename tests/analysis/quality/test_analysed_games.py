import gzip
import os
from pathlib import Path
from statistics import stdev

import pytest

from foible._core import ChessPosition
from foible.analysis.quality.analysed_games import AnalysedGames, read_games
from foible.errors import ConfigError, FoibleError, GameFileError
from foible.runs.folder import declare
from tests.analysis.quality.runs import random_run, run_of

GAME = '[White "{white}"]\n[Black "{black}"]\n[Result "{result}"]\n\n{moves} {result}\n\n'


def pgn(path: Path, *games: tuple[str, str, str, str]) -> Path:
    texts = (GAME.format(white=white, black=black, moves=moves, result=result) for white, black, moves, result in games)
    path.write_text("".join(texts))
    return path


def test_a_run_is_read_in_order_of_pairs_with_its_coins(tmp_path: Path) -> None:
    run = read_games(random_run(tmp_path / "run", games=6))
    assert [game.pair for game in run.games] == [0, 0, 1, 1, 2, 2]
    assert [game.focal_white for game in run.games] == [False, True] * 3
    for first, second in zip(run.games[::2], run.games[1::2], strict=True):
        shorter = min(len(first.bits), len(second.bits))
        assert first.bits[:shorter] == second.bits[:shorter]
    for game in run.games:
        assert game.bits == "".join("1" if move.who == "senior" else "0" for move in game.moves)
        assert len(list(game.positions())) == len(game.moves) + 1
    assert (run.focal, run.alter) == ("focal", "alter")
    assert run.folder == tmp_path / "run" / "analysis"


def test_a_run_that_is_being_written_counts_as_far_as_it_is_finished(tmp_path: Path) -> None:
    folder = random_run(tmp_path / "run", games=6)
    data = (folder / "games.pgn").read_bytes()
    (folder / "games.pgn").write_bytes(data[:-30])
    with pytest.raises(
        GameFileError, match=r"games\.pgn: is cut short, 1 of 6 finished records are gone; put back a copy of it"
    ):
        read_games(folder)
    (folder / "finished.json").unlink()  # which is written behind the games
    run = read_games(folder)
    assert [game.number for game in run.games] == [0, 1, 2, 3]
    assert run.skipped == ("game 5: finished before both of pair 3 were",)


def test_short_games_that_ended_before_earlier_ones_are_no_fair_sample(tmp_path: Path) -> None:
    folder = random_run(tmp_path / "run", games=6)
    games = (folder / "games.pgn").read_bytes().split(b"[Event ")[1:]
    (folder / "finished.json").unlink()
    (folder / "games.pgn").write_bytes(b"".join(b"[Event " + games[number] for number in (4, 5, 1, 0, 3)))
    assert [game.number for game in read_games(folder).games] == [0, 1]
    (folder / "games.pgn").write_bytes(b"".join(b"[Event " + games[number] for number in (4, 5, 1)))
    with pytest.raises(GameFileError, match=r"games\.pgn: of the first pair of games not both are finished yet"):
        read_games(folder)


def test_an_opening_is_no_move_of_the_players(tmp_path: Path) -> None:
    openings = tmp_path / "openings.pgn"
    openings.write_text("1. d4 d5 2. c4 *\n")
    run = read_games(run_of("standard", tmp_path / "run", games=2, openings={"file": str(openings)}))
    for game in run.games:
        assert game.start == ChessPosition(None, ["d4", "d5", "c4"])
        assert game.start.turn == "second"


def test_two_engines_of_a_pgn_file(tmp_path: Path) -> None:
    path = pgn(
        tmp_path / "games.pgn",
        ("Deep", "Wide", "1. f3 e5 2. g4 Qh4#", "0-1"),
        ("Wide", "Deep", "1. e4 (1. d4 d5) 1... e5 $6 {quiet} 2. Nf3", "*"),
    )
    games = read_games(path)
    assert (games.focal, games.alter) == ("Deep", "Wide")
    assert [game.focal_white for game in games.games] == [True, False]
    assert [game.pair for game in games.games] == [0, 1]
    assert [game.exact_end for game in games.games] == [True, False]
    assert [game.focal_score for game in games.games] == [0.0, None]
    assert [move.move for move in games.games[1].moves] == ["e2e4", "e7e5", "g1f3"]
    assert games.tally.n == 1
    assert games.folder == tmp_path / "games.pgn.analysis"
    assert read_games(path, "Wide").focal == "Wide"


def test_each_game_of_a_pgn_file_is_a_pair_by_itself_in_the_error_of_the_share(tmp_path: Path) -> None:
    results = ("1-0", "0-1", "1/2-1/2", "1-0")
    games = [
        ("A", "B", f"1. {move} e5", result) for move, result in zip(("e4", "d4", "c4", "b4"), results, strict=True)
    ]
    read = read_games(pgn(tmp_path / "games.pgn", *games))
    assert read.tally.share == 0.625
    assert read.standard_error == pytest.approx(stdev((1, 0, 0.5, 1)) / 2)
    again = pgn(tmp_path / "again.pgn", *games[:2], *games[:2], games[0])
    assert read_games(again).standard_error is None


def test_a_draw_by_repetition_ends_exactly_and_an_agreed_one_does_not(tmp_path: Path) -> None:
    shuffle = "1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 Ng8"
    path = pgn(tmp_path / "games.pgn", ("A", "B", shuffle, "1/2-1/2"), ("A", "B", "1. e4 e5", "1/2-1/2"))
    assert [game.exact_end for game in read_games(path).games] == [True, False]


def test_games_that_cannot_be_used_are_skipped_and_said(tmp_path: Path) -> None:
    path = pgn(
        tmp_path / "games.pgn",
        ("A", "B", "1. e4 e5", "1-0"),
        ("A", "B", "1. e4 e5 2. Ke3", "1-0"),
        ("A", "B", "1. e4 -- 2. d4", "1-0"),
        ("C", "C", "1. d4", "1-0"),
        ("A", "B", "", "1-0"),
    )
    games = read_games(path, "A")
    assert len(games.games) == 1
    assert len(games.skipped) == 4
    assert "illegal move" in games.skipped[0]
    assert "C against C" in games.skipped[2]
    assert "no move" in games.skipped[3]


def test_beside_a_pipe_nothing_is_kept(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(ConfigError, match="pipe: no file; name the folder for the analysis with --out"):
        _ = AnalysedGames(pipe, "A", "B", ()).folder


def test_latin_1_names_and_packed_files(tmp_path: Path) -> None:
    text = GAME.format(white="Müller", black="Núñez", moves="1. e4", result="1-0")
    path = tmp_path / "games.pgn.gz"
    path.write_bytes(gzip.compress(text.encode("latin-1")))
    games = read_games(path)
    assert (games.focal, games.alter) == ("Müller", "Núñez")


def test_a_field_of_opponents_goes_by_one_name(tmp_path: Path) -> None:
    path = pgn(tmp_path / "games.pgn", ("A", "B", "1. e4", "1-0"), ("C", "A", "1. e4", "1-0"))
    assert read_games(path, "A").alter == "all others"


def test_one_player_may_be_spelled_in_several_ways(tmp_path: Path) -> None:
    path = pgn(tmp_path / "games.pgn", ("Doe, Jo", "B", "1. e4", "1-0"), ("b", "Jo DOE", "1. e4", "1-0"))
    games = read_games(path, "jo doe")
    assert (games.focal, games.alter) == ("Doe, Jo", "B")
    assert [game.focal_white for game in games.games] == [True, False]
    assert read_games(path).focal == "Doe, Jo"


def test_a_result_counts_as_written_where_the_board_says_another(tmp_path: Path) -> None:
    mate = "1. f3 e5 2. g4 Qh4"
    path = pgn(tmp_path / "games.pgn", *(("A", "B", mate, result) for result in ("1-0", "0-1", "*")))
    games = read_games(path, "A")
    assert [(game.white_score, game.exact_end) for game in games.games] == [(1.0, False), (0.0, True), (0.0, True)]
    assert games.contradicted == 1


def test_chess960_games_start_where_they_say(tmp_path: Path) -> None:
    fen = "bqnrkrnb/pppppppp/8/8/8/8/PPPPPPPP/BQNRKRNB w FDfd - 0 1"
    path = tmp_path / "games.pgn"
    path.write_text(f'[White "A"]\n[Black "B"]\n[Variant "Chess960"]\n[SetUp "1"]\n[FEN "{fen}"]\n\n1. e4 e5 1-0\n')
    [game] = read_games(path).games
    assert len(list(game.positions())) == 3


def broken(folder: Path) -> Path:
    run = random_run(folder / "run", games=2)
    text = (run / "games.pgn").read_text()
    (run / "games.pgn").write_text(text.replace("[Pair ", "[Par "))
    return run


def selfplay_run(folder: Path) -> Path:
    run = folder / "run"
    run.mkdir()
    declare(run, "self-play")
    return run


def empty_run(folder: Path) -> Path:
    run = random_run(folder / "run", games=2)
    (run / "games.pgn").write_text("")
    return run


@pytest.mark.parametrize(
    ("make", "focal", "message"),
    [
        (lambda folder: folder / "none.pgn", None, "no such file"),
        (lambda folder: folder, None, r": a folder without config\.toml; expected that of a match, or a PGN file"),
        (selfplay_run, None, "run: a folder of kind self-play; expected that of a match of chess, or a PGN file"),
        (broken, None, r"games\.pgn, game 1: damaged: its checksum"),
        (empty_run, None, r"games\.pgn: is empty, 2 of 2 finished records are gone"),
        (random_run, "A", "--player is for PGN files"),
        (lambda folder: pgn(folder / "a.pgn"), None, "no game that can be replayed"),
        (lambda folder: pgn(folder / "a.pgn", ("A", "B", "1. Ke3", "*")), None, "illegal move"),
        (lambda folder: pgn(folder / "a.pgn", ("A", "B", "1. e4", "*")), "X", "of 'X'; the nearest names are 'A', 'B'"),
        (
            lambda folder: pgn(folder / "a.pgn", ("A", "B", "1. e4", "*"), ("C", "B", "1. e4", "*")),
            None,
            "3 players; name the one under test with --player",
        ),
        (lambda folder: pgn(folder / "a.pgn", ("A", "A", "1. e4", "*")), None, "no game with a move of A against"),
        (lambda folder: pgn(folder / "a.pgn", ("?", "?", "1. e4", "*")), None, "the games name no players"),
        (lambda folder: pgn(folder / "a.pgn", ("?", "?", "1. e4", "*")), "A", "the games name no players"),
    ],
)
def test_what_cannot_be_analysed_is_said_in_one_line(
    tmp_path: Path, make: "type[Path]", focal: str | None, message: str
) -> None:
    source = make(tmp_path)
    with pytest.raises((ConfigError, GameFileError), match=message) as raised:
        read_games(source, focal)
    assert isinstance(raised.value, FoibleError)
    assert "\n" not in str(raised.value)
