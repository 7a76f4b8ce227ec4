"""Table 1, from what trainings report."""

from pathlib import Path

import pytest

from foible.training.data.config import DataConfig
from foible.training.experts.config import ExpertsConfig
from foible.training.experts.tables import loss_table
from foible.training.experts.trainings import Nets
from foible.training.trained import Losses, Trained, Validation

POSITIONS = {"opening": 24_938, "middlegame": 31_364, "endgame": 28_812}
"""Of the paper's test sets (phase-experts §5)."""

TABLE = {
    "regular": (0.9269, 1.5043, 1.3523),
    "only-opening": (0.9169, 2.4030, 3.2433),
    "only-middlegame": (1.6064, 1.4371, 1.5494),
    "only-endgame": (2.0097, 1.6605, 1.2594),
}
"""Test losses of the paper's nets by phase (§7.4)."""


def trained(by_phase: tuple[float, ...], *, tested: bool = True) -> Trained:
    sets = {
        name: Losses(positions, (loss - 0.005) / 0.99, 0.5, 0.0, 0.0, 0.0)
        for (name, positions), loss in zip(POSITIONS.items(), by_phase, strict=True)
    }
    total = sum(POSITIONS.values())
    mean = sum(POSITIONS[name] * losses.loss for name, losses in sets.items()) / total
    sets["all"] = Losses(total, (mean - 0.005) / 0.99, 0.5, 0.0, 0.0, 0.0)
    found = Validation(mean, sets) if tested else None
    return Trained(Path("run"), "finished", Path("net.pb.gz"), 1, 1, 1.0, 0, 1, found, found)


def nets(*shifts: float) -> Nets:
    """A seed for each shift, which is added to every loss."""
    return {
        (seed, name): trained(tuple(loss + shift for loss in losses))
        for seed, shift in enumerate(shifts, 1)
        for name, losses in TABLE.items()
    }


def config(seeds: int = 1) -> ExpertsConfig:
    data = DataConfig(sources=["games.pgn"])
    return ExpertsConfig(data=data, regimes=("separated",), seeds=tuple(range(1, seeds + 1)))


def test_the_mixture_has_the_losses_that_the_paper_reports() -> None:
    rows = {(row.regime, row.expert): row for row in loss_table(config(), nets(0.0))}
    assert list(rows) == [
        ("regular", ""),
        ("separated", "opening"),
        ("separated", "middlegame"),
        ("separated", "endgame"),
        ("separated", "mixture"),
    ]
    mixture = rows["separated", "mixture"]
    assert [mixture.mean(name) for name in POSITIONS] == pytest.approx([0.9169, 1.4371, 1.2594])
    assert mixture.mean("no-phases") == pytest.approx(1.2245, abs=1e-4)


def test_the_regular_net_is_averaged_over_positions_as_well() -> None:
    regular, *_ = loss_table(config(), nets(0.0))
    assert regular.mean("no-phases") == pytest.approx(1.2837, abs=1e-4)


def test_seeds_give_means_and_spreads() -> None:
    regular, *_ = loss_table(config(3), nets(0.0, 0.03, 0.06))
    assert regular.mean("opening") == pytest.approx(0.9269 + 0.03)
    assert regular.spread("opening") == pytest.approx(0.06)
    alone, *_ = loss_table(config(), nets(0.0))
    assert alone.spread("opening") is None


def test_without_games_held_out_there_is_no_table() -> None:
    untested = {key: trained(TABLE[key[1]], tested=False) for key in nets(0.0)}
    assert loss_table(config(), untested) == []
