"""The work of `foible analyse`: from a run folder or a PGN file to judged moves, tables, figures (SVG) and one page."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import polars as pl

from foible.agents.spec import PlayerSpec
from foible.analysis.estimates import mean
from foible.analysis.quality import quality_tables
from foible.analysis.quality.analysed_games import AnalysedGames, read_games
from foible.analysis.quality.annotated_games import annotated_pgn, worst_table
from foible.analysis.quality.hypothetical_moves import (
    AGREEMENT_STEP,
    agreement_choices,
    agreement_matrix,
    agreement_players,
    induced_boards,
    induced_losses,
    members_of,
)
from foible.analysis.quality.judging import Judging, OnProgress, default_judge, positions_to_judge, silent
from foible.analysis.quality.move_losses import by_colour, losses, tag_team_losses, team_losses
from foible.analysis.quality.partners import (
    exceedance,
    hand_losses,
    interactions,
    loss_by_win_probability,
    tag_team_effects,
)
from foible.analysis.quality.player_choices import Choosers
from foible.analysis.quality.plies_table import ScoreOf, WpMode, table_of
from foible.analysis.quality.quality_figures import agreement_figure, bins_figure, exceedance_figure
from foible.analysis.report_page import Table, render_page
from foible.analysis.workers import Workers
from foible.arena.report import repetition_of
from foible.arena.stats import is_repetitive
from foible.drawing import Figure
from foible.errors import ConfigError
from foible.judges.spec import JudgeSpec
from foible.mistakes import visible
from foible.nets.shelf import NetShelf, Runtimes
from foible.runs.files import replacing, write_atomically
from foible.search.speed import Speed, recorded_speed, speed_of
from foible.toml import AnyPath, expand
from foible.wording import percent, results


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The questions that an analysis answers. The defaults need nothing but the judging of the games."""

    judge: JudgeSpec | None = None
    """The judge; when absent the run's own one if it names one, else the usual one."""
    focal: str | None = None
    """The player under test in a PGN file."""
    mode: WpMode = "q"
    induced: bool = False
    """Whether the seniors of two tag teams are asked for their moves, to see the losses that these induce (table 6)."""
    every: int = 1
    """The number of plies from one position where the seniors are asked to the next."""
    agreement: bool = False
    """Whether all players are asked for their moves in the same positions, to see how often they agree (figure 5)."""
    also: tuple[PlayerSpec, ...] = ()
    """Further players for figure 5."""
    runtimes: Runtimes | None = None
    """How nets are executed; as in the run when absent."""
    folder: AnyPath | None = None
    """The folder for the analysis; when absent, `AnalysedGames.folder`, inside the run or beside the PGN file."""


