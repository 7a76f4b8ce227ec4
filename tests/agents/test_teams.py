"""Tag team, and hand and brain: who moves, and with what distribution."""

import json
import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.stats import chisquare

from foible._core import ChessPosition
from foible.agents.base import Decision, Turn
from foible.agents.policy import RandomMover
from foible.agents.teams import HandAndBrain, TagTeam, conditional, coupled_draw, draw, piece_types
from foible.errors import ConfigError
from tests.playing import choose
from tests.shared_data import shared

DRAWS = 10_000


@dataclass
class Scripted(RandomMover):
    """Plays what it is told and remembers what it was asked."""

    name: str = "scripted"
    move: str = ""
    policy: Mapping[str, float] | None = None
    value: float | None = None
    info: dict[str, Any] = field(default_factory=dict)
    asked: list[Turn] = field(default_factory=list)
    forgotten: list[int] = field(default_factory=list)
    closed: int = 0

    async def choose(self, turn: Turn) -> Decision:
        self.asked.append(turn)
        return Decision(self.move or turn.position.legal_moves[0], self.value, self.policy, self.info)

    def forget(self, game: int) -> None:
        self.forgotten.append(game)

    def close(self) -> None:
        self.closed += 1


@dataclass(frozen=True)
class EvenGames:
    """The senior moves in even games and at ply 5."""

    def senior_moves(self, game: int, ply: int) -> bool:
        return game % 2 == 0 or ply == 5


def turn(fen: str | None = None, game: int = 0, ply: int = 0, seed: int = 0) -> Turn:
    return Turn(ChessPosition(fen), game, ply, seed=seed)


def chi_square(seen: Counter[str], expected: Mapping[str, float], draws: int = DRAWS) -> float:
    """The p-value of what was seen; the expected zeros must not have been seen."""
    assert set(seen) <= {move for move, p in expected.items() if p > 0}
    likely = {move: p for move, p in expected.items() if p * draws >= 5}
    rest = 1 - sum(likely.values())
    counts = [seen[move] for move in likely]
    frequencies = [p * draws for p in likely.values()]
    if rest * draws >= 5:
        counts.append(draws - sum(counts))
        frequencies.append(rest * draws)
    else:
        frequencies = [f * sum(counts) / sum(frequencies) for f in frequencies]
    return float(chisquare(counts, frequencies).pvalue)


def golden() -> list[dict[str, Any]]:
    cases = json.loads(shared("golden/skill_stats.json").read_text())["groups"]["hand_conditional"]["cases"]
    assert cases
    return list(cases)


def hand_of(case: dict[str, Any]) -> tuple[dict[str, float], dict[str, str], str]:
    moves = case["input"]["moves"]
    policy = {move["move"]: move["p"] for move in moves}
    return policy, {move["move"]: move["piece"] for move in moves}, case["input"]["chosen_piece"]


def test_the_coin_decides_who_moves_and_each_member_is_asked_once() -> None:
    senior, junior = Scripted("senior agent", move="e2e4"), Scripted("junior agent", move="d2d4")
    team = TagTeam(senior, junior, EvenGames())
    turns = [turn(game=0), turn(game=1), turn(game=2), turn(game=3, ply=5)]
    decisions = choose(team, turns)
    assert [d.info["who"] for d in decisions] == ["senior", "junior", "senior", "senior"]
    assert [d.move for d in decisions] == ["e2e4", "d2d4", "e2e4", "e2e4"]
    assert senior.asked == [turns[0], turns[2], turns[3]]
    assert junior.asked == [turns[1]]
    assert team.name == "senior agent/junior agent"


def test_a_member_keeps_its_own_info_and_forfeit() -> None:
    senior = Scripted(info={"nodes": 800, "forfeit": "crashed"}, value=0.4)
    (decision,) = choose(TagTeam(senior, Scripted(), EvenGames()), [turn()])
    assert decision.info == {"nodes": 800, "forfeit": "crashed", "who": "senior"}
    assert decision.value == 0.4


def test_a_team_shares_the_life_of_its_members() -> None:
    senior, junior = Scripted(), Scripted()
    with TagTeam(senior, junior, EvenGames()) as team:
        team.forget(3)
    assert senior.forgotten == junior.forgotten == [3]
    assert senior.closed == junior.closed == 1


