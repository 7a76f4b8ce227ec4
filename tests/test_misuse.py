"""A name or a class where Python's callers mean an object, and a text or an object where they mean a list."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

import foible
from foible._core import Corpus, Forest, FreezeAfter, Puct, Seat
from foible.agents import Decision, EpsilonSafe, LikelyMoves, Player, RandomMover, Turn
from foible.arena import Bitstrings, FairCoins, OpeningSuite, standard, tag_team
from foible.errors import ConfigError
from foible.judges import scores
from foible.judges.net import NetJudge
from foible.nets import Material
from foible.opponents.net import NetModel
from foible.search import evaluate_batch, go_params

WRONG: Any = "master"
"""A name where an object is meant."""
CLASS: Any = Material
"""A class where an object of it is meant."""
NET = re.escape("expected an evaluator, such as open_net('master')")


class Nameless(Player):
    """A player that says nowhere how it is called."""

    async def choose(self, turn: Turn) -> Decision:
        return Decision(turn.position.legal_moves[0])


class Prompt:
    """A model that answers at once."""

    name = "prompt"

    def predict(self, positions: Any) -> Any:
        """Not a coroutine."""

    def close(self) -> None:
        """Nothing to give back."""


def strangers() -> object:
    """A tag team that goes by the coins of another match."""
    ours, theirs = (Bitstrings.generate(seed, count=1) for seed in (1, 2))
    return foible.chess_match(
        RandomMover(), foible.TagTeam(RandomMover(), RandomMover(), ours), games=2, framework=tag_team(theirs)
    )


def predicted(model: Any) -> object:
    return foible.wait(LikelyMoves(model, width=1).options([foible.ChessPosition()]))


PLAYER = re.escape("expected a player, such as NetPolicy(open_net('master')); one's own class derives from Player")


@pytest.mark.parametrize(
    ("misuse", "message"),
    [
        (lambda: foible.evaluate(WRONG, foible.ChessPosition()), f"'master': {NET}"),
        (lambda: foible.evaluate_all(CLASS, [foible.ChessPosition()]), f"<class '.*Material'>: {NET}"),
        (lambda: foible.wait(evaluate_batch(WRONG, foible.Batch([foible.ChessPosition()]))), f"'master': {NET}"),
        (lambda: foible.NetPolicy(WRONG, temperature=1.0), f"'master': {NET}"),
        (lambda: foible.Trees([CLASS]), r"\[<class '.*Material'>\]: expected a list of evaluators, such as"),
        (lambda: NetJudge(WRONG), f"'master': {NET}"),
        (lambda: NetModel(WRONG), f"'master': {NET}"),
        (lambda: foible.chess_match(WRONG, RandomMover()), f"'master': {PLAYER}"),
        (lambda: foible.chess_match(RandomMover(), CLASS), f"<class '.*Material'>: {PLAYER}"),
        (lambda: foible.Match(RandomMover(), WRONG, WRONG), f"'master': {PLAYER}"),
        (lambda: foible.TagTeam(RandomMover(), WRONG, FairCoins(0)), f"'master': {PLAYER}"),
        (lambda: foible.HandAndBrain(WRONG, RandomMover()), f"'master': {PLAYER}"),
        (
            lambda: foible.report_on(cast("Any", "runs/x")),
            r"'runs/x': expected records of games, as Match.play\(\) or read_games\(folder\)",
        ),
        (lambda: foible.report_on(cast("Any", Path("runs/x"))), r"Path\('runs/x'\): expected records of games"),
        (lambda: foible.report_on([], WRONG), "'master': expected a framework, such as standard"),
        (
            lambda: foible.chess_match(RandomMover(), RandomMover(), framework=WRONG),
            "'master': expected a framework, such as standard",
        ),
        (lambda: foible.report_on([]), "no finished game to report on"),
        (
            lambda: foible.Trees([Material()], ours=cast("Any", Puct())),
            r"Puct\(\): expected a seat, such as Seat\(Puct",
        ),
        (lambda: foible.Trees([Material()], cast("Any", {"cpuct": 1})), "{'cpuct': 1}: expected constants, such as"),
        (
            lambda: foible.Trees([Material()]).plant(foible.ChessPosition()).choose(cast("Any", 1.0)),
            "1.0: expected how",
        ),
        (lambda: foible.TagTeam(RandomMover(), RandomMover(), WRONG), "'master': expected coins, such as Bitstrings"),
        (lambda: tag_team(cast("Any", FairCoins(1))), r"FairCoins\(seed=1\): expected the coins of a match, such as"),
        (strangers, "random/random: a tag team with other coins than the match"),
        (lambda: standard(WRONG), "'master': expected openings, such as OpeningSuite"),
        (lambda: OpeningSuite(WRONG), "'master': expected openings, such as read_openings"),
        (
            lambda: foible.chess_match(RandomMover(), RandomMover(), limits=cast("Any", 5)),
            "5: expected limits, such as",
        ),
        (lambda: foible.chess_match(RandomMover(), RandomMover(), concurrency=WRONG), "concurrency = 'master'"),
        (lambda: foible.Limits(clock=cast("Any", 5)), "5: expected both sides' clocks, such as Clock"),
        (lambda: foible.Limits(moves=cast("Any", "e2e4")), r"moves = 'e2e4': expected several, such as \('e2e4',\)"),
        (lambda: foible.Limits(seconds=cast("Any", "1")), "seconds = '1': expected at least 0"),
        (lambda: EpsilonSafe(cast("Any", "1")), "epsilon = '1': expected 0 to 1"),
        (
            lambda: foible.chess_match(cast("Any", Nameless()), RandomMover()),
            "Nameless: a player without a `name`; expected one",
        ),
        (lambda: predicted(Material()), "Material.*: expected a model, such as NetModel"),
        (
            lambda: foible.Match(RandomMover(), RandomMover(), cast("Any", standard())),
            "Framework.*: expected a referee",
        ),
        (
            lambda: foible.Expectimax(NetModel(Material()), cast("Any", Material())),
            "Material.*: expected a judge, such",
        ),
        (
            lambda: foible.Expectimax(cast("Any", NetJudge(Material())), cast("Any", NetModel(Material()))),
            "NetJudge.*: expected a model, such as NetModel",
        ),
        (lambda: foible.Exploit(cast("Any", RandomMover()), EpsilonSafe(), name="x"), "expected what weighs the moves"),
        (lambda: foible.ExpTagTeam(cast("Any", [Material()]), NetModel(Material())), "expected trees, such as Trees"),
        (lambda: foible.ExpHand(foible.Trees([Material()]), cast("Any", Material())), "Material.*: expected a model"),
        (
            lambda: foible.wait(scores(cast("Any", Material()), [foible.ChessPosition()])),
            "Material.*: expected a judge",
        ),
        (lambda: go_params(size=0, noise_epsilon=0.25), "size = 0: expected 1 to 19"),
        (lambda: predicted(Prompt()), "prompt: its predict is no coroutine; expected `async def predict"),
    ],
)
def test_a_name_or_a_class_in_place_of_an_object_is_told(misuse: Callable[[], object], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        misuse()


@pytest.mark.parametrize(
    ("misuse", "message"),
    [
        (lambda: foible.ChessPosition(moves="e2e4 e7e5"), r"expected a list of moves, such as \['e2e4'\], found str"),
        (lambda: foible.GoPosition(7, "D4"), r"expected a list of moves, such as \['e2e4'\], found str"),
        (lambda: foible.GoPosition(7, black="D4"), r"expected a list of vertices, such as \['D4'\], found str"),
        (lambda: Corpus().add("e2e4", "1-0"), r"expected a list of moves, such as \['e2e4'\], found str"),
        (
            lambda: Forest(foible.SearchParams(), Seat(), Seat()).add(foible.ChessPosition(), 2, only="e2e4"),
            r"expected a list of moves, such as \['e2e4'\], found str",
        ),
        (lambda: foible.Batch(WRONG), r"expected a list of positions, such as \[ChessPosition\(\)\], found str"),
        (lambda: foible.Batch(cast("Any", foible.ChessPosition())), "found ChessPosition"),
        (
            lambda: foible.evaluate_all(Material(), cast("Any", foible.ChessPosition())),
            r"expected a list of positions, such as \[ChessPosition\(\)\], found ChessPosition; evaluate takes one",
        ),
        (
            lambda: foible.wait(foible.Trees([Material()]).searches(cast("Any", foible.ChessPosition()), 2)),
            r"expected a list of positions, such as \[ChessPosition\(\)\], found ChessPosition; search takes one",
        ),
        (lambda: foible.Batch([cast("Any", 1)]), "expected a ChessPosition or a GoPosition, found int"),
    ],
)
def test_one_thing_in_place_of_a_list_is_told(misuse: Callable[[], object], message: str) -> None:
    with pytest.raises(TypeError, match=message):
        misuse()


@pytest.mark.parametrize(
    ("misuse", "message"),
    [
        (lambda: Corpus().keys(cast("Any", [0])), r"expected an array \[N\] of int64, found list"),
        (lambda: Corpus().keys(cast("Any", np.zeros(2, np.int32))), r"\[N\] of int64, found int32 of shape \[2\]"),
        (
            lambda: foible.Batch([foible.ChessPosition()]).legal(cast("Any", np.zeros((1, 1858)))),
            r"expected an array \[N, A\] of float32, found float64 of shape \[1, 1858\]",
        ),
        (
            lambda: foible.Batch([foible.ChessPosition()]).legal(np.zeros(1858, np.float32)),
            r"\[N, A\] of float32, found float32 of shape \[1858\]",
        ),
    ],
)
def test_an_array_of_another_type_or_shape_is_told(misuse: Callable[[], object], message: str) -> None:
    with pytest.raises(TypeError, match=message):
        misuse()


@pytest.mark.parametrize(
    "misuse",
    [
        lambda text: foible.Batch([foible.ChessPosition()]).planes(text),
        lambda text: foible.Batch([foible.ChessPosition()]).phases(text),
        lambda text: FreezeAfter(2, draw=text),
        lambda text: FreezeAfter(2, at=text),
        lambda text: Forest(foible.SearchParams(), Seat(), Seat(), game=text),
        lambda text: Corpus().add(["e2e4"], text),
    ],
)
def test_of_a_long_text_in_place_of_a_name_only_the_beginning_is_told(misuse: Callable[[Any], object]) -> None:
    with pytest.raises(ValueError, match=r'"x{100}"….* expected'):
        misuse("x" * 1000)
