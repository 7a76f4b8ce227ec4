"""`foible experts`: nets by phase, trained in several ways and measured against one net for everything."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.live import Live

from foible.files import check_folder
from foible.interfaces.cli import INTERRUPTED
from foible.interfaces.cli.output import Json, examples, print_json, print_table
from foible.training.experts.config import read_config
from foible.training.experts.report import LOSS_COLUMNS, MATCH_COLUMNS, loss_lines, match_lines, to_json
from foible.training.experts.run import CONFIG, Findings, News
from foible.training.experts.run import experts as run_experts

EPILOG = examples(
    "foible experts examples/experts.toml",
    "foible experts examples/experts.toml --out runs/phases --json",
)


def experts(
    config: Annotated[
        Path,
        typer.Argument(
            help="TOML file with data, net, regimes and matches; or the folder of an experiment.", show_default=False
        ),
    ],
    out: Annotated[
        Path | None, typer.Option(help="Folder; runs/NAME of the configuration when absent.", show_default=False)
    ] = None,
    as_json: Json = False,
) -> None:
    """Train a net for each phase of the game, and play them inside one search against one net for all phases.

    Regimes: separated, staged, weighted; matches over visits and batch sizes; all of it once for each seed. The folder
    holds report.html, experts.json, losses.csv, matches.csv, a run folder for every training and for every match. The
    same command, or the folder in the file's place, continues after a stop or a kill and prints what is known; a
    configuration that has grown goes on from there. Ctrl-C stops it.
    """
    again = config.is_dir()
    if again:
        check_folder(config, "experts")
    asked = read_config(config / CONFIG if again else config)
    folder = out or (config if again else Path("runs") / config.stem)
    console = Console(stderr=True, highlight=False)
    with Live(console=console, transient=True, auto_refresh=False) as line:

        def tell(news: News) -> None:
            if news.lasting:
                console.print(news.text, markup=False, soft_wrap=True)
            elif console.is_terminal:
                line.update(news.text, refresh=True)

        try:
            found = run_experts(asked, folder, tell)
        except KeyboardInterrupt:
            found = Findings([], [], complete=False)
    if as_json:
        print_json(to_json(found.losses, found.matches))
    else:
        if found.losses:
            print_table("test losses", LOSS_COLUMNS, loss_lines(found.losses), left=2)
        if found.matches:
            print_table(
                "against the regular net", MATCH_COLUMNS, match_lines(found.matches), spare=("by pairs", "W D L")
            )
        if found.losses or found.matches:
            Console(highlight=False).print(f"report, nets and games: {folder}", markup=False, soft_wrap=True)
    if not found.complete:
        console.print("stopped; the same command continues")
        raise typer.Exit(INTERRUPTED)
