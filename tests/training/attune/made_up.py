"""Small teams for the tests of attuned nets: random games of a tag team, tiny nets with random weights."""

from collections.abc import Iterable
from functools import cache
from pathlib import Path

import tomli_w
import torch
from msgspec.structs import replace

from foible.arena.pgn import to_pgn
from foible.arena.record import GameRecord
from foible.nets.modules import SeResNet, build, save_net
from foible.toml import to_toml_dict, without_none
from foible.training.attune.config import AttuneConfig, make_config
from foible.training.attune.games import data_match
from tests.arena.scripted import random_match

TINY = SeResNet(blocks=1, filters=8, squeeze=4, value_filters=2, value_hidden=8)


@cache
def records() -> tuple[GameRecord, ...]:
    """Sixty games of random movers; a coin says who moves in the focal team, a hand moves in the other."""
    return tuple(random_match(pairs=30, concurrency=60))


def match_folder(folder: Path, asked: AttuneConfig, games: Iterable[GameRecord] = ()) -> Path:
    """As a match of this run's teams leaves it; with all of `records()` when no others are given."""
    folder.mkdir(parents=True, exist_ok=True)
    match = replace(data_match(asked), resolved=asked.resolved)
    (folder / "config.toml").write_text(tomli_w.dumps(without_none(to_toml_dict(match))))
    (folder / "games.pgn").write_text("".join(map(to_pgn, games or records())))
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
        "lr": 0.01,
        "steps": 8,
        "batch": 64,
        "thin": 2,
    }
    return make_config(values | changes)


def tiny_net(path: Path, seed: int) -> Path:
    """A net of one block."""
    if not path.exists():
        torch.manual_seed(seed)
        save_net(build(TINY), path)
    return path
