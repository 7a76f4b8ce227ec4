"""Preparation against one player, from their games to the lines worth knowing (opponent-modelling §5)."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Collection, Mapping, Sequence
from contextlib import aclosing
from dataclasses import asdict, dataclass, field
from datetime import date
from functools import partial
from itertools import groupby
from typing import Any

import numpy as np

from foible.analysis.prep.holdout_check import HoldOutCheck, hold_out
from foible.analysis.prep.known_lines import KnownLine, best_lines, with_every_reply
from foible.analysis.prep.move_measures import measure
from foible.analysis.prep.repertoire_tree import Spot, TreeSettings, grow_tree
from foible.judges.base import Judge
from foible.loop import each
from foible.nets.shelf import NetShelf
from foible.opponents.base import OpponentModel
from foible.opponents.estimate import LevelEstimate
from foible.opponents.game_tags import SPEEDS, Speed
from foible.opponents.opening_table import DRAWS, KAPPA, OpeningTable, PlayerModel, opening_table
from foible.opponents.player_games import HALF_LIFE, PlayerGame, PlayerGames, game_weights, mean_rating
from foible.opponents.spec import EstimateModelSpec, ModelSpec, RatingModelSpec
from foible.wording import counted

LEVEL_GAMES = 200
"""The most games from which the level of a player without ratings is estimated; the latest ones are taken."""


async def base_spec(rating: float | None, games: Sequence[PlayerGame], shelf: NetShelf) -> ModelSpec:
    """The base model: plays at the player's rating, between the two nearest Maias where both are on this machine, else
    as the net that comes with foible plays at the rating.

    Without a rating, the level is estimated from the player's moves.
    """
    if rating is None:
        estimate = await asyncio.to_thread(EstimateModelSpec().build, shelf)
        rating = await level_of_moves(games, estimate)
    return RatingModelSpec(rating=round(rating))


async def level_of_moves(games: Sequence[PlayerGame], estimate: LevelEstimate) -> float:
    """The posterior mean of the level, from the stored opening plies of a player's latest games (§4)."""
    seen = np.zeros(len(estimate.levels))
    latest = sorted(games, key=lambda game: game.day or date.min)[-LEVEL_GAMES:]
    for white in (True, False):
        ends = [game.position for game in latest if game.white == white]
        if ends:
            seen += np.sum(await estimate.evidence(ends, "first" if white else "second"), axis=0)
    return estimate.posterior(seen).mean


FAIR_PLAY = "For study and training only: help during rated games against people is cheating on every platform."


@dataclass(frozen=True, slots=True)
class PrepSettings:
    """The settings of a preparation."""

    tree: TreeSettings = field(default_factory=TreeSettings)
    kappa: float = KAPPA
    """κ: the number of games that the base model counts as (§5.2)."""
    half_life: float = HALF_LIFE
    """The age, in months, at which a game counts half (§5.1)."""
    lines: int = 20
    """The most lines kept for each colour."""
    draws: int = DRAWS
    """The number of samples from the posterior (§5.4)."""
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Split:
    """The player's games with one colour at one speed."""

    white: bool
    speed: Speed | None
    games: int
    rating: float | None
    """The player's mean rating, weighted towards recent games."""
    share: float | None
    """The player's share of the points in the games whose result is known."""


@dataclass(frozen=True, slots=True)
class Side:
    """The lines to play with one colour."""

    white: bool
    """Whether we have White."""
    spots: int
    """The number of positions with us to move in the tree."""
    lines: tuple[KnownLine, ...]
    """The best first."""

    @property
    def promising(self) -> int:
        """The number of lines with a surplus above 0; they come first."""
        return sum(line.measures.surplus > 0 for line in self.lines)


@dataclass(frozen=True, slots=True)
class Preparation:
    """The whole report."""

    player: str
    games: int
    first: date | None
    last: date | None
    rating: float | None
    splits: tuple[Split, ...]
    remarks: tuple[str, ...]
    """Notes on games that were left out, and on assumptions for want of data."""
    base: str
    judge: str
    check: HoldOutCheck
    settings: PrepSettings
    sides: tuple[Side, ...]

    @property
    def personal(self) -> bool:
        """Whether replies are predicted by the personal model, not its base alone, which the hold-out check decides."""
        return self.check.is_better

    def to_json(self) -> dict[str, Any]:
        """The preparation as plain values; probabilities from 0 to 1."""
        return {**asdict(self), "personal": self.personal, "note": FAIR_PLAY}


@dataclass(frozen=True, slots=True)
class Step:
    """The progress of a preparation."""

    what: str
    """The kind of things that are counted: `hold-out games`, or positions with one colour."""
    done: int
    total: int
    """An upper bound of `done`."""
    draft: Callable[[], tuple[KnownLine, ...]] = tuple
    """Computes the lines known so far, without the strongest replies and the losses of the player's moves. It must be
    called before the generator is resumed, and takes some tenths of a second.
    """


