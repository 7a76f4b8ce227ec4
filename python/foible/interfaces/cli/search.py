"""`foible search`."""

from dataclasses import fields
from pathlib import Path
from typing import Annotated, Literal

import typer

from foible.games.jsonl import read_positions
from foible.interfaces.cli.inputs import open_lines, settings
from foible.interfaces.cli.options import Net, Positions, Precision, Runtime, Settings, Threads
from foible.interfaces.cli.output import examples, progress_bar, write_lines
from foible.nets import open_net
from foible.search.jsonl import search_lines
from foible.search.params import PRESETS, SearchParams

EPILOG = (
    examples(
        "foible search master positions.jsonl --nodes 800 --out searches.jsonl",
        "foible search material - --nodes 100 --set cpuct=3 --set fpu=absolute --set fpu_value=-1",
    )
    + "\n\nParameters and defaults: "
    + ", ".join(f"{f.name} {f.default}" for f in fields(SearchParams))
)


def search(
    net: Net,
    file: Positions,
    nodes: Annotated[int, typer.Option(min=1, max=2**32 - 1, help="Visits of each root.")],
    set_: Settings = None,
    preset: Annotated[Literal["lc0", "lc0-0.28"], typer.Option(help="Defaults to start from.")] = "lc0",
    out: Annotated[Path | None, typer.Option(help="Write here, once complete, instead of to the output.")] = None,
    runtime: Runtime = "auto",
    precision: Precision = "f32",
    threads: Threads = None,
) -> None:
    """Search positions: one JSON result per position, in order.

    {"id", "best": uci, "root": {"n", "q", "d"}, "moves": {uci: {"n", "q", "p"}}, "pv": […]}: visits, value (−1 to
    1), draw probability and prior, for the side to move; best moves first. With batch 1 (the default) each search
    is PUCT to the letter, however many run at once. Where there is no legal move, best is null, n is 0, and q and d
    are the result's.
    """
    params = PRESETS[preset].with_settings(settings(set_ or ()))
    with open_lines(file) as (lines, name, total), progress_bar("positions", total, out) as move:
        evaluator = open_net(net, runtime=runtime, precision=precision, threads=threads)
        write_lines(search_lines(evaluator, read_positions(lines, name), params, nodes, move), out)
