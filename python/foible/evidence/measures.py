"""Experiments that measure the games of a match, in blocks of its pairs: who lost how much and who induced it
(`loss_measures`), which games repeat each other, how many positions are puzzles.
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Final, Protocol

from foible._core import ChessPosition
from foible.analysis.games.game_ends import line_of, repeated_moves
from foible.analysis.puzzles.criterion import Criterion, Looks
from foible.analysis.puzzles.mining import SEARCH
from foible.analysis.quality.analysed_games import AnalysedGames, read_games
from foible.analysis.quality.hypothetical_moves import boards_of
from foible.arena.papers.experiment import LEELA_NET
from foible.evidence.blocks import measurement_of
from foible.evidence.kinds import EvidenceProgress, FinishedBlock, OnProgress, Planned, Workplace, fits
from foible.evidence.matches import PresetMatch, block_at, what_was_played
from foible.nets.shelf import NetShelf
from foible.runs.folder import CONFIG, read_recorded
from foible.toml import without_none

Sums = dict[str, dict[int, tuple[float, float]]]
"""By quantity and pair: the sum of its values, and how many they are."""


@dataclass(frozen=True, slots=True)
class Measured:
    """The result of a measure, and the judge that it used."""

    sums: Sums
    resolved: Mapping[str, str]
    """What the names in the measure stand for: the judge with its version."""
    of_others: Mapping[str, str] = field(default_factory=dict)
    """By quantity, what its numbers are of, where that differs from `Measure.of`."""


class Measure(Protocol):
    """What is to be known of games."""

    @property
    def of(self) -> str:
        """What the numbers of the measure are of, such as `moves`."""

    def about(self) -> Mapping[str, Any]:
        """Everything on which the numbers depend, as plain values."""

    def measure(self, games: AnalysedGames, shelf: NetShelf, tell: OnProgress) -> Measured:
        """:raises FoibleError: a judge or a player cannot be had."""


@dataclass(frozen=True, slots=True)
class OfMatch:
    """A measure of the games of a preset's match.

    Games are not kept, so a block plays its pairs, unless their run folder still lies there, and measures them at once.
    What comes of it are sums by pair, whose means and differences are the papers' figures. In the names of quantities
    *alter* is LEELA's team and *focal* the team under test.
    """

    name: str
    match: PresetMatch
    measure: Measure
    unit: str = "pairs"
    games: int = 2

    def follows(self, kept: Mapping[str, Any], planned: Planned) -> bool:
        asked = without_none(self.measure.about())
        return fits(asked, kept.get("measure")) and self.match.follows(kept.get("match", {}), planned)

    def run(self, planned: Planned, units: range, workplace: Workplace) -> FinishedBlock | None:
        played = self.match.play(planned, units, workplace)
        if played is None:
            return None
        place, playing = played[1], block_at(*played).seconds  # whichever process played
        begun, games = time.monotonic(), read_games(place)
        games = replace(games, games=tuple(game for game in games.games if game.pair in units))
        runtimes = games.config.runtimes if games.config else None
        found = self.measure.measure(
            games, NetShelf(runtimes), lambda now: workplace.on_progress(replace(now, experiment=self.name))
        )
        resolved = {**read_recorded(place / CONFIG)["resolved"], **found.resolved}
        block = measurement_of(
            units,
            found.sums,
            self.measure.of,
            seconds=None if playing is None else playing + time.monotonic() - begun,
            played_by=resolved,
            of_others=found.of_others,
        )
        match = self.match.described(place, planned)
        about = {
            "measure": self.measure.about(),
            "match": what_was_played(match),
            "resolved": {**match["resolved"], **found.resolved},
        }
        return FinishedBlock(about, block)


MOVES: Final = (4, 10, 20)
"""Full moves up to which games are compared."""


@dataclass(frozen=True, slots=True)
class Repetition:
    """Figure 6 of Search-contempt: `up to move 4`, percent of the games that another of the block is like so far.

    More games repeat more: shares are comparable between blocks of one size. The paper's sets have 100 games.
    """

    of: str = "games"

    def about(self) -> Mapping[str, Any]:
        return {"kind": type(self).__name__, "moves": list(MOVES)}

    def measure(self, games: AnalysedGames, shelf: NetShelf, tell: OnProgress) -> Measured:
        starts = [game.start.fen for game in games.games]
        lines = [line_of([move.move for move in game.moves]) for game in games.games]
        repeated = repeated_moves(starts, lines)
        pairs = [game.pair for game in games.games]
        return Measured(
            {f"up to move {move}": _percent(pairs, [one >= move for one in repeated]) for move in MOVES}, {}
        )


QUICK: Final = Criterion(nodes=200, check_nodes=200)
"""The criterion of puzzles with searches that are short enough for many positions."""
PART: Final = 128
"""The number of positions searched together."""


@dataclass(frozen=True, slots=True)
class Interesting:
    """`interesting`: positions of a thousand that are puzzles by the criterion's first test: longer thought finds one
    move that gains δ over what short thought sees (search-contempt §5). No judge is asked, nor for `Repetition`.
    """

    every: int = 10
    """Plies from one position to the next."""
    criterion: Criterion = QUICK
    of: str = "positions"

    def about(self) -> Mapping[str, Any]:
        return {
            "kind": type(self).__name__,
            "every": self.every,
            "criterion": asdict(self.criterion),
            "net": LEELA_NET,
        }

    def measure(self, games: AnalysedGames, shelf: NetShelf, tell: OnProgress) -> Measured:
        boards = list(boards_of(games, self.every))
        looks = Looks(shelf.evaluator(LEELA_NET), SEARCH)
        found: list[bool] = []
        for start in range(0, len(boards), PART):
            found += self._are_interesting([board.position for board in boards[start : start + PART]], looks)
            tell(EvidenceProgress("", len(found), len(boards), "looking"))
        sums = _percent([board.pair for board in boards], found)
        return Measured({"interesting": {pair: (10 * total, count) for pair, (total, count) in sums.items()}}, {})

    def _are_interesting(self, positions: Sequence[ChessPosition], looks: Looks) -> list[bool]:
        criterion = self.criterion
        short, long = (looks.search(positions, nodes) for nodes in (criterion.shallow, criterion.nodes))
        return [
            criterion.gains(one.wp, other) and criterion.is_unique(other)
            for one, other in zip(short, long, strict=True)
        ]


def _percent(pairs: Sequence[int], yes: Sequence[bool]) -> dict[int, tuple[float, float]]:
    """By pair: 100 for every yes, and how many were asked."""
    found: dict[int, tuple[float, float]] = {}
    for pair, one in zip(pairs, yes, strict=True):
        total, count = found.get(pair, (0.0, 0.0))
        found[pair] = total + 100.0 * one, count + 1
    return found
