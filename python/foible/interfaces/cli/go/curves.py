"""`foible go runs`: learning curves of training runs; and `foible go curve`: winrates of a position by komi."""

import sys
from collections.abc import Iterator, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer

from foible._core import Bonus, GoPosition
from foible.analysis.go import draw_komi_curves, draw_learning_curves
from foible.analysis.go.komi_curve import CurvePanel, NetOpinion, Spread, check_nets, opinion_of, spread
from foible.analysis.go.learning_figure import By
from foible.analysis.go.run_comparison import CLOSE, LearningCurve, LearningCurves, Measure, learning_curves
from foible.errors import ConfigError
from foible.games.sgf import read_sgf, walk_sgf
from foible.interfaces.cli.options import STDIN, Out, picture_file
from foible.interfaces.cli.output import Json, examples, print_json, print_table
from foible.nets.catalogue import open_net
from foible.nets.go.evaluator import GoRuntimeNet
from foible.runs.files import write_atomically
from foible.wording import percent, signed

RUNS_EXAMPLES = examples(
    "foible go runs runs/train-5x5 --out curves.svg",
    "foible go runs runs/gated runs/ungated --by games --out curves.png",
    "foible go runs runs/train-7x7-* --panel runs/panel --out figure-4.svg",
)
SPARE = ("time", "generations", "beta")
"""Columns left out on a narrow terminal, in this order."""


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
        By | None,
        typer.Option(
            help="The picture's horizontal axis; games compare protocols whose generations differ in size.",
            show_default="generations",
        ),
    ] = None,
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
    if picture is None and by is not None:
        raise ConfigError(f"--by {by}: is for the picture; expected --out with it")
    found = learning_curves(runs, panel)
    if picture is not None:
        write_atomically(picture.path, draw_learning_curves(found, picture.kind, by or "generations"))
    if as_json:
        print_json(found.to_json())
        return
    notes = [*found.remarks, *([f"picture: {out}"] if out else [])]
    title = f"training runs of Go on {found.size}×{found.size}"
    print_table(title, list(_run_columns(found)), _run_rows(found), note="\n".join(notes), spare=SPARE)


def _run_columns(found: LearningCurves) -> Iterator[str]:
    yield from ("run", "generations", "games", "alpha", "beta")
    if found.measure:
        yield found.measure
    if found.known_value is not None:
        yield f"{found.known_value} ± {CLOSE:g} from"
    yield "time"


def _run_rows(found: LearningCurves) -> Iterator[Sequence[object]]:
    for curve in found.curves:
        last = curve.last
        alpha = None if last.alpha is None else signed(last.alpha, 2)
        beta = None if last.beta is None else f"{last.beta:.3f}"
        strength = [_strength(curve, found.measure)] if found.measure else []
        settled = [curve.settled] if found.known_value is not None else []
        time = timedelta(seconds=round(curve.seconds))
        yield curve.name, last.generation, last.games, alpha, beta, *strength, *settled, time


def _strength(curve: LearningCurve, measure: Measure) -> str | None:
    """The strength of the last net that was measured, with its generation where there are later nets."""
    point = curve.last_measured
    if point is None or point.strength is None:
        return None
    where = "" if point is curve.last else f" (generation {point.generation})"
    if measure == "panel share":
        return f"{percent(point.strength, point.standard_error)}{where}"
    decimals = 3 if measure == "panel score" else 0
    error = "" if point.standard_error is None else f" ± {point.standard_error:.{decimals}f}"
    return f"{signed(point.strength, decimals).removeprefix('+')}{error}{where}"


CURVE_EXAMPLES = examples(
    "foible go curve game.sgf --net runs/train-5x5/gen-0040",
    "foible go curve problem.sgf --net runs/a/gen-0100 --net runs/b/gen-0100 --lambda 0.5 --out curve.png",
    "foible go curve game.sgf --move 12 --net black.txt.gz --komi 9.5 --json",
    "cat problem.sgf | foible go curve - --net best.txt.gz",
)
CURVE_COLUMNS = ("net", "position", "komi", "Black's winrate", "mover's alpha", "beta", "mover's interval")
HOW_TO_READ = (
    "alpha: the margin on the board, in points, that the player to move expects; beta: how sure the net is of it; "
    "interval: the bonus points over which the winrate of that player is averaged"
)
SPREAD = ("position", "over all nets", "nets", "mean", "standard deviation", "min", "max")


