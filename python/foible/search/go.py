"""Go search with the constants of Leela Zero's family of programs (SAI, §3.5), converted to foible's units, and their
comments in game records; and searches of one position with several bonuses side by side (SAI, §3).
"""

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from foible._core import Bonus, GoPosition, RootMove, RootSummary, Seat
from foible.errors import ConfigError
from foible.loop import together
from foible.nets.evaluator import Evaluator
from foible.nets.go.margin import Sigmoid
from foible.search.game_tree import GameTree
from foible.search.params import IntervalAt, SearchParams
from foible.search.trees import Trees

FirstPlay = Literal["lz", "agz"]
"""The value of unvisited moves: `lz`, the net's value of the node less a reduction; `agz`, that of an even game."""

CPUCT: Final = 0.8
FPU_REDUCTION: Final = 0.25
POINTS_19: Final = 361
SIDES: Final = ("own moves when ahead", "own when behind", "the opponent's when ahead", "the opponent's when behind")
"""The cases for which lambda and mu may differ (SAI, §3.6), in the order of the numbers in `go_bonuses`."""


def go_params(
    *,
    cpuct: float = CPUCT,
    first_play: FirstPlay = "lz",
    fpu_reduction: float = FPU_REDUCTION,
    noise_epsilon: float = 0.0,
    noise_alpha: float = 0.03,
    size: int = 19,
    interval: IntervalAt = "parent",
    terminal_beta: float = 10.0,
    batch: int = 1,
    seed: int = 0,
) -> SearchParams:
    """The constants of a Go search.

    Values of Leela Zero's family go from 0 to 1, foible's from −1 to 1: what is added to values is doubled here.

    `cpuct`, `fpu_reduction`: for values from 0 to 1. `noise_alpha`: for 19×19; it is scaled to `size` such that the
    concentration summed over all points stays the same (§5.1); without noise nothing reads it. There is no reduction at
    a root with noise.

    :raises ConfigError: `size` is not 1 to 19, or another constant is out of its range.
    """
    if not 1 <= size <= 19:
        raise ConfigError(f"size = {size}: expected 1 to 19")
    reduced = first_play == "lz"
    params = SearchParams(
        cpuct=2 * cpuct,
        cpuct_factor=0.0,
        fpu="net" if reduced else "absolute",
        fpu_value=2 * fpu_reduction if reduced else 0.0,
        root_fpu_value=0.0 if noise_epsilon else None,
        policy_temperature=1.0,
        sticky_endgames=False,
        moves_left_max_effect=0.0,
        interval=interval,
        terminal_beta=terminal_beta,
        noise_epsilon=noise_epsilon,
        batch=batch,
        seed=seed,
    )
    return replace(params, noise_alpha=noise_alpha * POINTS_19 / size**2) if noise_epsilon else params


def go_bonuses(lambdas: Sequence[float], mus: Sequence[float]) -> tuple[Bonus, Bonus | None]:
    """Our bonus, and the opponent's where that differs, else `None` (SAI, §3.6).

    `lambdas`, `mus`: one to four numbers each, for `SIDES`. One number is for all cases; two are for both players
    alike, ahead and behind; the third of three is for the opponent both ahead and behind.

    >>> go_bonuses([0.5], [0.0])
    (Bonus(0.5, 0, lambda_behind=0.5, mu_behind=0), None)

    :raises ConfigError: no number, or more than four.
    :raises FoibleError: a number outside −10 to 10.
    """
    lambda_, mu = _four("lambda", lambdas), _four("mu", mus)
    own, other = (Bonus(lambda_[i], mu[i], lambda_behind=lambda_[i + 1], mu_behind=mu[i + 1]) for i in (0, 2))
    return own, None if own == other else other


def go_seats(ours: Bonus | None, theirs: Bonus | None = None) -> tuple[Seat, Seat]:
    """The seats of the two sides. Both are the same object where the sides are alike: then a tree may be kept after any
    move.

    `ours`: the bonus of both sides; `None` with a net without margins. `theirs`: the opponent's, where it differs.
    """
    seat = Seat(bonus=ours)
    return (seat, seat) if theirs is None else (seat, Seat(bonus=theirs))


def winrate(visited: RootSummary | RootMove) -> float:
    """The winrate of the player to move at the game's own komi, whatever bonus directed the search: a mean, 0 to 1.

    `visited`: a root or a move that was visited.
    """
    return (1 + visited.q) / 2 if visited.score is None else visited.score.winrate


