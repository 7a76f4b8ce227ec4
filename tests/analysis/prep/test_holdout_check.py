import random
from collections.abc import Sequence
from datetime import date, timedelta

import numpy as np
import pytest

from foible._core import ChessPosition
from foible.analysis.prep.holdout_check import MOST, HoldOutCheck, hold_out
from foible.loop import each
from foible.opponents.base import Distribution, OpponentModel
from foible.opponents.player_games import PlayerGame
from tests.analysis.prep.scripted import Uniform, games


def check(played: Sequence[PlayerGame], base: OpponentModel, **settings: float) -> HoldOutCheck:
    """The check on the whole sample."""
    *_, found = each(hold_out(played, base, **settings))
    return found


def test_a_player_of_habits_is_predicted_by_their_games() -> None:
    found = check(games([("e4 e5 Nf3", 60), ("d4 d5 c4", 40)], white=True), Uniform())
    assert found.is_better
    assert found.gain.value is not None
    assert found.gain.value > 1
    assert found.personal.top1.value is not None
    assert found.personal.top1.value > 0.5 > (found.base.top1.value or 0)


def random_game(rng: random.Random, number: int) -> PlayerGame:
    position = ChessPosition()
    for _ in range(6):
        position = position.play(rng.choice(position.legal_moves))
    return PlayerGame(True, " ".join(position.moves), day=date(2021, 1, 1) + timedelta(days=number))


def test_a_player_like_all_others_is_not_predicted_better_by_their_games() -> None:
    wrong = 0
    for seed in range(10):
        rng = random.Random(seed)
        wrong += check([random_game(rng, number) for number in range(60)], Uniform()).is_better
    assert wrong <= 2


def test_log_loss_is_that_of_the_formula() -> None:
    found = check(games([("e4", 8), ("d4", 2)], white=True, step=0), Uniform(), kappa=4)
    assert found.since is None
    assert (found.fitted, found.held_out, found.predicted) == (8, 2, 2)
    assert found.base.log_loss.value == pytest.approx(np.log(20))
    played = [game.moves[0] for game in games([("e4", 8), ("d4", 2)], white=True, step=0)]
    early, late = played[:8], played[8:]
    expected = [-np.log((early.count(move) + 4 / 20) / (8 + 4)) for move in late]
    assert found.personal.log_loss.value == pytest.approx(np.mean(expected))
    assert found.gain.value == pytest.approx(np.log(20) - np.mean(expected))


def test_what_is_fitted_lies_before_what_is_predicted() -> None:
    played = [PlayerGame(True, "e2e4", day=date(2021, 1, day)) for day in (5, 1, 3, 3, 3, 2, 4, 3, 5, 5)]
    found = check(played, Uniform(), later=0.5)
    assert found.since == date(2021, 1, 3)
    assert (found.fitted, found.held_out) == (2, 8)


def test_when_the_cut_falls_on_the_first_day_it_moves_to_the_second() -> None:
    played = [PlayerGame(True, "e2e4", day=date(2021, 1, day)) for day in (1, 1, 1, 1, 2)]
    found = check(played, Uniform(), later=0.8)
    assert (found.since, found.fitted, found.held_out) == (date(2021, 1, 2), 4, 1)


@pytest.mark.parametrize("newest_first", [False, True])
def test_a_day_with_nearly_all_games_is_split(newest_first: bool) -> None:
    moves = ["e2e4"] * 8 + ["d2d4"] * 2
    days = [1] + [2] * 9
    played = [PlayerGame(True, move, day=date(2021, 1, day)) for move, day in zip(moves, days, strict=True)]
    found = check(played[::-1] if newest_first else played, Uniform(), kappa=4)
    assert (found.since, found.fitted, found.held_out) == (date(2021, 1, 2), 8, 2)
    assert found.personal.log_loss.value == pytest.approx(-np.log((4 / 20) / (8 + 4)), rel=1e-3)


def test_games_without_a_date_take_no_part() -> None:
    undated = [PlayerGame(True, "e2e4") for _ in range(7)]
    found = check([*games([("e4", 10)], white=True), *undated], Uniform())
    assert (found.fitted, found.held_out, found.undated) == (8, 2, 7)


def test_without_any_dates_the_order_of_the_file_stands_for_them() -> None:
    found = check(games([("e4", 10)], white=True, start=None), Uniform())
    assert (found.since, found.fitted, found.held_out, found.undated) == (None, 8, 2, 0)


@pytest.mark.parametrize("count", [0, 1, 2])
def test_too_few_games_prove_nothing(count: int) -> None:
    assert not check(games([("e4", count)], white=True), Uniform()).is_better


def test_errors_are_clustered_by_game() -> None:
    found = check(games([("e4 e5 Nf3 Nc6 Bb5", 60), ("d4 d5 c4 e6 Nc3", 40)], white=True), Uniform())
    assert (found.gain.n, found.gain.clusters, found.gain_known.n) == (60, 20, 60)
    assert found.gain.standard_error is not None
    assert found.gain.standard_error > 0


def test_of_very_many_games_an_even_sample_is_predicted() -> None:
    found = check(games([("e4", 12_000)], white=True, step=0), Uniform())
    assert found.held_out == 2400
    assert found.predicted == 800 <= MOST


class Certain(Uniform):
    """Holds one move for certain and all others for impossible."""

    name = "certain"

    async def predict(self, positions: Sequence[ChessPosition]) -> list[Distribution]:
        return [np.eye(len(position.legal_moves))[0] for position in positions]


def test_a_model_that_calls_the_played_move_impossible_loses_much_but_not_all() -> None:
    found = check(games([("e4", 10)], white=True), Certain())
    assert found.base.log_loss.value == pytest.approx(np.log(1e6))


def test_the_check_grows_to_the_whole_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("foible.analysis.prep.holdout_check._BATCH", 8)
    found = list(each(hold_out(games([("e4", 100)], white=True), Uniform())))
    assert [(one.predicted, one.sample, one.gain.n) for one in found] == [
        (0, 20, 0),
        (8, 20, 8),
        (16, 20, 16),
        (20, 20, 20),
    ]
    monkeypatch.undo()
    assert found[-1] == check(games([("e4", 100)], white=True), Uniform())