async def preparations(
    player_games: PlayerGames,
    base: OpponentModel,
    judge: Judge,
    *,
    sides: Collection[bool] = (True, False),
    settings: PrepSettings | None = None,
) -> AsyncGenerator[Step | Preparation, None]:
    """Check the personal model against its base on later games, and search the player's openings with the better one.

    Yields the progress, and at the end the preparation.

    :param sides: the colours that we play, `True` for White.
    :param base: the model of players of this level.
    :raises FoibleError: the model or the judge failed.
    """
    settings = settings or PrepSettings()
    games = [game for game in player_games.games if (not game.white) in sides]
    table = await asyncio.to_thread(opening_table, games, game_weights(games, settings.half_life))
    async with aclosing(hold_out(games, base, kappa=settings.kappa, half_life=settings.half_life)) as checks:
        async for check in checks:
            yield Step("hold-out games", check.predicted, check.sample)
    model = PlayerModel(table, base, kappa=settings.kappa) if check.is_better else base
    # Every position but the first one of a tree comes after a move of the player's that was played often enough.
    most = min(settings.tree.spots, 1 + int((table.games >= settings.tree.games).sum()))
    done = []
    for white in (side for side in (True, False) if side in sides and any(game.white != side for game in games)):
        job = f"positions, we have {'White' if white else 'Black'}"
        growing = grow_tree(table, model, judge, white=white, settings=settings.tree, personal=check.is_better)
        async with aclosing(growing) as trees:
            async for spots in trees:
                draft = partial(_lines, spots, table, settings, white=white)
                yield Step(job, len(spots), most, draft)
        lines = await asyncio.to_thread(draft)
        done.append(Side(white, len(spots), await with_every_reply(lines, table, model, judge)))
    days = [game.day for game in games if game.day]
    yield Preparation(
        player=player_games.player,
        games=len(games),
        first=min(days, default=None),
        last=max(days, default=None),
        rating=mean_rating(games, settings.half_life),
        splits=tuple(_splits(games, settings.half_life)),
        remarks=tuple(_remarks(player_games, games)),
        base=base.name,
        judge=judge.name,
        check=check,
        settings=settings,
        sides=tuple(done),
    )


def prepare(
    player_games: PlayerGames,
    base: OpponentModel,
    judge: Judge,
    *,
    sides: Collection[bool] = (True, False),
    settings: PrepSettings | None = None,
    progress: Callable[[str, int, int], None] = lambda job, done, total: None,
) -> Preparation:
    """Run `preparations` to its end and return the preparation, for scripts.

    :param progress: called with `job`, `done` and `total` of each step.
    """
    for step in each(preparations(player_games, base, judge, sides=sides, settings=settings)):
        match step:
            case Preparation():
                return step
            case Step():
                progress(step.what, step.done, step.total)
    raise AssertionError("a preparation that is not yielded")


def _lines(
    spots: Mapping[int, Spot], table: OpeningTable, settings: PrepSettings, *, white: bool
) -> tuple[KnownLine, ...]:
    measured = measure(spots, kappa=settings.kappa, draws=settings.draws, seed=settings.seed)
    games, most = settings.tree.games, settings.lines
    return best_lines(spots, measured, table, white=white, games=games, most=most, kappa=settings.kappa)


def _splits(games: Collection[PlayerGame], half_life: float) -> list[Split]:
    def kind(game: PlayerGame) -> tuple[bool, int]:
        return not game.white, SPEEDS.index(game.speed) if game.speed else len(SPEEDS)

    splits = []
    for _, group in groupby(sorted(games, key=kind), key=kind):
        part = list(group)
        points = [game.points for game in part if game.points is not None]
        share = sum(points) / len(points) if points else None
        splits.append(Split(part[0].white, part[0].speed, len(part), mean_rating(part, half_life), share))
    return splits


def _remarks(player_games: PlayerGames, games: Collection[PlayerGame]) -> list[str]:
    undated = sum(game.day is None for game in games)
    unrated = sum(game.rating is None for game in games)
    remarks = [
        (
            player_games.skipped,
            "could not be replayed, left out" + "".join(f"; the first: {e}" for e in player_games.errors[:1]),
        ),
        (player_games.copies, "in the file more than once, counted once"),
        (player_games.variants, "Chess960, left out"),
        (undated, "without a date; they weigh as the others do on average, and take no part in the check"),
        (unrated, "without the player's rating"),
    ]
    return [f"{counted(number, 'game')}: {text}" for number, text in remarks if number]
