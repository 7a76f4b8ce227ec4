"""Models that hold legal moves for impossible: every player that reckons with one still plays, and says numbers."""

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import cast

import pytest

from foible._core import ChessPosition
from foible.agents.base import Agent, Turn
from foible.agents.candidates import EVERYTHING, Expectimax, Width
from foible.agents.exp_hand import ExpHand
from foible.agents.exp_tag_team import ExpTagTeam, Variant, Visits
from foible.agents.expectation import Unit, win_probability
from foible.agents.exploit import Exploit
from foible.agents.policy import NetPolicy, RandomMover
from foible.agents.safety import Budget, EpsilonSafe, Mixture, Safety
from foible.agents.teams import HandAndBrain
from foible.agents.trees import hand_brain_tree, tag_team_tree
from foible.errors import ConfigError, EvaluationError, FoibleError
from foible.judges.base import Score
from foible.judges.net import NetJudge
from foible.judges.units import Pawns, released_centipawns
from foible.loop import together, wait
from foible.nets import Material
from foible.opponents.base import OpponentModel
from foible.opponents.estimate import LevelEstimate
from foible.opponents.mixture import FloorModel, MixtureModel
from foible.opponents.opening_table import PlayerModel, opening_table
from foible.opponents.player_games import PlayerGame
from foible.search.trees import Trees
from tests.opponents.scripted import Rule, Scripted, first_move_only, uniform
from tests.playing import choose
from tests.search.synthetic import Synthetic

POSITIONS = [
    ChessPosition(),
    ChessPosition("r1bq1rk1/pppp1ppp/2n2n2/2b1p3/2B1P3/3P1N2/PPP2PPP/RNBQ1RK1 w - - 1 6"),
    ChessPosition("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1"),
    ChessPosition("7k/P7/8/8/8/8/8/K7 w - - 0 1"),
    ChessPosition("k7/8/8/8/8/8/8/K6R b - - 99 90"),
]


def never_a_pawn(position: ChessPosition) -> list[float]:
    """Zero to all moves of a type, and to all moves where there are no others."""
    board = position.fen.split()[0]
    pawn = "P" if position.turn == "first" else "p"
    rows = {str(8 - i): _expanded(row) for i, row in enumerate(board.split("/"))}
    weights = [float(rows[move[1]]["abcdefgh".index(move[0])] != pawn) for move in position.legal_moves]
    total = sum(weights)
    return [weight / total for weight in weights] if total else weights


def _expanded(row: str) -> str:
    return "".join("." * int(symbol) if symbol.isdigit() else symbol for symbol in row)


def nothing(position: ChessPosition) -> list[float]:
    return [0.0] * len(position.legal_moves)


RULES: dict[str, Rule] = {"one move": first_move_only, "no pawns": never_a_pawn, "no move at all": nothing}
rules = pytest.mark.parametrize("rule", RULES.values(), ids=RULES)


def check(agent: Agent, positions: Sequence[ChessPosition] = POSITIONS) -> None:
    turns = [Turn(position, game, 0, seed=game) for game, position in enumerate(positions)]
    for position, decision in zip(positions, choose(agent, turns), strict=True):
        assert decision.move in position.legal_moves
        assert decision.value is None or 0 <= decision.value <= 1
        json.dumps(dict(decision.info), allow_nan=False)
        if decision.policy is not None:
            assert math.fsum(decision.policy.values()) == pytest.approx(1)


@rules
@pytest.mark.parametrize("safety", [EpsilonSafe(), Budget(), Mixture(0.5)], ids=["epsilon", "budget", "mixture"])
@pytest.mark.parametrize("width", [Width(3, 2, 0.95, 4), EVERYTHING], ids=["narrow", "everything"])
@pytest.mark.parametrize("pessimistic", [False, True], ids=["mean", "worst"])
def test_exploit_plays(rule: Rule, safety: Safety, width: Width, pessimistic: bool) -> None:
    for unit in (Pawns("graded"), Pawns("released")):
        expectimax = Expectimax(Scripted(rule), NetJudge(Material()), width=width, unit=unit, pessimistic=pessimistic)
        check(Exploit(expectimax, safety, name="exploit"))
    wp = Expectimax(Scripted(rule), NetJudge(Material()), width=width, pessimistic=pessimistic)
    check(Exploit(wp, safety, name="exploit"))
    for candidates in wait(together(wp.candidates(position) for position in POSITIONS)):
        for c in candidates:
            numbers = (c.expected, c.safe, c.price, c.gain, c.trappiness, c.trap_probability, c.mass)
            assert all(map(math.isfinite, numbers))
            assert 0 <= c.expected <= 1
            assert 0 <= c.trap_probability <= 1 + 1e-9


@rules
def test_exploit_looks_further_ahead(rule: Rule) -> None:
    expectimax = Expectimax(Scripted(rule), NetJudge(Material()), width=Width(2, 1, 0.95, 2), depth=2)
    check(Exploit(expectimax, EpsilonSafe(1), name="exploit"))


