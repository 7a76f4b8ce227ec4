"""The search as programs of Leela Zero's family set it (SAI, §3.5), in foible's units, and what they write of it; and
one position searched for each of several bonuses side by side (SAI, §3).
"""

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from foible._core import Bonus, GoPosition, RootMove, RootSummary, Seat
from foible.errors import ConfigError
from foible.loop import together
from foible.nets.evaluator import Evaluator
from foible.nets.margin import Sigmoid
from foible.search.params import IntervalAt, SearchParams
from foible.search.trees import GameTree, Trees

FirstPlay = Literal["lz", "agz"]
"""Unvisited moves: Leela Zero's rule, the net's value of the node less a reduction; or AlphaGo Zero's, an even game."""

CPUCT: Final = 0.8
FPU_REDUCTION: Final = 0.25
POINTS_19: Final = 361
SIDES: Final = ("own moves when ahead", "own when behind", "the opponent's when ahead", "the opponent's when behind")
"""For whom numbers say how margins are weighed (SAI, §3.6)."""


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
    """The constants of a search.

    The values of Leela Zero's family go from 0 to 1, foible's from −1 to 1: what is added to values counts double here.

    `cpuct`, `fpu_reduction`: on values from 0 to 1. `noise_alpha`: as for 19×19; on `size` the same number of moves
    gets as much in all (§5.1). There is no reduction at a root with noise.
    """
    reduced = first_play == "lz"
    return SearchParams(
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
        noise_alpha=noise_alpha * POINTS_19 / size**2,
        batch=batch,
        seed=seed,
    )


def go_bonuses(lambdas: Sequence[float], mus: Sequence[float]) -> tuple[Bonus, Bonus | None]:
    """Ours, and the opponent's where it weighs margins otherwise (SAI, §3.6).

    `lambdas`, `mus`: one to four numbers each, for `SIDES`; two are for both players alike, the third of three is for
    the opponent, ahead and behind.

    >>> go_bonuses([0.5], [0.0])
    (Bonus(0.5, 0, lambda_behind=0.5, mu_behind=0), None)

    :raises ConfigError: no number, or more than four.
    :raises FoibleError: a number outside −10 to 10.
    """
    lambda_, mu = _four("lambda", lambdas), _four("mu", mus)
    own, other = (Bonus(lambda_[i], mu[i], lambda_behind=lambda_[i + 1], mu_behind=mu[i + 1]) for i in (0, 2))
    return own, None if own == other else other


def go_seats(ours: Bonus | None, theirs: Bonus | None = None) -> tuple[Seat, Seat]:
    """Who owns the plies. One and the same seat where both sides are alike: then a tree may be kept after any move.

    `ours`: how both sides weigh margins; `None` with a net that knows none. `theirs`: the other side, where it differs.
    """
    seat = Seat(bonus=ours)
    return (seat, seat) if theirs is None else (seat, Seat(bonus=theirs))


def winrate(found: RootSummary | RootMove) -> float:
    """The winrate of the player to move at the game's own komi, whatever the bonus: the mean over the search, 0 to 1.

    `found`: that was visited.
    """
    return (1 + found.q) / 2 if found.score is None else found.score.winrate


def remark(*, black: Sigmoid | None, search: float, visits: int, bonus: tuple[float, float] | None = None) -> str:
    """What net and search thought of a position, as a comment in a game record (SAI, §8.1, end): in one line, all of it
    in Black's view.

    `margin=3.25 beta=0.4120 net=0.7924 search=0.7512 bonus=0.00,-2.10 visits=400`: by the net, margin after komi, beta
    and winrate; the mean winrate of the search; the bonus points of mu and lambda at this decision; visits of the root.

    :param black: what the net said; `None` of a net without margins.
    :param bonus: left out where it is `None`.
    """
    words = []
    if black is not None:
        words += [f"margin={black.margin:.2f}", f"beta={black.beta:.4f}", f"net={black.winrate():.4f}"]
    words.append(f"search={search:.4f}")
    if bonus is not None:
        words.append(f"bonus={bonus[0]:.2f},{bonus[1]:.2f}")
    return " ".join([*words, f"visits={visits}"])


def remark_on(position: GoPosition, found: RootSummary) -> str:
    """The remark on what a search found in a position."""
    black_moves, mean = position.turn == "first", winrate(found)
    search = mean if black_moves else 1 - mean
    if found.decided is None:
        return remark(black=None, search=search, visits=found.n)
    black = Sigmoid.of_black(found.decided.alpha, found.decided.beta, position.komi, black_moves)
    start, end = found.decided.interval
    bonus = (start, end) if black_moves else (-start, -end)
    return remark(black=black, search=search, visits=found.n, bonus=bonus)


def _four(name: str, given: Sequence[float]) -> tuple[float, ...]:
    """For all of `SIDES`: what is not given is as for the side or the state before."""
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
"""Leaves of a tree per evaluation."""
_DRAFTS: Final = 3
"""Each with twice the visits of the one before."""


@dataclass(frozen=True, slots=True)
class Searched:
    """A move, or all of a search. Winrate and margin are those of the player to move at the game's own komi, whatever
    the bonus.
    """

    visits: int
    winrate: float
    """0 to 1."""
    margin: float | None
    """Mean margin after komi, in points; `None` of a net without margins."""


@dataclass(frozen=True, slots=True)
class SearchedMove(Searched):
    """A move that was visited."""

    move: str


@dataclass(frozen=True, slots=True)
class Preference(Searched):
    """What a search prefers that weighs margins in one way."""

    moves: tuple[SearchedMove, ...]
    """The best first; without those that were not visited."""


async def by_bonus(
    net: Evaluator, position: GoPosition, bonuses: Sequence[Bonus | None], visits: int
) -> AsyncGenerator[tuple[Preference, ...], None]:
    """What searches of so many visits prefer, one for each bonus, in turn; drafts with fewer visits come before.

    Both sides weigh margins alike. All searches share the calls of the net.

    :param net: that judges margins, unless the bonus is `None`.
    :raises FoibleError: the game is over; or as `GameTree.grow`.
    """
    params = go_params(size=position.size, batch=BATCH)
    forests = [Trees([net], params, *go_seats(bonus)) for bonus in bonuses]
    trees = [forest.plant(position) for forest in forests]
    for some in sorted({max(1, visits >> halved) for halved in range(_DRAFTS + 1)}):
        await together(tree.grow(some) for tree in trees)
        yield tuple(map(_preference, trees))


def _preference(tree: GameTree) -> Preference:
    found = tree.summary()
    margin = None if found.score is None else found.score.margin
    return Preference(found.n, winrate(found), margin, tuple(_searched(move) for move in found.moves if move.n))


def _searched(move: RootMove) -> SearchedMove:
    return SearchedMove(move.n, winrate(move), None if move.score is None else move.score.margin, move.move)
