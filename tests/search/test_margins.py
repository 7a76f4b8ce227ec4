"""The search by margins: the core against its twin and against numbers worked out elsewhere."""

import json
import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st

from foible._core import (
    Batch,
    Bonus,
    EvaluationError,
    FoibleError,
    Forest,
    FreezeAfter,
    GoPosition,
    Puct,
    Seat,
    average_winrate,
)
from foible.errors import ConfigError
from foible.games import Position
from foible.nets.evaluator import Evaluation, Material
from foible.search.params import SearchParams, SearchSettings
from tests.reference_bonus import Sigmoid
from tests.reference_margins import MarginSearch, interval_of
from tests.search.synthetic import Synthetic, evaluate, examples, go, go_on, grow, params, plant
from tests.shared_data import shared

shares = st.sampled_from([0.0, 0.0, 0.5, 1.0, -0.3, 1.5, 4.0]) | st.floats(-1, 2).map(lambda x: round(x, 3))
bonuses = st.builds(Bonus, shares, shares, lambda_behind=st.none() | shares, mu_behind=st.none() | shares)
rules = st.sampled_from([Puct(), Puct(), FreezeAfter(4, draw="quota"), FreezeAfter(3)])
seats = st.builds(Seat, rules, st.just(0), bonus=bonuses)
synthetic = st.builds(Synthetic, st.integers(0, 10_000), st.sampled_from([0, 1, 4]), margins=st.just(True))
settings = st.builds(
    lambda plain, fpu, root_fpu, interval, beta: replace(
        plain, fpu=fpu, root_fpu=root_fpu, interval=interval, terminal_beta=beta
    ),
    params,
    st.sampled_from(["net", "net", "reduction", "absolute"]),
    st.sampled_from([None, "net", "absolute"]),
    st.sampled_from(["parent", "root"]),
    st.sampled_from([10.0, math.inf, 0.3]),
)
margins = st.floats(-400, 400)
betas = st.floats(0.001, 50)


def assert_same(forest: Forest, tree: int, twin: MarginSearch) -> None:
    found = forest.summary(tree)
    assert twin.root.position is not None
    black = twin.root.position.turn == "first"
    assert {move.move: move.n for move in found.moves} == {edge.move: edge.child.n for edge in twin.root.edges}
    assert (found.n, found.d, found.m) == (twin.root.n, 0, 0)
    assert found.q == pytest.approx(-twin.root.wl, abs=1e-9)
    known = twin.known[twin.root]
    assert found.score is not None
    assert found.decided is not None
    assert found.score.winrate == pytest.approx(known.winrate if black else 1 - known.winrate, abs=1e-9)
    assert found.score.margin == pytest.approx(known.score if black else -known.score, abs=1e-9)
    assert found.decided.beta == known.sigmoid.beta
    signed = [x if black else -x for x in known.interval]
    assert isinstance(twin.root.position, GoPosition)
    margin = float(known.sigmoid.margin) + twin.root.position.komi
    assert found.decided.alpha == pytest.approx(margin if black else -margin, abs=1e-9)
    assert list(found.decided.interval) == pytest.approx(signed, abs=1e-9)
    for move in found.moves:
        child = next(edge.child for edge in twin.root.edges if edge.move == move.move)
        assert move.proven is None
        assert (move.score is not None) == bool(child.n)
        if move.score is not None:
            assert move.q == pytest.approx(child.wl, abs=1e-9)
            below = twin.known[child]
            assert move.score.winrate == pytest.approx(below.winrate if black else 1 - below.winrate, abs=1e-9)
            assert move.score.margin == pytest.approx(below.score if black else -below.score, abs=1e-9)


