"""Players that play as a model says."""

from pathlib import Path

import msgspec
import numpy as np
import pytest

from foible._core import ChessPosition, GoPosition
from foible.agents.base import Turn
from foible.agents.model import ModelPlayer
from foible.agents.spec import PlayerSpec
from foible.agents.workshop import Workshop
from foible.errors import ConfigError
from foible.nets.shelf import NetShelf
from tests.analysis.prep.synthetic import PLAYER, write_pgn
from tests.opponents.scripted import Scripted
from tests.playing import choose

START = ChessPosition()


def turns(position: ChessPosition, count: int) -> list[Turn]:
    return [Turn(position, seed, 0, np.random.default_rng(seed)) for seed in range(count)]


def one_to_three(position: ChessPosition) -> list[float]:
    """The first move a quarter of the time, the last one otherwise; not quite normalised, as nets are."""
    p = [0.0] * len(position.legal_moves)
    p[0], p[-1] = 0.25, 0.7501
    return p


def test_moves_are_drawn_as_the_model_says() -> None:
    decisions = choose(ModelPlayer(Scripted(one_to_three)), turns(START, 4000))
    first, last = START.legal_moves[0], START.legal_moves[-1]
    assert {decision.move for decision in decisions} == {first, last}
    share = sum(decision.move == first for decision in decisions) / len(decisions)
    assert share == pytest.approx(0.25, abs=4 * np.sqrt(0.25 * 0.75 / len(decisions)))
    policy = decisions[0].policy
    assert policy is not None
    assert policy[first] == pytest.approx(0.25, abs=1e-4)
    assert sum(policy.values()) == pytest.approx(1)


def test_somebody_plays_as_in_their_games_and_then_as_others_do(tmp_path: Path) -> None:
    games = write_pgn(tmp_path / "games.pgn")
    model = {
        "kind": "games",
        "file": str(games),
        "player": PLAYER,
        "base": {"kind": "net", "net": "material"},
        "kappa": 0.01,
    }
    spec: PlayerSpec = msgspec.convert({"kind": "model", "model": model}, PlayerSpec)
    with Workshop(NetShelf()).build(spec) as player:
        assert player.name == f"games of {PLAYER}"
        known = choose(player, turns(ChessPosition(None, ["e4", "e5", "Qh5"]), 50))
        assert {decision.move for decision in known} == {"g7g6", "b8c6"}
        unknown = choose(player, turns(ChessPosition(None, ["h4"]), 50))
        assert len({decision.move for decision in unknown}) > 5


def test_a_model_of_chess_players_plays_no_go() -> None:
    player = ModelPlayer(Scripted(one_to_three), "her")
    with pytest.raises(ConfigError, match="her plays chess"):
        choose(player, [Turn(GoPosition(9), 0, 0, np.random.default_rng(0))])
