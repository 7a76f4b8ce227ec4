"""The figures that blocks give, with their errors by units, what two of them differ by, and the power of tests."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import Final

import numpy as np

from foible.analysis.estimates import Sample, combination
from foible.arena.stats import t_quantile, t_test, z_test
from foible.evidence.blocks import AnyBlock, Tally

SIGNS: Final = {"+": 1.0, "−": -1.0}
PERCENT_OF_GAMES: Final = re.compile(r"share|decided|up to move \d+")
"""Quantities that are sure to vary, even where a few pairs of games have not."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A number that was measured."""

    value: float
    standard_error: float | None
    """The standard error; `None` where it is not known."""
    n: int
    """The number of values that the figure is a mean of; of a difference or a sum the smallest of its terms'."""
    of: str
    """What these values are of: `games`, `moves`, …"""
    units: int | None = None
    """The number of units, such as pairs of games, by which the error was estimated; `None` where it is not known."""


def terms(quantity: str) -> list[tuple[float, str]]:
    """The terms of a quantity that is a sum or a difference of others each with its sign.

    >>> terms("alter junior − focal junior")
    [(1.0, 'alter junior'), (-1.0, 'focal junior')]
    """
    first, *others = re.split(r" ([+−]) ", quantity)
    return [(1.0, first), *((SIGNS[sign], name) for sign, name in zip(others[::2], others[1::2], strict=True))]


def figure(blocks: Sequence[AnyBlock], quantity: str) -> Figure | None:
    """What the blocks say of a quantity, or of a difference of some (`terms`); `None` where they say nothing.

    Each is the mean of its values; the error is by units, of which several quantities may share.
    """
    tallies = [(sign, _tally(blocks, name)) for sign, name in terms(quantity)]
    found = _combined(tallies, _counted(blocks, quantity))
    return _not_certain(found) if found and PERCENT_OF_GAMES.fullmatch(quantity) else found


def difference(one: Sequence[AnyBlock], other: Sequence[AnyBlock], quantity: str) -> Figure | None:
    """By how much one experiment's figure is above another's, over the units that both have.

    Their units have coins, openings or seeds in common, so that they are compared unit by unit.
    """
    both = {unit for block in one for unit in block.units} & {unit for block in other for unit in block.units}
    named = [(side * sign, blocks, name) for side, blocks in ((1, one), (-1, other)) for sign, name in terms(quantity)]
    tallies = [(sign, _only(_tally(blocks, name), both)) for sign, blocks, name in named]
    return _combined(tallies, _counted(one, quantity))


def difference_of(one: Figure | None, other: Figure | None) -> Figure | None:
    """The difference of two figures that have nothing in common."""
    if one is None or other is None:
        return None
    known = one.standard_error is not None and other.standard_error is not None
    error = math.hypot(one.standard_error or 0, other.standard_error or 0) if known else None
    units = [figure.units for figure in (one, other) if figure.units is not None]
    return Figure(one.value - other.value, error, min(one.n, other.n), one.of, min(units, default=None))


def _tally(blocks: Sequence[AnyBlock], quantity: str) -> Tally:
    return {unit: sums for block in blocks for unit, sums in block.tally(quantity).items()}


def _only(tally: Tally, units: set[int]) -> Tally:
    return {unit: sums for unit, sums in tally.items() if unit in units}


def _count(tally: Tally) -> int:
    return round(sum(count for _, count in tally.values()))


def _counted(blocks: Sequence[AnyBlock], quantity: str) -> str:
    """What the numbers of a quantity are of, such as `games`; empty without blocks."""
    _, first = terms(quantity)[0]
    return blocks[0].counted(first) if blocks else ""


def _combined(tallies: Sequence[tuple[float, Tally]], of: str) -> Figure | None:
    found = combination([(sign, _sample(tally)) for sign, tally in tallies])
    if found.value is None:
        return None
    fewest = min(_count(tally) for _, tally in tallies)
    return Figure(found.value, found.standard_error, fewest, of, found.clusters)


def _sample(tally: Mapping[int, tuple[float, float]]) -> Sample:
    """The sample behind a tally, of which only the sums by unit are known."""
    there = sorted(unit for unit, (_, count) in tally.items() if count)
    sums, counts = (np.array([tally[unit][place] for unit in there], np.float64) for place in (0, 1))
    n = float(counts.sum())
    mean = float(sums.sum()) / n if n else math.nan
    return Sample(round(n), mean, math.nan, np.array(there, np.int64), (sums - counts * mean) / (n or 1.0))


def _not_certain(found: Figure) -> Figure:
    """Pairs that are all alike do not prove that the next one is: Jeffreys' prior of half a pair of either kind."""
    pairs = found.units
    if found.standard_error != 0 or not pairs:
        return found
    other = 0.5 / (pairs + 1)
    return replace(found, standard_error=100 * math.sqrt(other * (1 - other) / pairs))


def power(found: Figure, effect: float, level: float) -> float | None:
    """The probability that as many values as these show a true difference of `effect`; `None` where nothing is known of
    their error.

    :param level: of the two-sided test that has to show it.
    """
    if not found.standard_error:
        return None
    quantile = t_quantile(level, found.units - 1) if found.units else NormalDist().inv_cdf(1 - level / 2)
    beyond = quantile - abs(effect) / found.standard_error
    test = t_test(beyond, 1.0, found.units - 1) if found.units else z_test(beyond, 1.0)
    return test.p_greater if test else None


ENOUGH: Final = 0.8
"""The power that a test is planned with (Cohen, Statistical Power Analysis for the Behavioral Sciences, 1988)."""


def times_enough(found: Figure, effect: float, level: float) -> float | None:
    """How many times as many values as these have the power `ENOUGH`, by the normal distribution; `None` where nothing
    is known of their error, or where there is no effect to show.

    :param effect, level: as in `power`.
    """
    if not found.standard_error or not effect:
        return None
    normal = NormalDist()
    needed = abs(effect) / (normal.inv_cdf(1 - level / 2) + normal.inv_cdf(ENOUGH))
    return (found.standard_error / needed) ** 2
