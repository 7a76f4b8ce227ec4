"""All that counts alone say of a match: share, errors, Elo; and how it stands in the lines that cutechess and
fastchess write while they play.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from foible.arena.elo import (
    Elo,
    elo_margin,
    estimate_elo,
    normalised_elo,
    point_elo,
    superiority,
    superiority_of_decisive,
    winitzki_z,
)
from foible.arena.match import complete_pairs
from foible.arena.record import GameRecord
from foible.arena.report import tally_games, tally_pairs
from foible.arena.sprt import Sprt
from foible.arena.stats import Tally
from foible.errors import ConfigError


@dataclass(frozen=True, slots=True)
class Scoreline:
    """A tally with what follows from it. `None` where it cannot be known: nothing was played, or nothing varied."""

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
    """What follows from a tally."""
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
    """The pentanomial of the same games.

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


def cutechess_lines(games: Sequence[GameRecord], sprt: Sprt | None = None) -> list[str]:
    """Score, Elo and test of the finished games, of which there is one at least.

    Elo, its margin and the likelihood of superiority (LOS) are cutechess'. The test is on the first pairs without a
    gap, as that of the match itself.
    """
    first, tally = games[0], tally_games(games)
    focal, alter = (first.white, first.black) if first.focal_white else (first.black, first.white)
    losses, draws, wins = tally.counts
    likely = superiority_of_decisive(wins, losses)
    elo, margin = point_elo(tally), elo_margin(tally, winitzki_z())
    bound = "inf" if wins else "-inf"
    lines = [
        f"Score of {focal} vs {alter}: {wins} - {losses} - {draws}  [{tally.share or 0:.3f}] {tally.n}",
        f"...      Elo difference: {bound if elo is None else f'{elo:.1f}'}"
        f" +/- {'nan' if margin is None else f'{margin:.1f}'},"
        f" LOS: {100 * (0.5 if likely is None else likely):.1f} %, DrawRatio: {100 * draws / tally.n:.1f} %",
    ]
    if sprt:
        found = sprt.standing(tally_pairs(complete_pairs(games)))
        share = found.llr / (found.upper if found.llr > 0 else -found.lower)
        lines.append(
            f"SPRT: llr {found.llr:.3f} ({100 * share:.1f}%), lbound {found.lower:.3f}, ubound {found.upper:.3f}"
            + (f" - {found.verdict} was accepted" if found.decided else "")
        )
    return lines
