"""A checkpoint is what was saved, or it is named."""

from pathlib import Path

import pytest
import torch
from hypothesis import given, settings

from foible.errors import NetFileError
from foible.training.checkpoint import (
    Checkpoint,
    TrainingStanding,
    kept_checkpoint,
    load_checkpoint,
    save_checkpoint,
)
from foible.training.folder import BEST, LAST
from tests.damage import Damage, damages, is_found

CPU = torch.device("cpu")


def saved(folder: Path, *names: str) -> Path:
    """A run whose best step was the third."""
    (folder / "checkpoints").mkdir(parents=True)
    for name in names:
        save_checkpoint(
            folder / name, Checkpoint(TrainingStanding(step=7, best_step=3), {"weights": torch.arange(40.0)})
        )
    return folder


def opened(folder: Path) -> tuple[TrainingStanding, list[float]]:
    found = load_checkpoint(folder / LAST, CPU)
    return found.standing, found.state["weights"].tolist()


@settings(max_examples=80, deadline=None)
@given(damage=damages((LAST,)).filter(lambda found: found[1](b"x" * 4000) is not None))
def test_no_damage_makes_other_weights(tmp_path_factory: pytest.TempPathFactory, damage: Damage) -> None:
    run = saved(tmp_path_factory.mktemp("whole") / "run", LAST)
    is_found(run, tmp_path_factory.mktemp("damaged") / "run", damage, opened)


def test_the_last_net_does_not_stand_in_for_the_best_one(tmp_path: Path) -> None:
    saved(tmp_path, LAST)
    assert kept_checkpoint(tmp_path, "last", CPU).standing.step == 7
    with pytest.raises(
        NetFileError, match=r"best\.pt: is missing; put back a copy of it, or remove .*/checkpoints, and"
    ):
        kept_checkpoint(tmp_path, "best", CPU)
    saved(tmp_path / "other", BEST)
    assert kept_checkpoint(tmp_path / "other", "best", CPU).standing.best_step == 3
