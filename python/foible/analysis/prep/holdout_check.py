"""A check whether a player's earlier games predict their later moves better than a model of others at their level.

Opponent-modelling §5.5.
"""

import asyncio
from collections.abc import AsyncGenerator, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from operator import itemgetter

import numpy as np
import polars as pl

from foible._core import ChessPosition
from foible.analysis.estimates import SIGNIFICANT, Estimate, Sample, mean
from foible.opponents.base import Distribution, OpponentModel, predictions
from foible.opponents.opening_table import KAPPA, OpeningTable, PlayerModel, opening_table
from foible.opponents.player_games import HALF_LIFE, PlayerGame, game_weights

LATER = 0.2
"""The share of the games that is held out: the latest ones."""

SMALLEST = 1e-6
"""The floor of probabilities in the log-loss, as a model may give a played move the probability 0."""

MOST = 1000
"""The most games predicted, evenly spread over the held-out ones: more would not change the answer."""

_BATCH = 4096

_NUMBERS = ("game", "base", "base1", "personal", "personal1", "gain")
_COLUMNS = dict.fromkeys(_NUMBERS, pl.Float64) | {"known": pl.Boolean}


@dataclass(frozen=True, slots=True)
class ModelScore:
    """How well a model predicted moves."""

    log_loss: Estimate
    """The mean log-loss per move, in nats."""
    top1: Estimate
    """The share of the moves played that were the model's most probable move."""


@dataclass(frozen=True, slots=True)
class HoldOutCheck:
    """The personal model, fitted to earlier games, and its base model, both scored on the moves of later games."""

    fitted: int
    """The number of games that the personal model was fitted to."""
    held_out: int
    """The number of later games, which are held out."""
    sample: int
    """How many of the held-out games are to be predicted: all, or an evenly spread part."""
    predicted: int
    """How many games of that sample are scored so far."""
    since: date | None
    """The first day of the held-out games; `None` where dates do not split the games and the order of the file does."""
    undated: int
    """The number of games left out of the check for want of a date."""
    personal: ModelScore
    base: ModelScore
    gain: Estimate
    """Log-loss of the base minus that of the personal model, move by move; errors clustered by game."""
    gain_known: Estimate
    """The same, only over positions in which the player was to move in the fitted games too."""

    @property
    def is_better(self) -> bool:
        """Whether the personal model predicts better, at 5 % one-sided, clustered by game: otherwise it is not used."""
        test = self.gain.test
        return test is not None and test.p_greater < SIGNIFICANT


