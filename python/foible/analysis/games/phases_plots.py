"""The figures of the paper on game phases (phase-experts §5, figures 2 and 8 to 13)."""

from collections.abc import Mapping

from matplotlib.axes import Axes

from foible.analysis.drawing import legend_above, new_axes
from foible.analysis.games.phases import LAST_PLY, Box, PhaseSummary
from foible.analysis.games.phases_tables import WON
from foible.analysis.games.plots import Plot
from foible.games.phases import PHASES

COLOURS = ("#1b7837", "#2166ac", "#b35806")
"""Of the phases."""
RESULT_COLOURS = ("#f0e4c8", "#9a9a9a", "#333333")
"""Of White's wins, draws, Black's wins."""


def phases_plots(found: PhaseSummary) -> list[Plot]:
    """Each has the name of its table."""
    return [
        counts_plot(found),
        results_plot(found),
        starts_plot(found),
        by_ply_plot(found),
        box_plot("mixedness", "Mixedness by move", "mixedness", found.mixedness),
        box_plot("majors_and_minors", "Pieces by move", "queens, rooks, bishops, knights", found.majors_and_minors),
        sparse_plot(found),
    ]


def by_ply_plot(found: PhaseSummary) -> Plot:
    """Figure 2: positions of each phase by half-move, the mean starts of middlegame and endgame as lines."""
    canvas, axes = new_axes()
    _by_half_move(axes, "positions")
    moves = [ply / 2 for ply in range(1, LAST_PLY + 1)]
    for phase, positions, colour in zip(PHASES, found.by_ply, COLOURS, strict=True):
        axes.step(moves, positions, where="mid", color=colour, label=phase)
        axes.fill_between(moves, positions, step="mid", color=colour, alpha=0.25, linewidth=0)
    for phase, start, colour in list(zip(PHASES, found.starts, COLOURS, strict=True))[1:]:
        if start.value is not None:
            axes.axvline(start.value, color=colour, linestyle="--", label=f"mean start of the {phase}")
    axes.legend(frameon=False, fontsize=8)
    note = f"Positions at plies 1 to {LAST_PLY}, each phase counted from the axis."
    return Plot("phases_by_ply", "Positions of each phase by move", note, canvas)


def starts_plot(found: PhaseSummary) -> Plot:
    """Figure 11: moves at which phases start."""
    canvas, axes = new_axes()
    _by_half_move(axes, "games")
    for phase, games, colour in list(zip(PHASES, found.start_moves, COLOURS, strict=True))[1:]:
        axes.bar([move + 0.5 for move in range(len(games))], games, 1, color=colour, alpha=0.6, label=phase)
    legend_above(axes)
    return Plot("phase_starts", "Start of the phases", "Games whose phase starts in that move.", canvas)


def box_plot(name: str, title: str, quantity: str, boxes: Mapping[int, Box]) -> Plot:
    """Figures 8 and 9."""
    canvas, axes = new_axes()
    shapes = [
        {"whislo": box.low, "q1": box.quartiles[0], "med": box.quartiles[1], "q3": box.quartiles[2], "whishi": box.high}
        for box in boxes.values()
    ]
    axes.bxp(shapes, positions=list(boxes), widths=2.5, showfliers=False, medianprops={"color": COLOURS[2]})
    axes.set_xlabel("move")
    axes.set_ylabel(quantity)
    axes.set_ylim(bottom=0)
    note = "Boxes: the middle half; whiskers: the farthest within one and a half boxes; what is beyond is not shown."
    return Plot(name, title, note, canvas)


def sparse_plot(found: PhaseSummary) -> Plot:
    """Figure 10: the share of positions with a sparse backrank."""
    canvas, axes = new_axes()
    _by_half_move(axes, "positions with a sparse backrank (%)")
    plies = [ply for ply in range(1, LAST_PLY + 1) if found.lasting(ply)]
    shares = [100 * found.sparse_by_ply[ply - 1] / found.lasting(ply) for ply in plies]
    axes.plot([ply / 2 for ply in plies], shares, color=COLOURS[1])
    axes.set_ylim(-2, 102)
    return Plot("sparse_backrank", "Sparse backranks by move", "Of the games that last so long.", canvas)


def results_plot(found: PhaseSummary) -> Plot:
    """Figure 12: results of the games that reach each phase."""
    canvas, axes = new_axes()
    below = [0.0] * len(PHASES)
    for (result, name), colour in zip(WON, RESULT_COLOURS, strict=True):
        shares = [100 * counts[result] / max(1, sum(counts.values())) for counts in found.results]
        axes.bar(PHASES, shares, 0.6, bottom=below, color=colour, edgecolor="#555555", linewidth=0.5, label=name)
        below = [low + share for low, share in zip(below, shares, strict=True)]
    axes.set_ylabel("games that reach the phase (%)")
    legend_above(axes)
    return Plot("phase_results", "Results of the games that reach a phase", "Games with a result.", canvas)


def counts_plot(found: PhaseSummary) -> Plot:
    """Figure 13: games and positions of each phase."""
    canvas, axes = new_axes()
    places = range(len(PHASES))
    games = [100 * reaching / max(1, found.games) for reaching in found.reaching]
    shares = [100 * count / max(1, sum(found.positions)) for count in found.positions]
    axes.bar([place - 0.2 for place in places], games, 0.4, color="#2166ac", label="games that reach it")
    axes.bar([place + 0.2 for place in places], shares, 0.4, color="#b35806", label="positions")
    axes.set_xticks(list(places), PHASES)
    axes.set_ylabel("%")
    legend_above(axes)
    return Plot("phases", "Phases of the game", "Percent of all games and of all positions.", canvas)


def _by_half_move(axes: Axes, quantity: str) -> None:
    axes.set_xlabel("move")
    axes.set_ylabel(quantity)
    axes.set_xlim(0, (LAST_PLY + 1) / 2)
