"""Conformance checks by which whoever adds a game, an evaluator or an agent can test that it keeps the interface.

Each check raises `AssertionError` with the broken promise, and returns nothing when all are kept.
"""

from collections.abc import Callable, Sequence

import numpy as np

from foible._core import Batch
from foible.agents.base import RESIGN, Agent, Turn, check_is_agent, decision_of
from foible.errors import ConfigError
from foible.games import Position
from foible.loop import together, wait
from foible.mistakes import is_object
from foible.nets.evaluator import Evaluator

_LONGEST = 400
"""The number of plies after which a random game is cut off."""


def random_positions(start: Position, count: int, seed: int = 0) -> list[Position]:
    """Positions with at least one legal move, met in random games from `start`.

    :raises ConfigError: there is none, as `start` has no legal move, or 400 moves or more behind it.
    """
    if not start.legal_moves or len(start.moves) >= _LONGEST:
        raise ConfigError(f"{start!r}: expected a position with legal moves, after fewer than {_LONGEST}")
    rng = np.random.default_rng(seed)
    found: list[Position] = []
    while len(found) < count:
        position = start
        while position.legal_moves and len(position.moves) < _LONGEST and len(found) < count:
            found.append(position)
            position = position.play(str(rng.choice(position.legal_moves)))
    return found


def check_game(start: Position, games: int = 10, seed: int = 0) -> None:
    """Check a game in random play: positions are immutable, legal moves can be played and are recorded, keys are
    repeatable, and a position without legal moves has an outcome.
    """
    rng = np.random.default_rng(seed)
    for _ in range(games):
        position = start
        while legal := position.legal_moves:
            assert len(set(legal)) == len(legal), f"{position!r} lists a legal move twice"
            move = str(rng.choice(legal))
            before = _seen(position)
            after = position.play(move)
            assert before == _seen(position), f"playing {move} changed {position!r}"
            assert after.moves == [*position.moves, move], f"{move} is not recorded by {after!r}"
            assert after.key == position.play(move).key, f"the key of {after!r} is not repeatable"
            position = after
            if len(position.moves) > _LONGEST:
                break
        else:
            assert position.outcome() is not None, f"{position!r} has no legal move and no outcome"


def _seen(position: Position) -> tuple[object, ...]:
    """All that a move must leave as it is in the position that it is played in."""
    return position.key, position.moves, position.legal_moves, position.turn, position.outcome()


def check_evaluator(evaluator: Evaluator, positions: Sequence[Position]) -> None:
    """Check an evaluator: the shapes and ranges of its answers, which must not depend on the rest of the batch."""
    expected = "an evaluator, an object with `name`, `batch_size` and `evaluate(batch)`"
    assert is_object(evaluator, Evaluator), f"{evaluator!r}: expected {expected}"
    batch = Batch(positions)
    whole = evaluator.evaluate(batch)
    legal = batch.move_count
    assert evaluator.name, "an evaluator needs a name"
    assert evaluator.batch_size >= 1, f"batch_size is {evaluator.batch_size}"
    assert whole.logits.shape == (legal,), f"logits {whole.logits.shape} for {legal} legal moves"
    assert whole.wdl.shape == (len(batch), 3), f"wdl {whole.wdl.shape} for {len(batch)} positions"
    assert np.isfinite(whole.logits).all(), "a logit is not finite"
    assert (whole.wdl >= 0).all(), "a probability is negative"
    assert np.allclose(whole.wdl.sum(axis=1), 1, atol=1e-3), "win, draw and loss do not sum to 1"
    if whole.moves_left is not None:
        assert whole.moves_left.shape == (len(batch),), f"moves_left {whole.moves_left.shape}"
    for row in range(len(batch)):
        alone = evaluator.evaluate(batch.select([row]))
        part = whole.logits[batch.offsets[row] : batch.offsets[row + 1]]
        same = np.array_equal(alone.logits, part) and np.array_equal(alone.wdl[0], whole.wdl[row])
        assert same, f"position {row} is judged differently alone and in a batch of {len(batch)}"


def check_agent(new_agent: Callable[[], Agent], positions: Sequence[Position]) -> None:
    """Check an agent: its moves are legal, its decisions are such as a match takes them, and depend on the turn alone.

    :param new_agent: makes the agent, anew for every question that is asked alone: its class, or a function.
    """
    assert callable(new_agent), f"{new_agent!r} is an agent; expected its class, or a function that makes it"
    turns = [Turn(position, game, len(position.moves), (1, game)) for game, position in enumerate(positions)]
    made = new_agent()
    try:
        check_is_agent(made)
        assert made.name, "an agent needs a name"
        with made as agent:
            decisions = wait(together(decision_of(agent, turn) for turn in turns))
            for turn in turns:
                agent.forget(turn.game)
    except ConfigError as error:
        raise AssertionError(str(error)) from error
    for position, decision in zip(positions, decisions, strict=True):
        if "forfeit" not in decision.info:
            assert decision.move in (RESIGN, *position.legal_moves), f"{decision.move!r} is not legal in {position!r}"
    for game, (position, decision) in enumerate(zip(positions, decisions, strict=True)):
        with new_agent() as agent:
            turn = Turn(position, game, len(position.moves), (1, game))
            alone = wait(agent.choose(turn))
        assert alone.move == decision.move, f"game {game}: another move alone than beside other games"
