"""The judged games for people who play, in the hands of python-chess."""

import io
from dataclasses import replace
from pathlib import Path

import chess.engine
import chess.pgn
import polars as pl
import pytest

from foible.analysis.quality.annotated_games import WORST, worst_table
from foible.analysis.quality.quality_report import Analysis, Options, analyse
from foible.judges.base import Score
from foible.judges.spec import parse_judge
from foible.judges.units import centipawns
from tests.analysis.quality.runs import run_of

NAGS = {(5, 10): chess.pgn.NAG_DUBIOUS_MOVE, (10, 20): chess.pgn.NAG_MISTAKE, (20, 101): chess.pgn.NAG_BLUNDER}
OF_PEOPLE = """[White "Amateur"]
[Black "Master"]
[Date "1851.06.21"]
[WhiteElo "1234"]
[Result "0-1"]

1. f3 e5 2. g4 Qh4# 0-1

[White "Master"]
[Black "Amateur"]
[Result "1-0"]
[SetUp "1"]
[FEN "6k1/5ppp/8/8/8/8/R7/R5K1 b - - 0 30"]

30... h6 31. Ra8+ Kh7 32. R1a7 1-0

[White "Amateur"]
[Black "Master"]
[Result "1/2-1/2"]

1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 Ng8 1/2-1/2

[White "Master"]
[Black "Amateur"]
[Result "*"]
[Variant "Chess960"]
[SetUp "1"]
[FEN "bnrkqrnb/pppppppp/8/8/8/8/PPPPPPPP/BNRKQRNB w CFcf - 0 1"]

1. e4 e5 *
"""


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Analysis:
    folder = run_of("standard", tmp_path_factory.mktemp("annotated") / "run")
    return analyse(folder, Options(judge=parse_judge("material@20")))


def of_people(folder: Path) -> Analysis:
    file = folder / "people.pgn"
    file.write_text(OF_PEOPLE)
    return analyse(file, Options(judge=parse_judge("material@20"), focal="Amateur"))


def games_of(found: Analysis) -> list[chess.pgn.Game]:
    text = io.StringIO((found.folder / "games.pgn").read_text("utf-8"))
    games = list(iter(lambda: chess.pgn.read_game(text), None))
    assert all(game.errors == [] for game in games)
    return games


def test_the_games_are_read_back_with_marks_and_what_their_moves_lose(run: Analysis) -> None:
    rows = run.plies.iter_rows(named=True)
    games = games_of(run)
    assert len(games) == len(run.games.games)
    marked = 0
    for game, analysed in zip(games, run.games.games, strict=True):
        assert game.headers["White"] == ("TREE" if analysed.focal_white else "LEELA")
        assert game.headers["Annotator"] == "foible, judge material at 20 nodes"
        for node in game.mainline():
            row = next(rows)
            assert node.move.uci() == row["move"]
            expected = {nag for (low, high), nag in NAGS.items() if low <= row["loss"] < high}
            assert node.nags == expected
            assert (f"loses {row['loss']:.1f} %" in node.comment.replace("\n", " ")) == bool(expected)
            if expected and row["best"] != row["move"]:
                better = node.parent.board().san(chess.Move.from_uci(row["best"]))
                assert f"better {better}" in node.comment.replace("\n", " ")
            marked += bool(expected)
    assert next(rows, None) is None
    assert marked


def test_evaluations_are_those_of_the_judge_seen_by_white(run: Analysis) -> None:
    rows = run.plies.iter_rows(named=True)
    for game in games_of(run):
        for node in game.mainline():
            row, told = next(rows), node.eval()
            if node.board().is_game_over():
                assert told is None
                continue
            assert told is not None
            white = row["wp_after"] if row["white"] else 1 - row["wp_after"]
            assert told.white().score(mate_score=20_000) == pytest.approx(centipawns(Score(white)), abs=1)
    assert next(rows, None) is None


def test_the_worst_moves_are_those_that_lose_most(run: Analysis) -> None:
    (table,) = (table for table in run.tables if table.name == "worst")
    lost = [row[4] for row in table.rows]
    expected = run.plies.filter("focal", pl.col("loss") > 0)["loss"].sort(descending=True).head(WORST)
    assert lost == expected.to_list()
    for row in table.rows:
        assert row[4] == pytest.approx(row[2] - row[3])  # type: ignore[operator]


def test_the_worst_moves_of_a_part_of_a_match_name_the_place_in_the_file(run: Analysis) -> None:
    later = replace(run.games, games=tuple(replace(game, number=game.number + 40) for game in run.games.games))
    headers = [f"{place}: {game.headers['White']}" for place, game in enumerate(games_of(run), 1)]
    for row in worst_table(later, run.plies).rows:
        assert str(row[1]).partition(" – ")[0] in headers


def test_games_of_people_keep_their_players_dates_ratings_and_starts(tmp_path: Path) -> None:
    found = of_people(tmp_path)
    mated, later, drawn, shuffled = games_of(found)
    assert [mated.headers[name] for name in ("White", "Date", "WhiteElo", "Result")] == [
        *("Amateur", "1851.06.21", "1234", "0-1")
    ]
    assert mated.end().board().is_checkmate()
    assert later.headers["FEN"].startswith("6k1/")
    assert later.board().fullmove_number == 30
    assert drawn.end().comment == ""  # a draw that may be claimed has no other worth
    assert "[%eval" in list(drawn.mainline())[-2].comment
    assert shuffled.board().chess960
    assert shuffled.end().eval() is not None
    (table,) = (table for table in found.tables if table.name == "worst")
    assert {row[:2] for row in table.rows} <= {
        *(("1. f3", "1: Amateur – Master, 1851.06.21"), ("2. g4", "1: Amateur – Master, 1851.06.21")),
        *(("30... h6", "2: Master – Amateur"), ("31... Kh7", "2: Master – Amateur")),
        *((f"{number}. {move}", "3: Amateur – Master") for number, move in enumerate(("Nf3", "Ng1") * 2, 1)),
        ("1... e5", "4: Master – Amateur"),
    }
    assert "2. g4" in {row[0] for row in table.rows}
    assert all(row[4] > 0 for row in table.rows)  # type: ignore[operator]
