"""Weighing moves where we err as well: a model of our own later moves beside that of the opponent's."""

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec
import numpy as np
import pytest
from hypothesis import given, strategies as st

from foible._core import ChessPosition
from foible.agents.base import Turn
from foible.agents.candidates import Candidate, Expectimax, Width
from foible.agents.exploit import ExploitSpec
from foible.agents.player_builder import PlayerBuilder
from foible.errors import ConfigError
from foible.judges.base import Score
from foible.judges.net import NetJudge
from foible.loop import together, wait
from foible.nets import Material
from foible.nets.shelf import NetShelf
from foible.opponents.base import Distribution, OpponentModel
from foible.opponents.net import NetModel
from foible.toml import convert
from tests.judges.table import Scores
from tests.opponents.scripted import Scripted, drawn_by, uniform
from tests.playing import choose

MATE_IN_ONE = "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1"
POSITIONS = [
    None,
    "r1bq1rk1/pppp1ppp/2n2n2/2b1p3/2B1P3/3P1N2/PPP2PPP/RNBQ1RK1 w - - 1 6",
    "7k/8/8/8/8/3Q4/8/K7 w - - 0 1",
]
ENDING = "7k/8/8/8/8/8/7P/K7 w - - 0 1"


@dataclass
class Table:
    """Plays as a table says, by the moves that led to a position; elsewhere every move alike."""

    moves: dict[str, dict[str, float]]
    name: str = "table"
    closed: bool = False

    async def predict(self, positions: Sequence[ChessPosition]) -> list[Distribution]:
        return [self.probabilities(position) for position in positions]

    def probabilities(self, position: ChessPosition) -> Distribution:
        legal = position.legal_moves
        told = self.moves.get(" ".join(position.moves), dict.fromkeys(legal, 1 / len(legal)))
        return np.array([told.get(move, 0.0) for move in legal])

    def close(self) -> None:
        self.closed = True


TWO_WAYS = {
    "e2e4": {"e7e5": 1.0},
    "d2d4": {"d7d5": 1.0},
    "e2e4 e7e5": {"f2f4": 0.25, "b1c3": 0.75},
    "d2d4 d7d5": {"c2c4": 0.75, "g1f3": 0.25},
    **{f"e2e4 e7e5 {move}": {"g8f6": 1.0} for move in ("f2f4", "b1c3", "g1f3")},
    **{f"d2d4 d7d5 {move}": {"g8f6": 1.0} for move in ("c2c4", "g1f3", "b1c3")},
}
"""One reply to each of our moves, and what people of our strength play next; 2 f4 is hard to find, 2 c4 is easy."""
WORTH = {
    "e2e4 e7e5 f2f4 g8f6": Score(0.9),
    "e2e4 e7e5 b1c3 g8f6": Score(0.4),
    "d2d4 d7d5 c2c4 g8f6": Score(0.7),
    "d2d4 d7d5 g1f3 g8f6": Score(0.6),
    "e2e4 e7e5 f2f4": Score(0.9),
    "d2d4 d7d5 c2c4": Score(0.7),
}


def two_ways(ourselves: OpponentModel | None, judge: Scores | None = None) -> dict[str, Candidate]:
    width = Width(ours=1, hopeful=0, mass=1.0, replies=None)
    weigh = Expectimax(Table(TWO_WAYS), judge or Scores(WORTH), width=width, depth=2, ourselves=ourselves)
    return {move: wait(weigh.candidates(ChessPosition(), [move]))[0] for move in ("e2e4", "d2d4")}


def test_who_errs_as_well_prefers_what_is_easy_to_go_on_with() -> None:
    best, erring = two_ways(None), two_ways(Table(TWO_WAYS))
    assert (best["e2e4"].expected, best["d2d4"].expected) == pytest.approx((0.9, 0.7))
    assert erring["e2e4"].expected == pytest.approx(0.25 * 0.9 + 0.75 * 0.4)
    assert erring["d2d4"].expected == pytest.approx(0.75 * 0.7 + 0.25 * 0.6)


