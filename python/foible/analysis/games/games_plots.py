"""Plots of repeated games by full move and of material difference by ply, with one line for each file; and the figures
of the paper on game phases (phase-experts §5, figures 2 and 8 to 13).
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import cycle
from typing import TYPE_CHECKING, Any

from foible.analysis.games.game_files import GameSet
from foible.analysis.games.game_phases import LAST_PLY, Box, PhaseSummary
from foible.analysis.games.games_tables import WON
from foible.drawing import Plot, legend_above, new_axes, plain
from foible.games.phases import PHASES
from foible.wording import percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLOURS = ("#2166ac", "#b35806", "#1b7837", "#762a83", "#555555", "#d6604d")
DASHES = ("-", "--", ":", "-.")
"""Line styles; combined with the colours, they also let the colour-blind tell files apart."""
ENDURING = 0.1
"""The least share of a file's games that must last to a ply for the mean at that ply to be drawn."""
LEAST_MOVES = 10
"""The least number of full moves on the axis of repeated games."""


def repeated_plot(sets: Sequence[GameSet]) -> Plot:
    """The share of repeated games by full move (search-contempt §4)."""
    canvas, axes = new_axes()
    last = max(LEAST_MOVES, *(games.summary.settled + 1 for games in sets))
    for games, style in zip(sets, _styles(), strict=False):
        moves = range(1, last + 1)
        axes.plot(moves, [100 * games.summary.repeated_at(move) for move in moves], label=_label(games), **style)
    axes.set_xlabel("full move")
    axes.set_ylabel("games repeated up to it (%)")
    axes.set_xlim(1, last)
    axes.set_ylim(-2, 102)
    legend_above(axes)
    note = "Percent of the games whose moves up to that full move are those of another game of the same set."
    return Plot("repeated", "Repeated games", note, canvas)


def material_plot(sets: Sequence[GameSet]) -> Plot:
    """The mean material difference by ply."""
    canvas, axes = new_axes()
    for games, style in zip(sets, _styles(), strict=False):
        material = games.summary.material
        plies = sum(lasting >= ENDURING * games.summary.games for lasting in material.lasting)
        axes.plot(range(1, plies + 1), material.by_ply[:plies], label=_label(games), **style)
    axes.set_xlabel("ply")
    axes.set_ylabel("mean material difference (pawns)")
    axes.set_ylim(bottom=0)
    legend_above(axes)
    note = f"Mean over the games that last so long, to the ply that {percent(ENDURING, digits=0)} of them reach."
    return Plot("material", "Material difference by ply", note, canvas)


def _styles() -> Iterator[dict[str, Any]]:
    for colour, dashes in zip(cycle(COLOURS), cycle(DASHES), strict=False):
        yield {"color": colour, "linestyle": dashes, "linewidth": 1.5}


def _label(games: GameSet) -> str:
    return plain(f"n = {games.summary.games} games of {games.name}")


PHASE_COLOURS = ("#1b7837", "#2166ac", "#b35806")
"""The colours of opening, middlegame and endgame."""
RESULT_COLOURS = ("#f0e4c8", "#9a9a9a", "#333333")
"""The colours of White's wins, draws and Black's wins."""


def phases_plots(phases: PhaseSummary) -> list[Plot]:
    """The plots of the phases, each under the name of its table."""
    return [
        counts_plot(phases),
        results_plot(phases),
        starts_plot(phases),
        by_ply_plot(phases),
        box_plot("mixedness", "Mixedness by move", "mixedness", phases.mixedness),
        box_plot("majors_and_minors", "Pieces by move", "queens, rooks, bishops, knights", phases.majors_and_minors),
        sparse_plot(phases),
    ]


def by_ply_plot(phases: PhaseSummary) -> Plot:
    """Figure 2: positions of each phase by half-move, the mean starts of middlegame and endgame as lines."""
    canvas, axes = new_axes()
    _by_half_move(axes, "positions")
    moves = [ply / 2 for ply in range(1, LAST_PLY + 1)]
    for phase, positions, colour in zip(PHASES, phases.by_ply, PHASE_COLOURS, strict=True):
        axes.step(moves, positions, where="mid", color=colour, label=phase)
        axes.fill_between(moves, positions, step="mid", color=colour, alpha=0.25, linewidth=0)
    for phase, start, colour in list(zip(PHASES, phases.starts, PHASE_COLOURS, strict=True))[1:]:
        if start.value is not None:
            axes.axvline(start.value, color=colour, linestyle="--", label=f"mean start of the {phase}")
    axes.legend(frameon=False, fontsize=8)
    note = f"Positions at plies 1 to {LAST_PLY}, each phase counted from the axis."
    return Plot("phases_by_ply", "Positions of each phase by move", note, canvas)


