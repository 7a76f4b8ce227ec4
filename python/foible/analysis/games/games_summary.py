"""The statistics of a set of games: results, lengths, openings, and material imbalance."""

from array import array
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from foible.analysis.estimates import Estimate, mean_over_games, share_of_games
from foible.analysis.games.game_ends import ENDS, End, full_moves, repeated_moves, repeated_shares
from foible.analysis.games.game_facts import Complications, GameFacts
from foible.analysis.games.game_phases import PhaseSummary, summarise_phases
from foible.arena.stats import DecisiveRatio, decisive_ratio
from foible.games.pgn import WHITE_POINTS
from foible.games.phases import PhaseTable


@dataclass(frozen=True, slots=True)
class Beginning:
    """Games with the same opening or first moves, and their results."""

    key: str
    """An ECO code, or first moves; empty where unknown."""
    name: str
    """The name of the opening, empty where unknown; of several names of a code, the one that most games have."""
    games: int
    white: int
    """Games that White won."""
    draws: int
    black: int


def by_opening(games: Sequence[GameFacts]) -> list[Beginning]:
    """Games grouped by ECO code, or by name where there is no code; the commonest first."""
    names: dict[str, Counter[str]] = {}
    for game in games:
        names.setdefault(game.opening.eco, Counter())[game.opening.name] += bool(game.opening.name)
    of_code = {eco: _commonest(counts) for eco, counts in names.items() if eco}
    return _beginnings(games, [(eco, of_code.get(eco, name)) for eco, name in (game.opening for game in games)])


def by_first_moves(games: Sequence[GameFacts]) -> list[Beginning]:
    """Games grouped by the first two full moves, the commonest first."""
    return _beginnings(games, [(game.first_moves, "") for game in games])


def _beginnings(games: Sequence[GameFacts], keys: Sequence[tuple[str, str]]) -> list[Beginning]:
    """Games grouped by `keys`, which hold the `key` and `name` of each game's beginning; the commonest first."""
    results: dict[tuple[str, str], Counter[str]] = {}
    for game, key in zip(games, keys, strict=True):
        results.setdefault(key, Counter())[game.result] += 1
    beginnings = [
        Beginning(*key, count.total(), count["1-0"], count["1/2-1/2"], count["0-1"]) for key, count in results.items()
    ]
    return sorted(beginnings, key=lambda beginning: (-beginning.games, beginning.key, beginning.name))


def _commonest(names: Counter[str]) -> str:
    return max(sorted(names), key=names.__getitem__)


PIECE = 3
"""The difference in pawns from which on it counts as a piece."""


@dataclass(frozen=True, slots=True)
class MaterialBalance:
    """The material balance after each ply, also in the middle of exchanges."""

    imbalance: Estimate
    """The mean of |White's material − Black's|, in pawns."""
    unequal: Estimate
    """The share of positions in which the difference is not 0."""
    piece: Estimate
    """The share of positions in which the difference is at least `PIECE`."""
    by_ply: list[float]
    """The mean imbalance after ply 1, 2, …, over the games that last so long."""
    lasting: list[int]
    """The number of games that last to ply 1, 2, …"""


def material_of(imbalances: "Sequence[array[int]]") -> MaterialBalance:
    """The statistics of material. `imbalances`: `GameFacts.imbalance` of each game."""
    games = [np.asarray(imbalance) for imbalance in imbalances]
    plies = [len(game) for game in games]
    total, lasting = np.zeros(max(plies, default=0)), np.zeros(max(plies, default=0), np.int64)
    for game in games:
        total[: len(game)] += game
        lasting[: len(game)] += 1
    return MaterialBalance(
        imbalance=mean_over_games([game.sum() for game in games], plies),
        unequal=mean_over_games([(game > 0).sum() for game in games], plies),
        piece=mean_over_games([(game >= PIECE).sum() for game in games], plies),
        by_ply=(total / lasting).tolist(),
        lasting=lasting.tolist(),
    )


QUANTILES = (5, 25, 50, 75, 95)
"""The percentages for which quantiles of the length are given."""


@dataclass(frozen=True, slots=True)
class Shares:
    """Shares of the games with a result, 0 to 1."""

    white: Estimate
    draws: Estimate
    black: Estimate
    points: Estimate
    """White's points per game; a draw is half a point."""


@dataclass(frozen=True, slots=True)
class Length:
    """The length of a game, in plies."""

    mean: Estimate
    quantiles: dict[int, float]
    """The quantiles by the percentages of `QUANTILES`; empty without games."""
    shortest: int
    longest: int


