"""Everything that can be computed from the counts of a match's results: share, errors, Elo."""

from dataclasses import dataclass

from foible.arena.elo import Elo, elo_margin, estimate_elo, normalised_elo, superiority
from foible.arena.stats import Tally
from foible.errors import ConfigError


@dataclass(frozen=True, slots=True)
class Scoreline:
    """A tally and the statistics computed from it; `None` for those that do not exist: no games, or nothing varied."""

    counts: tuple[int, ...]
    """Losses, draws, wins; or pairs LL, LD, WL + DD, WD, WW."""
    share: float | None
    """Mean score, 0 to 1."""
    standard_error: float | None
    """The error of the share, from the population deviation."""
    sample_error: float | None
    """The error of the share, from the sample deviation."""
    elo: Elo
    elo_margin: float | None
    """Half the 95 % interval as other match programs print it."""
    normalised_elo: float | None
    superiority: float | None
    """Probability of being the stronger player, 0 to 1."""


def scoreline(tally: Tally) -> Scoreline:
    """Compute the statistics of a tally."""
    return Scoreline(
        tally.counts,
        tally.share,
        tally.standard_error,
        tally.paired_error,
        estimate_elo(tally),
        elo_margin(tally),
        normalised_elo(tally),
        superiority(tally),
    )


def pairs_of(games: Tally, counts: tuple[int, ...]) -> Tally:
    """Check the pentanomial counts of a match against its games, and return them as a tally.

    :raises ConfigError: a negative count, or another number of games or points than `games` has.
    """
    if min(counts) < 0:
        raise ConfigError(f"pairs {counts}: a count is negative")
    pairs = Tally(counts)
    points = sum(count * i for i, count in enumerate(counts))
    expected = sum(count * i for i, count in enumerate(games.counts))
    if (2 * pairs.n, points) != (games.n, expected):
        raise ConfigError(
            f"pairs {' '.join(map(str, counts))} are {2 * pairs.n} games with {points / 2:g} points,"
            f" the games are {games.n} with {expected / 2:g}"
        )
    return pairs
