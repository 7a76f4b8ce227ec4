"""The interface of an opponent model, which says how probable every move of a player is, for many positions at a time.

Also checks and normalises the probabilities of a model, and plays games by models.
"""

from abc import abstractmethod
from collections.abc import Sequence
from inspect import isawaitable
from typing import Any, Protocol, runtime_checkable

import msgspec
import numpy as np
from numpy.typing import NDArray

from foible._core import ChessPosition
from foible.errors import ConfigError, EvaluationError
from foible.loop import together
from foible.mistakes import brief, check_object
from foible.nets.shelf import NetShelf

Distribution = NDArray[np.float64]
"""`[K]`: probabilities of the K legal moves, in the order of `position.legal_moves`; they sum to 1."""


class Spec(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="kind"):
    """A model as configuration. Each kind of model has a subclass."""

    name: str = ""
    """The model's name in tables; composed from its other settings when empty."""

    @abstractmethod
    def build(self, shelf: NetShelf) -> "OpponentModel":
        """The model.

        :raises FoibleError: a net, an engine or a file is missing or broken.
        """

    @property
    def level(self) -> float | None:
        """The rating of the players whom the model stands for; `None` where that is not a single rating."""
        return None


@runtime_checkable
class OpponentModel(Protocol):
    """A model of a player (opponent-modelling §2.1). The same positions get the same answer, always.

    A position knows its history: a model may look at the moves that led to it.
    """

    @property
    def name(self) -> str:
        """The model's name in tables."""

    async def predict(self, positions: Sequence[ChessPosition]) -> list[Distribution]:
        """How the side to move of each position plays, one distribution each; no game is over."""

    def close(self) -> None:
        """Give back processes and memory."""


TOLERANCE = 1e-3
"""How far from 1 a sum of probabilities may be (opponent-modelling §1.2)."""


def normalised(raw: NDArray[np.floating]) -> Distribution:
    """`[K]` → `[K]`: probabilities divided by their sum, in 64 bits. Zeros stay zeros.

    :raises EvaluationError: a probability is not finite or negative, or all are zero.
    """
    probabilities = np.asarray(raw, np.float64)
    if not np.isfinite(probabilities).all() or (probabilities < 0).any():
        raise EvaluationError("a model gave a probability that is negative or not a number")
    total = float(probabilities.sum())
    if total <= 0:
        raise EvaluationError("a model gave probability zero to every legal move")
    found: Distribution = probabilities / total
    return found


def check_is_model(given: object) -> None:
    """:raises ConfigError: something else than a model, such as a net."""
    own = "one's own has `name`, `predict` and `close`"
    check_object(given, OpponentModel, f"a model, such as NetModel(open_net('club')); {own}")


async def predictions(model: OpponentModel, positions: Sequence[ChessPosition]) -> list[Distribution]:
    """What a model predicts, checked. A model that knows no move gives zero to all of them.

    :raises EvaluationError: it is not one distribution for each position, with a probability for each legal move; the
        message names the model.
    :raises ConfigError: it is no model, or does not answer as one does.
    """
    check_is_model(model)
    answer: Any = model.predict(positions)
    if not isawaitable(answer):
        raise ConfigError(f"{model.name}: its predict is no coroutine; expected `async def predict(self, positions)`")
    distributions = await answer
    if len(distributions) != len(positions):
        raise EvaluationError(f"{model.name} gave {len(distributions)} distributions for {len(positions)} positions")
    checked = [_array(model.name, distribution) for distribution in distributions]
    for position, distribution in zip(positions, checked, strict=True):
        expected = (len(position.legal_moves),)
        if distribution.shape != expected:
            raise EvaluationError(
                f"{model.name} gave probabilities of shape {distribution.shape} for {position.fen}; expected {expected}"
            )
        least, total = float(distribution.min(initial=0.0)), float(distribution.sum())
        if not (least >= 0 and (total == 0 or abs(total - 1) <= TOLERANCE)):
            raise EvaluationError(
                f"{model.name} gave probabilities from {least:.6g} on that sum to {total:.6g} for {position.fen}; "
                f"expected none below 0, and a sum of 1"
            )
    return checked


def _array(name: str, distribution: object) -> Distribution:
    try:
        return np.asarray(distribution, np.float64)
    except (TypeError, ValueError):
        raise EvaluationError(
            f"{name} gave {brief(repr(distribution))}; expected an array of the probabilities of the legal moves"
        ) from None


async def sample_games(
    players: Sequence[tuple[OpponentModel, OpponentModel]], plies: int, *, seed: int = 0
) -> list[ChessPosition]:
    """Play one game for each pair of White and Black from the start position; returns the positions after `plies`
    plies, or where a game ended before. Each game has random numbers of its own.
    """
    return await together(
        _sample_game(both, plies, np.random.default_rng([seed, number])) for number, both in enumerate(players)
    )


async def _sample_game(
    players: tuple[OpponentModel, OpponentModel], plies: int, rng: np.random.Generator
) -> ChessPosition:
    position = ChessPosition()
    for ply in range(plies):
        if position.outcome() is not None:
            break
        (found,) = await predictions(players[ply % 2], [position])
        moves = position.legal_moves
        position = position.play(moves[rng.choice(len(moves), p=normalised(found))])
    return position