@dataclass(frozen=True, slots=True)
class Analysis:
    """The results of an analysis, and the folder that they are written to."""

    games: AnalysedGames
    judge: str
    mode: WpMode
    folder: Path
    plies: pl.DataFrame
    """One row per move, in the form of `plies_table.table_of`."""
    tables: tuple[Table, ...]
    figures: tuple[Figure, ...]
    speed: Speed | None = field(default=None, compare=False)
    """How fast the positions were judged, each counted as a ply; `None` where all had been judged before."""

    @property
    def title(self) -> str:
        """Who played whom, for headings."""
        return f"{self.games.focal} against {self.games.alter}"

    def summary(self) -> list[tuple[str, str]]:
        """Lines that sum up the analysis, each a heading and a text."""
        games, tally = self.games, self.games.tally
        repetition = repetition_of(games.different, len(games.games))
        lines = [("different games", repetition)] if repetition else []
        lines += [
            ("games", f"{len(games.games)} from {visible(str(games.source))}, {self.plies.height} moves judged"),
            ("judge", self.judge + ("" if self.mode == "q" else f"; win probability as {self.mode}")),
        ]
        if tally.n:
            tallied = results(*reversed(tally.counts))
            lines.append((f"win share of {games.focal}", f"{percent(tally.share, games.standard_error)} ({tallied})"))
        if games.contradicted:
            what = f"{games.contradicted} with another result than the rules give the last position; counted as written"
            lines.append(("results", what))
        if games.skipped:
            lines.append(("left out", f"{len(games.skipped)}: {games.skipped[0]}"))
        return lines

    def to_json(self) -> dict[str, Any]:
        """The results as plain values; shares are 0 to 1, losses in percentage points."""
        tally, different = self.games.tally, self.games.different
        repetitive = is_repetitive(different, len(self.games.games))
        return {
            "source": visible(str(self.games.source)),
            "focal": self.games.focal,
            "alter": self.games.alter,
            "judge": self.judge,
            "mode": self.mode,
            "games": len(self.games.games),
            "moves": self.plies.height,
            "share": tally.share,
            "standard_error": self.games.standard_error,
            "independent_error": None if repetitive else tally.standard_error or None,
            "different": different,
            "contradicted": self.games.contradicted,
            "skipped": list(self.games.skipped),
            "tables": {table.name: table.records() for table in self.tables},
            "folder": visible(str(self.folder)),
        }

    def with_speed(self) -> dict[str, Any]:
        """`to_json` and the speed, the only part in which two analyses of the same games differ."""
        return {**self.to_json(), "speed": self.speed and self.speed.to_json()}


def analyse(
    source: AnyPath,
    options: Options | None = None,
    on_progress: OnProgress = silent,
    *,
    workers: Workers | None = None,
) -> Analysis:
    """Judge the positions not judged before, compute the statistics, and write all into the judge's analysis folder.

    :param workers: the workers that judge and choose; when absent this process does, with the same results.
    :raises FoibleError: there is nothing to analyse, a judge or a player cannot be had, or the options do not fit the
        games.
    """
    options = options or Options()
    games = read_games(source, options.focal)
    if options.every < 1:
        raise ConfigError(f"every = {options.every}: expected at least 1, which is every ply")
    config = games.config
    as_in_run = config.runtimes if config else Runtimes(precision="auto")
    shelf = NetShelf(options.runtimes or as_in_run)
    folder = games.folder if options.folder is None else expand(options.folder)
    claim_draws = config.claim_draws if config else False
    judge = options.judge or default_judge(games)
    with Choosers(shelf, folder / "choices", config, workers) as choosers:
        _check_players(games, options, choosers)
        judging = Judging.open(judge, shelf, folder, claim_draws=claim_draws, workers=workers)
        try:
            judged, speed = speed_of(lambda: judging.judge(lambda: positions_to_judge(games.games), on_progress))
            analysis = _analysis(games, options, judging, choosers, on_progress)
            if judged:
                analysis = replace(analysis, speed=replace(speed, plies=judged))
            write(analysis, judging.score)
        finally:
            judging.close()
    return analysis


def _check_players(games: AnalysedGames, options: Options, choosers: Choosers) -> None:
    """Check the players that the options ask for, before anything is judged or written.

    :raises FoibleError: the players do not fit the games, or one cannot be had.
    """
    if options.induced:
        members_of(games, choosers)
    if options.agreement or options.also:
        agreement_players(games, choosers, options.also)


def _analysis(
    games: AnalysedGames, options: Options, judging: Judging, choosers: Choosers, on_progress: OnProgress
) -> Analysis:
    plies = table_of(games.games, judging.score, options.mode)
    focal, alter = _labels(games)
    found: list[Table] = []
    drawn: list[Figure] = []
    for table, figure in _statistics(plies, focal, alter):
        found.append(table)
        drawn += [figure] if figure else []
    if options.mode != "q":
        found.append(_modes(table_of(games.games, judging.score), plies, options.mode, focal, alter))
    if options.induced:
        boards = induced_boards(games, judging, choosers, options.every, options.mode, on_progress)
        found.append(quality_tables.induced_table(induced_losses(boards), focal, alter, options.every))
    if options.agreement or options.also:
        choices = agreement_choices(games, choosers, options.also, AGREEMENT_STEP, on_progress)
        matrix = agreement_matrix(choices)
        found.append(quality_tables.agreement_table(matrix))
        drawn.append(agreement_figure(matrix))
    found.append(worst_table(games, plies))
    return Analysis(games, judging.name, options.mode, judging.folder, plies, tuple(found), tuple(drawn))


