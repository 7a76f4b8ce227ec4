"""Plots of strength and margin of victory by lambda, and of panel scores."""

from collections.abc import Mapping, Sequence
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING, Any

from foible.analysis.go.panel_scores import PanelScale, PanelScore
from foible.arena.go.config import GoMatchConfig, NetPlayer
from foible.arena.go.panel import net_names, one_spelling, recorded_names
from foible.arena.go.report import Cell, Mean, Statistics
from foible.drawing import COLOURS, MARKS, legend_above, new_axes, new_canvas, open_frame, plain, write_pictures
from foible.training.go.curve import bars

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PANEL_WIDTH, PANEL_HEIGHT = 4.6, 4.4
"""The size of one of the panels by lambda, in inches."""
APART = 0.12
"""The horizontal shift between two lines in the picture of panel scores; nets are 1 apart."""
STYLE = {"capsize": 3, "markersize": 5, "linewidth": 1.2}


def draw_by_lambda(cells: Sequence[Cell], config: GoMatchConfig, folder: Path) -> bool:
    """Write `lambda.svg` and `lambda.png`: win share and margins against lambda, a line for each net and opponent.

    Bars are one standard error up and down, where it is known. Returns whether anything was written: there must be a
    net that played with two lambdas.
    """
    lines = {label: points for label, points in _lines(cells, config).items() if len(points) > 1}
    if not lines:
        return False
    figure = new_canvas(3 * PANEL_WIDTH, PANEL_HEIGHT)
    panels = figure.subplots(1, 3)
    for (label, points), style in zip(lines.items(), _styles(), strict=False):
        statistics = [cell.statistics for cell in points.values()]
        for axes, means, scale in zip(panels, zip(*map(_means, statistics), strict=True), (100, 1, 1), strict=True):
            _error_bars(axes, list(points), means, scale, {**style, "label": label})
    for axes, what in zip(
        panels, ("win share (%)", "margin when won (points)", "margin, all games (points)"), strict=True
    ):
        axes.set_xlabel("lambda")
        axes.set_ylabel(what)
        open_frame(axes)
        axes.grid(axis="y", color="0.9")
    panels[0].set_ylim(-2, 102)
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", frameon=False, fontsize=8)
    games = sorted({len(cell.games) for points in lines.values() for cell in points.values()})
    number = f"{games[0]} to {games[-1]}" if len(games) > 1 else f"{games[0]}"
    title = f"Go on {config.size}×{config.size}, komi {config.komi:g}; n = {number} games a point"
    figure.suptitle(f"{title}; bars: ± one standard error", fontsize=10)
    write_pictures(figure, folder, "lambda")
    return True


def draw_scores(
    scores: Sequence[PanelScore], candidates: Mapping[str, NetPlayer], calibration: PanelScale, folder: Path
) -> None:
    """Write `panel.svg` and `panel.png`: scores in the order of the nets, a line for each lambda (SAI, §7, figure 8).

    Bars are one standard error up and down; the lines stand a little apart, so that bars do not hide each other.
    """
    figure, axes = new_axes()
    nets = list(dict.fromkeys(candidates[score.name].net for score in scores))
    lambdas = dict.fromkeys(candidates[score.name].lambdas[0] for score in scores)
    for index, (weight, style) in enumerate(zip(lambdas, _styles(), strict=False)):
        here = [score for score in scores if candidates[score.name].lambdas[0] == weight]
        shift = APART * (index - (len(lambdas) - 1) / 2)
        xs = [nets.index(candidates[score.name].net) + shift for score in here]
        values, errors = [score.value for score in here], [score.standard_error for score in here]
        axes.errorbar(xs, values, errors, label=f"lambda {weight:g}", **style)
    for value, label in ((calibration.ceiling, "wins all games"), (calibration.even, "wins half against everybody")):
        axes.axhline(value, color="0.6", linewidth=1, linestyle="--")
        axes.text(1.01, value, label, transform=axes.get_yaxis_transform(), va="center", fontsize=7)
    names = recorded_names(candidates)
    axes.set_xticks(range(len(nets)), [plain(names[net]) for net in nets], rotation=90, fontsize=7)
    axes.set_ylabel("panel score ± standard error")
    if len(lambdas) > 1:
        legend_above(axes)
    write_pictures(figure, folder, "panel")


def _lines(cells: Sequence[Cell], config: GoMatchConfig) -> dict[str, dict[float, Cell]]:
    """For each net, opponent and settings other than the first lambda, as a label: the cells by the first lambda."""
    players = ((config.players[cell.focal], cell) for cell in cells if cell.games)
    of_nets = [(player, cell) for player, cell in players if isinstance(player, NetPlayer)]
    spelling = one_spelling(player.net for player, _ in of_nets)
    names = net_names(list(dict.fromkeys(spelling.values())))
    lines: dict[str, dict[float, Cell]] = {}
    for player, cell in of_nets:
        # The label identifies the line fully: no two nets have the same name.
        what = f"{names[spelling[player.net]]}, {player.visits} visits{_weights(player)}{_unusual(player)}"
        lines.setdefault(plain(f"{what}, against {cell.opponent}"), {})[player.lambdas[0]] = cell
    return {label: dict(sorted(points.items())) for label, points in lines.items()}


def _weights(player: NetPlayer) -> str:
    """The player's lambdas and mus as text, without the first lambda, which the axis shows."""
    further = "".join(f", {weight:g}" for weight in player.lambdas[1:])
    mus = ", ".join(f"{weight:g}" for weight in player.mus)
    return (f", lambda x{further}" if further else "") + (f", mu {mus}" if any(player.mus) else "")


def _unusual(player: NetPlayer) -> str:
    """The player's settings that differ from the defaults, as text, without those that the label has already."""
    usual = NetPlayer(net=player.net, visits=player.visits, lambda_=player.lambda_, mu=player.mu)
    settings = [(name, getattr(player, name)) for name in NetPlayer.__struct_fields__]
    return "".join(
        f", {name}" if value is True else f", {name} {value}"
        for name, value in settings
        if value != getattr(usual, name)
    )


def _means(statistics: Statistics) -> tuple[Mean, Mean, Mean]:
    return statistics.share, statistics.margin_won, statistics.margin


def _error_bars(axes: "Axes", xs: Sequence[float], means: Sequence[Mean], scale: int, style: Mapping[str, Any]) -> None:
    known = [(x, mean.value, mean.standard_error) for x, mean in zip(xs, means, strict=True) if mean.value is not None]
    ys = [scale * value for _, value, _ in known]
    axes.errorbar([x for x, _, _ in known], ys, bars((error for _, _, error in known), scale), **style)


def _styles() -> "cycle[dict[str, Any]]":
    return cycle({"color": c, "marker": m, **STYLE} for c, m in zip(COLOURS, MARKS, strict=False))
