"""One game of self-play, move by move: what net and search thought, and a picture of it (SAI, §7, item 9)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from matplotlib.ticker import MaxNLocator

from foible.analysis.drawing import Kind, legend_above, new_axes, picture
from foible.nets.margin import DECILE, Sigmoid
from foible.selfplay.go.record import GoGame, Id


@dataclass(frozen=True, slots=True)
class Opinion:
    """Before a move was played."""

    ply: int
    """Moves before it; Black plays the even ones."""
    move: str
    komi: float
    visits: Mapping[str, int]
    search: float
    """Black's winrate, 0 to 1: the mean over the search."""
    margin: float | None = None
    """Black's expected margin after komi, in points, by the net: side · α − komi (SAI, §0); `None` without alpha."""
    beta: float | None = None
    net: float | None = None
    """Black's winrate by the net alone."""


def opinions(game: GoGame) -> Iterator[Opinion]:
    """Of the moves that were searched; what a branch inherited is its parent's."""
    for ply, found in enumerate(game.plies, len(game.inherited)):
        black = ply % 2 == 0
        search = found.winrate if black else 1 - found.winrate
        margin = net = None
        if found.alpha is not None and found.beta is not None:
            sigmoid = Sigmoid.of_black(found.alpha, found.beta, game.komi, black)
            margin, net = float(sigmoid.margin), float(sigmoid.winrate())
        yield Opinion(ply, found.move, game.komi, found.visits, search, margin, found.beta, net)


def whole_line(game: GoGame, games: Mapping[Id, GoGame]) -> list[Opinion]:
    """Of all moves of a branch, each by the game that searched it, at its komi.

    `games`: where the games that it comes from are found; where one is missing the line begins after it.
    """
    found = list(opinions(game))
    while game.is_branch and (parent := games.get(game.id[:-1])) is not None:
        found = [*(one for one in opinions(parent) if one.ply < len(game.inherited)), *found]
        game = parent
    return found


def draw_line(line: Sequence[Opinion], area: float, kind: Kind) -> bytes:
    """Black's expected margin on the board, between the komi that make its winrate 90 and 10 %; the game's komi; the
    board at the end.

    `line`: with alpha and beta, at least one move. `area`: Black's minus White's at the end.
    """
    canvas, axes = new_axes()
    seen = [(one.ply, one.margin + one.komi, one.beta) for one in line if one.margin is not None and one.beta]
    plies, fair = [ply for ply, _, _ in seen], [margin for _, margin, _ in seen]
    axes.plot(plies, fair, "o-", markersize=2.5, linewidth=1, label="Black's expected margin")
    low, high = ([margin + sign * DECILE / beta for _, margin, beta in seen] for sign in (-1, 1))
    axes.fill_between(plies, low, high, alpha=0.15, linewidth=0, label="komi of 10 … 90 % winrate")
    ends = [*(one.ply for one in line), line[-1].ply + 1]
    komi = [*(one.komi for one in line), line[-1].komi]
    axes.step(ends, komi, where="post", color="black", label="komi")
    axes.plot(ends[-1:], [area], "D", markersize=4, color="tab:red", label="the board at the end")
    # The band may be many boards wide; it is cut off where the others leave it.
    least, most = min(*fair, *komi, area), max(*fair, *komi, area)
    room = (most - least) / 2 + 1
    axes.set_ylim(least - room, most + room)
    axes.set_xlabel("moves played")
    axes.set_ylabel("points")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
    legend_above(axes, columns=2)
    return picture(canvas, "selfplay line", kind)