@examples(40)
@given(go, settings, seats, seats, synthetic, st.integers(1, 200), st.integers(0, 9))
def test_a_tree_equals_the_twin(
    position: Position, settings: SearchParams, ours: Seat, theirs: Seat, evaluator: Synthetic, nodes: int, seed: int
) -> None:
    forest, tree = plant(settings, (ours, theirs), position, nodes, seed)
    twin = MarginSearch(position, settings, (ours, theirs), [evaluator], seed)
    grow(forest, [evaluator])
    twin.run(nodes)
    assert_same(forest, tree, twin)


@examples(25)
@given(go, settings, bonuses, synthetic, st.lists(st.integers(1, 120), min_size=2, max_size=3), st.integers(0, 200))
def test_a_reused_tree_equals_the_twin(
    position: Position, settings: SearchParams, bonus: Bonus, evaluator: Synthetic, counts: list[int], choice: int
) -> None:
    seat = Seat(bonus=bonus)
    forest, tree = plant(settings, (seat, seat), position, counts[0])
    twin = MarginSearch(position, settings, (seat, seat), [evaluator])
    for nodes in counts:
        forest.set_nodes(tree, twin.root.n + nodes)
        grow(forest, [evaluator])
        twin.run(twin.root.n + nodes)
        assert_same(forest, tree, twin)
        visited = [edge.move for edge in twin.root.edges if edge.child.n and not edge.child.terminal]
        assume(visited)
        move = visited[choice % len(visited)]
        forest.advance(tree, move, keep=True)
        twin.advance(move)
    forest.set_nodes(tree, twin.root.n + 1)
    grow(forest, [evaluator])
    twin.run(twin.root.n + 1)
    assert_same(forest, tree, twin)


@dataclass(frozen=True)
class Unyielding(Synthetic):
    """Never passes: the end of a game is proven in a search by winrate alone."""

    def evaluate(self, batch: Batch) -> Evaluation:
        found = super().evaluate(batch)
        found.logits[batch.offsets[1:] - 1] = -99
        return found


@examples(40)
@given(go_on(st.integers(5, 7)), st.integers(0, 1000), st.integers(1, 300))
def test_without_a_bonus_it_is_the_search_by_winrate(position: Position, seed: int, nodes: int) -> None:
    visits = []
    for seat in (Seat(bonus=Bonus()), Seat()):
        forest, tree = plant(SearchParams(), (seat, seat), position, nodes)
        grow(forest, [Unyielding(seed, margins=True)])
        visits.append({move.move: move.n for move in forest.summary(tree).moves})
    assert visits[0] == visits[1]


def test_it_asks_once_for_all_komi() -> None:
    forest = Forest(SearchParams(), Seat(bonus=Bonus()), Seat(bonus=Bonus()), game="go")
    asked = 0
    for komi in (0.5, 9.5):
        forest.add(GoPosition(5, komi=komi), 1)
        while forest.growing:
            request = forest.gather(1)
            asked += sum(len(batch) for batch in request.batches if batch is not None)
            answers = evaluate([Material()], request)
            forest.scatter(request, [None if e is None else (e.logits, e.wdl, None, e.margins) for e in answers])
    assert asked == 1


@pytest.mark.parametrize(
    ("values", "complaint"),
    [
        (None, "no margins"),
        ([[1.0, 0.0]], "a beta in it is 0"),
        ([[math.nan, 1.0]], "a number in it is NaN"),
        ([[1.0, 1.0], [1.0, 1.0]], "wrong length"),
    ],
)
def test_answers_that_hold_no_margins_are_refused(values: Any, complaint: str) -> None:
    forest, _ = plant(SearchParams(), (Seat(bonus=Bonus()), Seat()), GoPosition(5), 1)
    request = forest.gather(1)
    judged = Material().evaluate(Batch([GoPosition(5)]))
    margins = None if values is None else np.array(values, np.float32)
    with pytest.raises(EvaluationError, match=complaint):
        forest.scatter(request, [(judged.logits, judged.wdl, None, margins)])


