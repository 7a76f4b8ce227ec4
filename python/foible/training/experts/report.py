"""Tables and figures as files: JSON and CSV for programs, one page of HTML with pictures for people.

The pictures show Elo over the regular net: by regime, of single experts (figure 6), by number of segments (figure 7).
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from jinja2 import Environment, PackageLoader, StrictUndefined

from foible._core import __version__
from foible.drawing import COLOURS, MARKS, Plot, new_canvas, open_frame, plain, plain_numbers, write_pictures
from foible.games.phases import PHASES
from foible.nets.gates import MoveGate
from foible.runs.files import csv_text, write_atomically
from foible.training.experts.config import ExpertsConfig
from foible.training.experts.matches import one_phase
from foible.training.experts.regimes import REGULAR
from foible.training.experts.tables import MIXTURE, NO_PHASES, SETS, LossRow, MatchRow
from foible.wording import signed

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PANEL_WIDTH, HEIGHT = 4.2, 3.6
"""Inches."""
SEPARATED = "separated"
"""The regime that experts of segments are compared with: its experts, too, learn from one part of the game alone."""
Draw = Callable[["Axes", Sequence[MatchRow], Sequence[str]], None]
"""Draws the rows of a panel; the players are those of all panels."""
LOSS_COLUMNS = ("regime", "expert", *SETS, f"{NO_PHASES} against regular")
MATCH_COLUMNS = ("experts", "nodes", "batch", "games", "W D L", "Elo [95 %]", "by seed")


def draw_all(config: ExpertsConfig, rows: Sequence[MatchRow]) -> list[Plot]:
    """All figures with at least one point to draw. A point is an Elo, which does not exist where all games of a match
    were won, or all lost.
    """
    rated = [row for row in rows if row.elo.value is not None]

    def played(names: Iterable[str]) -> list[MatchRow]:
        """The rows of the players with these names, in the order of the names."""
        return [row for name in names for row in rated if row.player == name]

    plots = []
    if shown := played(regime.name for regime in config.expert_regimes if not isinstance(regime.gate, MoveGate)):
        plots.append(_figure("regimes", "Regimes", shown, _lines))
    for regime in config.expert_regimes:
        if shown := played(one_phase(regime.name, phase) for phase in regime.gate.names):
            title = f"{regime.name}: one expert at a time (figure 6)"
            plots.append(_figure(f"one-phase-{regime.name}", title, played([regime.name]) + shown, _lines))
    if shown := played(f"moves-{count}" for count in config.move_counter):
        title = "Segments by the move counter (figure 7)"
        plots.append(_figure("move-counter", title, shown + played([SEPARATED]), _segments))
    return plots


def _lines(axes: "Axes", rows: Sequence[MatchRow], players: Sequence[str]) -> None:
    """Elo against visits, a line for each player."""
    for index, name in enumerate(players):
        points = [row for row in rows if row.player == name]
        _bars(axes, [row.nodes for row in points], points, index, name)
    axes.set_xscale("log")
    axes.set_xticks(sorted({row.nodes for row in rows}))
    plain_numbers(axes.xaxis)
    axes.set_xlabel("visits per move")


def _segments(axes: "Axes", rows: Sequence[MatchRow], players: Sequence[str]) -> None:
    """Elo against the number of segments, a line for each number of visits; for comparison the phases of lichess."""
    counts = {name: int(name.removeprefix("moves-")) for name in players if name != SEPARATED}
    phases = {SEPARATED: len(PHASES)}
    for index, nodes in enumerate(sorted({row.nodes for row in rows})):
        for ticks, label, style in (
            (counts, f"{nodes} visits", {}),
            (phases, f"{nodes} visits, phases of lichess", {"linestyle": "none", "markerfacecolor": "white"}),
        ):
            points = [row for row in rows if row.nodes == nodes and row.player in ticks]
            _bars(axes, [ticks[row.player] for row in points], points, index, label, **style)
    axes.set_xticks(sorted({len(PHASES), *counts.values()}))
    axes.set_xlabel("segments of the game")


def _bars(axes: "Axes", x: Sequence[int], rows: Sequence[MatchRow], index: int, label: str, **style: Any) -> None:
    """Draw the points of a line, with their 95 % intervals by pairs of games."""
    points = [(at, row.elo.value, row.elo) for at, row in zip(x, rows, strict=True) if row.elo.value is not None]
    if not points:
        return
    errors = [[value - elo.low for _, value, elo in points], [elo.high - value for _, value, elo in points]]
    usual = {"marker": MARKS[index % len(MARKS)], "color": COLOURS[index % len(COLOURS)], "linewidth": 1.2}
    style = {**usual, **style, "label": plain(label), "capsize": 3, "markersize": 5}
    axes.errorbar([at for at, *_ in points], [value for _, value, _ in points], errors, **style)


def _figure(name: str, title: str, rows: Sequence[MatchRow], draw: Draw) -> Plot:
    """A figure with a panel for each batch size, and one legend for all of them beside the last."""
    batches = sorted({row.batch for row in rows})
    players = list(dict.fromkeys(row.player for row in rows))
    canvas = new_canvas(1.6 + PANEL_WIDTH * len(batches), HEIGHT)
    panels = canvas.subplots(1, len(batches), sharey=True, squeeze=False)[0]
    for batch, axes in zip(batches, panels, strict=True):
        draw(axes, [row for row in rows if row.batch == batch], players)
        axes.set_title(f"batch size {batch}", fontsize=9)
        axes.axhline(0, color="0.5", linewidth=0.8)
        axes.grid(axis="y", color="0.9")
        open_frame(axes)
    panels[0].set_ylabel("Elo over the regular net (95 %)")
    shown = {label: line for axes in panels for line, label in zip(*axes.get_legend_handles_labels(), strict=True)}
    place: dict[str, Any] = {"loc": "center left", "bbox_to_anchor": (1.0, 0.5), "frameon": False, "fontsize": 8}
    panels[-1].legend(shown.values(), shown.keys(), **place)
    return Plot(name, title, "", canvas)


def write_report(config: ExpertsConfig, losses: Sequence[LossRow], matches: Sequence[MatchRow], folder: Path) -> None:
    """Write `experts.json`, `losses.csv`, `matches.csv`, `report.html` and the figures, as SVG and PNG.

    :raises OSError: one of them cannot be written.
    """
    plots = draw_all(config, matches)
    found = msgspec.json.format(msgspec.json.encode(to_json(losses, matches)), indent=2)
    write_atomically(folder / "experts.json", found + b"\n")
    write_atomically(folder / "losses.csv", csv_text(_loss_records(config, losses)))
    write_atomically(folder / "matches.csv", csv_text(_match_records(matches)))
    for plot in plots:
        write_pictures(plot.canvas, folder, plot.name)
    write_atomically(folder / "report.html", _page(config, losses, matches, plots))


def to_json(losses: Sequence[LossRow], matches: Sequence[MatchRow]) -> dict[str, Any]:
    """Both tables as plain values."""
    return {"losses": [row.to_json() for row in losses], "matches": [row.to_json() for row in matches]}


def loss_lines(losses: Sequence[LossRow]) -> list[tuple[str, ...]]:
    """Table 1 as text, by `LOSS_COLUMNS`; after ± stands half the difference between the seeds furthest apart."""
    regular = next((row.mean(NO_PHASES) for row in losses if row.regime == REGULAR), None)
    found = []
    for row in losses:
        own = row.mean(NO_PHASES)
        gain = None if own is None or regular is None or row.expert != MIXTURE else own - regular
        cells = (_with_spread(row, name) for name in SETS)
        found.append((row.regime, row.expert, *cells, "" if gain is None else signed(gain, 4)))
    return found


def match_lines(matches: Sequence[MatchRow]) -> list[tuple[str, ...]]:
    """The matches as text, by `MATCH_COLUMNS`."""
    return [
        (
            row.player,
            str(row.nodes),
            str(row.batch),
            str(row.games.n),
            " ".join(map(str, row.games.counts[::-1])),
            str(row.elo),
            ", ".join("–" if elo is None else signed(elo, 0) for elo in row.elo_by_seed),
        )
        for row in matches
        if row.games.n
    ]


def _with_spread(row: LossRow, name: str) -> str:
    mean, spread = row.mean(name), row.spread(name)
    if mean is None:
        return ""
    return f"{mean:.4f}" if spread is None else f"{mean:.4f} ± {spread / 2:.4f}"


def _loss_records(config: ExpertsConfig, losses: Sequence[LossRow]) -> list[Mapping[str, object]]:
    """The records of `losses.csv`, one for each net and seed."""
    return [
        {"regime": row.regime, "expert": row.expert, "seed": seed, **{name: found.get(name, "") for name in SETS}}
        for row in losses
        for seed, found in zip(config.seeds, row.by_seed, strict=True)
    ]


def _match_records(matches: Sequence[MatchRow]) -> list[Mapping[str, object]]:
    """The records of `matches.csv`, one for each match."""
    found: list[Mapping[str, object]] = []
    for row in matches:
        for one in row.to_json()["by_seed"]:
            wins, draws, losses = one["wdl"]
            found.append(
                {
                    "player": row.player,
                    "nodes": row.nodes,
                    "batch": row.batch,
                    "seed": one["seed"],
                    "games": one["games"],
                    "wins": wins,
                    "draws": draws,
                    "losses": losses,
                    "elo": one["elo"]["value"],
                    "elo_low": one["elo"]["low"],
                    "elo_high": one["elo"]["high"],
                }
            )
    return found


def _page(config: ExpertsConfig, losses: Sequence[LossRow], matches: Sequence[MatchRow], plots: Sequence[Plot]) -> str:
    pages = Environment(
        loader=PackageLoader("foible.training.experts"), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    return pages.get_template("experts.html").render(
        config=config,
        loss_columns=LOSS_COLUMNS,
        losses=loss_lines(losses),
        match_columns=MATCH_COLUMNS,
        matches=match_lines(matches),
        plots=plots,
        version=__version__,
    )