def remark(*, black: Sigmoid | None, search: float, visits: int, bonus: tuple[float, float] | None = None) -> str:
    """A comment for a game record with the judgement of net and search on a position (SAI, §8.1, end): in one line,
    from Black's point of view.

    `margin=3.25 beta=0.4120 net=0.7924 search=0.7512 bonus=0.00,-2.10 visits=400`: the net's margin after komi, beta
    and winrate; the mean winrate of the search; the bonus points of mu and lambda at this decision; visits of the root.

    :param black: the net's evaluation for Black; `None` with a net without margins.
    :param search: Black's mean winrate over the search, 0 to 1.
    :param bonus: left out where it is `None`.
    """
    words = []
    if black is not None:
        words += [f"margin={black.margin:.2f}", f"beta={black.beta:.4f}", f"net={black.winrate():.4f}"]
    words.append(f"search={search:.4f}")
    if bonus is not None:
        words.append(f"bonus={bonus[0]:.2f},{bonus[1]:.2f}")
    return " ".join([*words, f"visits={visits}"])


def remark_on(position: GoPosition, summary: RootSummary) -> str:
    """The comment of `remark` for a position that was searched."""
    black_moves, mean = position.turn == "first", winrate(summary)
    search = mean if black_moves else 1 - mean
    if summary.decided is None:
        return remark(black=None, search=search, visits=summary.n)
    black = Sigmoid.of_black(summary.decided.alpha, summary.decided.beta, position.komi, black_moves)
    start, end = summary.decided.interval
    bonus = (start, end) if black_moves else (-start, -end)
    return remark(black=black, search=search, visits=summary.n, bonus=bonus)


def _four(name: str, given: Sequence[float]) -> tuple[float, ...]:
    """The four numbers for `SIDES`, from one to four given ones, as `go_bonuses` reads them."""
    match tuple(given):
        case (both,):
            return (both,) * 4
        case (ahead, behind):
            return (ahead, behind) * 2
        case (ahead, behind, other):
            return (ahead, behind, other, other)
        case (_, _, _, _) as all_four:
            return all_four
        case _:
            raise ConfigError(f"{name}: expected 1 to {len(SIDES)} numbers")


BATCH: Final = 8
"""The number of leaves of one tree in one evaluation."""
_DRAFTS: Final = 3
"""The most draft results before the final one, each with twice the visits of the one before."""


@dataclass(frozen=True, slots=True)
class Searched:
    """The search result for a root or a move. Winrate and margin are those of the player to move at the game's own
    komi, whatever bonus directed the search.
    """

    visits: int
    winrate: float
    """0 to 1."""
    margin: float | None
    """The mean margin after komi, in points; `None` with a net without margins."""


@dataclass(frozen=True, slots=True)
class SearchedMove(Searched):
    """The search result for a move that was visited."""

    move: str


@dataclass(frozen=True, slots=True)
class Preference(Searched):
    """The result of a search with one bonus, and its moves."""

    moves: tuple[SearchedMove, ...]
    """The visited moves, the best first."""


async def by_bonus(
    net: Evaluator, position: GoPosition, bonuses: Sequence[Bonus | None], visits: int
) -> AsyncGenerator[tuple[Preference, ...], None]:
    """Search a position once for each bonus, side by side, with `visits` each; drafts with fewer come first.

    Both sides of a search have the same bonus. All searches share the calls of the net.

    :param net: one that judges margins, unless every bonus is `None`.
    :raises FoibleError: the game is over; or as `GameTree.grow`.
    """
    params = go_params(size=position.size, batch=BATCH)
    forests = [Trees([net], params, *go_seats(bonus)) for bonus in bonuses]
    trees = [forest.plant(position) for forest in forests]
    for some in sorted({max(1, visits >> halved) for halved in range(_DRAFTS + 1)}):
        await together(tree.grow(some) for tree in trees)
        yield tuple(map(_preference, trees))


def _preference(tree: GameTree) -> Preference:
    summary = tree.summary()
    margin = None if summary.score is None else summary.score.margin
    return Preference(summary.n, winrate(summary), margin, tuple(_searched(move) for move in summary.moves if move.n))


def _searched(move: RootMove) -> SearchedMove:
    return SearchedMove(move.n, winrate(move), None if move.score is None else move.score.margin, move.move)