def _statistics(plies: pl.DataFrame, focal: str, alter: str) -> Iterator[tuple[Table, Figure | None]]:
    """The tables, some with a figure, that the kind of the games allows."""
    if plies["senior"].null_count() < plies.height:
        clipped, raw = tag_team_losses(plies), tag_team_losses(plies, "loss_raw")
        yield quality_tables.tag_team_table(clipped, raw, focal, alter), None
        yield quality_tables.effects_table(tag_team_effects(plies), focal, alter), None
        of_alter, of_focal = exceedance(plies, focal=False), exceedance(plies, focal=True)
        figure = exceedance_figure(of_alter, of_focal, focal, alter)
        yield quality_tables.exceedance_table(of_alter, of_focal, focal, alter), figure
        bins = loss_by_win_probability(plies)
        yield quality_tables.bins_table(bins, focal, alter), bins_figure(bins, focal, alter)
    else:
        yield quality_tables.teams_table(team_losses(plies), team_losses(plies, "loss_raw"), focal, alter), None
    yield quality_tables.colours_table(by_colour(plies), focal, alter), None
    if "u_sampled" in plies.columns:
        argmax, sampled = (
            [hand_losses(plies, focal=team, unforced=form) for team in (False, True)] for form in ("argmax", "sampled")
        )
        yield quality_tables.hand_losses_table(argmax, sampled, focal, alter), None
        met_argmax, met_sampled = (
            [interactions(plies, focal=team, unforced=form) for team in (False, True)] for form in ("argmax", "sampled")
        )
        yield quality_tables.interactions_table(met_sampled, met_argmax, focal, alter), None


def _modes(in_q: pl.DataFrame, in_mode: pl.DataFrame, mode: str, focal: str, alter: str) -> Table:
    """The table of every member's mean loss under both definitions of win probability."""
    roles = (True, False) if in_q["senior"].null_count() < in_q.height else (None,)
    names = {True: ": senior", False: ": junior", None: ""}
    rows = [
        (
            f"{alter if not team else focal}{names[senior]}",
            mean(losses(in_q, focal=team, senior=senior)),
            mean(losses(in_mode, focal=team, senior=senior)),
        )
        for team in (False, True)
        for senior in roles
    ]
    return quality_tables.modes_table(rows, mode)


def _labels(games: AnalysedGames) -> tuple[str, str]:
    """Names for the focal and the alter side, with an addition that tells them apart where they are equal."""
    same = games.focal == games.alter
    return (f"{games.focal} (focal)", f"{games.alter} (alter)") if same else (games.focal, games.alter)


def write(analysis: Analysis, score: ScoreOf) -> None:
    """Write the page, the tables, the games and the moves, each file whole or not at all.

    `score`: the judge's verdict on any position of the games.
    """
    folder = analysis.folder
    with replacing(folder / "games.pgn") as file:
        for game in annotated_pgn(analysis.games, analysis.plies, score, analysis.judge):
            file.write(game.encode())
    for table in analysis.tables:
        write_atomically(folder / f"{table.name}.csv", table.csv())
    path = folder / "report.json"
    report = analysis.with_speed() if analysis.speed else {**analysis.to_json(), "speed": recorded_speed(path)}
    write_atomically(path, json.dumps(report, indent=2, ensure_ascii=False) + "\n")
    page = render_page(analysis.title, analysis.summary(), analysis.tables, analysis.figures, analysis.games.skipped)
    write_atomically(folder / "report.html", page)
    with replacing(folder / "plies.parquet") as file:
        analysis.plies.write_parquet(file)
