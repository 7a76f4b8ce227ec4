"""Matches of a player's net: it is tuned to the player's moves before the first block, and blocks say how."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from foible._core import Corpus
from foible.arena.papers import EXPERIMENTS
from foible.arena.papers.experiment import PLAYER
from foible.evidence import attuned, personal as subject
from foible.evidence.attuned import AttunedNet
from foible.evidence.blocks import Block
from foible.evidence.experiments import MADE_NETS
from foible.evidence.kinds import EvidenceProgress, Planned, Workplace
from foible.evidence.made_nets import MadeNetMatch
from foible.evidence.personal import PersonalNet
from foible.games.packed import open_packed
from foible.nets.catalogue import MAKERS
from foible.training.attune.config import TuneConfig
from tests.shared_data import shared
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
    trained_last = [now for now in told if "positions/s" in now.note][-1]
    assert trained_last.done == trained_last.total == trained["steps"]
    assert MATCH.follows(done.config, PLANNED)
    monkeypatch.setattr(subject, "TRAINED", {**trained, "steps": 3})
    assert not MATCH.follows(done.config, PLANNED)


def test_a_match_of_two_made_nets_says_how_each_was_made(
    trained: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(attuned, "LEELA_NET", ["master"])
    monkeypatch.setattr(attuned, "GAMES", 6)
    monkeypatch.setattr(attuned, "TUNE", TuneConfig(lr=0.01, steps=2, batch=64, thin=2))
    nets = (AttunedNet("stt", 1900), PersonalNet())
    match = MadeNetMatch("stt-att-1900-player", nets=nets)
    done = match.run(PLANNED, range(1), Workplace(tmp_path / "work", lambda now: None))
    assert done is not None
    assert (done.config["attuned"]["games"], done.config["tuned"]["steps"]) == (6, trained["steps"])
    assert [done.config["focal"][who]["net"] for who in ("senior", "junior")] == [net.name for net in nets]
    assert not {net.name for net in nets} & set(done.config["resolved"])
    assert match.follows(done.config, PLANNED)
    assert not match.follows({key: value for key, value in done.config.items() if key != "tuned"}, PLANNED)
    assert not MATCH.follows(done.config, PLANNED)


def test_the_account_has_the_games_and_the_rating_that_the_documents_say() -> None:
    corpus = Corpus()
    corpus.read(open_packed(shared("data/chess_club_online.pgn.xz")))
    mine = corpus.players == corpus.names.index(PLAYER)
    assert mine.sum() == 17_178
    assert np.median(corpus.ratings[mine]) == 1845


def test_each_match_has_the_made_nets_that_its_players_ask_for() -> None:
    for name, experiment in EXPERIMENTS.items():
        asked = {text for text in texts(experiment.config) if text.startswith(tuple(MAKERS))}
        assert asked == {net.name for net in MADE_NETS.get(name, ())}, name


def texts(value: Any) -> Iterator[str]:
    """All texts in plain values."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping | Sequence):
        for one in value.values() if isinstance(value, Mapping) else value:
            yield from texts(one)
