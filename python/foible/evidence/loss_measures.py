"""Measures of judged games: tables 2 to 4, 6 and 7 and figures 3 to 5 of Designing Skill-Compatible AI, and the losses
of the follow-up of When Suboptimal Minimax is Better (opponent-modelling §1.5).

The judge is Stockfish, which is stronger than all players and no relative of any. (The papers' is LEELA with 1500
visits for the first, Stockfish at depth 10 for the second.)
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, Final

import msgspec
import polars as pl

from foible.agents.spec import PlayerSpec
from foible.analysis.quality.analysed_games import AnalysedGames
from foible.analysis.quality.hypothetical_moves import AGREEMENT_STEP, agreement_choices, induced_boards
from foible.analysis.quality.judging import AnalysisProgress, Judging, positions_to_judge
from foible.analysis.quality.move_losses import BLUNDER, moves_of
from foible.analysis.quality.partners import (
    DECIMALS,
    MEETINGS,
    THRESHOLDS,
    Unforced,
    loss_after,
    meetings,
    preceded_by,
)
from foible.analysis.quality.player_choices import Choosers
from foible.analysis.quality.plies_table import table_of
from foible.evidence.kinds import EvidenceProgress, OnProgress
from foible.evidence.measures import Measured, Sums
from foible.judges.spec import JudgeSpec, UciJudgeSpec
from foible.nets.shelf import NetShelf

NEUTRAL: Final = UciJudgeSpec(command="stockfish", nodes=10_000, options={"Threads": 1, "Hash": 16}, processes=2)
DEPTH_10: Final = UciJudgeSpec(command="stockfish", depth=10, options={"Threads": 1, "Hash": 16}, processes=2)

TEAMS: Final = {"alter": False, "focal": True}
LOWEST: Final = "lowest"
"""The beginning of the names of quantities whose values are of games, not of moves."""
COINS: Final = ("1", "0", "10", "00", "11", "01")
"""The coins of the plies before a move, oldest first: 1 for a senior's move, 0 for a junior's."""

Quantities = Mapping[str, tuple[pl.Expr, pl.Expr]]
"""By the name of a quantity, its values and the filter for the rows that count."""


def sums_by_pair(rows: pl.DataFrame, quantities: Quantities) -> Sums:
    """For each quantity, by pair, the sum of its values and their number; nulls do not count."""
    found: Sums = {}
    for name, (value, where) in quantities.items():
        known = rows.lazy().filter(where).select("pair", value.cast(pl.Float64).alias("value")).drop_nulls()
        by_pair = known.group_by("pair").agg(pl.col("value").sum(), pl.len().alias("count")).collect()
        found[name] = {pair: (total, count) for pair, total, count in by_pair.sort("pair").iter_rows()}
    return found


@dataclass(frozen=True, slots=True)
class _Judged:
    """A measure of the losses of moves."""

    judge: JudgeSpec = NEUTRAL
    of: str = "moves"

    def about(self) -> Mapping[str, Any]:
        return {"kind": type(self).__name__, "judge": _judge_alone(self.judge)}

    def measure(self, games: AnalysedGames, shelf: NetShelf, tell: OnProgress) -> Measured:
        with closing(_judging(self.judge, games, shelf)) as judging:
            judging.judge(lambda: positions_to_judge(games.games), _told(tell))
            plies = table_of(games.games, judging.score)
            sums = self.sums(plies)
            of_others = {name: "games" for name in sums if name.startswith(LOWEST)}
            return Measured(sums, {"judge": judging.name}, of_others)

    def sums(self, plies: pl.DataFrame) -> Sums:
        """The sums of a table of `plies_table.PLIES`."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class TagTeamLosses(_Judged):
    """Tables 2 and 3, figures 3 and 4.

    `alter junior after 10`: the loss of LEELA's junior when the two plies before were a senior's and a junior's.
    `focal junior errs by 5 after 1`: percent of its moves after a senior's that lose 5 points or more.
    `alter junior, ahead`: of positions that it has won by more than half.
    """

    def sums(self, plies: pl.DataFrame) -> Sums:
        rows = plies.with_columns(preceded_by(coins).alias(f"after_{coins}") for coins in COINS)
        return sums_by_pair(rows, dict(_tag_team_quantities()))


def _tag_team_quantities() -> Iterator[tuple[str, tuple[pl.Expr, pl.Expr]]]:
    loss = pl.col("loss")
    for team, focal in TEAMS.items():
        yield f"{team} senior", (loss, moves_of(focal=focal, senior=True))
        junior = moves_of(focal=focal, senior=False)
        yield f"{team} junior", (loss, junior)
        for coins in COINS:
            yield f"{team} junior after {coins}", (loss, junior & pl.col(f"after_{coins}"))
        for threshold in THRESHOLDS:
            errs = 100.0 * (loss.round(DECIMALS) >= threshold).cast(pl.Float64)
            for coin in ("1", "0"):
                yield f"{team} junior errs by {threshold} after {coin}", (errs, junior & pl.col(f"after_{coin}"))
        ahead = pl.col("wp_before") >= 0.5
        yield f"{team} junior, ahead", (loss, junior & ahead)
        yield f"{team} junior, behind", (loss, junior & ~ahead)


