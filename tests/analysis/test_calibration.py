"""Scores of models on moves that were played."""

import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from foible._core import ChessPosition
from foible.analysis import calibration as module
from foible.analysis.calibration import calibrate
from foible.analysis.calibration_games import Choice, draw_sides, rated_moves
from foible.analysis.calibration_groups import PHASES, RatedMove, groups, label, phase
from foible.analysis.calibration_means import ClusterMeans
from foible.analysis.calibration_plot import check_plot_path, plot_reliability
from foible.analysis.calibration_report import (
    behind,
    group_columns,
    group_rows,
    overall_rows,
    own_band_summary,
    own_bands,
    to_json,
    values,
)
from foible.errors import ConfigError, EvaluationError
from foible.games.pgn import read_pgn
from foible.opponents.sampling import sample_games
from tests.opponents.scripted import Scripted, drawn_by, first_move_only, uniform


def pgn(*games: tuple[str, dict[str, object]]) -> str:
    texts = []
    for moves, tags in games:
        head = "".join(f'[{name} "{value}"]\n' for name, value in tags.items())
        texts.append(f"{head}\n{moves} *\n")
    return "\n".join(texts)


def rated(white: int | str, black: int | str) -> dict[str, object]:
    return {"White": "a", "Black": "b", "WhiteElo": white, "BlackElo": black}


def played_by(model: Scripted, games: int, plies: int, seed: int = 0) -> list[list[RatedMove]]:
    """Games of a model against itself, rated 1500."""
    found = []
    for game in sample_games([(model, model)] * games, plies, seed=seed):
        position, moves = ChessPosition(), []
        for ply, move in enumerate(game.moves):
            moves.append(RatedMove(position, position.legal_moves.index(move), groups(position, ply, 1500)))
            position = position.play(move)
        found.append(moves)
    return found


@settings(max_examples=40)
@given(st.lists(st.lists(st.floats(-5, 5), min_size=1, max_size=6), min_size=2, max_size=8))
def test_errors_are_those_of_a_ratio_over_clusters(clusters: list[list[float]]) -> None:
    means = ClusterMeans(1)
    for cluster in clusters:
        means.add(np.array([sum(cluster)]), [len(cluster)])
    everything = [value for cluster in clusters for value in cluster]
    mean, n, g = sum(everything) / len(everything), len(everything), len(clusters)
    squares = sum((sum(cluster) - mean * len(cluster)) ** 2 for cluster in clusters)
    assert means.mean[0] == pytest.approx(mean)
    assert means.standard_error[0] == pytest.approx(math.sqrt(g / (g - 1) * squares) / n, abs=1e-6)


def test_clusters_of_one_have_the_ordinary_error_and_repeats_do_not_shrink_it() -> None:
    values_ = np.random.default_rng(1).normal(size=50)
    single, tenfold = ClusterMeans(1), ClusterMeans(1)
    for value in values_:
        single.add(np.array([value]), 1)
        tenfold.add(np.array([10 * value]), 10)
    assert single.standard_error[0] == pytest.approx(values_.std(ddof=1) / math.sqrt(50))
    assert tenfold.standard_error[0] == pytest.approx(single.standard_error[0])
    assert np.isnan(ClusterMeans(2).mean).all()
    assert np.isnan(ClusterMeans(2).standard_error).all()


def test_a_uniform_model_has_the_log_loss_and_the_luck_of_chance() -> None:
    games = played_by(Scripted(uniform), 6, 20)
    found = calibrate([Scripted(uniform)], games)
    counts = [len(move.position.legal_moves) for game in games for move in game]
    assert found.all.moves == len(counts) == 120
    assert found.all.games == 6
    assert values(found.all, "log_loss")[0][0] == pytest.approx(np.mean(np.log(counts)))
    assert values(found.all, "top1")[0][0] == pytest.approx(np.mean(1 / np.array(counts)))


def test_scores_are_those_of_a_plain_loop_whatever_the_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    games, rules = played_by(Scripted(drawn_by(1, 2)), 5, 12), [drawn_by(1, 2), drawn_by(2, 2)]
    expected = np.zeros((2, 2))
    for game in games:
        for move in game:
            for model, rule in enumerate(rules):
                p = rule(move.position)
                expected[model] += (-math.log(p[move.played]), p.index(max(p)) == move.played)
    for batch in (1, 25, 10_000):
        monkeypatch.setattr(module, "BATCH", batch)
        found = calibrate([Scripted(rule) for rule in rules], [[], *games, []])
        assert values(found.all, "log_loss")[0] == pytest.approx(expected[:, 0] / 60)
        assert values(found.all, "top1")[0] == pytest.approx(expected[:, 1] / 60)
        assert sum(scores.moves for scores in found.by["ply"].values()) == 60


