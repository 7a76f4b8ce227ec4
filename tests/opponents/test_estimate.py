import json
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from foible._core import ChessPosition
from foible.errors import ConfigError
from foible.loop import wait
from foible.nets import open_net
from foible.opponents import estimate as module
from foible.opponents.base import sample_games
from foible.opponents.estimate import LevelEstimate, Posterior, evidence, log_prior, posterior, predictive
from foible.opponents.net import NetModel
from foible.opponents.opening_table import position_key
from tests.opponents.scripted import Scripted, drawn_by, first_move_only, uniform
from tests.shared_data import shared

LEVELS = tuple(range(1100, 2000, 100))
shares = st.lists(st.floats(0, 1), min_size=9, max_size=9).filter(lambda p: sum(p) > 1e-6)
observations = st.lists(st.tuples(shares, st.integers(2, 60)), max_size=12)


def seen(moves: list[tuple[list[float], int]]) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    return sum((evidence(np.array(p), n) for p, n in moves), np.zeros(9))


def test_posteriors_agree_with_the_reference_to_nine_digits() -> None:
    cases = json.loads(shared("golden/skill_stats.json").read_text())["groups"]["level_posterior"]["cases"]
    assert len(cases) > 5
    for case in cases:
        given_, expected = case["input"], case["expected"]
        assert given_["prior"] == "uniform"
        told = [
            evidence(np.array(move["p_by_level"]), move["n_legal"], given_["floor_eps"])
            for move in given_["observations"]
        ]
        levels = given_["levels"]
        found = posterior(levels, log_prior(levels), np.sum(told, axis=0), given_["tau"])
        replies = predictive(found.probabilities, np.array(given_["next_reply_probs_by_level"]))
        assert found.probabilities == pytest.approx(expected["posterior"], abs=1e-9)
        assert found.map == expected["map_level"]
        assert found.mean == pytest.approx(expected["mean_level"], abs=1e-9 * 1900)
        assert replies == pytest.approx(expected["predictive"], abs=1e-9)


@given(observations, st.permutations(range(9)))
def test_renaming_the_levels_renames_the_posterior(moves: list[tuple[list[float], int]], order: list[int]) -> None:
    straight = posterior(LEVELS, log_prior(LEVELS), seen(moves)).probabilities
    shuffled = [([p[i] for i in order], n) for p, n in moves]
    assert posterior(LEVELS, log_prior(LEVELS), seen(shuffled)).probabilities == pytest.approx(straight[order])


@given(observations, st.integers(2, 60), st.floats(0, 1))
def test_a_move_that_all_levels_play_alike_says_nothing(
    moves: list[tuple[list[float], int]], legal: int, p: float
) -> None:
    before = posterior(LEVELS, log_prior(LEVELS), seen(moves))
    after = posterior(LEVELS, log_prior(LEVELS), seen([*moves, ([p] * 9, legal)]))
    assert after.probabilities == pytest.approx(before.probabilities)


@given(observations)
def test_the_order_of_the_moves_does_not_matter(moves: list[tuple[list[float], int]]) -> None:
    there, back = seen(moves), seen(moves[::-1])
    prior = log_prior(LEVELS, 1540)
    assert posterior(LEVELS, prior, there).probabilities == pytest.approx(posterior(LEVELS, prior, back).probabilities)


@given(shares, st.floats(0.05, 0.95))
def test_the_interval_holds_its_mass_and_no_level_too_many(values: list[float], mass: float) -> None:
    p = np.array(values) / sum(values)
    low, high = Posterior(LEVELS, p).interval(mass)
    assert low <= high
    inside = [x for x, level in zip(p, LEVELS, strict=True) if low <= level <= high]
    below = sum(x for x, level in zip(p, LEVELS, strict=True) if level < low)
    above = sum(x for x, level in zip(p, LEVELS, strict=True) if level > high)
    assert sum(inside) >= mass - 1e-9
    assert max(below, above) <= (1 - mass) / 2 + 1e-9
    assert below + inside[0] >= (1 - mass) / 2 - 1e-9


