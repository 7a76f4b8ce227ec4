"""Times out of files with clocks, and the fit: what was planted is found again, though clocks show whole seconds."""

import io
import itertools
from dataclasses import replace

import numpy as np
import pytest

from benchmarks.thinking_time import TimedMove, fit_log_normal, log_likelihood, seconds_of, timed_moves
from foible.errors import ConfigError
from foible.games.pgn import read_pgn
from foible.opponents.thinking_time import PEOPLE, Moment, PlayerClock, ThinkingTime, features
from tests.shared_data import shared


def timed(moves: str, **tags: str) -> list[TimedMove]:
    given = {"WhiteElo": "1500", "BlackElo": "1600", "TimeControl": "60+1", "Result": "*"} | tags
    head = "".join(f'[{name} "{value}"]\n' for name, value in given.items() if value)
    (game,) = read_pgn(io.BytesIO(f"{head}\n{moves} *\n\n".encode()), comments=True)
    return timed_moves(game)


GAME = (
    "1. e4 {[%clk 0:01:00]} d5 {[%clk 0:01:00]} 2. exd5 {[%eval 0.3] [%clk 0:00:57]} Qxd5 {[%clk 0:01:01]} "
    "3. Nc3 {[%clk 0:00:48.7]} Qd8 {no clock} 4. Nf3 {[%clk 0:01:30]} h6 {[%clk 0:00:50]}"
)


def test_times_are_read_off_the_clocks() -> None:
    takes, retakes, third = timed(GAME)
    assert (takes.seconds, takes.moment.clock, takes.moment.rating) == (4, PlayerClock(60, 60, 1), 1500)
    assert (retakes.seconds, retakes.moment.retakes, retakes.moment.rating) == (0, True, 1600)
    assert (third.seconds, third.moment.clock.left, third.moment.ply) == (10, 57, 4)


@pytest.mark.parametrize(
    "tags",
    [{"TimeControl": ""}, {"TimeControl": "1/86400"}, {"TimeControl": "0+2"}, {"TimeControl": "120+1"}],
)
def test_games_whose_time_control_is_not_that_of_their_clocks_tell_nothing(tags: dict[str, str]) -> None:
    assert timed(GAME, **tags) == []


def test_the_rating_is_that_of_the_mover_whoever_began() -> None:
    moves = "1... d5 {[%clk 0:01:00]} 2. e4 {[%clk 0:01:00]} dxe4 {[%clk 0:00:57]} 3. Nc3 {[%clk 0:00:50]}"
    fen = "rnbqkbnr/pppppppp/8/8/8/5P2/PPPPP1PP/RNBQKBNR b KQkq - 0 1"
    assert [move.moment.rating for move in timed(moves, FEN=fen, SetUp="1")] == [1600, 1500]


def test_players_without_a_rating_tell_nothing() -> None:
    assert {move.moment.rating for move in timed(GAME, WhiteElo="?")} == {1600}


def test_games_without_clocks_tell_nothing() -> None:
    assert timed("1. e4 e5 2. Nf3 Nc6") == []


def planted(count: int, model: ThinkingTime) -> list[TimedMove]:
    """Moves of such times, of which two clocks show whole seconds."""
    rng = np.random.default_rng(3)
    found = []
    for _ in range(count):
        can_retake = bool(rng.random() < 0.3)
        moment = Moment(
            PlayerClock(float(rng.uniform(1, 300)), float(rng.choice([60, 180, 600])), float(rng.integers(6))),
            ply=int(rng.integers(2, 120)),
            legal_moves=int(rng.integers(1, 50)),
            check=bool(rng.random() < 0.2),
            can_retake=can_retake,
            retakes=can_retake and bool(rng.random() < 0.5),
            rating=int(rng.integers(800, 2000)),
        )
        mean = float((features([moment]) @ np.array(model.weights))[0])
        before = 1000 + rng.random()
        after = before - np.exp(mean + model.spread * rng.standard_normal())
        found.append(TimedMove(moment, int(np.floor(before) - np.floor(after))))
    return found


def test_planted_weights_are_found_again() -> None:
    moves = planted(30_000, PEOPLE)
    inputs, seconds = features([move.moment for move in moves]), seconds_of(moves)
    weights, spread = fit_log_normal(inputs, seconds)
    assert spread == pytest.approx(PEOPLE.spread, abs=0.02)
    # The error of each weight in a linear fit of exact times, times 1.5 for what rounding hides, times 4.
    errors = PEOPLE.spread * np.sqrt(np.diag(np.linalg.inv(inputs.T @ inputs)))
    assert (np.abs(weights - np.array(PEOPLE.weights)) < 6 * errors).all()
    naive = np.linalg.lstsq(inputs, np.log(np.maximum(seconds, 0.5)), rcond=None)[0]
    assert (np.abs(naive - np.array(PEOPLE.weights)) > 6 * errors).any()


def test_the_likelihoods_of_all_seconds_sum_to_one() -> None:
    seconds = np.arange(0.0, 4000.0)
    inputs = np.ones((len(seconds), 1))
    for mean, spread in itertools.product([-2.0, 0.0, 2.0], [0.3, 1.0]):
        likelihoods = np.exp(log_likelihood(inputs, np.array([mean]), spread, seconds))
        # A time t below a second shows as −1 seconds never, so that the clocks' fractions lose nothing.
        assert likelihoods.sum() == pytest.approx(1, abs=1e-5)
        assert (likelihoods * seconds).sum() == pytest.approx(np.exp(mean + spread**2 / 2), rel=1e-3)


def test_no_other_parameters_are_likelier() -> None:
    moves = planted(3000, PEOPLE)
    inputs, seconds = features([move.moment for move in moves])[:, [0, 2]], seconds_of(moves)
    weights, spread = fit_log_normal(inputs, seconds)
    best = log_likelihood(inputs, weights, spread, seconds).sum()
    for change in (np.array([0.02, 0]), np.array([-0.02, 0]), np.array([0, 0.02]), np.array([0, -0.02])):
        assert log_likelihood(inputs, weights + change, spread, seconds).sum() < best
    for factor in (0.98, 1.02):
        assert log_likelihood(inputs, weights, factor * spread, seconds).sum() < best


def test_moves_that_are_all_alike_are_refused() -> None:
    moves = planted(100, PEOPLE)
    alike = [replace(move, moment=moves[0].moment) for move in moves]
    with pytest.raises(ConfigError, match="100 moves do not tell 11 weights apart"):
        fit_log_normal(features([move.moment for move in alike]), seconds_of(alike))
    with pytest.raises(ConfigError, match="0 moves"):
        fit_log_normal(features([]), seconds_of([]))


def test_people_are_predicted_better_than_by_their_clock_alone() -> None:
    games = itertools.islice(read_pgn(shared("data/chess_club_online.pgn.xz"), comments=True), 100)
    moves = [move for game in games for move in timed_moves(game)]
    assert len(moves) > 3000
    seconds = seconds_of(moves)
    inputs = features([move.moment for move in moves])
    clock = np.column_stack([np.ones(len(moves)), np.log([move.moment.clock.left for move in moves])])
    model = log_likelihood(inputs, np.array(PEOPLE.weights), PEOPLE.spread, seconds).mean()
    assert model > log_likelihood(clock, *fit_log_normal(clock, seconds), seconds).mean() + 0.05
