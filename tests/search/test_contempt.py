"""Search-contempt: what a frozen opponent does, and the published implementation's numbers."""

import json
import math
import statistics
from collections import defaultdict
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, strategies as st
from scipy.stats import t as student

from foible._core import ChessPosition, Coin, FollowBest, Forest, FreezeAfter, Puct, RootSummary, Seat
from foible.errors import ConfigError, FoibleError
from foible.games import Position
from foible.loop import wait
from foible.nets import open_net
from foible.nets.evaluator import Evaluator
from foible.search.params import MOST_CONTEMPT_VISITS, RANGES, SearchParams, SearchSettings, seats
from foible.search.trees import Trees
from tests.reference_search import Rule
from tests.search.synthetic import Fond, Synthetic, chess, examples, go, grow, params, plant, synthetic
from tests.shared_data import shared

RUNS = 6
"""Seeds for each golden row; the reference made 40 runs."""
THREE_DEVIATIONS = 0.0027
"""The chance that a normal number lies so far off, on either side."""


def summary(params: SearchParams, position: Position, evaluator: Evaluator, nodes: int, seed: int = 0) -> RootSummary:
    forest, tree = plant(params, seats(params), position, nodes, seed)
    grow(forest, [evaluator], params.batch)
    return forest.summary(tree)


def visits(found: RootSummary) -> dict[str, int]:
    return {move.move: move.n for move in found.moves}


@examples(25)
@given(chess | go, params, synthetic, st.integers(1, 200), st.integers(0, 50))
def test_a_limit_that_no_node_reaches_gives_pucts_tree(
    position: Position, params: SearchParams, evaluator: Evaluator, nodes: int, more: int
) -> None:
    contempt = summary(replace(params, contempt_visits=nodes + more), position, evaluator, nodes)
    ordinary = summary(params, position, evaluator, nodes)
    assert visits(contempt) == visits(ordinary)
    assert (contempt.q, contempt.d, contempt.m) == (ordinary.q, ordinary.d, ordinary.m)


@pytest.mark.parametrize("draw", ["sample", "quota"])
def test_an_opponent_frozen_after_one_visit_plays_the_top_of_the_policy(draw: Any) -> None:
    evaluator = Synthetic(3, scale=1)
    params = SearchParams(contempt_visits=1, contempt_draw=draw, policy_temperature=1)
    forest, tree = plant(params, seats(params), ChessPosition(), 400)
    grow(forest, [evaluator])
    best = forest.summary(tree).moves[0].move
    reply = forest.line(tree)[1]
    position = ChessPosition(moves=[best])
    followed = Forest(SearchParams(policy_temperature=1), Seat(), Seat())
    after = followed.add(position, 1)
    grow(followed, [evaluator])
    assert reply == max(followed.summary(after).moves, key=lambda move: move.prior).move


def test_the_shares_of_a_frozen_node_stay_what_they_were() -> None:
    """Quota deals the frozen visits out again and again, so that any multiple of them has their proportions."""
    frozen, multiple, evaluator = 12, 10, Synthetic(5, scale=1.5)
    position = ChessPosition(moves=["e2e4"])
    ordinary = Forest(SearchParams(), Seat(), Seat())
    tree = ordinary.add(position, frozen + 1)
    grow(ordinary, [evaluator])
    wanted = {move: multiple * n for move, n in visits(ordinary.summary(tree)).items()}
    forest = Forest(SearchParams(), Seat(FreezeAfter(frozen, draw="quota")), Seat())
    tree = forest.add(position, multiple * frozen + 1)
    grow(forest, [evaluator])
    assert visits(forest.summary(tree)) == wanted


def test_samples_follow_the_frozen_shares_and_their_temperature() -> None:
    frozen, nodes, evaluator = 12, 6000, Synthetic(5, scale=1.5)
    position = ChessPosition(moves=["e2e4"])
    ordinary = Forest(SearchParams(), Seat(), Seat())
    tree = ordinary.add(position, frozen + 1)
    grow(ordinary, [evaluator])
    counts = visits(ordinary.summary(tree))
    for temperature in (1.0, 2.5):
        weights = {move: n ** (1 / temperature) for move, n in counts.items() if n}
        forest = Forest(SearchParams(), Seat(FreezeAfter(frozen, temperature=temperature)), Seat())
        tree = forest.add(position, nodes + frozen + 1, 7)
        grow(forest, [evaluator])
        found = visits(forest.summary(tree))
        assert {move for move, n in found.items() if n} == set(weights)
        for move, weight in weights.items():
            p = weight / sum(weights.values())
            error = math.sqrt(nodes * p * (1 - p))
            assert abs(found[move] - counts[move] - nodes * p) < 4.5 * error