@pytest.mark.parametrize("keywords", [{"lambda_": 11.0}, {"mu": math.nan}, {"lambda_behind": -10.5}])
def test_a_bonus_out_of_range_is_refused(keywords: dict[str, float]) -> None:
    with pytest.raises(FoibleError, match="expected -10 to 10"):
        Bonus(**keywords)


def test_settings_are_checked() -> None:
    settings = SearchSettings().with_settings({"interval": "root", "terminal_beta": "inf"})
    assert settings.params.terminal_beta == math.inf
    for wrong in ({"interval": "leaf"}, {"terminal_beta": "0"}):
        with pytest.raises(ConfigError, match=next(iter(wrong))):
            SearchSettings().with_settings(wrong)


@given(margins, betas, st.floats(-400, 400), st.floats(-400, 400))
def test_averages_equal_the_twins(margin: float, beta: float, start: float, end: float) -> None:
    found = average_winrate(margin, beta, start, end)
    assert found == pytest.approx(float(Sigmoid(margin, beta).average(start, end)), rel=1e-9, abs=1e-12)


@given(margins, betas, bonuses, st.booleans())
def test_intervals_equal_the_twins(margin: float, beta: float, bonus: Bonus, black: bool) -> None:
    found = bonus.interval(margin, beta, black_to_move=black)
    assert found == pytest.approx(interval_of(bonus, Sigmoid(margin, beta), black), rel=1e-9, abs=1e-9)


def cases(kind: str) -> list[dict[str, Any]]:
    found = json.loads(shared("golden/sai_value.json").read_text())["cases"]
    return [case for case in found if case["kind"] == kind]


def test_averages_have_their_published_values() -> None:
    for case in cases("interval_average"):
        found = average_winrate(case["offset"], case["beta"], case["x_from"], case["x_to"])
        assert found == pytest.approx(case["average"], rel=1e-9, abs=1e-9), case["name"]


def test_agents_have_their_published_values() -> None:
    for case in cases("agent"):
        decision, leaf = case["decision"], case["leaf"]
        side = {"B": 1, "W": -1}
        margin = side[decision["to_move"]] * decision["alpha"] - decision["komi"]
        black = decision["to_move"] == "B"
        interval = Bonus(case["lambda"], case["mu"]).interval(margin, decision["beta"], black_to_move=black)
        wanted = case["x_mu_black"], case["x_lambda_black"]
        assert interval == pytest.approx(wanted, rel=1e-9, abs=1e-9), case["name"]
        beyond = side[leaf["to_move"]] * leaf["alpha"] - decision["komi"]
        found = average_winrate(beyond, leaf["beta"], *interval)
        assert found == pytest.approx(case["leaf_value_black"], rel=1e-9, abs=1e-9), case["name"]


def test_a_winner_with_lambda_thinks_less_of_its_win() -> None:
    position = GoPosition(5, ["C3", "pass", "C2", "pass", "C4", "pass", "B3", "pass", "D3", "pass"], komi=0.5)
    values = []
    for lambda_ in (0.0, 0.5, 1.0):
        seat = Seat(bonus=Bonus(lambda_))
        forest, tree = plant(SearchParams(), (seat, seat), position, 1)
        grow(forest, [Material()])
        found = forest.summary(tree)
        assert found.decided is not None
        assert found.score is not None
        assert (found.decided.alpha, found.score.margin) == (25, 24.5)
        values.append(found.q)
    assert values == sorted(values, reverse=True)
    assert values[0] > values[1] > values[2] > 0


@given(go_on(st.integers(2, 5)))
def test_margins_come_from_the_board_alone(position: Position) -> None:
    assert isinstance(position, GoPosition)
    batch = Batch([position, position.with_komi(40)])
    margins = Material().evaluate(batch).margins
    assert margins is not None
    np.testing.assert_array_equal(margins[0], margins[1])
    assert batch.plane_keys[0] == batch.plane_keys[1]
    sign = -1 if position.turn == "first" else 1
    np.testing.assert_array_equal(batch.signed_komi, np.array([sign * position.komi, sign * 40], np.float32))