def test_best_play_is_best_play_even_where_we_would_not_find_it() -> None:
    """White's best second move after 1 e4 has no probability; V knows it all the same."""
    line = "e2e4 e7e5 g1f3"
    hidden = Scores(WORTH | dict.fromkeys(("e2e4", line, f"{line} g8f6"), Score(0.95)))
    erring, best = two_ways(Table(TWO_WAYS), hidden)["e2e4"], two_ways(None, hidden)["e2e4"]
    assert erring.expected == pytest.approx(0.25 * 0.9 + 0.75 * 0.4)
    assert erring.safe == best.safe == pytest.approx(0.95)


@pytest.mark.parametrize("fen", POSITIONS)
@pytest.mark.parametrize("pessimistic", [False, True])
def test_with_a_model_of_ourselves_that_plays_the_best_move_nothing_changes(fen: str | None, pessimistic: bool) -> None:
    opponent, judge = NetModel(Material(), name="model"), NetJudge(Material())
    width = Width(ours=3, hopeful=0, mass=0.5, replies=3)

    class Maximising(Scripted):
        """Plays the move of the greatest expectation."""

        async def predict(self, positions: Sequence[ChessPosition]) -> list[Distribution]:
            weigh = Expectimax(opponent, judge, width=width, pessimistic=pessimistic)
            found = await together(weigh.candidates(position) for position in positions)
            best = [max(candidates, key=lambda c: c.expected).move for candidates in found]
            return [np.array(p.legal_moves) == m for p, m in zip(positions, best, strict=True)]

    ours = [
        wait(
            Expectimax(opponent, judge, width=width, depth=2, pessimistic=pessimistic, ourselves=ourselves).candidates(
                ChessPosition(fen)
            )
        )
        for ourselves in (None, Maximising(uniform))
    ]
    assert [c.move for c in ours[0]] == [c.move for c in ours[1]]
    for one, other in zip(*ours, strict=True):
        assert other.expected == pytest.approx(one.expected, abs=1e-12)
        assert (other.safe, other.price, other.trappiness) == pytest.approx((one.safe, one.price, one.trappiness))


@given(st.integers(0, 1000))
def test_who_errs_never_expects_more_than_who_does_not(seed: int) -> None:
    width, position = Width(ours=None, hopeful=0, mass=0.5, replies=2), ChessPosition(ENDING)
    model, judge = Scripted(drawn_by(seed)), NetJudge(Material())
    both = [
        Expectimax(model, judge, width=width, depth=2, ourselves=who) for who in (None, Scripted(drawn_by(seed + 1)))
    ]
    best, erring = ({c.move: c for c in wait(weigh.candidates(position))} for weigh in both)
    assert best.keys() == erring.keys()
    for move, candidate in erring.items():
        assert candidate.expected <= best[move].expected + 1e-9
        assert candidate.safe == pytest.approx(best[move].safe)


def test_a_model_of_ourselves_needs_a_second_move_of_ours() -> None:
    with pytest.raises(ConfigError, match=r"^depth = 1 with a model of ourselves: expected 2 or more"):
        Expectimax(Scripted(uniform), NetJudge(Material()), ourselves=Scripted(uniform))


def test_a_player_who_errs_as_well_is_configured_named_and_closed() -> None:
    net = {"kind": "net", "net": "material"}
    keys = {"kind": "exploit", "opponent": net, "judge": net, "depth": 2}
    alone, practical = (convert(keys | more, ExploitSpec, "here") for more in ({}, {"ourselves": net}))
    assert msgspec.to_builtins(alone)["ourselves"] is None
    player = practical.build(PlayerBuilder(NetShelf()))
    assert player.name == "exploit material as material"
    (decision,) = choose(player, [Turn(ChessPosition(MATE_IN_ONE), 0, 0, seed=0)])
    assert decision.move == "d1d8"
    model = Table({})
    Expectimax(Scripted(uniform), NetJudge(Material()), depth=2, ourselves=model).close()
    assert model.closed