def test_the_papers_inequality_freezes_one_visit_later() -> None:
    """Where all moves are alike PUCT tries a new one each time: the visit after the third does so by the paper only."""
    alike, frozen = Synthetic(scale=0), 3
    tried = {}
    for rule in (FreezeAfter(frozen), FreezeAfter(frozen, at="paper")):
        for visits_more in (1, 20):
            forest = Forest(SearchParams(fpu="absolute", fpu_value=1), Seat(rule), Seat())
            tree = forest.add(ChessPosition(), 1 + frozen + visits_more)
            grow(forest, [alike])
            tried[rule.at, visits_more] = sum(n > 0 for n in visits(forest.summary(tree)).values())
    assert tried == {
        ("implementation", 1): 3,
        ("implementation", 20): 3,
        ("paper", 1): 4,
        ("paper", 20): 4,
    }


def test_a_weak_opponent_walks_into_mate_and_nothing_is_proven_by_that() -> None:
    """After 1. f3 e5 2. g4 there is a mate: an opponent who likes 2. g4 at first sight plays it for good."""
    evaluator = Fond(("e7e5", "g2g4"))
    found = {}
    for limit in (None, 1):
        moves = summary(SearchParams(contempt_visits=limit), ChessPosition(moves=["f2f3"]), evaluator, 2000).moves
        found[limit] = next(move for move in moves if move.move == "e7e5")
    assert found[1].q > 0.95
    assert found[None].q < 0.2
    assert (found[None].proven, found[1].proven) == (None, None)


def test_a_frozen_opponent_who_would_win_is_not_proven_to_win() -> None:
    """White has a mate in one beside the move that it likes. Who thinks on finds it; who stopped never looks."""
    evaluator = Fond(("a2a3", "a7a6"))
    position = ChessPosition("6k1/p4ppp/8/8/8/8/P4PPP/3R2K1 b - - 0 1")
    for limit, lost in ((None, -1), (1, None)):
        params = SearchParams(contempt_visits=limit, fpu="absolute", fpu_value=0)
        moves = summary(params, position, evaluator, 3000).moves
        assert next(move for move in moves if move.move == "a7a6").proven == lost


@examples(30)
@given(chess, synthetic, st.integers(1, 30), st.integers(2, 64), st.sampled_from(["sample", "quota"]))
def test_batches_keep_all_visits(position: Position, evaluator: Evaluator, limit: int, batch: int, draw: Any) -> None:
    params = SearchParams(contempt_visits=limit, contempt_draw=draw, batch=batch)
    found = summary(params, position, evaluator, 300)
    assert found.n >= 300
    assert sum(visits(found).values()) == found.n - 1


@pytest.mark.parametrize("draw", ["sample", "quota"])
def test_contempt_goes_with_noise_and_temperature(draw: Any) -> None:
    """Noise is the root's alone: it changes what is searched, the same seed the same way."""
    evaluator = Synthetic(7, scale=1)
    plain = SearchParams(contempt_visits=3, contempt_draw=draw)
    noisy = replace(plain, noise_epsilon=0.5)
    found = [visits(summary(params, ChessPosition(), evaluator, 300, 4)) for params in (noisy, noisy, plain)]
    assert found[0] == found[1] != found[2]
    forest, tree = plant(noisy, seats(noisy), ChessPosition(), 300, 4)
    grow(forest, [evaluator])
    chosen = {forest.choose(tree, temperature=1.0, seed=seed) for seed in range(60)}
    assert len(chosen) > 1
    assert chosen <= {move for move, n in found[0].items() if n}


def test_searches_and_seats_know_contempt() -> None:
    evaluator, position = Synthetic(1), ChessPosition()
    ours, theirs = seats(SearchParams(contempt_visits=3, contempt_draw="quota", contempt_freeze_at="paper"))
    assert str(theirs.rule) == 'FreezeAfter(3, draw="quota", temperature=1, at="paper")'
    assert ours is not theirs
    ours, theirs = seats(SearchParams())
    assert ours is theirs
    found = wait(Trees([evaluator], SearchParams(contempt_visits=1)).searches([position], 200))[0]
    assert visits(found) != visits(wait(Trees([evaluator]).searches([position], 200))[0])


@pytest.mark.parametrize(
    ("keywords", "complaint"),
    [
        ({"visits": 0}, "at least 1"),
        ({"visits": 1, "temperature": 0.0}, "expected 0.05 to 100"),
        ({"visits": 1, "temperature": math.nan}, "expected 0.05 to 100"),
        ({"visits": 1, "draw": "thompson"}, "sample or quota"),
        ({"visits": 1, "at": "once"}, "implementation or paper"),
    ],
)
def test_what_makes_no_sense_is_refused(keywords: dict[str, Any], complaint: str) -> None:
    with pytest.raises(FoibleError, match=complaint):
        FreezeAfter(**keywords)


def test_the_sharpest_shares_are_numbers() -> None:
    sharpest = RANGES["contempt_temperature"][0]
    assert math.isfinite(1000 * float(MOST_CONTEMPT_VISITS) ** (1 / sharpest))
    with pytest.raises(ConfigError, match="contempt_temperature"):
        SearchParams(contempt_temperature=sharpest / 2)


