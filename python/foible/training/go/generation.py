"""The results of a generation, which are a line of the run's table; and when a run ends early."""

from collections.abc import Sequence

import msgspec
import numpy as np

from foible.selfplay.go.record import GoSelfplayRecord
from foible.training.go.config import GoTrainConfig


class Against(msgspec.Struct, frozen=True):
    """A match of a generation's net against an earlier one."""

    opponent: int
    """The generation of the earlier net."""
    games: int
    points: float
    """The points of this net: 1 a win, ½ a draw."""


class Candidates(msgspec.Struct, frozen=True):
    """The candidates of a generation that played for promotion (SAI, §5.2)."""

    played: int
    """The number of candidates that played."""
    games: int
    """The number of games of the last candidate, whether it was promoted or not."""
    points: float


class Generation(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One generation; number 0 is the random net that the run begins with."""

    number: int
    best: int
    """The generation whose net is the best after this one: its own where it was promoted."""
    candidates: Candidates | None = None
    """The candidates of a gated run."""
    games: int = 0
    branches: int = 0
    """The number of games that are branches of others."""
    plies: float = 0.0
    """Mean length of a game."""
    komi: tuple[float, float] | None = None
    """Mean and standard deviation of the komi of games from the empty board."""
    halves: float = 0.0
    """The share of the games that half a point decided."""
    policy: float | None = None
    """The policy loss on held-out games, and below it the value loss, as in `trainer.GoLosses`."""
    value: float | None = None
    alpha: float | None = None
    """The alpha of the empty board, Black to move: the komi that the net thinks fair."""
    beta: float | None = None
    games_per_second: float | None = None
    """The rate of the self-play in this process; `None` where the process played none of it."""
    seconds: float = 0.0
    """The time that this process took for the whole generation."""
    matches: list[Against] = []
    elo: float | None = None
    """Elo from all matches of the run so far; the random net has 0."""
    elo_standard_error: float | None = None
    """The standard error of `elo`."""
    panel: float | None = None
    """Mean share of the games won against the nets of the run's panel, 0 to 1, where it has one."""
    panel_standard_error: float | None = None
    """The standard error of `panel`."""


def of_games(number: int, best: int, games: Sequence[GoSelfplayRecord]) -> Generation:
    """A generation with all that its games tell; the figures of its net are still to be added."""
    roots = [game.komi for game in games if not game.is_branch]
    return Generation(
        number=number,
        best=best,
        games=len(games),
        branches=sum(game.is_branch for game in games),
        plies=float(np.mean([len(game.moves) for game in games])),
        komi=(float(np.mean(roots)), float(np.std(roots))),
        halves=float(np.mean([abs(game.margin) == 0.5 for game in games])),
    )


def ended(config: GoTrainConfig, generations: Sequence[Generation]) -> str | None:
    """Why a run ends early, in words: no candidate was promoted, or no net does better against the panel any more;
    `None` where it goes on.
    """
    if not generations:
        return None
    last = generations[-1]
    if last.best != last.number:
        return f"no candidate of generation {last.number} was promoted"
    if config.panel is None:
        return None
    best = max(generations, key=lambda generation: -1.0 if generation.panel is None else generation.panel)
    if last.number - best.number < config.panel.patience:
        return None
    return (
        f"no net has done better against the panel than that of generation {best.number}"
        f" for {last.number - best.number} generations"
    )
