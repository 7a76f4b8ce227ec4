import json
from collections import Counter
from pathlib import Path

import msgspec
import numpy as np
import pytest
from scipy.stats import chisquare

from foible._core import ChessPosition, GoPosition
from foible.agents.base import Turn
from foible.agents.player_builder import PlayerBuilder
from foible.agents.policy import ModelPlayer, NetPolicy, RandomMover
from foible.agents.spec import PlayerSpec
from foible.errors import ConfigError, FoibleError
from foible.nets import Material, open_net
from foible.nets.evaluator import softmax
from foible.nets.shelf import NetShelf
from tests.analysis.prep.synthetic import PLAYER, write_pgn
from tests.opponents.scripted import Scripted
from tests.playing import choose
from tests.shared_data import shared


def turn(position: ChessPosition, seed: int = 0) -> Turn:
    return Turn(position, 0, 0, seed=seed)


def test_at_temperature_zero_the_most_probable_move_is_played() -> None:
    position = ChessPosition("4k3/8/8/3q4/4P3/8/8/4K3 w - - 0 1")
    [decision] = choose(NetPolicy(Material()), [turn(position)])
    assert (decision.move, decision.policy) == ("e4d5", None)


def test_samples_follow_the_policy() -> None:
    agent = NetPolicy(Material(), temperature=1.0)
    decisions = choose(agent, [turn(ChessPosition(moves=["e4", "d5"]), seed) for seed in range(4000)])
    policy = decisions[0].policy
    assert policy is not None
    assert sum(policy.values()) == pytest.approx(1)
    share = sum(d.move == "e4d5" for d in decisions) / len(decisions)
    assert share == pytest.approx(policy["e4d5"], abs=4 * np.sqrt(0.25 / len(decisions)))


def test_where_the_game_is_over_nothing_is_chosen() -> None:
    over = turn(ChessPosition("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"))
    for player in (NetPolicy(Material()), NetPolicy(Material(), temperature=1.0), RandomMover()):
        with pytest.raises(FoibleError, match="the game is over"):
            choose(player, [over])


@pytest.mark.parametrize("temperature", [-1.0, float("nan"), float("inf")])
def test_a_temperature_that_means_nothing_is_refused(temperature: float) -> None:
    with pytest.raises(ConfigError, match=r"^temperature is .*, expected 0 or above$"):
        NetPolicy(Material(), temperature=temperature)


def test_low_temperature_sharpens() -> None:
    logits = np.array([1.0, 2.0, 4.0], np.float32)
    assert softmax(logits, 0.01).round(6).tolist() == [0, 0, 1]
    assert softmax(logits, 1e6) == pytest.approx([1 / 3] * 3, abs=1e-5)


def test_maia_plays_what_lc0_says_it_plays() -> None:
    rows = [json.loads(line) for line in shared("golden/maia_policy.jsonl").read_text().splitlines()]
    rows = [row for row in rows if row["net"] == "maia-1500"]
    agent = NetPolicy(open_net(str(shared("nets/maia-1500.pb.gz"))))
    decisions = choose(agent, [turn(ChessPosition(row.get("fen"), row["moves"])) for row in rows])
    for row, decision in zip(rows, decisions, strict=True):
        assert decision.move == max(row["logits"], key=row["logits"].get)
        assert decision.value == pytest.approx((1 + row["q_exact"]) / 2, abs=1e-3)


START = ChessPosition()


def turns(position: ChessPosition, count: int) -> list[Turn]:
    return [Turn(position, seed, 0, seed=seed) for seed in range(count)]


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
    with PlayerBuilder(NetShelf()).build(spec) as player:
        assert player.name == f"games of {PLAYER}"
        known = choose(player, turns(ChessPosition(None, ["e4", "e5", "Qh5"]), 50))
        assert {decision.move for decision in known} == {"g7g6", "b8c6"}
        unknown = choose(player, turns(ChessPosition(None, ["h4"]), 50))
        assert len({decision.move for decision in unknown}) > 5


def test_a_model_of_chess_players_plays_no_go() -> None:
    player = ModelPlayer(Scripted(one_to_three), "her")
    with pytest.raises(ConfigError, match="her plays chess"):
        choose(player, [Turn(GoPosition(9), 0, 0, seed=0)])


def test_every_legal_move_is_as_likely_as_the_others() -> None:
    position = ChessPosition()
    decisions = choose(RandomMover(), [Turn(position, 0, 0, seed=seed) for seed in range(4000)])
    seen = Counter(decision.move for decision in decisions)
    assert set(seen) == set(position.legal_moves)
    assert chisquare(list(seen.values())).pvalue > 0.001


def test_the_reported_distribution_is_the_one_played() -> None:
    position = ChessPosition("7k/8/8/8/8/8/8/KR6 w - - 0 1")
    (decision,) = choose(RandomMover(), [Turn(position, 0, 0, seed=1)])
    assert decision.policy is not None
    assert set(decision.policy) == set(position.legal_moves)
    assert abs(sum(decision.policy.values()) - 1) < 1e-12


def test_an_answer_depends_on_its_own_turn_alone() -> None:
    def turns(*seeds: int) -> list[Turn]:
        return [Turn(ChessPosition(), seed, 0, seed=seed) for seed in seeds]

    together = [d.move for d in choose(RandomMover(), turns(1, 2, 3))]
    apart = [choose(RandomMover(), turns(seed))[0].move for seed in (3, 2, 1)]
    assert together == apart[::-1]
