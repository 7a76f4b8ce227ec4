"""Scores of models on moves that were played."""

import math
from collections.abc import Iterator

import numpy as np
import pytest

from foible.analysis.calibration import model_scores as module
from foible.analysis.calibration.calibration_report import behind, overall_rows, values
from foible.analysis.calibration.model_scores import calibrate
from foible.analysis.calibration.scored_moves import RatedMove
from foible.errors import EvaluationError
from tests.analysis.calibration.played import played_by
from tests.opponents.scripted import Scripted, drawn_by, uniform


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
    sharp = Scripted(drawn_by(1, 4.5), "too sure")  # the same weights to the third power
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
