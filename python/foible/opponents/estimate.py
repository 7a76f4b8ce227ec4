"""A model of a player whose level is inferred from the moves so far: Bayes over levels (opponent-modelling §4)."""

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, takewhile
from typing import Literal, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from foible._core import ChessPosition
from foible.errors import ConfigError
from foible.fields import FileName, PositiveNumber, PositiveShare
from foible.loop import together
from foible.nets.evaluator import softmax
from foible.nets.shelf import NetShelf
from foible.opponents.base import Distribution, OpponentModel, Spec, normalised, predictions
from foible.opponents.mixture import EPSILON
from foible.opponents.net import Nets, Rating, default_levels, net_model, nets_by_level
from foible.opponents.opening_table import position_key, read_book
from foible.toml import expand

Floats = NDArray[np.float64]

TAU = 0.5
"""The exponent of each move's likelihood: less than 1, since moves are not independent and all models share errors."""
SD = 150.0
"""Standard deviation of a stated rating, in rating points."""


@dataclass(frozen=True, slots=True)
class Posterior:
    """The probability of each level after the moves seen."""

    levels: tuple[int, ...]
    """Ascending, in rating points."""
    probabilities: Floats
    """`[L]`, summing to 1."""

    @property
    def map(self) -> int:
        """The most probable level; the lowest of equally probable ones."""
        return self.levels[int(self.probabilities.argmax())]

    @property
    def mean(self) -> float:
        """The mean level, in rating points."""
        return float(self.probabilities @ np.array(self.levels))

    def interval(self, mass: float = 0.8) -> tuple[int, int]:
        """A credible interval: from the lowest level at which the cumulative probability reaches (1 − mass) / 2 to the
        lowest at which it reaches (1 + mass) / 2. Both ends are levels, so the interval holds at least `mass`.
        """
        cumulative = np.cumsum(self.probabilities)
        # A tolerance, because sums of 64-bit floats miss round targets by their last bits.
        targets = (np.array([1 - mass, 1 + mass]) / 2) - 1e-12
        low, high = np.minimum(np.searchsorted(cumulative, targets), len(self.levels) - 1)
        return self.levels[low], self.levels[high]


def evidence(played: Floats, legal: int, epsilon: float = EPSILON) -> Floats:
    """`[L]` → `[L]`: the log-likelihood of each level by one move, log((1 − ε) p + ε / n).

    `played`: the probability of the move at each level; `legal`: the number n of legal moves.
    """
    found: Floats = np.log((1 - epsilon) * played + epsilon / legal)
    return found


def log_prior(levels: Sequence[int], rating: float | None = None, sd: float = SD) -> Floats:
    """`[L]`: the logarithm of the prior, up to a constant: normal around a stated rating, uniform without one."""
    if rating is None:
        return np.zeros(len(levels))
    found: Floats = -0.5 * ((np.array(levels) - rating) / sd) ** 2
    return found


def posterior(levels: Sequence[int], prior: Floats, evidence: Floats, tau: float = TAU) -> Posterior:
    """The posterior from the logarithm of the prior `[L]` and the sum of the evidence `[L]`; τ = 1 is exact Bayes."""
    return Posterior(tuple(levels), softmax(prior + tau * evidence))


def predictive(weights: Floats, by_level: Floats) -> Distribution:
    """`[L]`, `[L, K]` → `[K]`: the move probabilities of a player, given the probabilities of the levels."""
    found: Distribution = weights @ by_level
    return found


REMEMBERED = 8192
"""The number of positions that the cache holds: some hundred moves of a game with all their alternatives."""

Side = Literal["first", "second"]
Known = TypeVar("Known")


@dataclass(frozen=True, slots=True)
class _Replies:
    """The probabilities of all moves in a position, at every level."""

    moves: list[str]
    by_level: Floats
    """`[L, K]`: the probability of each move at each level."""


