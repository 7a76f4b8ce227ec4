"""The recipes of the nets that come with foible."""

from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from foible._core import Batch, ChessPosition
from foible.nets.catalogue import open_net
from foible.nets.modules import SeResNet
from foible.training import train
from foible.training.config import TrainConfig, read_config
from foible.training.data.config import HoldOut

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "examples" / "nets"
PHASES = {"opening": [0], "middlegame": [1], "endgame": [2]}
GAMES = str(ROOT / "examples" / "games.pgn")


def recipe(name: str) -> TrainConfig:
    return read_config(FOLDER / f"{name}.toml")


@pytest.mark.parametrize("name", ["club", "master-first", "master-second", "master", "all-phases", *PHASES])
def test_a_recipe_is_valid_and_asks_for_games_in_a_folder_of_ones_own(name: str) -> None:
    found = recipe(name)
    assert all(source.path.startswith(("data/", "runs/")) for source in found.data.all_sources)
    assert found.data.hold_out.test
    assert found.ema


def test_master_goes_on_from_the_strongest_maia() -> None:
    assert recipe("master-first").start == "maia-1900"
    assert recipe("master-second").start == "runs/master-first"
    assert recipe("master").start == "runs/master-second"


@pytest.mark.parametrize(("name", "phases"), PHASES.items())
def test_experts_and_the_net_beside_them_learn_as_much_from_the_same_games(name: str, phases: list[int]) -> None:
    expert, single = recipe(name), recipe("all-phases")
    assert expert.start == single.start == "runs/master-second"
    assert expert.data.filters.phases == phases
    assert replace(expert.data, filters=single.data.filters) == single.data
    assert expert.steps is not None
    assert replace(expert, data=single.data, steps=len(PHASES) * expert.steps, validate_every=750) == single


def test_the_recipe_of_club_makes_a_net_that_minds_ratings(tmp_path: Path) -> None:
    data = replace(recipe("club").data, sources=[GAMES], hold_out=HoldOut(validation=4, test=4))
    assert data.rating_plane
    small = SeResNet(blocks=1, filters=8, squeeze=4, value_filters=4, value_hidden=16)
    config = replace(recipe("club"), data=data, start=None, net=small, steps=4, batch_size=32, threads=1, device="cpu")
    net = train(config, tmp_path / "run").net
    batch = Batch([ChessPosition()])
    weak, strong = (open_net(f"{net}:{rating}", threads=1).evaluate(batch).logits for rating in (1000, 2000))
    assert np.abs(weak - strong).max() > 1e-3
