from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from foible.agents.expectation import Branch, Known, Node
from foible.analysis.prep.move_measures import Measures, measure
from foible.analysis.prep.repertoire_tree import OurMove, Spot, TreeSettings, grow_tree
from foible.judges.base import Score
from foible.loop import each
from foible.opponents.opening_table import PlayerModel, opening_table
from tests.analysis.prep.scripted import ScriptedJudge, Uniform, after, games, key


def candidate(line: str, worth: float, replies: list[tuple[str, float, float]], weight: float = 10) -> OurMove:
    """`replies`: in SAN, each with its probability and what it is worth to us."""
    position = after(line)
    branches = []
    for san, p, value in replies:
        then = position.play(san)
        node = Node(then, Known(Score(value)), ours=True, score=Score(value))
        branches.append(Branch(p, then.moves[-1], node))
    score = Score(worth)
    # The plan does not count in a node that is grown.
    node = Node(position, Known(score), ours=False, score=None if branches else score, branches=branches)
    return OurMove(position.moves[-1], position, score, round(weight), weight, node)


def spot(line: str, *candidates: OurMove) -> Spot:
    return Spot(after(line), 1.0, list(candidates))


def measured(*spots: Spot, **settings: Any) -> dict[int, list[Measures]]:
    return measure({key(" ".join(found.position.moves)): found for found in spots}, **settings)


def test_measures_are_those_of_the_definitions() -> None:
    best = candidate("e4", 0.55, [("e5", 0.8, 0.55), ("c5", 0.2, 0.60)])
    trap = candidate("d4", 0.52, [("d5", 0.5, 0.52), ("f5", 0.3, 0.70), ("c5", 0.1, 0.63)])
    first, second = measured(spot("", best, trap))[key("")]
    assert first.expected == pytest.approx(0.56)
    assert (first.price, first.gain) == (0, 0)
    assert second.expected == pytest.approx((0.5 * 0.52 + 0.3 * 0.70 + 0.1 * 0.63) / 0.9)
    assert second.safe == 0.52
    assert second.price == pytest.approx(0.03)
    assert second.gain == pytest.approx(second.expected - 0.56)
    assert second.trappiness == pytest.approx(second.expected - 0.52)
    assert second.trap_probability == pytest.approx(0.4 / 0.9)
    assert second.along == pytest.approx(second.expected)
    assert second.surplus == pytest.approx(second.low - 0.55)


def test_trappiness_is_never_negative() -> None:
    (only,) = measured(spot("", candidate("e4", 0.6, [("e5", 1.0, 0.55)])))[key("")]
    assert only.trappiness == 0
    assert only.expected == 0.55


def test_along_the_known_lines_the_expectation_goes_on() -> None:
    root = spot("", candidate("e4", 0.5, [("e5", 0.6, 0.5), ("c5", 0.4, 0.55)]))
    deeper = spot("e4 e5", candidate("e4 e5 Nf3", 0.5, [("Nc6", 0.5, 0.5), ("f6", 0.5, 0.8)]))
    found = measured(root, deeper)
    assert found[key("e4 e5")][0].along == pytest.approx(0.65)
    assert found[key("")][0].along == pytest.approx(0.6 * 0.65 + 0.4 * 0.55)
    assert found[key("")][0].expected == pytest.approx(0.6 * 0.5 + 0.4 * 0.55)


def test_below_we_play_what_is_best_at_the_lower_end() -> None:
    sure = candidate("e4 e5 Nf3", 0.5, [("Nc6", 0.5, 0.55), ("d6", 0.5, 0.59)], weight=200)
    gamble = candidate("e4 e5 Qh5", 0.5, [("Nc6", 0.5, 0.2), ("g6", 0.5, 0.98)], weight=1)
    root = spot("", candidate("e4", 0.5, [("e5", 1.0, 0.5)]))
    found = measured(root, spot("e4 e5", sure, gamble))
    kept, risky = found[key("e4 e5")]
    assert risky.expected > kept.expected
    assert risky.low < kept.low
    assert found[key("")][0].along == pytest.approx(kept.expected)


def test_replies_that_lead_back_make_no_circle() -> None:
    root = spot("", candidate("Nf3", 0.5, [("Nf6", 1.0, 0.5)]))
    back = spot("Nf3 Nf6", candidate("Nf3 Nf6 Ng1", 0.5, [("Ng8", 1.0, 0.4)]))
    found = measured(root, back)
    assert found[key("Nf3 Nf6")][0].along == 0.4
    assert found[key("")][0].along == 0.4


def test_a_won_position_is_certain() -> None:
    (only,) = measured(spot("f3 e5 g4", candidate("f3 e5 g4 Qh4", 1.0, [])))[key("f3 e5 g4")]
    assert (only.expected, only.low, only.high, only.trap_probability) == (1, 1, 1, 0)


replies = st.lists(st.tuples(st.floats(0.001, 1), st.floats(0, 1)), min_size=1, max_size=6)
SANS = ("e5", "c5", "e6", "c6", "d5", "Nf6")


@settings(deadline=None)
@given(replies, st.floats(0, 100))
def test_the_interval_holds_the_expectation(found: list[tuple[float, float]], weight: float) -> None:
    total = sum(p for p, _ in found)
    branches = [(san, p / total, value) for san, (p, value) in zip(SANS, found, strict=False)]
    (only,) = measured(spot("", candidate("e4", 0.5, branches, weight)), draws=200)[key("")]
    values = [value for _, value in found]
    assert only.low <= only.expected <= only.high
    assert min(values) - 1e-9 <= only.low
    assert only.high <= max(values) + 1e-9


@pytest.mark.parametrize("weight", [0, 3, 30])
def test_the_interval_shrinks_with_the_games(weight: float) -> None:
    branches = [("e5", 0.6, 0.5), ("c5", 0.4, 0.7)]
    few, many = (measured(spot("", candidate("e4", 0.5, branches, n)))[key("")][0] for n in (weight, 10 * weight + 10))
    assert many.high - many.low < few.high - few.low


def test_the_interval_is_that_of_the_posterior() -> None:
    # Two replies: the share of one is Beta((n + κ) p, (n + κ) (1 − p)), of which a normal law is near for n = 400.
    branches = [("e5", 0.5, 0.4), ("c5", 0.5, 0.6)]
    (only,) = measured(spot("", candidate("e4", 0.5, branches, 396)), draws=20_000)[key("")]
    half = 1.2816 * 0.2 * np.sqrt(0.25 / 401)
    assert only.low == pytest.approx(0.5 - half, abs=3e-4)
    assert only.high == pytest.approx(0.5 + half, abs=3e-4)


def test_the_same_tree_and_seed_measure_the_same() -> None:
    table = opening_table(games([("e4 e5 Nf3 Nc6 Bb5 a6", 10), ("e4 e5 Nf3 f6 Bc4 d6", 6)], white=False))
    judge = ScriptedJudge({"e4 e5 Nf3 f6": 0.7})
    *_, spots = each(grow_tree(table, PlayerModel(table, Uniform()), judge, white=True, settings=TreeSettings()))
    assert measure(spots, seed=3) == measure(spots, seed=3)
    assert measure(spots, seed=3) != measure(spots, seed=4)
    assert max(found.along for found in measure(spots)[key("")]) > 0.5