@rules
@pytest.mark.parametrize("variant", ["full", "released", "trick", "help"])
@pytest.mark.parametrize("junior_width", [1, 4])
def test_exp_t_plays(rule: Rule, variant: Variant, junior_width: int) -> None:
    searches, visits = Trees([Material()]), Visits(12, 4, 3)
    check(ExpTagTeam(searches, Scripted(rule), variant=variant, junior_width=junior_width, visits=visits))


@rules
@pytest.mark.parametrize("unit", [win_probability, released_centipawns])
def test_exp_h_plays(rule: Rule, unit: Unit) -> None:
    check(ExpHand(Trees([Material()]), Scripted(rule), leaf=3, unit=unit))


CERTAIN = Synthetic(scale=1e5)
"""A net whose logits are so far apart that all moves but one have probability zero."""


def test_trees_follow_nets_that_are_certain() -> None:
    for net, partner in ((Material(), CERTAIN), (CERTAIN, CERTAIN)):
        for select in ("argmax", "sample"):
            check(tag_team_tree(net, partner, nodes=60, select=select))
        check(hand_brain_tree(net, partner, nodes=60))


def test_hands_that_are_certain_move_whatever_the_brain_names() -> None:
    for brain in (RandomMover(), hand_brain_tree(Material(), CERTAIN, nodes=20)):
        check(HandAndBrain(brain, NetPolicy(CERTAIN, temperature=1.0)))


@pytest.mark.parametrize("rule", [first_move_only, never_a_pawn], ids=["one move", "no pawns"])
def test_models_of_models_stay_distributions(rule: Rule) -> None:
    positions = [position for position in POSITIONS if sum(rule(position))]
    games = [PlayerGame(True, "e2e4 e7e5"), PlayerGame(True, "a2a3 e7e5")]
    inner = Scripted(rule)
    models: list[OpponentModel] = [
        FloorModel(inner),
        MixtureModel([inner, Scripted(first_move_only)]),
        PlayerModel(opening_table(games), inner),
        LevelEstimate({1100: inner, 1900: Scripted(first_move_only)}),
    ]
    played = ChessPosition(None, ["e4", "e5", "Nf3", "Nc6"])
    for model in models:
        for position, p in zip([*positions, played], wait(model.predict([*positions, played])), strict=True):
            assert p.shape == (len(position.legal_moves),)
            assert (p >= 0).all()
            assert p.sum() == pytest.approx(1)


def test_a_model_without_any_move_is_an_error_and_never_a_nan() -> None:
    inner = Scripted(nothing)
    models: list[OpponentModel] = [
        FloorModel(inner),
        MixtureModel([inner]),
        PlayerModel(opening_table([PlayerGame(True, "e2e4")]), inner),
        LevelEstimate({1100: inner}),
    ]
    for model in models:
        with pytest.raises(EvaluationError, match="zero to every legal move"):
            wait(model.predict([ChessPosition(None, ["e4"])]))


def test_what_a_player_played_counts_where_the_base_knows_nothing() -> None:
    model = PlayerModel(opening_table([PlayerGame(True, "e2e4")]), Scripted(nothing))
    (found,) = wait(model.predict([ChessPosition()]))
    assert dict(zip(ChessPosition().legal_moves, found, strict=True))["e2e4"] == 1


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda trees, model: Expectimax(model, NetJudge(Material()), depth=0), "depth = 0: expected a whole number"),
        (lambda *_: Width(replies=0), "replies = 0: expected a whole number from 1 on"),
        (lambda *_: Width(ours=-1), "ours = -1: expected a whole number from 1 on"),
        (lambda *_: Width(mass=math.nan), "mass = nan: expected above 0, up to 1"),
        (lambda trees, model: ExpTagTeam(trees, model, junior_width=0), "junior_width = 0: expected"),
        (lambda trees, model: ExpTagTeam(trees, model, candidates=-1), "candidates = -1: expected"),
        (
            lambda trees, model: ExpTagTeam(trees, model, variant=cast("Variant", "x")),
            "'x': expected one of full",
        ),
        (lambda trees, model: ExpHand(trees, model, leaf=0), "leaf = 0: expected a whole number from 1 on"),
    ],
)
def test_numbers_that_mean_nothing_are_refused(make: Callable[[Trees, OpponentModel], object], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        make(Trees([Material()]), Scripted(nothing))


def test_a_finished_game_has_no_move_to_choose() -> None:
    mated = ChessPosition("R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1")
    exploit = Exploit(Expectimax(Scripted(nothing), NetJudge(Material())), EpsilonSafe(0.1), name="exploit")
    for player in (exploit, ExpHand(Trees([Material()]), Scripted(nothing))):
        with pytest.raises(FoibleError, match="the game is over: there is no move"):
            choose(player, [Turn(mated, 0, 0, seed=0)])


def test_a_judge_is_checked_at_every_depth() -> None:
    class Odd(NetJudge):
        calls = 0

        async def judge(self, positions: Sequence[ChessPosition]) -> list[Score]:
            self.calls += 1
            found = await super().judge(positions)
            return found if self.calls == 1 else [replace(score, wp=7.0) for score in found]

    with pytest.raises(EvaluationError, match="a win probability of 7"):
        wait(Expectimax(Scripted(uniform), Odd(Material())).candidates(ChessPosition()))