def test_an_impossible_move_does_not_rule_a_level_out() -> None:
    p = [0.0, *([0.5] * 8)]
    found = posterior(LEVELS, log_prior(LEVELS), seen([(p, 30)] * 3))
    assert 0 < found.probabilities[0] < 1e-3
    assert np.isfinite(found.probabilities).all()


def test_evidence_is_tempered_by_tau() -> None:
    told = seen([([0.1] * 4 + [0.3] * 5, 25)])
    half, exact = posterior(LEVELS, log_prior(LEVELS), told, 0.5), posterior(LEVELS, log_prior(LEVELS), told, 1)
    ratio = exact.probabilities[8] / exact.probabilities[0]
    assert half.probabilities[8] / half.probabilities[0] == pytest.approx(ratio**0.5)


def test_a_stated_rating_makes_a_normal_prior() -> None:
    found = posterior(LEVELS, log_prior(LEVELS, 1500, 150), np.zeros(9))
    assert found.map == 1500
    assert found.mean == pytest.approx(1500)
    ratios = [b / a for a, b in pairwise(found.probabilities)]
    assert ratios[0] == pytest.approx(np.exp((400**2 - 300**2) / (2 * 150**2)))
    assert found.interval() == (1300, 1700)


SEEDS = {1100: 1, 1300: 2, 1900: 3}
SPANISH = ["e2e4", "e7e5", "g1f3", "b8c6", "f1b5", "a7a6", "b5a4", "g8f6", "e1g1"]


def levels() -> dict[int, Scripted]:
    return {level: Scripted(drawn_by(seed)) for level, seed in SEEDS.items()}


def random_game(seed: int, plies: int) -> ChessPosition:
    player = Scripted(uniform)
    return wait(sample_games([(player, player)], plies, seed=seed))[0]


def direct(position: ChessPosition, tau: float, epsilon: float, parity: int) -> list[float]:
    """The formula of opponent-modelling §4, move by move, for the side that moved at plies of a parity."""
    logs = dict.fromkeys(SEEDS, 0.0)
    for ply, move in enumerate(position.moves):
        before = ChessPosition(position.start_fen, position.moves[:ply])
        legal = before.legal_moves
        if ply % 2 == parity and len(legal) > 1:
            for level, seed in SEEDS.items():
                p = drawn_by(seed)(before)[legal.index(move)]
                logs[level] += tau * np.log((1 - epsilon) * p + epsilon / len(legal))
    weights = [np.exp(value - max(logs.values())) for value in logs.values()]
    return [weight / sum(weights) for weight in weights]


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 999), st.integers(0, 30), st.sampled_from([(0.5, 0.02), (1.0, 0.1)]))
def test_the_posterior_is_that_of_the_formula_for_both_players(
    seed: int, plies: int, constants: tuple[float, float]
) -> None:
    game, (tau, epsilon) = random_game(seed, plies), constants
    model = LevelEstimate(levels(), tau=tau, epsilon=epsilon)
    for side, parity in (("first", 0), ("second", 1)):
        [found] = wait(model.posteriors([game], "first" if side == "first" else "second"))
        assert found.probabilities == pytest.approx(direct(game, tau, epsilon, parity), abs=1e-12)
    [to_move] = wait(model.posteriors([game]))
    assert to_move.probabilities == pytest.approx(direct(game, tau, epsilon, len(game.moves) % 2), abs=1e-12)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 999), st.integers(0, 30))
def test_the_prediction_is_the_mixture_by_the_posterior_and_sums_to_one(seed: int, plies: int) -> None:
    game = random_game(seed, plies)
    if game.outcome() is not None:
        return
    model = LevelEstimate(levels())
    [found] = wait(model.predict([game]))
    weights = wait(model.posteriors([game]))[0].probabilities
    parts = [drawn_by(seed)(game) for seed in SEEDS.values()]
    assert found == pytest.approx(weights @ np.array(parts), abs=1e-12)
    assert found.sum() == pytest.approx(1, abs=1e-12)