@dataclass(frozen=True, slots=True)
class EvaluationSwings:
    """Changes of the evaluation from ply to ply, where comments hold evaluations by the players or a judge."""

    games: int
    """The number of games with evaluations."""
    swing: Estimate
    """The mean absolute change of White's expected score, 0 to 1."""
    large: Estimate
    """The share of plies that change it by `game_facts.LARGE` or more."""


@dataclass(frozen=True, slots=True)
class Summary:
    """The statistics of a set of games that `foible games` reports."""

    games: int
    white: int
    """Games that White won."""
    draws: int
    black: int
    unfinished: int
    """Games without a result."""
    contradicted: int
    """The number of games whose last position has another result by the rules than they state."""
    shares: Shares
    decisive_ratio: DecisiveRatio
    repeated_moves: list[int]
    """For each game, the result of `game_ends.repeated_moves`."""
    repeated: list[float]
    """The share of games repeated up to full move 1, 2, … of the longest game."""
    length: Length
    ends: dict[End, int]
    """The number of games for each way of ending that occurred."""
    complications: dict[str, Estimate]
    """The mean numbers per game, by the field names of `game_facts.Complications`."""
    material: MaterialBalance
    swings: EvaluationSwings | None
    openings: list[Beginning]
    first_moves: list[Beginning]
    phases: PhaseSummary | None = None
    """`None` where phases were not asked for."""

    def repeated_at(self, move: int) -> float:
        """The share of games repeated up to a full move; beyond the longest game, its last value."""
        return self.repeated[min(move, len(self.repeated)) - 1] if self.repeated else 0.0

    @property
    def settled(self) -> int:
        """The full move from which on the share of repeated games is constant, 1 where it never changes."""
        shares = self.repeated
        return next((move + 1 for move in range(len(shares), 0, -1) if shares[move - 1] != shares[-1]), 1)


def summarise(games: Sequence[GameFacts], table: PhaseTable | None = None) -> Summary:
    """Compute the statistics of games; only `repeated_moves` depends on their order.

    `table`: the table with which their phases were determined, if they were.
    """
    results, ends = Counter(game.result for game in games), Counter(game.end for game in games)
    repeated = repeated_moves([game.start for game in games], [game.line for game in games])
    longest = max((full_moves(game.line) for game in games), default=0)
    return Summary(
        games=len(games),
        white=results["1-0"],
        draws=results["1/2-1/2"],
        black=results["0-1"],
        unfinished=results["*"],
        contradicted=sum(game.contradicted for game in games),
        shares=_shares(games),
        decisive_ratio=decisive_ratio(results["1-0"] + results["0-1"], results["1/2-1/2"]),
        repeated_moves=repeated,
        repeated=repeated_shares(repeated, longest),
        length=_length([game.plies for game in games]),
        ends={end: ends[end] for end in ENDS if ends[end]},
        complications=_complications([game.complications for game in games]),
        material=material_of([game.imbalance for game in games]),
        swings=_swings(games),
        openings=by_opening(games),
        first_moves=by_first_moves(games),
        phases=_phases(games, table) if table else None,
    )


def _shares(games: Sequence[GameFacts]) -> Shares:
    results = [game.result for game in games if game.result != "*"]
    white, draws, black = (share_of_games(results.count(one), len(results)) for one in ("1-0", "1/2-1/2", "0-1"))
    points = mean_over_games([WHITE_POINTS[result] for result in results])
    return Shares(white, draws, black, points)


def _length(plies: Sequence[int]) -> Length:
    quantiles = np.percentile(plies, QUANTILES).tolist() if plies else []
    return Length(
        mean_over_games(plies),
        dict(zip(QUANTILES, quantiles, strict=False)),
        min(plies, default=0),
        max(plies, default=0),
    )


def _complications(games: Sequence[Complications]) -> dict[str, Estimate]:
    columns = zip(*games, strict=True) if games else ((),) * len(Complications._fields)
    return {name: mean_over_games(column) for name, column in zip(Complications._fields, columns, strict=True)}


def _phases(games: Sequence[GameFacts], table: PhaseTable) -> PhaseSummary:
    known = [(game.phases, game.result) for game in games if game.phases is not None]
    return summarise_phases([phases for phases, _ in known], [result for _, result in known], table)


def _swings(games: Sequence[GameFacts]) -> EvaluationSwings | None:
    swings = [game.swings for game in games if game.swings.plies]
    if not swings:
        return None
    plies = [swing.plies for swing in swings]
    return EvaluationSwings(
        len(swings),
        mean_over_games([swing.total for swing in swings], plies),
        mean_over_games([swing.large for swing in swings], plies),
    )