def test_conditional_distributions_equal_the_golden_ones() -> None:
    for case in golden():
        policy, types, named = hand_of(case)
        expected = case["expected"]
        result = conditional(policy, types, named)
        assert result.keys() == expected["conditional"].keys()
        assert all(math.isclose(result[m], p, abs_tol=1e-9) for m, p in expected["conditional"].items())
        mass = {t: sum(p for m, p in policy.items() if types[m] == t) for t in set(types.values())}
        assert math.isclose(mass[named], expected["piece_mass"], abs_tol=1e-9)
        assert all(math.isclose(mass[t], p, abs_tol=1e-9) for t, p in expected["implied_piece_distribution"].items())


def test_coupled_and_direct_draws_follow_the_conditional_distribution() -> None:
    rng = np.random.default_rng(11)
    for case in golden()[:4]:
        policy, types, named = hand_of(case)
        expected = conditional(policy, types, named)
        direct = Counter(draw(expected, rng) for _ in range(DRAWS))
        pairs = [coupled_draw(policy, types, named, rng) for _ in range(DRAWS)]
        assert chi_square(direct, expected) > 0.001
        assert chi_square(Counter(played for _, played in pairs), expected) > 0.001
        total = sum(policy.values())
        assert chi_square(Counter(u for u, _ in pairs), {m: p / total for m, p in policy.items()}) > 0.001
        assert all(u == played for u, played in pairs if types[u] == named)


@settings(deadline=None)
@given(st.lists(st.tuples(st.sampled_from("PNBRQK"), st.floats(0, 1)), min_size=1, max_size=30), st.data())
def test_conditioning_keeps_proportions_and_sums_to_one(moves: list[tuple[str, float]], data: Any) -> None:
    policy = {f"m{i}": p for i, (_, p) in enumerate(moves)}
    types = {f"m{i}": piece for i, (piece, _) in enumerate(moves)}
    named = data.draw(st.sampled_from(sorted(set(types.values()))))
    result = conditional(policy, types, named)
    assert set(result) == {move for move, piece in types.items() if piece == named}
    assert sum(result.values()) == pytest.approx(1)
    mass = sum(policy[move] for move in result)
    if mass > 1e-9:
        assert all(p == pytest.approx(policy[move] / mass) for move, p in result.items())


@pytest.mark.parametrize(
    ("fen", "move", "piece"),
    [
        (None, "g1f3", "N"),
        (None, "e2e4", "P"),
        ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "e1g1", "K"),
        ("r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1", "e8c8", "K"),
        ("8/P6k/8/8/8/8/8/K7 w - - 0 1", "a7a8n", "P"),
        ("7k/8/8/3pP3/8/8/8/K7 w - d6 0 2", "e5d6", "P"),
        ("7k/8/8/8/8/8/8/KQ6 w - - 0 1", "b1b8", "Q"),
    ],
)
def test_the_type_is_that_of_the_piece_that_leaves_its_square(fen: str | None, move: str, piece: str) -> None:
    position = ChessPosition(fen)
    assert piece_types(position.fen, position.legal_moves)[move] == piece


def test_the_hand_plays_the_named_type_by_its_own_distribution() -> None:
    policy = {"e2e4": 0.5, "g1f3": 0.3, "b1c3": 0.1, "d2d4": 0.1}
    brain, hand = Scripted("brain", move="b1a3", value=0.7), Scripted("hand", move="e2e4", policy=policy)
    turns = [turn(seed=seed) for seed in range(2000)]
    decisions = choose(HandAndBrain(brain, hand), turns)
    seen = Counter(decision.move for decision in decisions)
    assert chi_square(seen, {"g1f3": 0.75, "b1c3": 0.25}, 2000) > 0.001
    for decision in decisions:
        assert decision.info["who"] == "hand"
        assert decision.info["brain"] == "b1a3"
        assert decision.info["named"] == "N"
        assert decision.info["u_argmax"] == "e2e4"
        assert decision.info["brain_value"] == 0.7
        assert decision.value is None
        if decision.info["u_sampled"] in {"g1f3", "b1c3"}:
            assert decision.move == decision.info["u_sampled"]
    assert chi_square(Counter(d.info["u_sampled"] for d in decisions), policy, 2000) > 0.001


