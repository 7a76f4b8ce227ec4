"""How long people think: bounds, order, and what the model takes from a position."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, strategies as st

from foible._core import ChessPosition
from foible.opponents.thinking_time import (
    FEATURES,
    LARGEST_SHARE,
    PEOPLE,
    Moment,
    PlayerClock,
    ThinkingTime,
    features,
    moment_of,
)

BLITZ = PlayerClock(left=200.0, base=300.0, increment=3.0)

clocks = st.builds(
    PlayerClock,
    left=st.floats(1e-3, 1e5),
    base=st.floats(1, 86_400),
    increment=st.floats(0, 600),
)
moments = st.builds(
    Moment,
    clock=clocks,
    ply=st.integers(0, 600),
    legal_moves=st.integers(1, 218),
    check=st.booleans(),
    can_retake=st.booleans(),
    retakes=st.booleans(),
    rating=st.integers(400, 3200),
)


def times(moment: Moment, count: int, model: ThinkingTime = PEOPLE) -> list[float]:
    rng = np.random.default_rng(7)
    return [model.sample(moment, rng) for _ in range(count)]


@given(moments, st.integers(0, 1 << 32))
def test_times_are_positive_and_leave_most_of_the_clock(moment: Moment, seed: int) -> None:
    most = LARGEST_SHARE * moment.clock.left
    assert 0 < PEOPLE.sample(moment, np.random.default_rng(seed)) <= most
    assert 0 < PEOPLE.expected(moment) <= most


@given(moments, st.integers(0, 1 << 32), st.floats(1, 100))
def test_more_time_on_the_clock_never_makes_a_move_faster(moment: Moment, seed: int, factor: float) -> None:
    richer = replace(moment, clock=replace(moment.clock, left=factor * moment.clock.left))
    fast, slow = (PEOPLE.sample(one, np.random.default_rng(seed)) for one in (moment, richer))
    assert fast <= slow * (1 + 1e-9)
    assert PEOPLE.expected(moment) <= PEOPLE.expected(richer) * (1 + 1e-9)


def test_the_same_seed_takes_the_same_time() -> None:
    moment = Moment(BLITZ, ply=30, legal_moves=35)
    assert times(moment, 5) == times(moment, 5)
    assert len(set(times(moment, 5))) == 5


@pytest.mark.parametrize("left", [300.0, 20.0, 2.0, 0.2])
def test_the_expected_time_is_the_mean_of_samples(left: float) -> None:
    moment = Moment(replace(BLITZ, left=left), ply=40, legal_moves=35)
    found = times(moment, 20_000)
    assert np.mean(found) == pytest.approx(PEOPLE.expected(moment), abs=5 * np.std(found) / np.sqrt(len(found)))


def test_without_a_cut_samples_are_log_normal() -> None:
    model = ThinkingTime(weights=(1.5, *[0.0] * (len(FEATURES) - 1)), spread=0.5)
    logs = np.log(times(Moment(PlayerClock(left=1e9, base=300), ply=0, legal_moves=20), 20_000, model))
    assert logs.mean() == pytest.approx(1.5, abs=5 * 0.5 / np.sqrt(len(logs)))
    assert logs.std() == pytest.approx(0.5, abs=0.02)


def test_a_game_of_forty_moves_is_played_in_its_time() -> None:
    clock = PlayerClock(left=180.0, base=180.0)
    for move in range(40):
        clock = replace(clock, left=clock.left - PEOPLE.expected(Moment(clock, 2 * move, 30)))
    assert 0 < clock.left < 120


def test_people_retake_fast_and_think_where_they_have_a_choice() -> None:
    quiet = Moment(BLITZ, ply=30, legal_moves=35, can_retake=True)
    assert PEOPLE.expected(replace(quiet, retakes=True)) < 0.6 * PEOPLE.expected(quiet)
    assert PEOPLE.expected(replace(quiet, legal_moves=3)) < PEOPLE.expected(quiet)
    assert PEOPLE.expected(replace(quiet, ply=2)) < PEOPLE.expected(quiet)


def test_a_moment_is_read_off_the_position() -> None:
    captured = ChessPosition(moves=["e4", "d5", "exd5"])
    retaken = moment_of(captured, "d8d5", BLITZ, 1700)
    assert retaken == Moment(BLITZ, 3, len(captured.legal_moves), can_retake=True, retakes=True, rating=1700)
    elsewhere = moment_of(captured, "g8f6", BLITZ, 1700)
    assert (elsewhere.can_retake, elsewhere.retakes) == (True, False)
    offered = moment_of(ChessPosition(moves=["e4", "d5", "h3"]), "d5e4", BLITZ, 1700)
    assert (offered.can_retake, offered.retakes) == (False, False)
    checked = moment_of(ChessPosition(moves=["e4", "f5", "Qh5"]), "g7g6", BLITZ, 1700)
    assert (checked.check, checked.legal_moves) == (True, 1)
    first = moment_of(ChessPosition(), "e2e4", BLITZ, 1700)
    assert (first.ply, first.can_retake) == (0, False)


def test_en_passant_is_a_capture() -> None:
    position = ChessPosition("4k3/8/8/8/2p5/8/1P6/R3K3 w - - 0 1", ["b2b4", "c4b3"])
    assert not moment_of(position, "a1a8", BLITZ, 1500).can_retake
    guarded = ChessPosition("4k3/8/8/8/2p5/8/1P6/1R2K3 w - - 0 1", ["b2b4", "c4b3"])
    assert moment_of(guarded, "b1b3", BLITZ, 1500).retakes


def test_features_are_one_row_a_moment() -> None:
    assert features([]).shape == (0, len(FEATURES))
    assert features([Moment(BLITZ, 1, 20)] * 3).shape == (3, len(FEATURES))
    assert len(PEOPLE.weights) == len(FEATURES)
