"""A report as tables for the terminal; and how a match stands in the lines that cutechess and fastchess write while
they play.
"""

from collections.abc import Sequence

from rich.console import Group
from rich.table import Table

from foible.arena.elo import (
    elo_margin,
    normalised_elo,
    point_elo,
    superiority,
    superiority_of_decisive,
    winitzki_z,
)
from foible.arena.record import GameRecord
from foible.arena.report import VOID_SHARE, MatchReport
from foible.arena.sprt import Sprt, SprtStanding, Verdict
from foible.arena.stats import Tally, tally_games, tally_pairs
from foible.wording import PLUS_MINUS, counted, percent, signed


def cutechess_lines(games: Sequence[GameRecord], sprt: Sprt | None = None) -> list[str]:
    """Score, Elo and test of complete pairs of games; no lines where there are none.

    Elo, its margin and the likelihood of superiority (LOS) are cutechess'.
    """
    if not games:
        return []
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
        f" LOS: {percent(0.5 if likely is None else likely)}, DrawRatio: {percent(draws / tally.n)}",
    ]
    if sprt:
        standing = sprt.standing(tally_pairs(games))
        share = standing.llr / (standing.upper if standing.llr > 0 else -standing.lower)
        bounds = f"lbound {standing.lower:.3f}, ubound {standing.upper:.3f}"
        verdict = f" - {standing.verdict} was accepted" if standing.decided else ""
        # without a space before %, as cutechess writes this one
        lines.append(f"SPRT: llr {standing.llr:.3f} ({100 * share:.1f}%), {bounds}{verdict}")
    return lines


def render(report: MatchReport) -> Group:
    """The summary, the table of losses where any is known, and what ± means."""
    return Group(_summary(report), *([_losses(report)] if report.has_losses else []), PLUS_MINUS)


def _summary(report: MatchReport) -> Table:
    table = Table(title=f"{report.focal} against {report.alter} ({report.framework})", show_header=False)
    for name, text in _lines(report):
        table.add_row(name, text)
    return table


def _lines(report: MatchReport) -> list[tuple[str, str]]:
    games, pairs, sample, naive = report.games, report.pairs, report.sample, report.independent_error
    complete = counted(pairs.n, "complete pair")
    lines = [("different games", report.repetition)] if report.repetition else []
    lines += [
        ("games", f"{games.n} ({complete}), {report.mean_plies:.1f} plies on average"),
        ("win share", report.percent),
        ("  if games were independent", "–" if naive is None else f"± {percent(naive)}"),
        ("Elo [95 %]", str(report.elo or "–")),
        ("normalised Elo", _signed(normalised_elo(sample))),
        ("superiority", percent(superiority(sample))),
        ("wins, draws, losses", _wdl(games)),
        ("  as White", _wdl(report.as_white)),
        ("  as Black", _wdl(report.as_black)),
        ("pairs LL LD = WD WW", "  ".join(map(str, pairs.counts))),
        ("ends", ", ".join(f"{name} {count}" for name, count in report.terminations.items())),
    ]
    lines += [(f"failures of {one.team}", str(one)) for one in report.failures]
    if report.sprt:
        lines += _sprt(report.sprt)
    if report.outlasted:
        lines.append(("longer than coins", str(report.outlasted)))
    if report.unfinished_share > VOID_SHARE:
        lines.append(("warning", f"{percent(report.unfinished_share)} of the games did not end by themselves"))
    if report.speed:
        lines.append(("speed", str(report.speed)))
    return lines


def _sprt(standing: SprtStanding) -> list[tuple[str, str]]:
    test = standing.test
    verdicts = {
        Verdict.ACCEPT_H0: f"H0 accepted: at most {test.elo0:g}",
        Verdict.ACCEPT_H1: f"H1 accepted: at least {test.elo1:g}",
        Verdict.CONTINUE: f"undecided between {test.elo0:g} and {test.elo1:g}",
    }
    lines = [("SPRT", f"{verdicts[standing.verdict]} {test.model} Elo; {standing}")]
    if standing.decided:
        lines.append(("", "share and Elo depend on the stop: they tend to overstate the difference"))
    return lines


def _losses(report: MatchReport) -> Table:
    judge = report.judge or "the players"
    table = Table(title=f"Who lost how much, in points of win probability (%) a move\njudged by {judge}")
    table.add_column("team")
    table.add_column("role")
    for name in ("moves", "mean loss", "mean, gains counted"):
        table.add_column(name, justify="right")
    for role in report.roles:
        table.add_row(role.team, role.role, str(role.moves), role.loss, _number(role.raw_mean))
    return table


def _wdl(tally: Tally) -> str:
    losses, draws, wins = tally.counts
    return f"{wins}  {draws}  {losses}   {percent(tally.share)}"


def _signed(value: float | None) -> str:
    return "–" if value is None else signed(value)


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"
