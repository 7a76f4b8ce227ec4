"""`foible go runs`: the learning curves of training runs side by side."""

from collections.abc import Iterator, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Annotated

import typer

from foible.analysis.go.learning_curves import CLOSE, LearningCurve, LearningCurves, Measure, learning_curves
from foible.analysis.go.learning_figure import By, draw
from foible.arena.go.cells import percent
from foible.files import write_atomically
from foible.interfaces.cli.output import Json, examples, print_json, print_table
from foible.interfaces.cli.pictures import Out, picture_file

EPILOG = examples(
    "foible go runs runs/train-5x5 --out curves.svg",
    "foible go runs runs/gated runs/ungated --by games --out curves.png",
    "foible go runs runs/train-7x7-* --panel runs/panel --out figure-4.svg",
)
SPARE = ("time", "generations", "beta")
"""What a narrow terminal does without, the first of them first."""


def go_runs(
    runs: Annotated[
        list[Path], typer.Argument(metavar="RUN...", help="Run folders of `foible go train`.", show_default=False)
    ],
    out: Out = None,
    panel: Annotated[
        Path | None,
        typer.Option(help="Run folder of `foible go panel` with scores of nets of these runs.", show_default=False),
    ] = None,
    by: Annotated[
        By,
        typer.Option(help="The picture's horizontal axis; games compare protocols whose generations differ in size."),
    ] = "generations",
    as_json: Json = False,
) -> None:
    """Learning curves of training runs, one line for each: strength, and alpha and beta of the empty board.

    Strength is the score on the scale of a panel (--panel; nets are known by the hashes of their files); else the share
    of the games won against the panel that the runs were trained with; else their own Elo. A line across shows the
    value of the empty board where it is known; of a single run the picture marks where its learning rate or its
    branching changed. Runs may be under way; all must be on one board.

    The table has the last generation of each run, and from which on alpha stays within a point of the known value.
    """
    picture = picture_file(out)
    found = learning_curves(runs, panel)
    if picture is not None:
        write_atomically(picture.path, draw(found, picture.kind, by))
    if as_json:
        print_json(found.to_json())
        return
    notes = [*found.remarks, *([f"picture: {out}"] if out else [])]
    title = f"training runs of Go on {found.size}×{found.size}"
    print_table(title, list(_columns(found)), _rows(found), note="\n".join(notes), spare=SPARE)


def _columns(found: LearningCurves) -> Iterator[str]:
    yield from ("run", "generations", "games", "alpha", "beta")
    if found.measure:
        yield found.measure
    if found.known_value is not None:
        yield f"{found.known_value} ± {CLOSE:g} from"
    yield "time"


def _rows(found: LearningCurves) -> Iterator[Sequence[object]]:
    for curve in found.curves:
        last = curve.last
        alpha = None if last.alpha is None else f"{last.alpha:+z.2f}"
        beta = None if last.beta is None else f"{last.beta:.3f}"
        strength = [_strength(curve, found.measure)] if found.measure else []
        settled = [curve.settled] if found.known_value is not None else []
        time = timedelta(seconds=round(curve.seconds))
        yield curve.name, last.generation, last.games, alpha, beta, *strength, *settled, time


def _strength(curve: LearningCurve, measure: Measure) -> str | None:
    """Of the last net that was measured, which is named where there are later ones."""
    point = curve.last_measured
    if point is None or point.strength is None:
        return None
    where = "" if point is curve.last else f" (generation {point.generation})"
    if measure == "panel share":
        return f"{percent(point.strength, point.error)}{where}"
    decimals = 3 if measure == "panel score" else 0
    error = "" if point.error is None else f" ± {point.error:.{decimals}f}"
    return f"{point.strength:.{decimals}f}{error}{where}"
