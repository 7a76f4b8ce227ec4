"""Matches of experts against the regular net of the same seed: a sweep in `FOLDER/matches`, by the rules of
phase-experts §7.1.

Matches name their nets by paths relative to `FOLDER`, which may be moved.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path

from foible.arena.config import convert_config
from foible.arena.openings import BALANCED
from foible.arena.sweep.config import Cell
from foible.nets.gates import MoveGate
from foible.nets.mixture_file import Vote, mixture_toml
from foible.runs.files import write_atomically
from foible.training.experts.config import ExpertsConfig, MatchesConfig
from foible.training.experts.regimes import REGULAR, Regime
from foible.training.experts.trainings import Nets


@dataclass(frozen=True, slots=True)
class MixturePlayer:
    """A mixture of nets that plays against the regular net."""

    name: str
    gate: str
    jobs: tuple[str, ...]
    """For each phase, the name of the training job whose net judges its positions."""
    trained_gate: str
    """The gate that told the phases apart in training."""


@dataclass(frozen=True, slots=True)
class Pairing:
    """A match of a player against the regular net."""

    player: str
    seed: int
    batch: int
    cell: Cell

    @property
    def nodes(self) -> int:
        assert self.cell.nodes is not None, "experts are measured by visits"
        return self.cell.nodes


def players(config: ExpertsConfig) -> list[MixturePlayer]:
    """All players: the mixture of each regime, and the mixtures of a single expert with the regular net."""
    matches = config.matches
    if matches is None:
        return []
    found = []
    for regime in config.expert_regimes:
        trained = str(regime.gate)
        gate = trained if isinstance(regime.gate, MoveGate) else matches.gate or trained
        found.append(MixturePlayer(regime.name, gate, tuple(job.name for job in regime.jobs), trained))
        if regime.name in matches.one_phase:
            found += _alone(regime, gate)
    return found


def _alone(regime: Regime, gate: str) -> Iterator[MixturePlayer]:
    """For each expert, the player that has it in its own phase only and the regular net in the others (figure 6)."""
    for own, name in enumerate(regime.gate.names):
        jobs = tuple(job.name if k == own else REGULAR for k, job in enumerate(regime.jobs))
        yield MixturePlayer(one_phase(regime.name, name), gate, jobs, str(regime.gate))


def one_phase(regime: str, phase: str) -> str:
    """The name of the player that has an expert for this phase alone."""
    return f"{regime}, {phase} only"


def pairings(config: ExpertsConfig, nets: Nets, folder: Path) -> list[Pairing]:
    """All matches, those of few visits first; writes the files of their mixtures into the folder.

    :raises OSError: a file cannot be written.
    """
    matches = config.matches
    if matches is None:
        return []
    return [
        _pairing(player, nodes, batch, seed, matches, nets, folder)
        for nodes, batch, player, seed in product(
            sorted(matches.nodes), matches.batch_sizes, players(config), config.seeds
        )
    ]


def _pairing(
    player: MixturePlayer, nodes: int, batch: int, seed: int, matches: MatchesConfig, nets: Nets, folder: Path
) -> Pairing:
    # The majority of a single leaf is its own phase: there the vote changes nothing, and splitting is faster.
    vote: Vote = "split" if batch == 1 else matches.vote
    mixture = _write_mixture(player, vote, seed, nets, folder)
    own_seed = matches.seed + seed  # Other openings for each seed, so that the games of a table's row are independent.
    book = matches.openings if matches.openings == BALANCED else str(Path(matches.openings).resolve())
    protocol: dict[str, object] = {
        "framework": "standard",
        "games": matches.games,
        "seed": own_seed,
        "concurrency": matches.concurrency,
        "claim_draws": True,
        "openings": {"file": book, "seed": own_seed},
        "resignation": {},
        "draw_agreement": {},
        "runtime": matches.runtime,
        "precision": matches.precision,
        "threads": matches.threads,
    }
    teams = {
        "focal": _search(mixture, player.name, nodes, batch, matches),
        "alter": _search(_net(nets, seed, REGULAR), REGULAR, nodes, batch, matches),
    }
    cell = Cell(
        player=_in_full(player, batch, vote),
        opponent=f"{REGULAR}, seed {seed}",
        nodes=nodes,
        config=convert_config({**protocol, **teams}, "matches"),
    )
    return Pairing(player.name, seed, batch, cell)


def _in_full(player: MixturePlayer, batch: int, vote: Vote) -> str:
    """The player's name with its batch size and all settings that differ from the paper's: each variant has a match of
    its own.
    """
    parts = [player.name, f"batch {batch}"]
    if player.gate != player.trained_gate:
        parts.append(f"gate {player.gate}")
    if batch > 1 and vote != "majority":
        parts.append(vote)
    return ", ".join(parts)


def _search(net: Path, name: str, nodes: int, batch: int, matches: MatchesConfig) -> dict[str, object]:
    return {
        "kind": "net_search",
        "name": name,
        "net": str(net),
        "nodes": nodes,
        "preset": matches.preset,
        "search": {**matches.search, "batch": batch},
    }


def _net(nets: Nets, seed: int, job: str) -> Path:
    """The path of a finished training's net, relative to the folder of the whole run."""
    return Path("nets") / f"seed-{seed}" / job / nets[seed, job].net.name


def _write_mixture(player: MixturePlayer, vote: Vote, seed: int, nets: Nets, folder: Path) -> Path:
    """Write the file of a mixture; returns its path relative to the folder of the whole run."""
    name = f"{player.name.replace(', ', '-').replace(' ', '-')}-{player.gate}-{vote}.toml"
    path = Path("mixtures") / f"seed-{seed}" / name
    (folder / path).parent.mkdir(parents=True, exist_ok=True)
    beside = [str("../.." / _net(nets, seed, job)) for job in player.jobs]
    write_atomically(folder / path, mixture_toml(beside, player.gate, vote))
    return path