async def hold_out(
    games: Sequence[PlayerGame],
    base: OpponentModel,
    *,
    kappa: float = KAPPA,
    half_life: float = HALF_LIFE,
    later: float = LATER,
) -> AsyncGenerator[HoldOutCheck, None]:
    """Fit the personal model to the games before some day, and score it and its base on the games from that day on.

    Of each game only the stored opening plies count. Yields the check on more and more games, at last on the whole
    sample.

    `later`: the share of the games that is held out; rounded so that no day is split, unless that would hold out more
    than twice as many.
    """
    before, after, since = _split(games, later)
    table = await asyncio.to_thread(opening_table, before, game_weights(before, half_life))
    personal = PlayerModel(table, base, kappa=kappa)
    sample = after[:: -(-len(after) // MOST) or 1]
    rows = pl.DataFrame(schema=_COLUMNS)
    nothing = ModelScore(_mean(rows, "base"), _mean(rows, "base1"))
    unscored = HoldOutCheck(
        fitted=len(before),
        held_out=len(after),
        sample=len(sample),
        predicted=0,
        since=since,
        undated=len(games) - len(before) - len(after),
        personal=nothing,
        base=nothing,
        gain=_mean(rows, "gain"),
        gain_known=_mean(rows, "gain"),
    )
    yield unscored
    for batch in _batches(sample):
        by_base = await predictions(base, batch.positions)
        rows = rows.vstack(await asyncio.to_thread(_predicted, batch, by_base, personal, table))
        yield replace(
            unscored,
            predicted=batch.done,
            personal=ModelScore(_mean(rows, "personal"), _mean(rows, "personal1")),
            base=ModelScore(_mean(rows, "base"), _mean(rows, "base1")),
            gain=_mean(rows, "gain"),
            gain_known=_mean(rows.filter("known"), "gain"),
        )


def _split(games: Sequence[PlayerGame], later: float) -> tuple[list[PlayerGame], list[PlayerGame], date | None]:
    """The earlier games, the later games, and the first later day.

    Days stay whole, so that fitted games come first. Where one day has so many games that more than twice the share
    would be held out, it is split by the order of the file, which may begin with the newest game.
    """
    days = [game.day for game in games if game.day]
    newest_first = bool(days) and days[0] > days[-1]
    numbers = reversed(range(len(games))) if newest_first else range(len(games))
    dated = sorted(((day, n) for n in numbers if (day := games[n].day)), key=itemgetter(0))
    if dated and dated[0][0] < dated[-1][0]:
        cut = dated[min(int((1 - later) * len(dated)), len(dated) - 1)][0]
        since = cut if cut > dated[0][0] else next(day for day, _ in dated if day > cut)
        ordered = [games[number] for _, number in dated]
        first = sum(day < since for day, _ in dated)
        if len(dated) - first > 2 * later * len(dated):
            first = int((1 - later) * len(dated))
        return ordered[:first], ordered[first:], since
    first = int((1 - later) * len(games))
    return list(games[:first]), list(games[first:]), None


@dataclass(frozen=True, slots=True)
class _Batch:
    """Moves of the player, each with the number of its game and the position before it."""

    done: int
    """The number of games up to the end of this batch."""
    games: list[int]
    positions: list[ChessPosition]
    moves: list[str]


def _batches(games: Sequence[PlayerGame]) -> Iterator[_Batch]:
    """Batches of some thousands of moves, each of whole games."""
    numbers: list[int] = []
    positions: list[ChessPosition] = []
    moves: list[str] = []
    for number, game in enumerate(games):
        position = ChessPosition(game.start_fen)
        for move in game.moves:
            if (position.turn == "first") == game.white:
                numbers.append(number)
                positions.append(position)
                moves.append(move)
            position = position.play(move)
        if len(positions) >= _BATCH:
            yield _Batch(number + 1, numbers, positions, moves)
            numbers, positions, moves = [], [], []
    if positions:
        yield _Batch(len(games), numbers, positions, moves)


def _predicted(
    batch: _Batch, by_base: Sequence[Distribution], personal: PlayerModel, table: OpeningTable
) -> pl.DataFrame:
    """One row per move: both models' log-losses, and whether the move was each model's most probable one."""
    losses, hits = _scored(batch, by_base)
    personal_losses, personal_hits = _scored(batch, personal.shrink(batch.positions, by_base))
    columns = {
        "game": batch.games,
        "base": losses,
        "base1": hits,
        "personal": personal_losses,
        "personal1": personal_hits,
        "gain": [b - p for b, p in zip(losses, personal_losses, strict=True)],
        "known": [table.support(position) > 0 for position in batch.positions],
    }
    return pl.DataFrame(columns, schema=_COLUMNS)


def _scored(batch: _Batch, distributions: Sequence[Distribution]) -> tuple[list[float], list[float]]:
    """The log-loss of each move, and 1 or 0 by whether it was the model's most probable move."""
    losses: list[float] = []
    hits: list[float] = []
    for position, move, p in zip(batch.positions, batch.moves, distributions, strict=True):
        index = position.legal_moves.index(move)
        losses.append(-float(np.log(max(p[index], SMALLEST))))
        hits.append(float(p.argmax() == index))
    return losses, hits


def _mean(rows: pl.DataFrame, column: str) -> Estimate:
    return mean(Sample.of(rows[column], rows["game"]))
