"""Experiments of Go: matches of nets that come with foible, in blocks of pairs, and what such a net says at sight."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from foible._core import Bonus, GoPosition
from foible.analysis.go.komi_curve import opinion_of
from foible.arena.go.config import GoMatchConfig
from foible.arena.go.play import CellProgress, play_matches
from foible.arena.go.record import GoRecord
from foible.errors import ConfigError
from foible.evidence.blocks import Measurement, measurement_of
from foible.evidence.kinds import EvidenceProgress, FinishedBlock, Planned, Workplace, fits, fits_unresolved
from foible.nets.go.evaluator import GoRuntimeNet
from foible.nets.shelf import NetShelf
from foible.runs.folder import CONFIG, read_recorded
from foible.toml import convert, to_toml_dict

FOCAL: Final = "focal"
OPPONENT: Final = "opponent"
OF_A_BLOCK: Final = ("games", "seed", "concurrency", "runtime", "precision", "threads", "resolved")
"""Keys of a block's match that are not of the experiment: each block begins with openings of its own."""


@dataclass(frozen=True, slots=True)
class GoMatch:
    """Two players of Go. `share`: percent of the points; `margin`: points; `margin of victory`: of the games won."""

    name: str
    table: Mapping[str, Any]
    """Keys of a `GoMatchConfig` but for games and seed; its players are `focal` and `opponent`."""
    unit: str = "pairs"
    games: int = 2

    def config(self, games: int, seed: int) -> GoMatchConfig:
        """The match of a block."""
        config: GoMatchConfig = convert(
            {**self.table, "focal": [FOCAL], "opponents": [OPPONENT], "games": games, "seed": seed},
            GoMatchConfig,
            self.name,
        )
        config.check()
        return config

    def follows(self, kept: Mapping[str, Any], planned: Planned) -> bool:
        try:
            found: GoMatchConfig = convert(dict(kept), GoMatchConfig, self.name)
        except ConfigError:
            return False
        return fits(_of_experiment(to_toml_dict(self.config(1, 0))), _of_experiment(to_toml_dict(found)))

    def run(self, planned: Planned, units: range, workplace: Workplace) -> FinishedBlock | None:
        place = workplace.folder / self.name / f"{units.start:04d}"
        begun, from_start = time.monotonic(), not place.exists()
        total = 2 * len(units)

        def tell(now: CellProgress) -> None:
            workplace.on_progress(EvidenceProgress(self.name, now.finished, now.total))

        (cell,) = play_matches(self.config(total, units.start), place, tell, executor=workplace.executor)
        if len(cell.games) < total:
            return None
        config = read_recorded(place / CONFIG)
        block = measurement_of(
            units,
            _sums(cell.games, units.start),
            "games",
            seconds=time.monotonic() - begun if from_start else None,
            played_by=config["resolved"],
        )
        kept = _of_experiment(config)
        return FinishedBlock({**kept, "resolved": config["resolved"]}, block)


def _of_experiment(config: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in config.items() if key not in OF_A_BLOCK}


def _sums(games: Sequence[GoRecord], first: int) -> dict[str, dict[int, tuple[float, float]]]:
    """By quantity and pair, the sum of its values and their number."""
    found: dict[str, dict[int, tuple[float, float]]] = {}

    def add(quantity: str, game: GoRecord, value: float) -> None:
        tally, pair = found.setdefault(quantity, {}), first + game.pair
        total, count = tally.get(pair, (0.0, 0.0))
        tally[pair] = total + value, count + 1

    for game in games:
        add("share", game, 100 * game.focal_score)
        if game.focal_margin is not None:
            add("margin", game, game.focal_margin)
            if game.focal_score == 1:
                add("margin of victory", game, game.focal_margin)
    return found


@dataclass(frozen=True, slots=True)
class NetAtSight:
    """What a net expects of the empty board: `alpha`, points for Black, and `beta`, per point."""

    name: str
    net: str
    size: int
    unit: str = "nets"
    games: int = 1

    @property
    def _about(self) -> dict[str, Any]:
        return {"net": self.net, "size": self.size}

    def follows(self, kept: Mapping[str, Any], planned: Planned) -> bool:
        return fits_unresolved(self._about, kept)

    def run(self, planned: Planned, units: range, workplace: Workplace) -> FinishedBlock | None:
        shelf = NetShelf()
        net = shelf.evaluator(self.net)
        curve = opinion_of(net, GoPosition(self.size), Bonus()).curve if isinstance(net, GoRuntimeNet) else None
        if curve is None:
            raise ConfigError(f"{self.net}: expected a net of Go that judges margins")
        resolved = shelf.resolved()
        said = {"alpha": curve.fair_komi, "beta": curve.beta}
        block: Measurement = measurement_of(
            units,
            {quantity: {units.start: (value, 1)} for quantity, value in said.items()},
            "nets",
            seconds=None,
            played_by=resolved,
        )
        return FinishedBlock({**self._about, "resolved": resolved}, block)


def _net(net: str, **settings: Any) -> dict[str, Any]:
    return {"kind": "net", "net": net, **settings}


GNU_GO: Final = {
    "kind": "gtp",
    "command": "gnugo --mode gtp --chinese-rules --positional-superko --capture-all-dead --never-resign --level 10",
    "processes": 2,
}


def _lambdas(name: str, opponent: Mapping[str, Any], net: str, **table: Any) -> dict[str, GoMatch]:
    """A net with λ = 0, ½ and 1 against the same opponent, from the same openings."""
    found = {}
    for value in (0.0, 0.5, 1.0):
        players = {FOCAL: _net(net, **{"lambda": value}), OPPONENT: dict(opponent)}
        match = GoMatch(f"{name}-lambda-{value:g}", {"players": players, **table})
        found[match.name] = match
    return found


GO: Final[Mapping[str, GoMatch | NetAtSight]] = {
    "go-5x5-sight": NetAtSight("go-5x5-sight", "go-5x5", 5),
    "go-7x7-sight": NetAtSight("go-7x7-sight", "go-7x7", 7),
    **_lambdas("go-7x7-gnugo", GNU_GO, "go-7x7", size=7, komi=9.5, openings={"plies": 4, "net": "go-7x7"}),
    **_lambdas(
        "go-5x5-weaker",
        _net("go-5x5", visits=2, dumb_pass=True),
        "go-5x5",
        size=5,
        komi=8.5,
        openings={"plies": 4},
    ),
    "go-7x7-visits": GoMatch(
        "go-7x7-visits",
        {
            "players": {FOCAL: _net("go-7x7", visits=250), OPPONENT: _net("go-7x7", visits=40)},
            "size": 7,
            "komi": 9.5,
            "openings": {"plies": 4, "net": "go-7x7"},
        },
    ),
}
"""SAI: figure 8 against another opponent and another net, its visits, and what its figures 5 and 6 end with."""
