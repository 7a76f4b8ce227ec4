"""Small runs of self-play without a net, and what is read back from their folders."""

from pathlib import Path
from typing import Any

import polars as pl
import tomli_w

from foible.selfplay.config import SelfplayConfig, parse_config
from foible.selfplay.play import self_play

SMALL: dict[str, Any] = {
    "net": "material",
    "games": 12,
    "nodes": 16,
    "concurrency": 5,
    "shard": 4,
    "max_plies": 60,
    "search": {"temperature": 1.0, "temperature_decay_moves": 20, "temperature_endgame": 0.2},
    "openings": {"random_plies": 2},
}


def config(**changes: Any) -> SelfplayConfig:
    """Keys and tables of the configuration that differ."""
    return parse_config(tomli_w.dumps(SMALL | changes), "small")


def played(folder: Path, **changes: Any) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The games and the plies of a run."""
    self_play(config(**changes), folder)
    return tables(folder)


def tables(folder: Path) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The games and the plies in a folder."""
    games, plies = (pl.read_parquet(folder / kind / "*.parquet") for kind in ("games", "plies"))
    return games, plies


def snapshot(folder: Path) -> dict[str, bytes]:
    """All that a finished run leaves, without the speed, which is its report's last key; no hidden files, which a kill
    may leave.
    """
    visible = [path for path in folder.rglob("[!.]*") if path.is_file()]
    found = {str(path.relative_to(folder)): path.read_bytes() for path in visible}
    if "report.json" in found:
        found["report.json"] = found["report.json"].partition(b'"speed"')[0]
    return found
