"""Run folders for the tests of the analysis, made in a moment: random movers, or a search with the built-in net."""

import shutil
from pathlib import Path
from typing import Any

from foible.arena.config import parse_config, with_changes
from foible.arena.play import play
from foible.nets.catalogue import find_net

RANDOM = '{ kind = "random", name = "dice" }'
POLICY = '{ kind = "net_policy", name = "MAIA", net = "material" }'
TREE = '{ kind = "net_search", name = "TREE", net = "material", nodes = 12 }'
LEELA = '{ kind = "net_search", name = "LEELA", net = "material", nodes = 30 }'
HAND = '{ kind = "net_policy", name = "hand", net = "material", temperature = 1.0 }'

FRAMEWORKS = {
    "tag_team": f"""
        focal = {{ kind = "tag_team", name = "TREE's team", senior = {TREE}, junior = {POLICY} }}
        alter = {{ kind = "tag_team", name = "LEELA's team", senior = {LEELA}, junior = {POLICY} }}
    """,
    "hand_brain": f"""
        focal = {{ kind = "hand_brain", name = "TREE's team", brain = {TREE}, hand = {HAND} }}
        alter = {{ kind = "hand_brain", name = "LEELA's team", brain = {LEELA}, hand = {HAND} }}
    """,
    "standard": f"focal = {TREE}\n alter = {LEELA}",
}


def random_run(folder: Path, games: int = 8, max_plies: int = 40) -> Path:
    """A run of tag teams that throw dice."""
    team = f'kind = "tag_team", senior = {RANDOM}, junior = {RANDOM}'
    config = parse_config(
        f"framework = 'tag_team'\n focal = {{ name = 'focal', {team} }}\n alter = {{ name = 'alter', {team} }}", "test"
    )
    return _played(folder, with_changes(config, games=games, max_plies=max_plies, seed=3))


def run_of(framework: str, folder: Path, games: int = 4, max_plies: int = 30, **changes: Any) -> Path:
    """A run of players that search a little, or draw."""
    config = parse_config(f"framework = '{framework}'\n {FRAMEWORKS[framework]}", "test")
    return _played(folder, with_changes(config, games=games, max_plies=max_plies, **changes))


def _played(folder: Path, config: Any) -> Path:
    play(config, folder)
    return folder


def with_and_without_net(folder: Path) -> tuple[Path, Path]:
    """Two folders, of which the first alone holds a net, `net.pb.gz`."""
    here, there = folder / "here", folder / "there"
    for place in (here, there):
        place.mkdir()
    shutil.copy(find_net("club"), here / "net.pb.gz")
    return here, there
