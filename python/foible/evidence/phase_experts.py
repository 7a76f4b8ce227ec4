"""The experiments of phase experts: nets trained anew for every seed, their losses and their matches; and how games
that others played go through the phases (phase-experts §5).
"""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice
from pathlib import Path
from statistics import fmean
from typing import Any, Final

import msgspec

from foible._core import ChessPosition, __version__
from foible.analysis.games.game_ends import Result
from foible.analysis.games.game_phases import PhaseSummary, ply_phases, summarise_phases
from foible.errors import GameFileError
from foible.evidence.blocks import measurement_of
from foible.evidence.kinds import EvidenceProgress, FinishedBlock, OnProgress, Planned, Workplace, fits_unresolved
from foible.games.chess import positions_along
from foible.games.pgn import PgnGame, read_pgn
from foible.games.phases import PHASES, PhaseTable
from foible.nets.download import file_sha256
from foible.toml import convert, without_none
from foible.training.experts.config import ExpertsConfig
from foible.training.experts.run import Findings, News, experts
from foible.training.experts.tables import LossRow, MatchRow

RESULTS: Final[Mapping[Result, str]] = {"1-0": "White wins", "1/2-1/2": "draws", "0-1": "Black wins"}
OF_OTHERS: Final = {
    **{f"{phase} positions": "positions" for phase in PHASES},
    **{f"{phase} start, deviation": "sets" for phase in PHASES},
}
"""By the quantities that are not of games, what they are of."""
SET: Final = 100
"""The number of games in a unit, a set: standard deviations are computed within a set."""


@dataclass(frozen=True, slots=True)
class PhaseStatistics:
    """The statistics of sets of a hundred games of a file, in its order (figures 2 and 8 to 13 of phase experts).

    The paper's games are KingBaseLite 2019's; ours are a file of master games that its folder has to hold.

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
        return fits_unresolved(self._about, kept)

    def run(self, planned: Planned, units: range, workplace: Workplace) -> FinishedBlock | None:
        if not self.file.is_file():
            raise GameFileError(f"{self.file} is not there; expected a file of games of masters, or a link to one")
        begun = time.monotonic()
        games = islice(read_pgn(self.file, comments=False), SET * units.start, SET * units.stop)
        sums: dict[str, dict[int, tuple[float, float]]] = {}
        for unit in units:
            one = list(islice(games, SET))
            if not one:
                raise GameFileError(f"{self.file}: no game after {SET * unit} of them; the plan asks for more")
            for quantity, value in _sums(self._summary(one)):
                sums.setdefault(quantity, {})[unit] = value
            workplace.on_progress(EvidenceProgress(self.name, SET * (unit + 1 - units.start), SET * len(units)))
        resolved = {"foible": __version__, self.file.name: f"sha256 {file_sha256(self.file)}"}
        block = measurement_of(
            units, sums, "games", seconds=time.monotonic() - begun, played_by=resolved, of_others=OF_OTHERS
        )
        return FinishedBlock({**self._about, "resolved": resolved}, block)

    def _summary(self, games: Sequence[PgnGame]) -> PhaseSummary:
        return summarise_phases(
            [ply_phases(_positions(game), self.table) for game in games], [game.result for game in games], self.table
        )


def _positions(game: PgnGame) -> list[ChessPosition]:
    """The positions before each ply."""
    return positions_along(ChessPosition(game.start_fen, chess960=game.chess960), game.moves)[:-1]


def _sums(found: PhaseSummary) -> Iterator[tuple[str, tuple[float, float]]]:
    """Each quantity with the sum and the number of its values."""
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


TRAINED: Final[Mapping[str, Any]] = {
    "data": {
        "sources": ["data/chess_master_otb_1.pgn.xz", "data/chess_master_otb_2.pgn.xz"],
        "hold_out": {"validation": 0.002, "test": 0.01},
        "thin": 0.04,
    },
    "net": {"kind": "se-resnet", "blocks": 3, "filters": 16, "squeeze": 4},
    "training": {
        "epochs": 1,
        "batch_size": 256,
        "validate_every": 500,
        "compile": True,
        "ema": 0.999,
        "optimiser": {"kind": "sgd", "clip_norm": 5.0},
        "schedule": {"kind": "cosine", "max_lr": 0.3, "min_lr": 1e-4},
    },
}
"""A thousandth of the paper's positions, in files that the folder has to hold."""
SEGMENTS: Final = (2, 3, 4, 5)
"""Into how many segments the move counter divides the game, for the experts of figure 7."""
MATCHES: Final[Mapping[str, Any]] = {"games": 40, "concurrency": 320}
FOLDER: Final = "experts"
Values = Iterator[tuple[str, float]]


