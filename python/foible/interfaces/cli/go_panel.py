"""`foible go panel`: the strength of nets on the scale of a panel, and whether they beat each other in cycles."""

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from foible.analysis.go.measure import CALIBRATION, measure
from foible.analysis.go.panel import Calibration
from foible.analysis.go.scores import PanelResults
from foible.arena.go.panel import nets_in, panel_match
from foible.arena.go.panel_names import recorded_players
from foible.interfaces.cli.go_match import play_on, print_standings, say_if_stopped, say_where
from foible.interfaces.cli.options import Threads
from foible.interfaces.cli.output import Json, examples, print_json, print_table

EPILOG = examples(
    "foible go panel runs/a/gen-*/net.txt.gz --panel nets/panel --calibrate --out runs/panel",
    "foible go panel new.txt.gz --panel nets/panel --out runs/panel",
    "foible go panel new.txt.gz --panel p1.txt.gz --panel p2.txt.gz --lambda 0 --lambda 0.5 --out runs/other",
)
COLUMNS = ("net", "mean win share", "score")


def go_panel(
    candidates: Annotated[list[str], typer.Argument(metavar="NET...", help="Nets to measure.", show_default=False)],
    panel: Annotated[
        list[str],
        typer.Option(
            metavar="NET",
            help="A net of the panel, or a folder of them, such as that of a training; may be repeated.",
            show_default=False,
        ),
    ],
    out: Annotated[Path, typer.Option(help="Run folder.", show_default=False)],
    games: Annotated[int, typer.Option(min=1, help="Of each net against each net of the panel.")] = 100,
    visits: Annotated[int, typer.Option(min=1, help="Per move, of all nets.")] = 100,
    weights: Annotated[
        list[float] | None,
        typer.Option("--lambda", help="Of the measured nets; repeat to measure each with several.", show_default="0"),
    ] = None,
    komi: Annotated[float, typer.Option(help="Points for White.")] = 9.5,
    size: Annotated[int, typer.Option(min=1, max=19, help="Points on a side of the board.")] = 7,
    plies: Annotated[
        int, typer.Option(min=0, max=100, help="Drawn at the start of each game, by the first panel net's policy.")
    ] = 4,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the openings.")] = 0,
    everybody: Annotated[
        bool, typer.Option("--everybody", help="All nets play each other, which tells more of cycles.")
    ] = False,
    calibrate_now: Annotated[
        bool,
        typer.Option("--calibrate", help="Make the scale from these nets, with lambda 0; done once, best with many."),
    ] = False,
    calibration: Annotated[
        Path | None,
        typer.Option(help="A scale made before.", show_default=f"{CALIBRATION} of the run folder, if it is there"),
    ] = None,
    threads: Threads = None,
    as_json: Json = False,
) -> None:
    """Measure nets of Go by their games against a fixed panel of nets.

    The score is the first principal component of the win shares against the panel, found once from the nets that it is
    calibrated with: 0 is their average. The report also has Elo and tells which nets beat each other in cycles.

    The run folder holds what `foible go match` keeps, calibration.json, panel.json and a figure of the scores. The same
    command continues a run that was stopped or killed; further nets may be measured in the same folder,
    and the report is on all of them.
    """
    plan = panel_match(
        candidates,
        [net for place in panel for net in nets_in(place)],
        games=games,
        visits=visits,
        lambdas=weights or [0.0],
        komi=komi,
        size=size,
        plies=plies,
        seed=seed,
        everybody=everybody,
        threads=threads,
        recorded=recorded_players(out),
    )
    found = measure(plan, out, calibration=calibration, calibrate_now=calibrate_now, play=play_on)
    if as_json:
        print_json(found.to_json())
    else:
        print_table(_title(found.scale), COLUMNS, _rows(found.results, found.scale))
        if found.scale is None:
            typer.echo("no scale yet: --calibrate makes one from nets that all met the whole panel")
        print_standings(found.standings)
        say_where("games, report and figures", out)
    say_if_stopped(found.cells, plan.match)


def _title(scale: Calibration | None) -> str:
    if scale is None:
        return "win shares against the panel"
    ends = f"0: the average of {scale.nets} nets, {scale.even:+.2f}: even with all, {scale.ceiling:.2f}: wins all games"
    return f"panel scores ({ends})"


def _rows(results: PanelResults, scale: Calibration | None) -> Iterator[tuple[object, ...]]:
    scores = {score.name: score for score in results.scored(scale)} if scale else {}
    for name, share in zip(results.candidates, results.shares.mean(axis=1).tolist(), strict=True):
        score = scores.get(name)
        shown = score and f"{score.value:+.3f} ± {score.error:.3f}"
        yield name, None if math.isnan(share) else f"{100 * share:.1f} %", shown
