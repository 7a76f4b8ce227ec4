"""Matches of a player's net: it is tuned to the player's moves before the first block, and blocks say how."""

from pathlib import Path
from typing import Any

import pytest
import torch

from foible.evidence import personal as subject
from foible.evidence.blocks import Block
from foible.evidence.kinds import EvidenceProgress, Planned, Workplace
from foible.evidence.made_nets import MadeNetMatch
from foible.evidence.personal import PersonalNet
from tests.training.data.pgn_games import write_games

PLANNED = Planned(games=2, block=2, effort=0.002)
MATCH = MadeNetMatch("stt-tree-player-player", nets=(PersonalNet(),))


@pytest.fixture
def trained(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> dict[str, Any]:
    """A few steps on random games of a player, from a net that comes with foible."""
    torch.set_num_threads(1)
    monkeypatch.setenv("FOIBLE_NETS", "")
    write_games(tmp_path / "games.pgn", 40, seed=3)
    data = {"sources": [str(tmp_path / "games.pgn")], "filters": {"player": "Angela Vidal", "min_plies": 0}}
    changed = {**subject.TRAINED, "steps": 2, "batch_size": 16, "data": data}
    monkeypatch.setattr(subject, "TRAINED", changed)
    return changed


def test_the_net_learns_the_players_moves_before_it_plays(
    trained: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = list[EvidenceProgress]()
    done = MATCH.run(PLANNED, range(1), Workplace(tmp_path / "work", told.append))
    assert done is not None
    assert isinstance(done.block, Block)
    assert done.config["tuned"]["data"]["filters"]["player"] == "Angela Vidal"
    assert done.config["tuned"]["start"] == "club:1900"
    assert done.config["focal"]["senior"]["net"] == done.config["alter"]["junior"]["net"] == PersonalNet().name
    assert PersonalNet().name not in done.config["resolved"], "another machine's net does not make another match"
    assert any(PersonalNet().name in name for name in done.block.played_by)
    assert [(now.done, now.total) for now in told if "positions/s" in now.note][-1] == (2, 2)
    assert MATCH.follows(done.config, PLANNED)
    monkeypatch.setattr(subject, "TRAINED", {**trained, "steps": 3})
    assert not MATCH.follows(done.config, PLANNED)