def test_the_model_that_played_wins_and_is_calibrated() -> None:
    games = played_by(Scripted(drawn_by(1, 1.5)), 60, 20, seed=4)
    sharp = Scripted(lambda position: list(np.array(drawn_by(1, 1.5)(position)) ** 3), "too sure")
    found = calibrate([Scripted(drawn_by(1, 1.5), "itself"), sharp, Scripted(uniform, "chance")], games)
    losses, errors = values(found.all, "log_loss")
    assert losses[0] < min(losses[1:])
    assert found.all.difference.mean[1, 0] == pytest.approx(losses[1] - losses[0])
    assert found.all.difference.mean[1, 0] > 4 * found.all.difference.standard_error[1, 0] > 0
    assert found.all.difference.standard_error[1, 1] == 0
    assert (errors > 0).all()
    gaps_to_best, gap_errors = behind(found.all)
    assert gaps_to_best == pytest.approx(losses - losses[0])
    assert gap_errors[0] == 0
    assert 0 < gap_errors[1] < errors[1]
    every, top = found.every_move, found.top_move
    assert top.expected_error[0] < 0.06
    assert top.expected_error[1] > 0.2
    assert every.expected_error[0] < every.expected_error[1]
    assert every.observed.count.sum(axis=1).tolist() == [sum(len(m.position.legal_moves) for g in games for m in g)] * 3
    assert top.observed.count.sum(axis=1).tolist() == [found.all.moves] * 3
    many = every.observed.count[0] > 50
    gaps = np.abs(every.observed.mean - every.predicted.mean)[0, many]
    assert (gaps < 4 * every.observed.standard_error[0, many]).all()


def test_impossible_moves_are_counted_and_make_the_log_loss_infinite() -> None:
    games = played_by(Scripted(uniform), 4, 6)
    found = calibrate([Scripted(first_move_only, "sure"), Scripted(uniform, "chance")], games)
    impossible = sum(move.played != 0 for game in games for move in game)
    assert found.all.impossible.tolist() == [impossible, 0]
    assert values(found.all, "log_loss")[0][0] == math.inf
    assert values(found.all, "top1")[0][0] == pytest.approx((24 - impossible) / 24)
    assert overall_rows(found)[0][1:5] == ["∞", "–", "∞", "–"]
    assert overall_rows(found)[1][3] == "0.0000"
    assert "∞" in group_rows(found, "rating", "log_loss")[0][3]
    own = own_bands(found, [1500, 1550])
    assert [(each.best, each.gap) for each in own] == [("chance", math.inf), ("chance", 0)]


def test_a_model_that_gives_no_distribution_is_an_error_not_a_number() -> None:
    games = played_by(Scripted(uniform), 1, 4)
    with pytest.raises(EvaluationError):
        calibrate([Scripted(lambda p: [math.nan] * len(p.legal_moves))], games)


def test_progress_is_told_and_one_game_has_no_error() -> None:
    told: list[int] = []
    found = calibrate([Scripted(uniform)], played_by(Scripted(uniform), 1, 4), (), lambda c: told.append(c.all.moves))
    assert told == [4]
    assert found.by == {}
    assert overall_rows(found)[0][2] == "–"


def test_the_best_of_each_group_is_marked_and_own_bands_are_judged() -> None:
    itself = Scripted(drawn_by(1, 2), "itself")
    found = calibrate([itself, Scripted(drawn_by(2, 2), "other")], played_by(itself, 20, 20))
    [row] = group_rows(found, "rating", "log_loss")
    assert row[:3] == ["1500–1599", "20", "400"]
    assert row[3].endswith("*")
    assert not row[4].endswith("*")
    assert len(group_columns(found, "rating")) == len(row)
    good = own_bands(found, [1500, 1900])
    assert [each.holds for each in good] == [True]
    assert own_band_summary(good) == "Each of the 1 levels predicts its own rating band best."
    [bad] = own_bands(found, [1900, 1537])
    assert not bad.holds
    assert bad.gap == pytest.approx(found.all.difference.mean[1, 0])
    assert own_band_summary([bad]).startswith("0 of 1 levels predict their own rating band best. other is not best in")
    assert own_bands(found, [1500, None]) == []


def test_json_holds_the_whole_and_only_bins_with_forecasts() -> None:
    found = calibrate([Scripted(drawn_by(1)), Scripted(uniform)], played_by(Scripted(uniform), 4, 12))
    document = to_json(found, [None, None])
    assert (document["moves"], document["games"]) == (48, 4)
    for model in document["models"]:
        bins = model["reliability"]["every_move"]
        assert all(b["from"] <= b["predicted"] <= b["to"] for b in bins)
        assert all(b["forecasts"] > 0 for b in bins)
        assert sum(b["forecasts"] for b in model["reliability"]["top_move"]) == 48
        assert sum(group["moves"] for group in model["by"]["phase"]) == 48


