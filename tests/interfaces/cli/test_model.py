"""`foible model`."""

import json
from pathlib import Path

import pytest

from tests.engines.fake import Fake
from tests.interfaces.cli.command import Command
from tests.interfaces.cli.test_errors import check_complaint

GAMES = """[White "Ann"]
[Black "Bob"]
[WhiteElo "1520"]
[BlackElo "1610"]

1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 1-0

[White "Cid"]
[Black "Ann"]
[WhiteElo "1580"]
[BlackElo "1530"]

1. d4 d5 2. c4 e6 3. Nc3 Nf6 4. Bg5 Be7 0-1
"""
FLOOR = '{kind="floor", of={kind="net", net="material"}, name="floored"}'
ESTIMATE = '{kind="estimate", nets={1100="material", 1900="material"}}'


@pytest.fixture
def games(tmp_path: Path) -> Path:
    file = tmp_path / "games.pgn"
    file.write_text(GAMES)
    return file


def test_one_model_is_scored_overall_and_by_every_grouping(foible: Command, games: Path) -> None:
    ran = foible("model", "score", "material", games)
    assert ran.code == 0
    for part in ("18 moves of 2 games", "1500–1599", "1600–1699", "opening", "0–9", "log-loss", "first guess right"):
        assert part in ran.out
    assert ran.err == ""
    assert "± at most: the greatest standard error of the row\n" in ran.out
    assert "*" not in ran.out


def test_what_the_tables_of_several_models_mean_is_told(foible: Command, games: Path) -> None:
    out = foible("model", "score", "material", FLOOR, games, "--by", "phase").out
    assert "behind the best is by how much it exceeds the smallest" in out
    assert out.endswith("*: the best model of the row, or several that are equal\n")


def test_several_models_share_the_games_and_the_json_has_all_numbers(foible: Command, games: Path) -> None:
    ran = foible("model", "score", "material", FLOOR, games, "--by", "rating", "--json")
    found = json.loads(ran.out)
    plain, floored = found["models"]
    assert [plain["name"], floored["name"]] == ["material", "floored"]
    assert found["moves"] == 18
    assert list(plain["by"]) == ["rating"]
    assert [(g["group"], g["moves"]) for g in plain["by"]["rating"]] == [("1500–1599", 13), ("1600–1699", 5)]
    assert plain["top1"] == floored["top1"]
    assert plain["log_loss"] != floored["log_loss"]
    assert 0 < plain["log_loss_standard_error"] < 1


def test_the_moves_that_count_are_chosen_by_options(foible: Command, games: Path) -> None:
    def moves(*options: object) -> int:
        count: int = json.loads(foible("model", "score", "material", games, "--json", *options).out)["moves"]
        return count

    assert moves("--limit", 1) == 10
    assert moves("--skip-plies", 6) == 6
    assert moves("--color", "white") == 9
    assert moves("--rating", "1600-1700") == 5
    assert moves("--player", "ANN") == 5 + 4
    assert moves("--player", "ann", "--color", "black") == 4
    assert moves("--per-band", 1) in (4 + 5, 5 + 5)


def test_the_plot_is_written(foible: Command, games: Path, tmp_path: Path) -> None:
    plot = tmp_path / "plot.svg"
    assert foible("model", "score", "material", games, "--plot", plot).code == 0
    assert "18 moves of 2 games" in plot.read_text()


def test_every_player_of_a_file_gets_a_level(foible: Command, games: Path) -> None:
    ran = foible("model", "estimate", games, "--model", ESTIMATE, "--json")
    found = {entry["player"]: entry for entry in json.loads(ran.out)}
    assert {name: (entry["games"], entry["moves"]) for name, entry in found.items()} == {
        "Ann": (2, 9),
        "Bob": (1, 5),
        "Cid": (1, 4),
    }
    assert found["Ann"]["rating"] == 1525
    assert found["Ann"]["posterior"] == {"1100": pytest.approx(0.5), "1900": pytest.approx(0.5)}
    assert (found["Ann"]["mean"], found["Ann"]["interval80"]) == (pytest.approx(1500), [1100, 1900])
    table = foible("model", "estimate", games, "--model", ESTIMATE).out
    assert "Ann" in table
    assert "1100–1900" in table


def test_the_games_of_an_estimate_may_come_by_a_pipe(foible: Command, games: Path) -> None:
    words = ("model", "estimate", "-", "--model", ESTIMATE, "--json")
    piped, read = foible(*words, pipe=games.read_text()), foible(*words[:2], games, *words[3:])
    assert piped.code == 0, piped.err
    assert json.loads(piped.out) == json.loads(read.out)
    nobody = foible(*words, "--player", "Anna", pipe=games.read_text())
    assert (nobody.code, nobody.err) == (2, "foible: -: no move of 'Anna' that counts\n")


def test_games_may_stand_alone_and_count_in_part(foible: Command, games: Path) -> None:
    words = ("model", "estimate", games, "--model", ESTIMATE, "--player", "Ann", "--per-game", "--moves", 3, "--json")
    found = json.loads(foible(*words).out)
    assert [(e["game"], e["color"], e["moves"], e["rating"]) for e in found] == [
        (1, "white", 3, 1520),
        (2, "black", 3, 1530),
    ]


