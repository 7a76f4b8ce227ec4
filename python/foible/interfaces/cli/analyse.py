"""`foible analyse`: who gave away how much, and what seniors and brains did to their partners."""

from itertools import takewhile
from pathlib import Path
from typing import Annotated, Literal

import typer

from foible.agents.spec import parse_player
from foible.analysis.quality.judging import DEFAULT_NODES
from foible.analysis.quality.quality_report import Analysis, Options, analyse as analyse_games
from foible.analysis.report_page import HOW_TO_READ, Table
from foible.analysis.workers import Workers
from foible.errors import ConfigError
from foible.interfaces.cli.options import AnyProcessor, On, PrecisionName, RuntimeName, input_path, is_stdin, judge_line
from foible.interfaces.cli.output import Console, Json, examples, print_json, print_table, say, stopped
from foible.interfaces.cli.progress import progress_line
from foible.judges.spec import QUICK, parse_judge
from foible.nets.choices import MOST_THREADS
from foible.nets.shelf import Runtimes
from foible.scale import open_executor

ANALYSE_EXAMPLES = examples(
    "foible analyse runs/stt-tree",
    "foible analyse runs/stt-tree --judge master@1500 --induced --every 5",
    "foible analyse runs/stt-tree --on processes:4",
    "foible analyse my-games.pgn --player 'Last, First'",
    "foible analyse games.pgn --player Stockfish --judge uci:stockfish:depth=10",
)

ModeName = Literal["q", "compat-2018", "compat-2019", "compat-2020"]


def analyse(
    source: Annotated[
        Path,
        typer.Argument(
            metavar="RUN",
            help='A run folder, or a PGN file (also packed); "-", with --out, is standard input.',
            show_default=False,
        ),
    ],
    judge: Annotated[
        str | None,
        typer.Option(
            help="Who judges: NET, NET@NODES, uci:COMMAND:depth=10, or a table of TOML.",
            show_default=f"the run's judge at {DEFAULT_NODES} nodes, else Stockfish at {QUICK:,} where it is "
            "installed, else master@100",
        ),
    ] = None,
    player: Annotated[str | None, typer.Option(help="The player of a PGN file to look at.", show_default=False)] = None,
    wp: Annotated[
        ModeName, typer.Option(help="Win probability: the judge's, or by way of lc0's centipawns of a year.")
    ] = "q",
    induced: Annotated[
        bool, typer.Option("--induced", help="Ask both seniors at every ply what they would have played (table 6).")
    ] = False,
    every: Annotated[int, typer.Option(min=1, help="With --induced: only at every so many plies.")] = 1,
    agreement: Annotated[
        bool, typer.Option("--agreement", help="Ask all players at every 20th ply who chooses like whom (figure 5).")
    ] = False,
    also: Annotated[
        list[str] | None,
        typer.Option(help="A further player for --agreement: NET, NET@NODES, or a table of TOML. May be repeated."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            help="Where the analysis is kept; RUN/analysis, or FILE.analysis beside a PGN file, when absent.",
            show_default=False,
        ),
    ] = None,
    runtime: Annotated[
        RuntimeName | None, typer.Option(help="What computes the nets.", show_default="as in the run")
    ] = None,
    precision: Annotated[
        PrecisionName | None, typer.Option(help="Arithmetic of the nets.", show_default="as in the run")
    ] = None,
    threads: Annotated[
        int | None, typer.Option(min=1, max=MOST_THREADS, help="Threads of the nets.", show_default=False)
    ] = None,
    on: On = "inline",
    any_processor: AnyProcessor = False,
    as_json: Json = False,
) -> None:
    """Judge every move of a run, or of a player's games in a PGN file, and say who lost how much.

    For tag teams: losses of seniors and juniors, tricking and helping; for hand and brain: savings and interactions;
    each with errors by pairs of games, and tests. The tables, as CSV and JSON, the judged moves, as
    Parquet, the games with evaluations and marks, games.pgn, and a page with figures, report.html, stand in
    RUN/analysis or, beside a PGN file, in FILE.analysis, in a folder of the judge's own.

    What was judged is kept: the same command continues after a stop, and judges only the new games of a run that has
    grown.
    """
    options = Options(
        judge=parse_judge(judge) if judge is not None else None,
        focal=player,
        mode=wp,
        induced=induced,
        every=every,
        agreement=agreement,
        also=tuple(parse_player(text) for text in also or ()),
        runtimes=_runtimes(runtime, precision, threads),
        folder=out,
    )
    if every != 1 and not induced:
        raise ConfigError("--every is for --induced")
    if out is None and is_stdin(source):
        raise ConfigError(f"{source}: standard input lies in no folder; name that of the analysis with --out")
    try:
        with open_executor(on) as executor, progress_line("positions") as line:
            workers = Workers(executor, any_processor) if executor else None
            analysis = analyse_games(
                input_path(source), options, lambda now: line.show(now.job, now.done, now.total), workers=workers
            )
    except KeyboardInterrupt:
        stopped()
    if as_json:
        print_json(analysis.with_speed())
    else:
        config = analysis.games.config
        say(judge_line(analysis.judge, asked=judge or (config is not None and config.judge is not None)))
        _print(analysis)


def _runtimes(runtime: RuntimeName | None, precision: PrecisionName | None, threads: int | None) -> Runtimes | None:
    if runtime is None and precision is None and threads is None:
        return None
    return Runtimes(runtime or "auto", precision or "auto", threads)


def _print(analysis: Analysis) -> None:
    print_table(analysis.title, ("", ""), analysis.summary(), left=2, note=f"In all tables: {HOW_TO_READ}.")
    for table in analysis.tables:
        left = _text_columns(table)
        print_table(f"\n{table.title}", table.columns, table.texts(), left=left, note=table.note)
    Console(highlight=False).print(f"\npage, tables and games: {analysis.folder}", soft_wrap=True)


def _text_columns(table: Table) -> int:
    """The number of columns, from the first on, that hold nothing but texts."""
    texts = takewhile(lambda cells: all(isinstance(cell, str) for cell in cells), zip(*table.rows, strict=True))
    return max(1, sum(1 for _ in texts))
