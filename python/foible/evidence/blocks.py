"""Blocks of evidence: the results of some consecutive units of an experiment, as sums that can be added.

A unit is the smallest independent sample: a pair of games of a match, or a seed of a training. Moves of one pair are
correlated, so that standard errors are computed over units (`figures`).
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, date, datetime
from typing import Annotated, Any, Final

import msgspec

from foible.arena.record import GameRecord
from foible.arena.report import commonest_first

Tally = Mapping[int, tuple[float, float]]
"""The sum of the values of a quantity, and how many they are, by unit."""

_LETTERS: Final = {1.0: "W", 0.5: "D", 0.0: "L"}
SCORES: Final = {letter: score for score, letter in _LETTERS.items()}


class Block(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The games of some consecutive pairs of a match."""

    first: int
    """The number of its first pair."""
    results: list[Annotated[str, msgspec.Meta(pattern="^[WDL]{2}$")]]
    """What the focal team did in each pair as Black, then as White: W, D or L."""
    plies: list[tuple[int, int]]
    """The lengths of the two games of each pair, in plies."""
    terminations: dict[str, int]
    evaluations: dict[str, int] | None
    """Evaluations by net; `None` where the speed of the last run does not cover all plies of the block."""
    seconds: float | None
    played_by: dict[str, str]
    """Versions of foible and of the runtimes, the processor, nets with their hashes."""
    finished: datetime

    def __post_init__(self) -> None:
        if len(self.plies) != len(self.results):
            raise ValueError(f"plies of {len(self.plies)} pairs, but results of {len(self.results)}")

    @property
    def units(self) -> range:
        """The numbers of its pairs."""
        return range(self.first, self.first + len(self.results))

    def counted(self, _quantity: str) -> str:
        """What the numbers of a quantity are of."""
        return "games"

    def tally(self, quantity: str) -> Tally:
        """The sums of a `foible.arena.papers.Quantity` by pair; empty for any other quantity."""
        tally = _OF_GAMES.get(quantity)
        if tally is None:
            return {}
        return {
            pair: tally(result, plies) for pair, result, plies in zip(self.units, self.results, self.plies, strict=True)
        }


def _share(result: str, _plies: tuple[int, int]) -> tuple[float, float]:
    return 100 * sum(SCORES[letter] for letter in result), 2


def _decided(result: str, _plies: tuple[int, int]) -> tuple[float, float]:
    return 100.0 * (2 - result.count("D")), 2


def _plies_of_wins(game: int) -> Callable[[str, tuple[int, int]], tuple[float, float]]:
    """The sum and number of lengths of won games, of one game of a pair. `game`: 0 or 1."""
    return lambda result, plies: (plies[game], 1) if result[game] == "W" else (0, 0)


_OF_GAMES: Final[Mapping[str, Callable[[str, tuple[int, int]], tuple[float, float]]]] = {
    "share": _share,
    "decided": _decided,
    "plies as Black": _plies_of_wins(0),
    "plies as White": _plies_of_wins(1),
}
"""By quantity what a pair adds to it, of its results and lengths."""


class Measurement(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What was measured in some consecutive units of an experiment that is no match, or on the games of one."""

    first: int
    """The number of its first unit."""
    count: int
    """The number of its units."""
    of: str
    """What the numbers are of: `moves`, `positions`, `games`."""
    of_others: dict[str, str] = {}
    """By quantity, what its numbers are of, where that differs from `of`."""
    sums: dict[str, list[tuple[float, float]]]
    """By quantity, for each unit: the sum of its values, and how many they are."""
    evaluations: dict[str, int] | None = None
    """Evaluations by net; `None` where they were not counted."""
    seconds: float | None = None
    """The time that the units took, with the games that were measured; `None` where it is not known, as an earlier
    process did a part of it."""
    played_by: dict[str, str]
    finished: datetime

    def __post_init__(self) -> None:
        for name, sums in self.sums.items():
            if len(sums) != self.count:
                raise ValueError(f"sums of {len(sums)} units of {name!r}, but a count of {self.count}")

    @property
    def units(self) -> range:
        """The numbers of its units."""
        return range(self.first, self.first + self.count)

    def counted(self, quantity: str) -> str:
        """What the numbers of a quantity are of."""
        return self.of_others.get(quantity, self.of)

    def tally(self, quantity: str) -> Tally:
        """The sums of a quantity by unit; empty where it was not measured."""
        return dict(zip(self.units, self.sums[quantity], strict=True)) if quantity in self.sums else {}


AnyBlock = Block | Measurement


class Report(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Figures that no block gives: those of other commands, and of matches of which the games were not kept."""

    command: str
    figures: dict[str, tuple[float, float | None, int]]
    """By their quantity: value, standard error (`None` where it is not known), and of how many."""
    of: str
    """What the numbers are counted in: `games`, `seeds`, `positions`."""
    note: str = ""
    """What is to be known of them: visits, nets, whether it was stopped."""
    played_by: dict[str, str] = {}
    finished: date | None = None


def block_of(records: Sequence[GameRecord], report: Mapping[str, Any], config: Mapping[str, Any]) -> Block:
    """The block of a finished part of a match.

    :param records: its games, in order and in whole pairs.
    :param report: `report.json` of its run folder.
    :param config: `config.toml` of its run folder.
    """
    pairs = list(zip(records[::2], records[1::2], strict=True))
    speed = report.get("speed") or {}
    whole = speed.get("plies") == sum(len(record.moves) for record in records)
    nets = {name: use["evaluations"] for name, use in speed.get("nets", {}).items()}
    return Block(
        first=records[0].pair,
        results=[_LETTERS[a.focal_score] + _LETTERS[b.focal_score] for a, b in pairs],
        plies=[(a.plies, b.plies) for a, b in pairs],
        terminations=commonest_first(Counter(record.termination for record in records)),
        evaluations=nets if whole else None,
        seconds=speed.get("seconds") if whole else None,
        played_by=dict(config["resolved"]),
        finished=now(),
    )


def measurement_of(
    units: range,
    sums: Mapping[str, Mapping[int, tuple[float, float]]],
    of: str,
    *,
    seconds: float | None,
    played_by: Mapping[str, str],
    of_others: Mapping[str, str] | None = None,
) -> Measurement:
    """The measurement of some units.

    :param sums: by quantity and unit; a unit without values may be left out.
    """
    return Measurement(
        first=units.start,
        count=len(units),
        of=of,
        of_others=dict(of_others or {}),
        sums={name: [_rounded(*tally.get(unit, (0.0, 0))) for unit in units] for name, tally in sums.items()},
        seconds=seconds and round(seconds, 1),
        played_by=dict(played_by),
        finished=now(),
    )


DECIMALS: Final = 4
"""The decimals of the sums that are kept."""


def _rounded(total: float, count: float) -> tuple[float, float]:
    return round(total, DECIMALS), count


def now() -> datetime:
    """The present second, in UTC."""
    return datetime.now(UTC).replace(microsecond=0)