def test_a_game_that_grows_costs_one_evaluation_per_move() -> None:
    tables = levels()
    model = LevelEstimate(tables)
    game = ChessPosition()
    for number, move in enumerate([*SPANISH, "f8e7"], 1):
        wait(model.predict([game]))
        assert [len(table.asked) for table in tables.values()] == [number] * 3
        game = game.play(move)


def test_looking_at_every_alternative_costs_nothing_again() -> None:
    tables = levels()
    model = LevelEstimate(tables)
    game = ChessPosition(moves=SPANISH[:4])
    replies = [game.play(move) for move in game.legal_moves]
    wait(model.predict(replies))
    asked = len(tables[1100].asked)
    assert asked == len(replies) + 2
    wait(model.predict(replies))
    wait(model.predict([replies[3].play(replies[3].legal_moves[0])]))
    assert len(tables[1100].asked) == asked + 1 + 3


def test_the_answer_does_not_depend_on_what_was_asked_before(monkeypatch: pytest.MonkeyPatch) -> None:
    game = ChessPosition(moves=SPANISH)
    positions = [ChessPosition(moves=SPANISH[:n]) for n in range(len(SPANISH) + 1)]
    fresh = [wait(LevelEstimate(levels()).predict([position]))[0] for position in positions]
    backwards = LevelEstimate(levels())
    found = [wait(backwards.predict([position]))[0] for position in positions[::-1]][::-1]
    together = wait(LevelEstimate(levels()).predict(positions))
    monkeypatch.setattr(module, "REMEMBERED", 2)
    forgetful = wait(LevelEstimate(levels()).predict([game, *positions]))[1:]
    for one, *others in zip(fresh, found, together, forgetful, strict=True):
        for other in others:
            assert other == pytest.approx(one, abs=1e-15)


def test_forced_moves_and_book_moves_say_nothing_and_are_not_looked_at() -> None:
    tables = levels()
    cornered = ChessPosition("7k/5Q2/8/8/8/8/8/K7 w - - 0 1", ["f7f8"])
    assert cornered.legal_moves == ["h8h7"]
    after = cornered.play("h8h7").play("f8f7")
    model = LevelEstimate(tables)
    [found] = wait(model.posteriors([after], "second"))
    assert found.probabilities == pytest.approx([1 / 3] * 3)
    assert not tables[1100].asked

    start = ChessPosition()
    with_book = LevelEstimate(tables, book=frozenset([position_key(start), position_key(start.play("e2e4"))]))
    [found] = wait(with_book.posteriors([ChessPosition(moves=SPANISH[:2])], "first"))
    assert found.probabilities == pytest.approx([1 / 3] * 3)
    assert not tables[1100].asked
    wait(with_book.posteriors([ChessPosition(moves=SPANISH[:3])], "first"))
    assert len(tables[1100].asked) == 1


def test_forgetting_lets_early_moves_fade() -> None:
    game = ChessPosition(moves=SPANISH)
    steps = [ChessPosition(moves=SPANISH[:n]) for n in range(1, len(SPANISH) + 1, 2)]
    sums = [np.zeros(3), *wait(LevelEstimate(levels()).evidence(steps, "first"))]
    told = [after - before for before, after in pairwise(sums)]
    expected = sum((0.9**age * each for age, each in enumerate(told[::-1])), np.zeros(3))
    [found] = wait(LevelEstimate(levels(), forgetting=0.9).evidence([game], "first"))
    assert found == pytest.approx(expected, abs=1e-12)