def starts_plot(phases: PhaseSummary) -> Plot:
    """Figure 11: moves at which phases start."""
    canvas, axes = new_axes()
    _by_half_move(axes, "games")
    for phase, games, colour in list(zip(PHASES, phases.start_moves, PHASE_COLOURS, strict=True))[1:]:
        axes.bar([move + 0.5 for move in range(len(games))], games, 1, color=colour, alpha=0.6, label=phase)
    legend_above(axes)
    return Plot("phase_starts", "Start of the phases", "Games whose phase starts in that move.", canvas)


def box_plot(name: str, title: str, quantity: str, boxes: Mapping[int, Box]) -> Plot:
    """Box plots of a quantity by move (figures 8 and 9)."""
    canvas, axes = new_axes()
    shapes = [
        {"whislo": box.low, "q1": box.quartiles[0], "med": box.quartiles[1], "q3": box.quartiles[2], "whishi": box.high}
        for box in boxes.values()
    ]
    if shapes:  # matplotlib draws no empty row
        axes.bxp(shapes, positions=list(boxes), widths=2.5, showfliers=False, medianprops={"color": PHASE_COLOURS[2]})
    axes.set_xlabel("move")
    axes.set_ylabel(quantity)
    axes.set_ylim(bottom=0)
    note = "Boxes: the middle half; whiskers: the farthest within one and a half boxes; what is beyond is not shown."
    return Plot(name, title, note, canvas)


def sparse_plot(phases: PhaseSummary) -> Plot:
    """Figure 10: the share of positions with a sparse backrank."""
    canvas, axes = new_axes()
    _by_half_move(axes, "positions with a sparse backrank (%)")
    plies = [ply for ply in range(1, LAST_PLY + 1) if phases.lasting(ply)]
    shares = [100 * phases.sparse_by_ply[ply - 1] / phases.lasting(ply) for ply in plies]
    axes.plot([ply / 2 for ply in plies], shares, color=PHASE_COLOURS[1])
    axes.set_ylim(-2, 102)
    return Plot("sparse_backrank", "Sparse backranks by move", "Of the games that last so long.", canvas)


def results_plot(phases: PhaseSummary) -> Plot:
    """Figure 12: results of the games that reach each phase."""
    canvas, axes = new_axes()
    below = [0.0] * len(PHASES)
    for (result, name), colour in zip(WON, RESULT_COLOURS, strict=True):
        shares = [100 * counts[result] / max(1, sum(counts.values())) for counts in phases.results]
        axes.bar(PHASES, shares, 0.6, bottom=below, color=colour, edgecolor="#555555", linewidth=0.5, label=name)
        below = [low + share for low, share in zip(below, shares, strict=True)]
    axes.set_ylabel("games that reach the phase (%)")
    legend_above(axes)
    return Plot("phase_results", "Results of the games that reach a phase", "Games with a result.", canvas)


def counts_plot(phases: PhaseSummary) -> Plot:
    """Figure 13: games and positions of each phase."""
    canvas, axes = new_axes()
    places = range(len(PHASES))
    games = [100 * reaching / max(1, phases.games) for reaching in phases.reaching]
    shares = [100 * count / max(1, sum(phases.positions)) for count in phases.positions]
    axes.bar([place - 0.2 for place in places], games, 0.4, color="#2166ac", label="games that reach it")
    axes.bar([place + 0.2 for place in places], shares, 0.4, color="#b35806", label="positions")
    axes.set_xticks(list(places), PHASES)
    axes.set_ylabel("%")
    legend_above(axes)
    return Plot("phases", "Phases of the game", "Percent of all games and of all positions.", canvas)


def _by_half_move(axes: "Axes", quantity: str) -> None:
    axes.set_xlabel("move")
    axes.set_ylabel(quantity)
    axes.set_xlim(0, (LAST_PLY + 1) / 2)
