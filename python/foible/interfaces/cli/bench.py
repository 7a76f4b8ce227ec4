"""`foible bench`."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from foible.fields import LARGEST
from foible.interfaces.bench.match import CHOSEN, GAMES, JOBS, PRESETS, bench_match
from foible.interfaces.bench.nets import BATCHES, bench_nets
from foible.interfaces.bench.pgn import bench_pgn
from foible.interfaces.bench.result import Benchmark, OnProgress, number
from foible.interfaces.bench.search import bench_search, bench_tree
from foible.interfaces.cli.options import Net, Precision, Runtime, Threads
from foible.interfaces.cli.output import Json, examples, print_json, print_table
from foible.interfaces.cli.progress import progress_line
from foible.nets import open_net
from foible.nets.choices import MASTER
from foible.runs.interrupt import interruptible

EXAMPLES = examples("foible bench tree", "foible bench search", "foible bench nets master maia-1100 --json")

bench = typer.Typer(
    help="How fast this machine is. Stop other work first: the spread tells whether you did.",
    no_args_is_help=True,
    epilog=EXAMPLES,
)
Repetitions = Annotated[int, typer.Option(min=1, help="How often everything is measured.")]


@bench.command("nets", epilog=EXAMPLES)
def nets(
    net: Annotated[list[str] | None, typer.Argument(metavar="[NET]...", help="Names or paths.")] = None,
    batch: Annotated[list[int] | None, typer.Option(min=1, help="Positions per call. May be repeated.")] = None,
    threads: Threads = None,
    repetitions: Repetitions = 5,
    json: Json = False,
) -> None:
    """Positions per second of nets by runtime, precision and batch, and of encoding positions on one core.

    Where there is an lc0 on the path, what lc0 backendbench measures stands beside it, with the ratios.
    """
    with _told() as tell:
        benchmark = bench_nets(
            net or [MASTER],
            precisions=("f32", "bf16", "int8"),
            batches=batch or BATCHES,
            threads=threads,
            repetitions=repetitions,
            on_progress=tell,
        )
    _show(benchmark, json=json)


@bench.command("search", epilog=EXAMPLES)
def search(
    net: Net = MASTER,
    games: Annotated[int, typer.Option(min=1, help="Games at once.")] = 64,
    nodes: Annotated[int, typer.Option(min=2, max=LARGEST, help="Visits of each of them.")] = 400,
    long_nodes: Annotated[int, typer.Option(min=2, max=LARGEST, help="Visits of the one game.")] = 10_000,
    long_batch: Annotated[int, typer.Option(min=1, help="Leaves per evaluation of the one game.")] = 64,
    runtime: Runtime = "auto",
    precision: Precision = "f32",
    threads: Threads = None,
    repetitions: Repetitions = 5,
    json: Json = False,
) -> None:
    """Visits per second of many games at once and of one long search, as shares of the net's raw speed.

    Takes some minutes. The evaluation cache is off, so that every visit costs an evaluation.
    """
    evaluator = open_net(net, runtime=runtime, precision=precision, threads=threads)
    with _told() as tell:
        benchmark = bench_search(
            evaluator,
            games=games,
            nodes=nodes,
            long_nodes=long_nodes,
            long_batch=long_batch,
            repetitions=repetitions,
            on_progress=tell,
        )
    _show(benchmark, json=json)


@bench.command("match", epilog=examples("foible bench match", "foible bench match stt-tree --games 64 --seconds 10"))
def match(
    preset: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[PRESET]...",
            help="Matches that come with foible; analysis or prep of a run; sweep or cells-in-turn.",
        ),
    ] = None,
    games: Annotated[
        list[int] | None, typer.Option(min=0, help="Games at once; 0: as many as a match chooses. May be repeated.")
    ] = None,
    nodes: Annotated[int, typer.Option(min=1, max=LARGEST, help="Visits per move.")] = 10,
    seconds: Annotated[float, typer.Option(min=1, help="Of each measurement.")] = 6.0,
    precision: Precision = "f32",
    threads: Threads = None,
    repetitions: Repetitions = 3,
    json: Json = False,
) -> None:
    """Evaluations per second of whole matches and of what follows them, as shares of the raw speed of their nets."""
    with _told() as tell:
        benchmark = bench_match(
            preset or (*PRESETS, *JOBS),
            games=games or (*GAMES, CHOSEN),
            nodes=nodes,
            seconds=seconds,
            precision=precision,
            threads=threads,
            repetitions=repetitions,
            on_progress=tell,
        )
    _show(benchmark, json=json)


@bench.command("tree", epilog=EXAMPLES)
def tree(
    visits: Annotated[
        int, typer.Option(min=2, max=LARGEST, help="Visits of a single search; 256 side by side have a twentieth each.")
    ] = 10_000,
    batch: Annotated[int, typer.Option(min=1, help="Leaves per evaluation.")] = 64,
    repetitions: Repetitions = 5,
    json: Json = False,
) -> None:
    """Visits per second of one search tree alone and of many side by side, and the memory that a tree takes."""
    with _told() as tell:
        benchmark = bench_tree(visits, batch, repetitions, tell)
    _show(benchmark, json=json)


@bench.command("pgn", epilog=examples("foible bench pgn", "foible bench pgn games.pgn.gz --games 500"))
def pgn(
    file: Annotated[Path | None, typer.Argument(help="Games; random ones when absent.")] = None,
    games: Annotated[int, typer.Option(min=1, help="How many of them.")] = 300,
    repetitions: Repetitions = 5,
    json: Json = False,
) -> None:
    """Reading PGN with legal replay, against python-chess on the same games."""
    with _told() as tell:
        benchmark = bench_pgn(file, games=games, repetitions=repetitions, on_progress=tell)
    _show(benchmark, json=json)


@contextmanager
def _told() -> Iterator[OnProgress]:
    """A callback that shows the progress of a benchmark as a line on the terminal.

    An interrupt ends the benchmark at once: a match in it would end alone, and the next be measured.
    """

    def stop() -> None:
        raise KeyboardInterrupt

    with progress_line("measurements") as line, interruptible(stop):
        yield lambda done, total, now: line.show("measuring", done, total, note=now)


def _show(benchmark: Benchmark, *, json: bool) -> None:
    if json:
        print_json(benchmark.to_json())
        return
    rows = [
        (
            row.name,
            number(row.median),
            f"{number(min(row.values))} – {number(max(row.values))}" if len(row.values) > 1 else "",
            row.unit,
            "" if row.target is None else f"≥ {number(row.target)}",
            {True: "met", False: "missed", None: ""}[row.met],
        )
        for row in benchmark.rows
    ]
    conditions = "; ".join(f"{name}: {value}" for name, value in benchmark.conditions.items())
    columns = ("", "median", "lowest – highest", "unit", "target", "")
    print_table(benchmark.title, columns, rows, note=conditions)