@dataclass(frozen=True, slots=True)
class _OfSeeds:
    """What is measured of nets that are trained once for each seed (tables 1 and 2, figures 4, 6, 7 and 16 to 28 of
    phase experts), as small as `benchmarks/experts.toml`.

    A unit is a seed. Losses and matches of one seed share a folder, so that its nets are trained once.
    """

    name: str
    matches: Mapping[str, Any] | None = None
    """What is played, beside `MATCHES`; `None`: nothing."""
    segments: tuple[int, ...] = SEGMENTS
    unit: str = "seeds"
    games: int = 1

    def config(self, seeds: range) -> ExpertsConfig:
        table = {**TRAINED, "move_counter": self.segments, "seeds": list(seeds)}
        if self.matches is not None:
            table["matches"] = {**MATCHES, **self.matches}
        config: ExpertsConfig = convert(table, ExpertsConfig, self.name)
        config.check()
        return config

    @property
    def _about(self) -> dict[str, Any]:
        about: dict[str, Any] = without_none(msgspec.to_builtins(self.config(range(1))))
        del about["seeds"]
        return about

    def follows(self, kept: Mapping[str, Any], planned: Planned) -> bool:
        return fits_unresolved(self._about, kept)

    def run(self, planned: Planned, units: range, workplace: Workplace) -> FinishedBlock | None:
        places = {seed: workplace.folder / FOLDER / f"{seed:04d}" for seed in units}
        begun, from_start = time.monotonic(), not any(place.exists() for place in places.values())
        sums: dict[str, dict[int, tuple[float, float]]] = {}
        for seed, place in places.items():
            tell = partial(self._tell, workplace.on_progress, seed - units.start, len(units))
            found = experts(self.config(range(seed, seed + 1)), place, tell, executor=workplace.executor)
            if not found.complete:
                return None
            several: dict[str, list[float]] = {}
            for quantity, value in self.values(found):
                several.setdefault(quantity, []).append(value)
            for quantity, values in several.items():
                sums.setdefault(quantity, {})[seed] = fmean(values), 1
        files = {Path(name).name: f"sha256 {file_sha256(Path(name))}" for name in TRAINED["data"]["sources"]}
        resolved = {"foible": __version__, **files}
        seconds = time.monotonic() - begun if from_start else None
        block = measurement_of(units, sums, "seeds", seconds=seconds, played_by=resolved)
        return FinishedBlock({**self._about, "resolved": resolved}, block)

    def _tell(self, on_progress: OnProgress, done: int, total: int, news: News) -> None:
        on_progress(EvidenceProgress(self.name, done, total, news.text))

    def values(self, found: Findings) -> Values:
        """Each quantity with a value of one seed; of a quantity with several their mean counts."""
        raise NotImplementedError


class ExpertLosses(_OfSeeds):
    """`separated, opening, middlegame`: of the separated opening expert in positions of the middlegame;
    `separated, mixture, no-phases`: of the experts together in all positions; `regular, no-phases`. Nats.
    """

    def values(self, found: Findings) -> Values:
        return chain.from_iterable(map(_losses, found.losses))


class ExpertMatches(_OfSeeds):
    """Against the regular net of the seed, Elo: `separated`, the mean over all visits and batch sizes of the
    experiment; `separated, batch 64`, over its visits; `separated, 400 nodes`, over its batch sizes; `separated,
    endgame only`: that expert alone, the regular net elsewhere; `moves-4`: four segments of the game.
    """

    def values(self, found: Findings) -> Values:
        return chain.from_iterable(map(_elo, found.matches))


def _losses(row: LossRow) -> Values:
    for name, loss in row.by_seed[0].items():
        yield ", ".join(filter(None, (row.regime, row.expert, name))), loss


def _elo(row: MatchRow) -> Values:
    elo = row.elo_by_seed[0]
    if elo is not None:
        for quantity in (row.player, f"{row.player}, batch {row.batch}", f"{row.player}, {row.nodes} nodes"):
            yield quantity, elo


EXPERTS: Final = {
    "experts-losses": ExpertLosses("experts-losses"),
    "experts-matches": ExpertMatches(
        "experts-matches", {"nodes": [100, 400], "batch_sizes": [1, 64], "one_phase": ["separated"]}
    ),
    "experts-batches": ExpertMatches("experts-batches", {"nodes": [100], "batch_sizes": [8, 16, 32]}, ()),
    "experts-visits": ExpertMatches("experts-visits", {"nodes": [200, 800], "batch_sizes": [64]}, ()),
    "experts-many-visits": ExpertMatches("experts-many-visits", {"nodes": [1600, 3200], "batch_sizes": [64]}, ()),
}