def test_levels_that_hold_the_moves_played_for_impossible_break_nothing() -> None:
    game = ChessPosition(moves=SPANISH[:8])
    [found] = wait(LevelEstimate({1100: Scripted(first_move_only), 1900: Scripted(uniform)}).posteriors([game]))
    assert np.isfinite(found.probabilities).all()
    assert 0 < found.probabilities[0] < 0.01
    hopeless = LevelEstimate({1100: Scripted(first_move_only), 1900: Scripted(first_move_only)})
    assert wait(hopeless.predict([game]))[0].tolist() == first_move_only(game)


def test_a_prior_holds_before_the_first_move() -> None:
    model = LevelEstimate(levels(), rating=1900, sd=150)
    assert wait(model.posteriors([ChessPosition()]))[0].map == 1900
    assert wait(LevelEstimate(levels()).posteriors([ChessPosition()]))[0].probabilities == pytest.approx([1 / 3] * 3)


def test_games_from_other_positions_and_in_chess960_are_understood() -> None:
    fen = "nrkbbqrn/pppppppp/8/8/8/8/PPPPPPPP/NRKBBQRN w GBgb - 0 1"
    game = ChessPosition(fen, ["a1b3", "a8b6", "b3a5", "b6a4"], chess960=True)
    [found] = wait(LevelEstimate(levels()).posteriors([game]))
    assert found.probabilities == pytest.approx(direct_960(game), abs=1e-12)


def direct_960(position: ChessPosition) -> list[float]:
    logs = np.zeros(3)
    for ply in (0, 2):
        before = ChessPosition(position.start_fen, position.moves[:ply], chess960=True)
        at = before.legal_moves.index(position.moves[ply])
        p = np.array([drawn_by(seed)(before)[at] for seed in SEEDS.values()])
        logs += 0.5 * np.log(0.98 * p + 0.02 / len(before.legal_moves))
    found: list[float] = (np.exp(logs) / np.exp(logs).sum()).tolist()
    return found


@pytest.mark.parametrize("constant", ["tau", "epsilon", "forgetting"])
@pytest.mark.parametrize("value", [0.0, -0.5, 1.5, float("nan")])
def test_constants_out_of_range_are_named(constant: str, value: float) -> None:
    with pytest.raises(ConfigError, match=f"{constant} is"):
        LevelEstimate(levels(), **{constant: value})  # type: ignore[arg-type]


def test_no_levels_and_no_spread_are_refused() -> None:
    with pytest.raises(ConfigError, match="at least one level"):
        LevelEstimate({})
    with pytest.raises(ConfigError, match="sd is 0"):
        LevelEstimate(levels(), sd=0)


def test_distinct_players_are_told_apart_by_their_own_moves() -> None:
    tables = levels()
    pairs = [(tables[1100], tables[1900]), (tables[1300], tables[1100]), (tables[1900], tables[1300])] * 4
    truth = [(1100, 1900), (1300, 1100), (1900, 1300)] * 4
    games = wait(sample_games(pairs, 80, seed=1))
    model = LevelEstimate(tables)
    found = zip(wait(model.posteriors(games, "first")), wait(model.posteriors(games, "second")), strict=True)
    assert [(white.map, black.map) for white, black in found] == truth


def test_club_players_are_told_apart_better_than_by_chance() -> None:
    tables = {level: NetModel(open_net(f"club:{level}", runtime="onnxruntime")) for level in (1000, 1500, 2000)}
    truth = [(1000, 2000), (2000, 1000)] * 6
    games = wait(sample_games([(tables[white], tables[black]) for white, black in truth], 80, seed=2))
    model = LevelEstimate(tables)
    found = [*zip(wait(model.posteriors(games, "first")), wait(model.posteriors(games, "second")), strict=True)]
    nearer = [
        abs(posterior.mean - level) < abs(posterior.mean - (3000 - level))
        for (white, black), pair in zip(truth, found, strict=True)
        for posterior, level in zip(pair, (white, black), strict=True)
    ]
    assert sum(nearer) >= 18