@dataclass(frozen=True, slots=True)
class HandBrainLosses(_Judged):
    """Tables 4 and 7.

    `alter savings`: against the hand's likeliest move, as table 4 has it. Those of table 7, by how brain and hand met
    (`alter savings, correction`), are against the move that the hand had drawn.
    """

    def sums(self, plies: pl.DataFrame) -> Sums:
        loss, unforced = pl.col("loss"), loss_after("wp_u_argmax")
        of_moves = {
            f"{team} {what}": (value, moves_of(focal=focal))
            for team, focal in TEAMS.items()
            for what, value in (("true", loss), ("unforced", unforced), ("savings", unforced - loss))
        }
        drawn: Unforced = "sampled"
        return sums_by_pair(plies, of_moves) | sums_by_pair(
            meetings(plies, unforced=drawn), dict(_meeting_quantities())
        )


def _meeting_quantities() -> Iterator[tuple[str, tuple[pl.Expr, pl.Expr]]]:
    for team, focal in TEAMS.items():
        moves = moves_of(focal=focal)
        for meeting in MEETINGS:
            met = pl.col("meeting") == meeting
            yield f"{team} share, {meeting}", (100.0 * met.cast(pl.Float64), moves)
            yield f"{team} savings, {meeting}", (pl.col("savings"), moves & met)
            yield f"{team} opponent's loss, {meeting}", (pl.col("next_loss"), moves & met)


@dataclass(frozen=True, slots=True)
class LossesByColour(_Judged):
    """The figures of the follow-up post: losses and blunders of both sides, and the lowest win
    probability of the focal side before its moves, with the focal side as White and as Black.
    """

    judge: JudgeSpec = DEPTH_10

    def sums(self, plies: pl.DataFrame) -> Sums:
        blunder = 100.0 * (pl.col("loss") >= BLUNDER).cast(pl.Float64)
        of_colour = {
            colour: (pl.col("white") == pl.col("focal")) == white
            for colour, white in (("White", True), ("Black", False))
        }
        of_moves = {
            f"{team} {what}, focal as {colour}": (value, moves_of(focal=focal) & here)
            for team, focal in TEAMS.items()
            for colour, here in of_colour.items()
            for what, value in (("loss", pl.col("loss")), ("blunders", blunder))
        }
        games = (
            plies.filter(moves_of(focal=True))
            .group_by("game")
            .agg(pl.col("pair", "white", "focal").first(), lowest=100.0 * pl.col("wp_before").min())
        )
        of_games = {f"{LOWEST}, focal as {colour}": (pl.col("lowest"), here) for colour, here in of_colour.items()}
        return sums_by_pair(plies, of_moves) | sums_by_pair(games, of_games)


@dataclass(frozen=True, slots=True)
class InducedLosses:
    """Table 6: `alter boards, focal senior` is what the junior's reply loses, had the focal senior moved on the boards
    of LEELA's team.
    """

    every: int
    """Plies from one board to the next; 1 in the paper."""
    judge: JudgeSpec = NEUTRAL
    of: str = "replies"

    def about(self) -> Mapping[str, Any]:
        return {"kind": type(self).__name__, "judge": _judge_alone(self.judge), "every": self.every}

    def measure(self, games: AnalysedGames, shelf: NetShelf, tell: OnProgress) -> Measured:
        with (
            closing(_judging(self.judge, games, shelf)) as judging,
            Choosers(shelf, games.folder / "choices", games.config) as choosers,
        ):
            boards = induced_boards(games, judging, choosers, self.every, on_progress=_told(tell))
            quantities = {
                f"{team} boards, {senior} senior": (pl.col(f"loss_{senior}"), pl.col("focal") == focal)
                for team, focal in TEAMS.items()
                for senior in TEAMS
            }
            return Measured(sums_by_pair(boards, quantities), {"judge": judging.name})


@dataclass(frozen=True, slots=True)
class Agreement:
    """Figure 5: `TREE and LEELA`, percent of the positions in which both choose the same move."""

    also: tuple[PlayerSpec, ...] = field(default=())
    """Players besides those of the match; each with limits of its own."""
    step: int = AGREEMENT_STEP
    of: str = "positions"

    def about(self) -> Mapping[str, Any]:
        return {"kind": type(self).__name__, "also": msgspec.to_builtins(list(self.also)), "step": self.step}

    def measure(self, games: AnalysedGames, shelf: NetShelf, tell: OnProgress) -> Measured:
        with Choosers(shelf, games.folder / "choices", games.config) as choosers:
            choices = agreement_choices(games, choosers, self.also, self.step, _told(tell))
        players = sorted(set(choices.columns) - {"pair"})
        same = {
            f"{one} and {other}": (100.0 * (pl.col(one) == pl.col(other)).cast(pl.Float64), pl.lit(value=True))
            for one, other in combinations(players, 2)
        }
        return Measured(sums_by_pair(choices, same), {})


def _judging(judge: JudgeSpec, games: AnalysedGames, shelf: NetShelf) -> Judging:
    claim_draws = games.config.claim_draws if games.config else False
    return Judging.open(judge, shelf, games.folder, claim_draws=claim_draws)


def _judge_alone(judge: JudgeSpec) -> dict[str, Any]:
    """The judge as plain values, without the number of its processes."""
    return {key: value for key, value in msgspec.to_builtins(judge).items() if key != "processes"}


def _told(tell: OnProgress) -> Callable[[AnalysisProgress], None]:
    """A callback that passes the progress of judging and choosing on to `tell`."""
    return lambda now: tell(EvidenceProgress("", now.done, now.total, now.job))
