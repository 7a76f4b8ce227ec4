"""A match that is ready to be played: how many games are in progress, and what its engines remember."""

from pathlib import Path
from typing import Any

import pytest

from foible.agents.uci_engine import UciEngine
from foible.arena.config import convert_config
from foible.arena.open_match import games_at_once, open_match
from tests.engines.fake import Fake

NET = {"kind": "net_policy", "net": "material"}


@pytest.mark.parametrize(
    ("settings", "at_once", "shared"),
    [
        ({}, None, True),
        ({"concurrency": 2}, 2, False),
        ({"concurrency": 3}, 3, True),
        ({"clock": "10+0.1"}, 1, False),
        ({"seconds": 0.1}, 1, False),
        ({"focal": "engine"}, 2, False),
        ({"focal": "engine", "concurrency": 8}, 8, True),
    ],
)
def test_an_engine_keeps_its_table_where_each_game_has_a_process(
    settings: dict[str, Any], at_once: int | None, shared: bool, tmp_path: Path
) -> None:
    engine = {"kind": "uci", "name": "fake", "command": Fake(tmp_path).command(), "processes": 2}
    if not {"clock", "seconds"} & settings.keys():
        engine["nodes"] = 1
    focal = engine | {"name": "other"} if settings.get("focal") else NET
    plain = {"framework": "standard", **settings, "focal": focal, "alter": engine}
    with open_match(convert_config(plain, "a test"), tmp_path / "run") as match:
        assert match.concurrency == (at_once or games_at_once(match.nets, 1))
        assert isinstance(match.alter, UciEngine) or "clock" in settings
        engines = [agent for agent in (match.focal, match.alter) if isinstance(agent, UciEngine)]
        assert all(one.shared == shared for one in engines)
