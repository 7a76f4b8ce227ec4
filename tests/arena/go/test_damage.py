"""Whatever happens to a file of a match of Go, its games are as they were, or the damage is named."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

from foible.arena.go.record import GoRecord
from foible.arena.go.store import GoStore
from tests.arena.go.players import Wanderer, played
from tests.damage import Damage, damages, is_found

CONFIG: dict[str, Any] = {"size": 3, "players": {"a": {"visits": 8}, "b": {"visits": 8}}, "resolved": {"foible": "1"}}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("go") / "run"
    with GoStore(folder, CONFIG) as store:
        store.append(played(Wanderer("a"), Wanderer("b"), 4))
    return folder


def opened(folder: Path) -> list[GoRecord]:
    with GoStore(folder, CONFIG) as store:
        return store.records


@settings(max_examples=80, deadline=None)
@given(damage=damages(("games.jsonl", "finished.json", "run.json", "config.toml")))
def test_no_damage_makes_other_games(run: Path, tmp_path_factory: pytest.TempPathFactory, damage: Damage) -> None:
    is_found(run, tmp_path_factory.mktemp("damaged") / "run", damage, opened)
