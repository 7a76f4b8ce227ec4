"""Small teams for the tests of attuned nets: random games of a tag team, tiny nets with random weights."""

from functools import cache
from pathlib import Path

import torch

from foible.arena.pgn import to_pgn
from foible.arena.record import GameRecord
from foible.nets.modules import SeResNet, build, save_net
from foible.training.attune.config import AttuneConfig, make_config
from tests.arena.scripted import random_match

TINY = SeResNet(blocks=1, filters=8, squeeze=4, value_filters=2, value_hidden=8)


@cache
def records() -> tuple[GameRecord, ...]:
    """Sixty games of random movers; a coin says who moves in the focal team, a hand moves in the other."""
    return tuple(random_match(pairs=30, concurrency=60))


def match_folder(folder: Path, games: tuple[GameRecord, ...] | list[GameRecord]) -> Path:
    """As a match leaves it."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "games.pgn").write_text("".join(map(to_pgn, games)))
    return folder


def config(folder: Path, **changes: object) -> AttuneConfig:
    """Two tiny nets in a folder, and a run with them that takes a moment."""
    values = {
        "framework": "stt",
        "senior": str(tiny_net(folder / "senior.pb.gz", 3)),
        "junior": str(tiny_net(folder / "junior.pb.gz", 4)),
        "games": 6,
        "nodes": 2,
        "test_games": 2,
        "alone_games": 2,
        "seed": 1,
        "threads": 1,
    }
    tune = {"lr": 0.01, "steps": 8, "batch": 64, "thin": 2}
    return make_config(
        values | {key: value for key, value in changes.items() if key in AttuneConfig.__struct_fields__},
        tune | {key: value for key, value in changes.items() if key not in AttuneConfig.__struct_fields__},
    )


def tiny_net(path: Path, seed: int) -> Path:
    """A net of one block."""
    if not path.exists():
        torch.manual_seed(seed)
        save_net(build(TINY), TINY, path)
    return path
