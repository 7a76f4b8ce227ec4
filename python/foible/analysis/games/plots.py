"""The plots: repeated games by full move, material difference by ply; one line for each file."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle
from typing import Any, Literal

from matplotlib.figure import Figure as Canvas

from foible.analysis.drawing import Figure, legend_above, new_axes, picture, plain, svg_element
from foible.analysis.games.reading import GameSet

COLOURS = ("#2166ac", "#b35806", "#1b7837", "#762a83", "#555555", "#d6604d")
DASHES = ("-", "--", ":", "-.")
"""With the colours they tell files apart also for the colour-blind."""
ENDURING = 0.1
"""Share of a file's games that must last to a ply for its mean to be drawn."""
LEAST_MOVES = 10
"""Full moves that the axis of repeated games shows at least."""


@dataclass(frozen=True, slots=True)
class Plot:
    """A drawing with its file name, title, and what it shows."""

    name: str
    title: str
    note: str
    canvas: Canvas

    def data(self, kind: Literal["svg", "png"]) -> bytes:
        """The file; the same numbers give the same one."""
        return picture(self.canvas, self.name, kind)

    def figure(self) -> Figure:
        """To stand inside a page."""
        return Figure(self.name, self.title, svg_element(self.canvas, self.name), self.note)


def repeated_plot(sets: Sequence[GameSet]) -> Plot:
    """The share of repeated games by full move (search-contempt §4)."""
    canvas, axes = new_axes()
    last = max(LEAST_MOVES, *(one.summary.settled + 1 for one in sets))
    for one, style in zip(sets, _styles(), strict=False):
        moves = range(1, last + 1)
        axes.plot(moves, [100 * one.summary.repeated_at(move) for move in moves], label=_label(one), **style)
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
    for one, style in zip(sets, _styles(), strict=False):
        material = one.summary.material
        plies = sum(games >= ENDURING * one.summary.games for games in material.lasting)
        axes.plot(range(1, plies + 1), material.by_ply[:plies], label=_label(one), **style)
    axes.set_xlabel("ply")
    axes.set_ylabel("mean material difference (pawns)")
    axes.set_ylim(bottom=0)
    legend_above(axes)
    note = f"Mean over the games that last so long, to the ply that {ENDURING:.0%} of them reach."
    return Plot("material", "Material difference by ply", note, canvas)


def _styles() -> Iterator[dict[str, Any]]:
    for colour, dashes in zip(cycle(COLOURS), cycle(DASHES), strict=False):
        yield {"color": colour, "linestyle": dashes, "linewidth": 1.5}


def _label(games: GameSet) -> str:
    return plain(f"n = {games.summary.games} games of {games.name}")
