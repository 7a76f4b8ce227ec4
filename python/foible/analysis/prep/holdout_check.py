"""Whether a player's past tells their later moves better than the play of others at their level.

Opponent-modelling §5.5.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date

import numpy as np
import polars as pl

from foible._core import ChessPosition
from foible.analysis.estimates import SIGNIFICANT, Estimate, Sample, mean
from foible.loop import wait
from foible.opponents.base import Distribution, OpponentModel
from foible.opponents.opening_table import opening_table
from foible.opponents.player import KAPPA, PlayerModel
from foible.opponents.player_games import HALF_LIFE, PlayerGame, game_weights

LATER = 0.2
"""Share of the games that are held out: the last ones."""

SMALLEST = 1e-6
"""A probability below it counts as this one: a model may call a move impossible."""

MOST = 1000
"""Games foretold at most, evenly spread over those held out: more would not change the answer."""

_BATCH = 4096


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
    foretold: int
    """Of the games held out, all or an even sample."""
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


def hold_out(
    games: Sequence[PlayerGame],
    base: OpponentModel,
    *,
    kappa: float = KAPPA,
    half_life: float = HALF_LIFE,
    later: float = LATER,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> HoldOut:
    """Fit to the games before a day, and foretell those from it on; of each game the plies that are kept.

    `later`: the share of the games that is held out, in whole days. `progress` is told of games foretold and of all.
    """
    before, after, since = _split(games, later)
    table = opening_table(before, game_weights(before, half_life))
    personal = PlayerModel(table, base, kappa=kappa)
    columns: dict[str, list[float]] = {name: [] for name in ("game", "base", "personal", "base1", "personal1", "known")}
    sample = after[:: -(-len(after) // MOST) or 1]
    for numbers, positions, moves in _batches(sample):
        by_base = wait(base.predict(positions))
        by_games = personal.shrink(positions, by_base)
        columns["game"] += numbers
        for prefix, distributions in (("base", by_base), ("personal", by_games)):
            losses, hits = _foretold(positions, moves, distributions)
            columns[prefix] += losses
            columns[f"{prefix}1"] += hits
        columns["known"] += [float(table.support(position) > 0) for position in positions]
        progress(numbers[-1] + 1, len(sample))
    rows = pl.DataFrame(columns, schema=dict.fromkeys(columns, pl.Float64))
    gain = rows["base"] - rows["personal"]
    known = rows["known"] > 0
    return HoldOut(
        fitted=len(before),
        held_out=len(after),
        foretold=len(sample),
        since=since,
        undated=len(games) - len(before) - len(after),
        personal=ModelScore(_mean(rows["personal"], rows["game"]), _mean(rows["personal1"], rows["game"])),
        base=ModelScore(_mean(rows["base"], rows["game"]), _mean(rows["base1"], rows["game"])),
        gain=_mean(gain, rows["game"]),
        gain_known=_mean(gain.filter(known), rows["game"].filter(known)),
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


def _batches(games: Sequence[PlayerGame]) -> Iterator[tuple[list[int], list[ChessPosition], list[str]]]:
    """The player's moves: number of the game, position, move, some thousands at a time."""
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
            yield numbers, positions, moves
            numbers, positions, moves = [], [], []
    if positions:
        yield numbers, positions, moves


def _foretold(
    positions: Sequence[ChessPosition], moves: Sequence[str], distributions: Sequence[Distribution]
) -> tuple[list[float], list[float]]:
    """Per move its log-loss, and 1 where it was held for the most probable one."""
    losses: list[float] = []
    hits: list[float] = []
    for position, move, p in zip(positions, moves, distributions, strict=True):
        index = position.legal_moves.index(move)
        losses.append(-float(np.log(max(p[index], SMALLEST))))
        hits.append(float(p.argmax() == index))
    return losses, hits


def _mean(values: pl.Series, games: pl.Series) -> Estimate:
    return mean(Sample.of(values, games))
