"""`foible label`: what a teacher says of positions, as data to train on."""

from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from rich.filesize import decimal

from foible.errors import ConfigError
from foible.interfaces.cli.options import AnyProcessor, On, Precision, RuntimeName, Threads, check_files
from foible.interfaces.cli.output import Console, Json, examples, print_json, print_table, stopped
from foible.interfaces.cli.progress import ProgressLine, progress_line
from foible.scale import open_executor
from foible.training.data.sources import SourceCounts
from foible.training.labels.config import FORMS, LabelConfig, parse_teacher
from foible.training.labels.labelling import label as label_sources
from foible.training.labels.run import LabelProgress, LabelReport
from foible.wording import percent

LABEL_EXAMPLES = examples(
    "foible label examples/games.pgn --teacher master --out runs/labels",
    "foible label games.pgn.xz --teacher levels --positions 1000000 --out runs/people",
    "foible label games.pgn.xz --teacher master@100 --out runs/searched",
    "foible label games.pgn.xz --teacher uci:stockfish:nodes=2000 --out runs/judged",
    "foible label games.pgn.xz --teacher master@100 --out runs/searched --on processes:4",
)


def label(
    sources: Annotated[
        list[Path],
        typer.Argument(
            metavar="SOURCE...",
            help="PGN and EPD files, also packed; folders of matches, self-play and labels.",
            show_default=False,
        ),
    ],
    teacher: Annotated[str, typer.Option(help=f"Who is asked: {FORMS}; or a table of TOML.", show_default=False)],
    out: Annotated[Path, typer.Option(help="Folder of the labels.", show_default=False)],
    positions: Annotated[
        int | None, typer.Option(min=1, help="So many positions, drawn at random.", show_default="all")
    ] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Of that draw.", show_default="1")] = None,
    runtime: Annotated[RuntimeName, typer.Option(help="What computes the nets.")] = "auto",
    precision: Precision = "auto",
    threads: Threads = None,
    on: On = "inline",
    any_processor: AnyProcessor = False,
    as_json: Json = False,
) -> None:
    """Ask a teacher about the positions of games: how they are to be played, and what they are worth.

    The folder holds the games (games/) and a row for each of their moves (plies/), as Parquet, in the form in which
    self-play keeps them; `foible train` learns from it as from any source. The same position is asked about once. The
    same command continues after a stop or a kill, and ends with the same labels. Only the positions under way are asked
    about again, of each worker some 1024 by a search or an engine, some 8192 by nets.
    """
    check_files(sources)
    if seed is not None and positions is None:
        raise ConfigError(f"--seed {seed}: expected --positions with it")
    config = LabelConfig(
        sources=[str(source) for source in sources],
        teacher=parse_teacher(teacher),
        positions=positions,
        seed=1 if seed is None else seed,
        runtime=runtime,
        precision=precision,
        threads=threads,
    )
    console = Console(stderr=True, highlight=False)
    with open_executor(on) as executor, progress_line("positions") as line:
        show, say = partial(_show, line), partial(_say, console)
        report = label_sources(config, out, show, say, executor=executor, any_processor=any_processor)
    if as_json:
        print_json(report.to_json())
    else:
        _print(report, out)
    if report.labelled < report.wanted:
        stopped(f"after {report.labelled} of {report.wanted} positions")


def _say(console: Console, read: SourceCounts) -> None:
    console.print(str(read), soft_wrap=True)


def _show(line: ProgressLine, now: LabelProgress) -> None:
    line.show("label", now.done, now.total)


def _print(report: LabelReport, folder: Path) -> None:
    rows = [
        ("teacher", report.teacher),
        ("games", f"{report.games}, {report.positions} positions"),
        ("labelled", f"{report.labelled}, {report.different} of them different"),
    ]
    if report.agreement is not None:
        rows.append(("first choice played", percent(report.agreement)))
    if report.nats is not None:
        rows += [
            ("entropy", f"{report.nats:.3f} nats"),
            ("size", f"{decimal(report.bytes)}, {report.bytes / report.labelled:.0f} bytes a position"),
        ]
    print_table("labels", ("", ""), rows, left=2, note=f"tables: {folder}")
