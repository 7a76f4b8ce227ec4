"""`foible go curve`: what nets say of a position at every komi."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
import typer

from foible._core import Bonus, GoPosition
from foible.analysis.go.komi_curve import KomiCurve, check_nets, komi_curve, spread
from foible.analysis.go.komi_figure import Panel, draw
from foible.errors import ConfigError
from foible.files import write_atomically
from foible.games.go import replayed
from foible.games.sgf import read_sgf
from foible.interfaces.cli.output import Json, examples, print_json, print_table
from foible.nets.catalogue import open_net
from foible.nets.go.evaluator import GoRuntimeNet

EPILOG = examples(
    "foible go curve game.sgf --net runs/train-5x5/gen-0040",
    "foible go curve problem.sgf --net runs/a/gen-0100 --net runs/b/gen-0100 --lambda 0.5 --out curve.png",
    "foible go curve game.sgf --move 12 --net black.txt.gz --komi 9.5 --json",
)
COLUMNS = ("net", "position", "Black's winrate", "mover's alpha", "beta", "mover's interval")
SUFFIXES: dict[str, Literal["svg", "png"]] = {".svg": "svg", ".png": "png"}


def go_curve(
    games: Annotated[
        list[Path], typer.Argument(help="SGF files; of each the end of the first line.", show_default=False)
    ],
    net: Annotated[
        list[str],
        typer.Option(help="A net for Go: a name, a path or a run folder; may be repeated.", show_default=False),
    ],
    move: Annotated[
        int | None, typer.Option(min=0, help="The position after so many moves.", show_default="the last")
    ] = None,
    komi: Annotated[float | None, typer.Option(help="In place of the file's.", show_default=False)] = None,
    lambda_: Annotated[float, typer.Option("--lambda", help="Of the agent whose interval is marked.")] = 0.5,
    mu: Annotated[float, typer.Option(help="The interval's other end.")] = 0.0,
    out: Annotated[Path | None, typer.Option(help="The picture, .svg or .png.", show_default=False)] = None,
    as_json: Json = False,
) -> None:
    """Black's winrate by komi, one curve for each net, with alpha, beta and bonus interval of the player to move.

    Each net's opinion is the mean over the eight symmetries of the board. Nets with a single value, which do not
    see the komi, are a dot at that of the position. With several nets the table ends with mean, deviation and range.
    """
    if out is not None and out.suffix not in SUFFIXES:
        raise ConfigError(f"{out}: expected the name of a picture, .svg or .png")
    nets = [_open(name) for name in net]
    bonus = Bonus(lambda_, mu)
    panels = []
    for path in games:
        position = _position(path, move, komi)
        check_nets(nets, position)
        panels.append(Panel(path.stem, position, [komi_curve(one, position, bonus) for one in nets]))
    if out is not None:
        write_atomically(out, draw(panels, SUFFIXES[out.suffix]))
    if as_json:
        print_json([_plain(panel) for panel in panels])
        return
    rows = [_row(panel, curve) for panel in panels for curve in panel.curves]
    notes = [note for panel in panels for note in _notes(panel)] + ([f"picture: {out}"] if out else [])
    print_table("winrate of Black at the komi", COLUMNS, rows, left=2, note="\n".join(notes))


def _open(name: str) -> GoRuntimeNet:
    found = open_net(name)
    if not isinstance(found, GoRuntimeNet):
        raise ConfigError(f"{name} is a net for chess; expected one for Go")
    return found


def _position(path: Path, move: int | None, komi: float | None) -> GoPosition:
    found = read_sgf(path)
    if not found:
        raise ConfigError(f"{path}: holds no game")
    position = found[0].position
    if move is not None:
        if move > position.ply:
            raise ConfigError(f"{path}: --move {move}: the game has {position.ply} moves")
        position = replayed(position, position.moves[:move])
    return position if komi is None else position.with_komi(komi)


def _row(panel: Panel, curve: KomiCurve) -> Sequence[object]:
    alpha = None if curve.alpha is None else f"{curve.alpha:+.2f}"
    beta = None if curve.beta is None else f"{curve.beta:.3f}"
    interval = curve.interval and f"{curve.interval[0]:+.2f} … {curve.interval[1]:+.2f}"
    return curve.net, panel.title, f"{curve.winrate:.1%}", alpha, beta, interval


def _notes(panel: Panel) -> Iterator[str]:
    """How far nets agree."""
    for name, values in _numbers(panel.curves):
        if found := spread(values):
            text = f"{found.mean:.3g} ± {found.sd:.2g} (sd), {found.least:.3g} to {found.greatest:.3g}"
            yield f"{panel.title}, {name} of {len(values)} nets: {text}"


def _numbers(curves: Sequence[KomiCurve]) -> Iterator[tuple[str, list[float]]]:
    yield "alpha", [curve.alpha for curve in curves if curve.alpha is not None]
    yield "beta", [curve.beta for curve in curves if curve.beta is not None]


def _plain(panel: Panel) -> dict[str, Any]:
    found: dict[str, Any] = {"position": panel.title, "komi": panel.position.komi, "turn": panel.position.turn}
    found["nets"] = [curve.to_json() for curve in panel.curves]
    for name, values in _numbers(panel.curves):
        found[name] = msgspec.to_builtins(spread(values))
    return found