class EstimateModelSpec(Spec, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="estimate"):
    """A player whose level is learnt from the moves played so far (opponent-modelling §4)."""

    rating: Rating | None = None
    """The rating around which the prior is normal; the prior is uniform over the levels when absent."""
    sd: PositiveNumber = SD
    """The standard deviation of that prior, in rating points."""
    tau: PositiveShare = TAU
    """How much each move counts; 1 is exact Bayes."""
    epsilon: PositiveShare = EPSILON
    """The share of each level's probabilities that is spread evenly over all legal moves."""
    forgetting: PositiveShare = 1.0
    """The factor by which earlier evidence fades at each move: 0.98 follows a player whose level changes."""
    book: FileName | None = None
    """An EPD file of well-known positions, in which a move tells nothing about a player."""
    nets: Nets = msgspec.field(default_factory=dict)
    """The net of each level. When empty maia-1100 to maia-1900, or club where they are not on this machine."""

    def build(self, shelf: NetShelf) -> "LevelEstimate":
        return LevelEstimate(
            {level: net_model(net, shelf) for level, net in nets_by_level(self.nets, default_levels()).items()},
            tau=self.tau,
            epsilon=self.epsilon,
            forgetting=self.forgetting,
            rating=self.rating,
            sd=self.sd,
            book=read_book(expand(self.book)) if self.book else frozenset(),
            name=self.name,
        )


class LevelEstimate:
    """A mixture over levels, weighted by how well each explains the player's own earlier moves (opponent-modelling §4).

    A position carries its game, so the answer depends on the position alone. The predictions of the levels for earlier
    positions are cached: a growing game costs one evaluation by each level per move.
    """

    def __init__(
        self,
        levels: Mapping[int, OpponentModel],
        *,
        tau: float = TAU,
        epsilon: float = EPSILON,
        forgetting: float = 1.0,
        rating: float | None = None,
        sd: float = SD,
        book: Container[int] = frozenset(),
        name: str = "",
    ) -> None:
        """`tau`: how much each move counts, 1 is exact Bayes. `epsilon`: the share of each level's probabilities that
        is spread evenly over all legal moves. `forgetting`: the factor by which earlier evidence fades at each move,
        for players whose level changes. `rating`, `sd`: mean and standard deviation of a normal prior, which is
        uniform without a rating. `book`: positions, by `position_key`, in which a move tells nothing about the player.

        :raises ConfigError: a constant out of its range.
        """
        if not levels:
            raise ConfigError("an estimate needs at least one level")
        for constant, value in (("tau", tau), ("epsilon", epsilon), ("forgetting", forgetting)):
            if not 0 < value <= 1:
                raise ConfigError(f"{constant} is {value:g}, expected more than 0 and at most 1")
        if not sd > 0:
            raise ConfigError(f"sd is {sd:g}, expected a positive number of rating points")
        self.levels = tuple(sorted(levels))
        self.name = name or f"estimate over {self.levels[0]}–{self.levels[-1]}"
        self._models = [levels[level] for level in self.levels]
        self._prior = log_prior(self.levels, rating, sd)
        self._tau, self._epsilon, self._forgetting, self._book = tau, epsilon, forgetting, book
        self._replies: dict[int, _Replies] = {}
        self._seen: dict[int, Floats] = {}

    async def predict(self, positions: Sequence[ChessPosition]) -> list[Distribution]:
        games = [_Game.of(position) for position in positions]
        replies = await self._replies_in({game.keys[-1]: game.position for game in games})
        return [
            predictive(self.posterior(evidence_of_game).probabilities, replies[game.keys[-1]].by_level)
            for game, evidence_of_game in zip(games, await self._evidence(games, None), strict=True)
        ]

    async def posteriors(self, positions: Sequence[ChessPosition], side: Side | None = None) -> list[Posterior]:
        """A side's probable level after the game up to each position; that of the side to move if not named."""
        return [self.posterior(evidence_of_side) for evidence_of_side in await self.evidence(positions, side)]

    def posterior(self, evidence: Floats) -> Posterior:
        """The posterior from evidence `[L]`, of one game or summed over several."""
        return posterior(self.levels, self._prior, evidence, self._tau)

    async def evidence(self, positions: Sequence[ChessPosition], side: Side | None = None) -> list[Floats]:
        """`[L]` for each position: Σ log((1 − ε) p + ε / n) over the side's earlier moves, before τ and prior."""
        return await self._evidence([_Game.of(position) for position in positions], side)

    def close(self) -> None:
        for model in self._models:
            model.close()

    async def _evidence(self, games: Sequence["_Game"], side: Side | None) -> list[Floats]:
        ends = [len(game.moves) - int(side in (None, game.position.turn)) for game in games]
        new = [self._unseen(game, end) for game, end in zip(games, ends, strict=True)]
        before: dict[int, ChessPosition] = {}
        for game, plies in zip(games, new, strict=True):
            before |= game.before(plies)
        # Forced moves and book moves tell nothing about the player: no level is asked about them.
        telling = {key: position for key, position in before.items() if self._tells(position)}
        # A copy, because cached evidence may be dropped while the levels are asked about other positions.
        known = {key: self._seen[key] for game in games for key in game.keys if key in self._seen}
        kept = set(known)
        replies = await self._replies_in(telling)
        for game, plies in zip(games, new, strict=True):
            for ply in plies:
                key, earlier = game.keys[ply - 1], self._after(game, ply - 2, known)
                known[game.keys[ply]] = (
                    self._updated(earlier, replies[key], game.moves[ply - 1]) if key in telling else earlier
                )
        at_ends = [self._after(game, end, known) for game, end in zip(games, ends, strict=True)]
        _remember(self._seen, {key: value for key, value in known.items() if key not in kept})
        return at_ends

    def _unseen(self, game: "_Game", end: int) -> list[int]:
        """The plies of one player up to `end`, counted from 1, whose evidence is not known yet, in order."""
        plies = takewhile(lambda ply: game.keys[ply] not in self._seen, range(end, 0, -2))
        return list(plies)[::-1]

    def _after(self, game: "_Game", ply: int, known: Mapping[int, Floats]) -> Floats:
        """The evidence about whoever made ply number `ply`, that move included."""
        if ply <= 0:
            return np.zeros(len(self.levels))
        return known[game.keys[ply]]

    def _tells(self, position: ChessPosition) -> bool:
        return len(position.legal_moves) > 1 and not (self._book and position_key(position) in self._book)

    def _updated(self, earlier: Floats, replies: _Replies, move: str) -> Floats:
        played = replies.by_level[:, replies.moves.index(move)]
        return self._forgetting * earlier + evidence(played, len(replies.moves), self._epsilon)

    async def _replies_in(self, positions: Mapping[int, ChessPosition]) -> dict[int, _Replies]:
        """The predictions of all levels for some positions: from the cache, the others in one batch for each level."""
        known = {key: self._replies[key] for key in positions if key in self._replies}
        new = {key: position for key, position in positions.items() if key not in known}
        new_positions = list(new.values())
        answers = await together(predictions(model, new_positions) for model in self._models) if new_positions else []
        fresh = {
            key: _Replies(position.legal_moves, np.stack([normalised(p) for p in by_level]))
            for (key, position), *by_level in zip(new.items(), *answers, strict=True)
        }
        _remember(self._replies, fresh)
        return known | fresh