@pytest.mark.parametrize("suffix", [".svg", ".png"])
def test_the_plot_names_its_axes_and_numbers(tmp_path: Path, suffix: str) -> None:
    found = calibrate([Scripted(drawn_by(1), "one")], played_by(Scripted(uniform), 4, 12))
    path = tmp_path / f"plot{suffix}"
    plot_reliability(found, path)
    first = path.read_bytes()
    plot_reliability(found, path)
    assert path.read_bytes() == first
    if suffix == ".svg":
        text = first.decode()
        for part in ("played, %", "predicted probability, %", "forecasts", "48 moves of 4 games", "n = 48", "one:"):
            assert part in text


def test_a_plot_has_a_kind_that_can_be_written(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"plot\.gif: .*\.svg"):
        check_plot_path(tmp_path / "plot.gif")
    with pytest.raises(ConfigError, match="no folder"):
        check_plot_path(tmp_path / "nowhere" / "plot.svg")


@pytest.mark.parametrize(
    ("fen", "expected"),
    [
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "opening"),
        ("r2q1rk1/8/8/8/8/8/8/R2Q1RK1 w - - 0 1", "endgame"),
        ("r2q1rk1/6b1/8/8/8/8/8/R2Q1RK1 w - - 0 1", "middlegame"),
        ("rnbqkb1r/8/8/8/8/8/8/RNBQKB1R w - - 0 1", "opening"),
        ("1n1qk3/rbn1rb2/8/8/8/8/8/RNBQKB1R w - - 0 1", "middlegame"),
        ("1n1qkr2/rbn2b2/8/8/8/8/8/RNBQKB1R w - - 0 1", "opening"),
    ],
)
def test_phases_are_told_by_officers_and_back_ranks(fen: str, expected: str) -> None:
    assert PHASES[phase(ChessPosition(fen))] == expected


def test_groups_have_readable_names() -> None:
    found = groups(ChessPosition(), 25, 1500)
    assert {name: label(name, group) for name, group in found.items()} == {
        "phase": "opening",
        "ply": "20–29",
        "rating": "1500–1599",
    }
    assert label("ply", groups(ChessPosition(), 333, None)["ply"]) == "80+"
    assert "rating" not in groups(ChessPosition(), 0, None)


GAMES = pgn(
    ("1. e4 e5 2. Nf3 Nc6", rated(1520, 1710)),
    ("1. d4 (1. c4 c5) d5 {good} 2. c4 $1 dxc4", rated("?", 1590)),
    ("1. e4 e5 2. Ke3", rated(1500, 1500)),
    ("", rated(1500, 1500)),
    ("1. Nf3 d5 2. g3 Nf6 3. Bg2", rated(1599, "")),
)


@pytest.mark.parametrize(
    ("choice", "counts"),
    [
        (Choice(), [4, 4, 0, 5]),
        (Choice(limit=1), [4]),
        (Choice(skip_plies=4), [0, 0, 0, 1]),
        (Choice(color="white"), [2, 2, 0, 3]),
        (Choice(rating=(1500, 1599)), [2, 2, 0, 3]),
        (Choice(rating=(1590, 1590), color="black", skip_plies=2), [0, 1, 0, 0]),
    ],
)
def test_moves_are_chosen_by_game_ply_rating_and_colour(tmp_path: Path, choice: Choice, counts: list[int]) -> None:
    file = tmp_path / "games.pgn"
    file.write_text(GAMES)
    games = list(rated_moves(read_pgn(file), choice))
    assert [len(game) for game in games] == counts
    for move in (move for game in games for move in game):
        assert 0 <= move.played < len(move.position.legal_moves)
    if choice == Choice():
        assert [move.groups.get("rating") for move in games[1]] == [None, 1500, None, 1500]
        assert [move.position.turn for move in games[0]] == ["first", "second"] * 2


def test_a_balanced_draw_is_even_reproducible_and_from_the_whole_file(tmp_path: Path) -> None:
    file = tmp_path / "games.pgn"
    file.write_text(pgn(*[("1. e4 e5", rated(1500 if i % 10 else 1200, 1800)) for i in range(200)]))

    def draw(seed: int) -> list[tuple[int, int]]:
        drawn = draw_sides(read_pgn(file), Choice(), 15, seed)
        games = enumerate(rated_moves(read_pgn(file), Choice(), drawn))
        return [(number, move.groups["rating"]) for number, game in games for move in game]

    found = draw(1)
    bands = [rating for _, rating in found]
    assert {rating: bands.count(rating) for rating in set(bands)} == {1200: 15, 1500: 15, 1800: 15}
    assert draw(1) == found != draw(2)
    assert np.mean([number for seed in range(20) for number, _ in draw(seed)]) == pytest.approx(99.5, abs=6)


def test_games_are_read_only_as_they_are_scored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BATCH", 30)
    games = played_by(Scripted(uniform), 1, 10) * 40
    pulled: list[int] = []
    lead: list[int] = []

    def stream() -> Iterator[list[RatedMove]]:
        for number, game in enumerate(games, 1):
            pulled.append(number)
            yield game

    found = calibrate([Scripted(uniform)], stream(), (), lambda now: lead.append(len(pulled) - now.all.games))
    assert found.all.games == 40
    assert len(lead) == 14
    assert max(lead) == 0
