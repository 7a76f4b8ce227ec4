"""How a match stands, for the terminal: by its report, by counts alone, and in the lines that cutechess and fastchess
write while they play.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from rich.console import Group
from rich.table import Table

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
from foible.arena.report import VOID_SHARE, Report, tally_games, tally_pairs
from foible.arena.sprt import Sprt, SprtStanding, Verdict
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


def render(report: Report) -> Group:
    """The summary, and the table of losses."""
    return Group(_summary(report), _losses(report))


def _summary(report: Report) -> Table:
    table = Table(title=f"{report.focal} against {report.alter} ({report.framework})", show_header=False)
    for name, text in _lines(report):
        table.add_row(name, text)
    return table


def _lines(report: Report) -> list[tuple[str, str]]:
    games, pairs = report.games, report.pairs
    lines = [
        ("games", f"{games.n} ({pairs.n} complete pairs), {report.mean_plies:.1f} plies on average"),
        ("win share", f"{_percent(games.share)} ± {_percent(games.standard_error)}"),
        ("  error by pairs", f"± {_percent(pairs.paired_error)}"),
        ("Elo [95 %]", str(report.elo)),
        ("  by pairs", str(report.paired_elo or "–")),
        ("normalised Elo", _signed(normalised_elo(games))),
        ("superiority", f"{_percent(superiority(games))}, by pairs {_percent(superiority(pairs))}"),
        ("wins, draws, losses", _wdl(games)),
        ("  as White", _wdl(report.as_white)),
        ("  as Black", _wdl(report.as_black)),
        ("pairs LL LD = WD WW", "  ".join(map(str, pairs.counts))),
        ("ends", ", ".join(f"{name} {count}" for name, count in report.terminations.items())),
    ]
    lines += [(f"failures of {one.team}", str(one)) for one in report.failures]
    if report.sprt:
        lines += _sprt(report.sprt)
    if report.different < games.n:
        lines.append(("different games", f"{report.different} of {games.n}: the errors count all as independent"))
    if report.outlasted:
        lines.append(("longer than coins", str(report.outlasted)))
    if report.unfinished_share > VOID_SHARE:
        lines.append(("warning", f"{report.unfinished_share:.1%} of the games did not end by themselves"))
    return lines


def _sprt(found: SprtStanding) -> list[tuple[str, str]]:
    test = found.test
    verdicts = {
        Verdict.ACCEPT_H0: f"H0 accepted: at most {test.elo0:g}",
        Verdict.ACCEPT_H1: f"H1 accepted: at least {test.elo1:g}",
        Verdict.CONTINUE: f"undecided between {test.elo0:g} and {test.elo1:g}",
    }
    lines = [("SPRT", f"{verdicts[found.verdict]} {test.model} Elo; {found}")]
    if found.decided:
        lines.append(("", "share and Elo depend on the stop: they tend to overstate the difference"))
    return lines


def _losses(report: Report) -> Table:
    judge = report.judge or "the players"
    table = Table(title=f"Who lost how much, in points of win probability (%) a move\njudged by {judge}")
    table.add_column("team")
    table.add_column("role")
    for name in ("moves", "mean loss", "mean, gains counted"):
        table.add_column(name, justify="right")
    for role in report.roles:
        loss = _number(role.mean) if role.error is None else f"{role.mean:.2f} ± {role.error:.2f}"
        table.add_row(role.team, role.role, str(role.moves), loss, _number(role.raw_mean))
    return table


def _wdl(tally: Tally) -> str:
    losses, draws, wins = tally.counts
    return f"{wins}  {draws}  {losses}   {_percent(tally.share)}"


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.1f} %"


def _signed(value: float | None) -> str:
    return "–" if value is None else f"{value:+.1f}"


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"