@dataclass(frozen=True, slots=True)
class _Game:
    """A position and the moves that led to it."""

    position: ChessPosition
    moves: list[str]
    keys: list[int]
    """`[plies + 1]`: a 64-bit hash of the game up to each ply, the start included."""

    @classmethod
    def of(cls, position: ChessPosition) -> "_Game":
        moves, keys = position.moves, [hash((position.start_fen, position.chess960))]
        # Each hash builds on the one before, so that the cost for a whole game is linear in its length.
        for move in moves:
            keys.append(hash((keys[-1], move)))
        return cls(position, moves, keys)

    def before(self, plies: Sequence[int]) -> dict[int, ChessPosition]:
        """The positions in which some plies, ascending and counted from 1, were chosen, by key."""
        if not plies:
            return {}
        at = plies[0] - 1
        position = ChessPosition(self.position.start_fen, self.moves[:at], chess960=self.position.chess960)
        found = {}
        for ply in plies:
            for move in self.moves[at : ply - 1]:
                position = position.play(move)
            at = ply - 1
            found[self.keys[at]] = position
        return found


def _remember(store: dict[int, Known], fresh: Mapping[int, Known]) -> None:
    """Add new entries to a cache and drop the oldest beyond `REMEMBERED`."""
    store.update(fresh)
    for key in list(islice(store, max(len(store) - REMEMBERED, 0))):
        del store[key]
