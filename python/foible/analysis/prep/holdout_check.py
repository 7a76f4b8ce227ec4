"""Whether a player's past tells their later moves better than the play of others at their level.

Opponent-modelling §5.5.
"""

import asyncio
from collections.abc import AsyncGenerator, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date

import numpy as np
import polars as pl

from foible._core import ChessPosition
from foible.analysis.estimates import SIGNIFICANT, Estimate, Sample, mean
from foible.opponents.base import Distribution, OpponentModel
from foible.opponents.opening_table import OpeningTable, opening_table
from foible.opponents.player import KAPPA, PlayerModel
from foible.opponents.player_games import HALF_LIFE, PlayerGame, game_weights

LATER = 0.2
"""Share of the games that are held out: the last ones."""

SMALLEST = 1e-6
"""A probability below it counts as this one: a model may call a move impossible."""

MOST = 1000
"""Games foretold at most, evenly spread over those held out: more would not change the answer."""

_BATCH = 4096

_NUMBERS = ("game", "base", "base1", "personal", "personal1", "gain")
_COLUMNS = dict.fromkeys(_NUMBERS, pl.Float64) | {"known": pl.Boolean}


@dataclass(frozen=True, slots=True)
class ModelScore:
    """How well a model foretold moves."""

    log_loss: Estimate
    """Nats a move."""
    top1: Estimate
    """Share of the moves that the model held for the most probable one."""


@dataclass(frozen=True, slots=True)
class HoldOut:
    """The personal model fitted to earlier games, and its base alone, on the player's moves of later games."""

    fitted: int
    """Games."""
    held_out: int
    """Games after those."""
    sample: int
    """How many of the games held out are to be foretold: all, or evenly spread ones."""
    foretold: int
    """How many games of that sample are counted here."""
    since: date | None
    """The first day of the games held out; `None` where dates are missing and the order of the file stands for them."""
    undated: int
    """Games without a date, which take no part."""
    personal: ModelScore
    base: ModelScore
    gain: Estimate
    """Log-loss of the base minus that of the personal model, move by move; errors clustered by game."""
    gain_known: Estimate
    """The same where the player had been before in the fitted games."""

    @property
    def is_better(self) -> bool:
        """Whether the personal model foretells better, at 5 % one-sided by games: otherwise it is not to be used."""
        test = self.gain.test_clustered
        return test is not None and test.p_greater < SIGNIFICANT


async def hold_out(
    games: Sequence[PlayerGame],
    base: OpponentModel,
    *,
    kappa: float = KAPPA,
    half_life: float = HALF_LIFE,
    later: float = LATER,
) -> AsyncGenerator[HoldOut, None]:
    """Fit to the games before a day, and foretell those from it on; of each game the plies that are kept.

    Yields the check on more and more games, at the end that on the whole sample.

    `later`: the share of the games that is held out, in whole days.
    """
    before, after, since = _split(games, later)
    table = await asyncio.to_thread(opening_table, before, game_weights(before, half_life))
    personal = PlayerModel(table, base, kappa=kappa)
    sample = after[:: -(-len(after) // MOST) or 1]
    rows = pl.DataFrame(schema=_COLUMNS)
    nothing = ModelScore(_mean(rows, "base"), _mean(rows, "base1"))
    found = HoldOut(
        fitted=len(before),
        held_out=len(after),
        sample=len(sample),
        foretold=0,
        since=since,
        undated=len(games) - len(before) - len(after),
        personal=nothing,
        base=nothing,
        gain=_mean(rows, "gain"),
        gain_known=_mean(rows, "gain"),
    )
    yield found
    for batch in _batches(sample):
        by_base = await base.predict(batch.positions)
        rows = rows.vstack(await asyncio.to_thread(_foretold, batch, by_base, personal, table))
        yield replace(
            found,
            foretold=batch.done,
            personal=ModelScore(_mean(rows, "personal"), _mean(rows, "personal1")),
            base=ModelScore(_mean(rows, "base"), _mean(rows, "base1")),
            gain=_mean(rows, "gain"),
            gain_known=_mean(rows.filter("known"), "gain"),
        )


def _split(games: Sequence[PlayerGame], later: float) -> tuple[list[PlayerGame], list[PlayerGame], date | None]:
    """Earlier and later games. Days stay whole, so that what is fitted lies before what is foretold."""
    dated = sorted((game.day, number) for number, game in enumerate(games) if game.day)
    if dated and dated[0][0] < dated[-1][0]:
        cut = dated[min(int((1 - later) * len(dated)), len(dated) - 1)][0]
        since = cut if cut > dated[0][0] else next(day for day, _ in dated if day > cut)
        ordered = [games[number] for _, number in dated]
        first = sum(day < since for day, _ in dated)
        return ordered[:first], ordered[first:], since
    first = int((1 - later) * len(games))
    return list(games[:first]), list(games[first:]), None


@dataclass(frozen=True, slots=True)
class _Batch:
    """Moves of the player, each with the number of its game and the position before it."""

    done: int
    """Games up to the end of this batch."""
    games: list[int]
    positions: list[ChessPosition]
    moves: list[str]


def _batches(games: Sequence[PlayerGame]) -> Iterator[_Batch]:
    """Some thousands of moves at a time, games whole."""
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


def _foretold(
    batch: _Batch, by_base: Sequence[Distribution], personal: PlayerModel, table: OpeningTable
) -> pl.DataFrame:
    """Per move the log-loss of both models, and whether they held it for the most probable one."""
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
    """Per move its log-loss, and 1 where it was held for the most probable one."""
    losses: list[float] = []
    hits: list[float] = []
    for position, move, p in zip(batch.positions, batch.moves, distributions, strict=True):
        index = position.legal_moves.index(move)
        losses.append(-float(np.log(max(p[index], SMALLEST))))
        hits.append(float(p.argmax() == index))
    return losses, hits


def _mean(rows: pl.DataFrame, column: str) -> Estimate:
    return mean(Sample.of(rows[column], rows["game"]))