def go_curve(
    games: Annotated[
        list[str],
        typer.Argument(
            help="SGF files, - for the standard input; of each the end of the first line.", show_default=False
        ),
    ],
    net: Annotated[
        list[str],
        typer.Option(help="A net for Go: a name, a path or a run folder; may be repeated.", show_default=False),
    ],
    move: Annotated[
        int | None, typer.Option(min=0, help="The position after so many moves.", show_default="the last")
    ] = None,
    komi: Annotated[
        float | None,
        typer.Option(
            help="In place of the file's; White gets the points for handicap stones besides.", show_default=False
        ),
    ] = None,
    lambda_: Annotated[float, typer.Option("--lambda", help="Of the agent whose interval is marked.")] = 0.5,
    mu: Annotated[float, typer.Option(help="The interval's other end.")] = 0.0,
    out: Out = None,
    as_json: Json = False,
) -> None:
    """Black's winrate by komi, one curve for each net, with alpha, beta and bonus interval of the player to move.

    Each net's opinion is the mean over the eight symmetries of the board. Nets with a single value, which do not
    see the komi, are a dot at that of the position. With several nets a second table has mean, deviation and range of
    alpha and beta.
    """
    picture = picture_file(out)
    nets = [_open(name) for name in net]
    bonus = Bonus(lambda_, mu)
    panels = []
    for file in games:
        position = _position(file, move, komi)
        check_nets(nets, position)
        title = "standard input" if file == STDIN else Path(file).stem
        panels.append(CurvePanel(title, position, [opinion_of(evaluator, position, bonus) for evaluator in nets]))
    if picture is not None:
        write_atomically(picture.path, draw_komi_curves(panels, picture.kind))
    if as_json:
        print_json([_panel_json(panel) for panel in panels])
        return
    rows = [_row(panel, opinion) for panel in panels for opinion in panel.opinions]
    note = "\n".join([HOW_TO_READ, *([f"picture: {out}"] if out else [])])
    print_table("Black's winrate at the komi", CURVE_COLUMNS, rows, left=2, note=note)
    if spreads := [row for panel in panels for row in _spread_rows(panel)]:
        print_table("how far the nets agree", SPREAD, spreads, left=2)


def _open(name: str) -> GoRuntimeNet:
    net = open_net(name)
    if not isinstance(net, GoRuntimeNet):
        raise ConfigError(f"{name} is no net for Go; expected one, such as go-7x7")
    return net


def _position(file: str, move: int | None, komi: float | None) -> GoPosition:
    source = sys.stdin.buffer.read() if file == STDIN else Path(file)
    game = next(read_sgf(source))
    position = game.position if move is None else _position_after(move, source, file)
    return position if komi is None else position.with_komi(komi + game.compensation)


def _position_after(moves: int, source: bytes | Path, file: str) -> GoPosition:
    """The position after so many moves of the first game, without its variations. Stones that are set up after a move
    belong to the position after it.
    """
    played, position = 0, None
    for node in walk_sgf(source):
        played += node.move is not None
        if played == moves:
            position = node.position
        if played > moves or not node.variations:
            break
    if position is None:
        raise ConfigError(f"{file}: --move {moves}: the game has {played} moves")
    return position


def _row(panel: CurvePanel, opinion: NetOpinion) -> Sequence[object]:
    row: tuple[object, ...] = (None, None, None)
    if curve := opinion.curve:
        start, end = curve.interval
        row = signed(curve.alpha, 2), f"{curve.beta:.3f}", f"{signed(start, 2)} … {signed(end, 2)}"
    return opinion.net, panel.title, f"{panel.position.komi:g}", percent(opinion.winrate), *row


def _spread_rows(panel: CurvePanel) -> list[Sequence[object]]:
    rows: list[Sequence[object]] = []
    for name, spread_of_nets in _spreads(panel).items():
        if spread_of_nets:
            numbers = spread_of_nets.mean, spread_of_nets.standard_deviation, spread_of_nets.min, spread_of_nets.max
            rows.append((panel.title, name, spread_of_nets.nets, *(f"{number:.3f}" for number in numbers)))
    return rows


def _spreads(panel: CurvePanel) -> dict[str, Spread | None]:
    curves = [opinion.curve for opinion in panel.opinions if opinion.curve]
    return {"alpha": spread([curve.alpha for curve in curves]), "beta": spread([curve.beta for curve in curves])}


def _panel_json(panel: CurvePanel) -> dict[str, Any]:
    nets = [opinion.to_json() for opinion in panel.opinions]
    spreads = msgspec.to_builtins(_spreads(panel))
    position = panel.position
    return {"position": panel.title, "komi": position.komi, "turn": position.turn, "nets": nets, **spreads}
