"""The figures that blocks of games give, with their errors by pairs of games, and what two of them differ by."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import fmean, stdev

from foible.evidence.blocks import SCORES, Block


@dataclass(frozen=True, slots=True)
class Figure:
    """A number that was measured."""

    value: float
    error: float | None
    """Standard error; `None` where it is not known."""
    n: int
    """Of how many."""
    of: str
    """Of what: `games`, …"""


def figure(blocks: Sequence[Block], quantity: str) -> Figure | None:
    """What the blocks say of a quantity of the focal team; `None` where they say nothing.

    The error of a share is that of pairs, which have their coins or opening in common; lengths are of single games.

    :param quantity: a `foible.arena.papers.Quantity`.
    """
    if quantity == "share":
        scores = [score for _, score in _shares(blocks)]
        return _not_certain(_mean(scores, n=2 * len(scores)))
    lengths = list(_lengths(blocks, white=quantity == "plies as White"))
    return _mean(lengths, n=len(lengths))


def difference(one: Sequence[Block], other: Sequence[Block], quantity: str) -> Figure | None:
    """By how much one experiment's figure is above another's.

    Shares are compared pair by pair, over the pairs that both have: they have the same coins or openings.
    """
    if quantity == "share":
        ours, theirs = dict(_shares(one)), dict(_shares(other))
        both = [ours[pair] - theirs[pair] for pair in sorted(ours.keys() & theirs.keys())]
        return _mean(both, n=2 * len(both))
    return difference_of(figure(one, quantity), figure(other, quantity))


def difference_of(one: Figure | None, other: Figure | None) -> Figure | None:
    """Of two figures that have nothing in common."""
    if one is None or other is None:
        return None
    known = one.error is not None and other.error is not None
    error = math.hypot(one.error or 0, other.error or 0) if known else None
    return Figure(one.value - other.value, error, min(one.n, other.n), one.of)


def _shares(blocks: Sequence[Block]) -> Iterator[tuple[int, float]]:
    """Each pair with its share of the points in percent."""
    for block in blocks:
        for pair, result in zip(block.pairs, block.results, strict=True):
            yield pair, 50 * (SCORES[result[0]] + SCORES[result[1]])


def _lengths(blocks: Sequence[Block], *, white: bool) -> Iterator[float]:
    """Of the games that the focal team won with a colour."""
    for block in blocks:
        for result, plies in zip(block.results, block.plies, strict=True):
            if result[white] == "W":
                yield plies[white]


def _not_certain(found: Figure | None) -> Figure | None:
    """Pairs that are all alike do not prove that the next one is: Jeffreys' prior of half a pair of either kind."""
    if found is None or found.error != 0:
        return found
    pairs = found.n // 2
    other = 0.5 / (pairs + 1)
    return replace(found, error=100 * math.sqrt(other * (1 - other) / pairs))


def _mean(values: Sequence[float], n: int) -> Figure | None:
    if not values:
        return None
    error = stdev(values) / math.sqrt(len(values)) if len(values) > 1 else None
    return Figure(fmean(values), error, n, "games")