def test_the_brain_judges_its_own_move_only() -> None:
    hand = Scripted(policy={"g1f3": 1.0})
    for judged, value, score in (("g1f3", 0.6, -35), ("b1c3", None, None)):
        brain = Scripted(move=judged, value=0.6, info={"score": -35})
        (decision,) = choose(HandAndBrain(brain, hand), [turn()])
        assert decision.move == "g1f3"
        assert (decision.value, decision.info.get("score")) == (value, score)


def test_with_only_king_moves_the_hand_is_free() -> None:
    fen = "7k/8/8/8/8/8/8/K7 w - - 0 1"
    policy = {"a1a2": 0.2, "a1b1": 0.3, "a1b2": 0.5}
    team = HandAndBrain(Scripted(move="a1a2"), Scripted(policy=policy))
    decisions = choose(team, [turn(fen, seed=seed) for seed in range(2000)])
    assert chi_square(Counter(d.move for d in decisions), policy, 2000) > 0.001
    assert all(d.info["u_sampled"] == d.move for d in decisions)


def test_castling_is_open_to_a_hand_when_the_king_is_named() -> None:
    fen = "4k3/8/8/8/8/8/8/4K2R w K - 0 1"
    policy = {"e1g1": 0.9, "h1h7": 0.1}
    team = HandAndBrain(Scripted(move="e1e2"), Scripted(policy=policy))
    assert all(d.move == "e1g1" for d in choose(team, [turn(fen, seed=seed) for seed in range(50)]))


def test_a_type_the_hand_never_plays_is_played_uniformly() -> None:
    team = HandAndBrain(Scripted(move="b1c3"), Scripted(policy={"e2e4": 1.0}))
    seen = Counter(d.move for d in choose(team, [turn(seed=seed) for seed in range(2000)]))
    assert chi_square(seen, dict.fromkeys(("b1a3", "b1c3", "g1f3", "g1h3"), 0.25), 2000) > 0.001


def test_a_forfeit_of_a_member_is_the_teams() -> None:
    crashed = Scripted("brain", info={"forfeit": "crashed"})
    (decision,) = choose(HandAndBrain(crashed, Scripted(policy={"e2e4": 1.0})), [turn()])
    assert decision.move == ""
    assert decision.info == {"forfeit": "crashed", "who": "brain"}


def test_an_agent_without_a_distribution_cannot_be_a_hand() -> None:
    with pytest.raises(ConfigError, match="silent cannot be a hand"):
        choose(HandAndBrain(Scripted(), Scripted("silent")), [turn()])


def test_answers_do_not_depend_on_the_other_turns() -> None:
    team = HandAndBrain(RandomMover(), RandomMover())
    together = [d.move for d in choose(team, [turn(seed=seed) for seed in range(5)])]
    assert together == [choose(team, [turn(seed=seed)])[0].move for seed in range(5)]


@pytest.mark.parametrize(
    ("brain", "hand", "words"),
    [
        ({"move": "e4"}, {"policy": {"e2e4": 1.0}}, r"^brain: 'e4' is no legal move; expected UCI, such as a2a3$"),
        ({"info": {"named": "Q"}}, {"policy": {"e2e4": 1.0}}, r"^brain: names 'Q'; the pieces that can move are N, P$"),
        ({"move": "e2e4"}, {"policy": {"e4": 1.0}}, r"^hand: its decision has 'e4' in its policy; expected legal"),
    ],
)
def test_members_that_answer_wrongly_are_named(brain: Mapping[str, Any], hand: Mapping[str, Any], words: str) -> None:
    team = HandAndBrain(Scripted(name="brain", **brain), Scripted(name="hand", **hand))
    with pytest.raises(ConfigError, match=words):
        choose(team, [turn()])


def test_a_brain_that_answers_with_no_decision_is_named() -> None:
    class Says(Scripted):
        async def choose(self, turn: Turn) -> Any:
            return "e2e4"

    with pytest.raises(ConfigError, match=r"^brain: choose returned 'e2e4'; expected a Decision"):
        choose(HandAndBrain(Says(name="brain"), Scripted(policy={"e2e4": 1.0})), [turn()])