def test_evidence_adds_up_over_games_and_a_prior_moves_it(foible: Command, tmp_path: Path) -> None:
    table = '{kind="estimate", nets={1100="club:1100", 1900="club:1900"}}'
    file = tmp_path / "games.pgn"
    file.write_text(GAMES)
    words = ("model", "estimate", file, "--json", "--runtime", "onnxruntime")
    together = {e["player"]: e for e in json.loads(foible(*words, "--model", table).out)}
    apart = [e for e in json.loads(foible(*words, "--model", table, "--per-game").out) if e["player"] == "Ann"]
    odds = [e["posterior"]["1900"] / e["posterior"]["1100"] for e in (*apart, together["Ann"])]
    assert odds[0] * odds[1] == pytest.approx(odds[2], rel=1e-6)
    believed = json.loads(foible(*words, "--model", table.replace("}}", "}, rating=1900}")).out)
    assert believed[0]["mean"] > together[believed[0]["player"]]["mean"]


def test_games_that_cannot_be_read_are_left_out_and_told_of(foible: Command, games: Path) -> None:
    games.write_text(GAMES + '\n[White "Dan"]\n[Black "Eve"]\n\n1. e4 e5 2. Ke4 *\n')
    ran = foible("model", "score", "material", games)
    assert "18 moves of 2 games" in ran.out
    assert "1 game could not be read; the first: game 3, move 2 (white)" in ran.out
    assert json.loads(foible("model", "score", "material", games, "--json").out)["skipped"] == 1
    assert "game 3" in foible("model", "estimate", games, "--model", ESTIMATE).out


def test_the_temperature_of_an_engine_is_fitted_to_the_moves(foible: Command, games: Path, tmp_path: Path) -> None:
    """The engine of this test likes moves by the alphabet."""
    command = json.dumps(Fake(tmp_path).command())
    engine = f'{{kind="engine", name="fake", command={command}, depth=1}}'
    likely = tmp_path / "likely.pgn"
    likely.write_text(
        '[White "Ann"]\n[Black "Bob"]\n\n1. a3 a5 2. a4 Na6 3. Na3 Nb4 4. b3 b5 5. Bb2 c6 *\n\n'
        '[White "Ann"]\n[Black "Bob"]\n\n1. a3 a5 2. e4 d5 3. f4 e5 4. g4 *\n'
    )
    found = json.loads(foible("model", "temperature", engine, likely, "--json").out)
    assert (found["engine"], found["moves"], found["skipped"]) == ("Fake 1.0 at depth 1", 17, 0)
    assert 0.5 > found["temperature"] > found["standard_error"] > 0
    some = json.loads(foible("model", "temperature", engine, likely, "--json", "--moves", 4, "--color", "black").out)
    assert some["moves"] == 4
    of_ann = json.loads(foible("model", "temperature", engine, likely, "--json", "--player", "ann").out)
    of_white = json.loads(foible("model", "temperature", engine, likely, "--json", "--color", "white").out)
    assert of_ann == of_white != found
    ran = foible("model", "temperature", engine, likely)
    assert f"{found['temperature']:.3f} ± {found['standard_error']:.3f}" in ran.out
    assert "fits better" not in ran.out
    assert "no temperature from 0.001 to 100 fits better" in foible("model", "temperature", engine, games).out


ENGINE = '{kind="engine", command="none-such", depth=1}'
BAD = {
    ("score", "material"): ("material", "PGN file"),
    ("score", "nope", "FILE"): ("'nope'",),
    ("score", "material", "none.pgn"): ("none.pgn", "no such file"),
    ("score", '{kind="x"}', "FILE"): ('{kind="x"}', 'kind = "x": expected one of net, '),
    ("score", "material", "FILE", "--by", "mood"): ("mood", "rating, phase, ply"),
    ("score", "material", "FILE", "--rating", "strong"): ("strong", "LOW-HIGH"),
    ("score", "material", "FILE", "--rating", "1900-1500"): ("1900-1500", "LOW-HIGH"),
    ("score", "material", "FILE", "--player", "Anna"): ("FILE", "no move of 'Anna' that counts", "names are 'Ann'"),
    ("score", "material", "FILE", "--held-out", "0"): ("--held-out 0", "above 0"),
    ("score", "material", "FILE", "--player", " , "): ("--player ' , '", "expected a name"),
    ("score", "material", "FILE", "--plot", "plot.gif"): ("plot.gif", ".svg"),
    ("score", "material", "FILE", "--skip-plies", "500"): ("FILE", "no game has a move"),
    ("estimate", "none.pgn", "--model", ESTIMATE): ("none.pgn", "no such file"),
    ("estimate", "FILE", "--model", "material"): ("material", "estimate"),
    ("estimate", "FILE", "--model", ESTIMATE, "--player", "Anna"): ("no move of 'Anna' that counts", "names are 'Ann'"),
    ("estimate", "FILE", "--model", ESTIMATE, "--player", " , "): ("--player ' , '", "expected a name"),
    ("temperature", "material", "FILE"): ("material", 'expected a model of kind "engine", such as {kind="engine", '),
    ("temperature", ENGINE, "ATOMIC"): (
        "ATOMIC",
        "no game has a move that counts; 1 game could not be read; the first",
    ),
    ("score", "material", "ATOMIC", "--player", "Ann"): ("no move of 'Ann' that counts; 1 game could not be read",),
    ("estimate", "ATOMIC", "--model", ESTIMATE): ("ATOMIC", 'game 1: variant "Atomic" is not read'),
    ("temperature", ENGINE, "FILE", "--player", "Anna"): ("no move of 'Anna' that counts", "names are 'Ann'"),
}


@pytest.mark.parametrize("words", BAD, ids=" ".join)
def test_what_is_wrong_is_said_in_one_line(
    foible: Command, games: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    monkeypatch.chdir(games.parent)
    games.rename("FILE")
    Path("ATOMIC").write_text('[White "Ann"]\n[Black "Bob"]\n[Variant "Atomic"]\n\n1. e4 e5 *\n')
    check_complaint(foible("model", *words), *BAD[words])
