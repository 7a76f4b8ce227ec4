"""`foible match`: two teams, many games, one report."""

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Literal

import msgspec
import typer
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from foible.agents.spec import stand_ins
from foible.arena.config import read_config, read_preset, with_changes, with_odds
from foible.arena.match import Progress as MatchProgress
from foible.arena.play import play
from foible.arena.report import tally_games
from foible.arena.tables import render
from foible.errors import ConfigError
from foible.games.odds import ODDS
from foible.interfaces.cli import INTERRUPTED
from foible.interfaces.cli.output import Json, examples, print_json

EPILOG = examples(
    "foible match --preset stt-tree --games 20 --nodes 100",
    "foible match --preset queen-odds --nodes 50 --games 10",
    "foible match examples/researcher.toml --out runs/tree",
    "foible match examples/researcher.toml --out runs/tree --games 2000",
)


def match(
    config: Annotated[
        Path | None, typer.Argument(help="TOML file that describes the match.", show_default=False)
    ] = None,
    preset: Annotated[
        str | None,
        typer.Option(help="A match that comes with foible; `foible presets` lists them.", show_default=False),
    ] = None,
    games: Annotated[
        int | None, typer.Option(help="Games in all, in place of the configuration's.", show_default=False)
    ] = None,
    nodes: Annotated[
        int | None, typer.Option(help="Visits per move for all players that search.", show_default=False)
    ] = None,
    effort: Annotated[
        float | None, typer.Option(help="Factor on all visits: 0.1 plays with a tenth of them.", show_default=False)
    ] = None,
    openings: Annotated[
        Path | None, typer.Option(help="Book of a standard or odds match: EPD, PGN, or balanced.", show_default=False)
    ] = None,
    odds: Annotated[
        str | None,
        typer.Option(help=f"What the focal team gives in every game: {', '.join(ODDS)}.", show_default=False),
    ] = None,
    precision: Annotated[
        Literal["f32", "bf16"] | None, typer.Option(help="Of nets: bf16 is faster where it exists.", show_default=False)
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Seed of the match.", show_default=False)] = None,
    out: Annotated[
        Path | None,
        typer.Option(help="Run folder; runs/NAME of the configuration or preset when absent.", show_default=False),
    ] = None,
    as_json: Json = False,
) -> None:
    """Play two teams against each other and report win share, Elo, and who lost how much.

    The run folder holds config.toml, games.pgn, results.csv and report.json. The same command continues a run that
    was stopped or killed: no finished game is lost or played twice. Ctrl-C stops after the current move.
    """
    if (config is None) == (preset is None):
        raise ConfigError("give either a configuration file or --preset NAME; `foible presets` lists the names")
    asked = read_config(config) if config else read_preset(str(preset))
    asked = asked if odds is None else with_odds(asked, odds)
    book = {"file": str(openings)} if openings else None
    asked = with_changes(asked, games=games, nodes=nodes, effort=effort, openings=book, precision=precision, seed=seed)
    folder = out or Path("runs") / (config.stem if config else str(preset))
    console = Console(stderr=True, highlight=False)
    say_stand_ins([asked], console)
    bar = _bar(console)
    try:
        report = play(asked, folder, lambda now: _show(bar, now))
    finally:
        if bar.task_ids:
            bar.stop()
    if report is not None and as_json:
        print_json(report.to_json())
    elif report is not None:
        Console().print(render(report))
        Console(highlight=False).print(f"games, configuration and report: {folder}", markup=False, soft_wrap=True)
    played = report.games.n if report else 0
    if played < 2 * asked.pairs:
        console.print(f"stopped after {played} of {2 * asked.pairs} games; the same command continues")
        raise typer.Exit(INTERRUPTED)


def _show(bar: Progress, now: MatchProgress) -> None:
    """Move the bar; it appears with the first news, at what earlier runs had finished."""
    if not bar.task_ids:
        bar.add_task("match", total=now.total, completed=len(now.finished) - now.new, note="")
        bar.start()
    bar.update(bar.task_ids[0], completed=len(now.finished), note=_note(now))


def _bar(console: Console) -> Progress:
    columns = (
        MofNCompleteColumn(),
        TextColumn("games"),
        BarColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
    )
    return Progress(*columns, TimeRemainingColumn(), TextColumn("{task.fields[note]}"), console=console)


def _note(now: MatchProgress) -> str:
    rate = f"{now.plies / now.seconds:.0f} plies/s" if now.seconds else ""
    tally = tally_games(now.finished)
    if tally.n < 8 or tally.share is None or tally.standard_error is None:
        return rate
    return f"{rate}  focal {100 * tally.share:.1f} ± {100 * tally.standard_error:.1f} %"


def say_stand_ins(configs: Iterable[msgspec.Struct], console: Console) -> None:
    """Tell which nets play in place of which."""
    for wanted, found in sorted(set().union(*map(stand_ins, configs))):
        console.print(f"{wanted} is not on this machine: {found} plays in its place", style="yellow", markup=False)
        advice = f"  (foible nets get {wanted}, or name its folder in FOIBLE_NETS)"
        console.print(advice, style="yellow", markup=False)
