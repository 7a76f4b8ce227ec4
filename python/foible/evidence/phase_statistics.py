"""Experiments on games that others played: how they go through the phases (phase-experts §5; figures 2 and 8 to 13).

The paper's games are KingBaseLite 2019's; ours are a file of master games that its folder has to hold.
"""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Final

from foible._core import ChessPosition, __version__
from foible.analysis.games.game_ends import Result
from foible.analysis.games.game_phases import PhaseSummary, ply_phases, summarise_phases
from foible.errors import GameFileError
from foible.evidence.blocks import measurement_of
from foible.evidence.kinds import Done, Planned, Progress, Workplace, fits
from foible.games.pgn import PgnGame, read_pgn
from foible.games.phases import PhaseTable
from foible.nets.download import file_sha256

PHASES: Final = ("opening", "middlegame", "endgame")
RESULTS: Final[Mapping[Result, str]] = {"1-0": "White wins", "1/2-1/2": "draws", "0-1": "Black wins"}
OF_OTHERS: Final = {
    **{f"{phase} positions": "positions" for phase in PHASES},
    **{f"{phase} start, deviation": "sets" for phase in PHASES},
}
"""Quantities that are not of games."""
SET: Final = 100
"""Games of a unit: deviations are of sets."""


@dataclass(frozen=True, slots=True)
class PhaseStatistics:
    """The statistics of sets of a hundred games of a file, in its order.

    `middlegame start`: moves, with its standard deviation as `middlegame start, deviation`; `opening positions`:
    percent of all; `games with endgame`: percent; `draws, games with endgame`: percent of these; `games going back`:
    percent.
    """

    name: str
    file: Path
    table: PhaseTable
    unit: str = "sets"
    games: int = SET

    @property
    def _about(self) -> dict[str, Any]:
        return {"file": self.file.name, "table": self.table, "set": SET}

    def follows(self, kept: Mapping[str, Any], planned: Planned) -> bool:
        return fits(self._about, {key: value for key, value in kept.items() if key != "resolved"})

    def run(self, planned: Planned, units: range, workplace: Workplace) -> Done | None:
        if not self.file.is_file():
            raise GameFileError(f"{self.file} is not there; expected a file of games of masters, or a link to one")
        begun = time.monotonic()
        games = islice(read_pgn(self.file, comments=False), SET * units.start, SET * units.stop)
        sums: dict[str, dict[int, tuple[float, float]]] = {}
        for unit in units:
            one = list(islice(games, SET))
            for quantity, value in _sums(self._summary(one)):
                sums.setdefault(quantity, {})[unit] = value
            workplace.on_progress(Progress(self.name, SET * (unit + 1 - units.start), SET * len(units)))
        resolved = {"foible": __version__, self.file.name: f"sha256 {file_sha256(self.file)}"}
        block = measurement_of(
            units, sums, "games", seconds=time.monotonic() - begun, played_by=resolved, of_others=OF_OTHERS
        )
        return Done({**self._about, "resolved": resolved}, block)

    def _summary(self, games: Sequence[PgnGame]) -> PhaseSummary:
        return summarise_phases(
            [ply_phases(_positions(game), self.table) for game in games], [game.result for game in games], self.table
        )


def _positions(game: PgnGame) -> list[ChessPosition]:
    """Those before each ply."""
    position = ChessPosition(game.start_fen, chess960=game.chess960)
    found = []
    for move in game.moves:
        found.append(position)
        position = position.play(move)
    return found


def _sums(found: PhaseSummary) -> Iterator[tuple[str, tuple[float, float]]]:
    """Each quantity with the sum of its values, and how many they are."""
    positions = sum(found.positions)
    for number, phase in enumerate(PHASES):
        reaching, start, deviation = found.reaching[number], found.starts[number].value, found.start_deviations[number]
        yield f"{phase} positions", (100.0 * found.positions[number], positions)
        yield f"games with {phase}", (100.0 * reaching, found.games)
        if start is not None and deviation is not None:
            yield f"{phase} start", (start * reaching, reaching)
            yield f"{phase} start, deviation", (deviation, 1)
        results = found.results[number]
        for result, what in RESULTS.items():
            yield f"{what}, games with {phase}", (100.0 * results[result], sum(results.values()))
    going_back = sum(games for steps, games in found.backward.items() if steps)
    yield "games going back", (100.0 * going_back, found.games)


COLLECTIONS: Final[Mapping[str, PhaseStatistics]] = {
    "phases-of-games": PhaseStatistics("phases-of-games", Path("data/chess_master_otb_1.pgn.xz"), "legacy")
}