def test_parameters_are_checked_and_read_from_text() -> None:
    on = SearchSettings().with_settings({"contempt_visits": "28"})
    assert on.params.contempt_visits == 28
    assert on.with_settings({"contempt_visits": "off"}).params.contempt_visits is None
    for wrong in (
        {"contempt_visits": "0"},
        {"contempt_visits": "few"},
        {"contempt_draw": "even"},
        {"contempt_freeze_at": "once"},
    ):
        with pytest.raises(ConfigError, match=next(iter(wrong))):
            SearchSettings().with_settings(wrong)


def test_root_visits_and_value_agree_with_the_published_implementation() -> None:
    """Within three standard errors of both, as Student's t has them for so few runs, and one visit or 0.002 of value,
    what lc0's arithmetic may cost.

    Without chance (limits 1 and off) lc0's rounded priors remain: 2 % of the visits.
    """
    rows = defaultdict(list)
    for line in shared("golden/search_contempt.jsonl").read_text().splitlines():
        row = json.loads(line)
        rows[row["net"], row["sc_limit"], row["nodes"]].append(row)
    agree = []
    for (net, limit, nodes), group in rows.items():
        evaluator = open_net(str(shared(f"nets/{net}.pb.gz")))
        params = SearchParams(policy_temperature=1.0, contempt_visits=limit)
        runs = RUNS if any(row["root_q_sd"] for row in group) else 1
        forest = Forest(params, *seats(params))
        grown = [
            [forest.add(ChessPosition(row.get("fen"), row["moves"]), nodes, seed) for seed in range(runs)]
            for row in group
        ]
        grow(forest, [evaluator], 256)
        for row, trees in zip(group, grown, strict=True):
            found = [forest.summary(tree) for tree in trees]
            agree.append(agrees(row, found, nodes) if runs > 1 else resembles(row, found[0], nodes))
    assert len(agree) == 60
    assert sum(agree) == 60


def agrees(row: dict[str, Any], found: list[RootSummary], nodes: int) -> bool:
    def close(reference: tuple[float, float], ours: list[float], arithmetic: float) -> bool:
        mean, deviation = reference
        parts = (deviation**2 / row["runs"], row["runs"]), (statistics.variance(ours) / len(ours), len(ours))
        square = sum(part for part, _ in parts)
        # Welch's degrees of freedom; the quantile is that of three standard deviations.
        freedom = square**2 / sum(part**2 / (n - 1) for part, n in parts) if square else 1.0
        most = student.ppf(1 - THREE_DEVIATIONS / 2, freedom)
        return bool(abs(statistics.mean(ours) - mean) <= most * math.sqrt(square) + arithmetic)

    return close((row["root_q_mean"], row["root_q_sd"]), [summary.q for summary in found], 0.002) and all(
        close((mean, row["visits_sd"][move]), [visits(summary)[move] for summary in found], 1)
        for move, mean in row["visits_mean"].items()
    )


def resembles(row: dict[str, Any], found: RootSummary, nodes: int) -> bool:
    ours = visits(found)
    moved = sum(abs(ours[move] - mean) for move, mean in row["visits_mean"].items()) / 2
    return bool(moved <= 0.02 * nodes and abs(found.q - row["root_q_mean"]) <= 0.002)


@pytest.mark.parametrize("rule", [Puct(), Coin(0.5, Puct(), FollowBest(0))], ids=str)
def test_a_forest_refuses_contempt_that_its_seats_would_ignore(rule: Rule) -> None:
    with pytest.raises(
        FoibleError, match=r"contempt_visits = 5, but neither seat has the rule FreezeAfter.*seats\(params\)"
    ):
        Forest(SearchParams(contempt_visits=5), Seat(), Seat(rule), root=FreezeAfter(5))


def test_a_coin_refuses_rules_that_freeze_a_node_after_different_visits() -> None:
    message = r"a coin of FreezeAfter\(5\) and FreezeAfter\(300\): .* expected the same visits$"
    for first in (FreezeAfter(5), Coin(0.5, Puct(), FreezeAfter(5))):
        with pytest.raises(FoibleError, match=message):
            Coin(0.5, first, Coin(0.5, FreezeAfter(300, draw="quota"), Puct()))
        assert Coin(0.5, first, FreezeAfter(5, draw="quota", temperature=2.0)).first is first


@pytest.mark.parametrize("rule", [FreezeAfter(3), Coin(0.5, Puct(), Coin(0.5, FreezeAfter(3), Puct()))], ids=str)
def test_a_forest_takes_contempt_where_a_seat_freezes(rule: Rule) -> None:
    for seats_of_both in ((Seat(rule), Seat()), (Seat(), Seat(rule))):
        Forest(SearchParams(contempt_visits=5), *seats_of_both)
