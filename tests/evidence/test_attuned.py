"""Matches of an attuned net: it is made before the first block, and blocks say how."""

from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
import torch

from foible.agents.spec import TagTeamSpec
from foible.arena.config import read_preset
from foible.evidence import attuned as subject
from foible.evidence.attuned import AttunedNet
from foible.evidence.blocks import Block, Measurement
from foible.evidence.kept import file_block, filed
from foible.evidence.kinds import EvidenceProgress, Planned, Workplace, fits
from foible.evidence.loss_measures import TagTeamLosses
from foible.evidence.made_nets import MadeNetMatch
from foible.evidence.measures import OfMatch
from foible.evidence.run import of_plan
from foible.judges.spec import NetJudgeSpec
from foible.toml import to_toml_dict, without_none
from foible.training.attune.config import AttuneConfig, TuneConfig

PLANNED = Planned(games=4, block=2, effort=0.002)
STT = MadeNetMatch("stt-att", nets=(AttunedNet("stt", 1100),))


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few games to learn from, a few steps, and the nets that come with foible."""
    torch.set_num_threads(1)
    monkeypatch.setenv("FOIBLE_NETS", "")
    monkeypatch.setattr(subject, "LEELA_NET", ["master"])
    monkeypatch.setattr(subject, "GAMES", 6)
    monkeypatch.setattr(subject, "TUNE", TuneConfig(lr=0.01, steps=2, batch=64, thin=2))


def test_the_net_is_attuned_once_and_blocks_say_how_and_with_which_one(tmp_path: Path) -> None:
    told = list[EvidenceProgress]()
    for units in (range(1), range(1, 2)):
        told.clear()
        done = STT.run(PLANNED, units, Workplace(tmp_path / "work", told.append))
        assert done is not None
        assert isinstance(done.block, Block)
        assert "attuned-stt-1100" not in done.config["resolved"], "another machine's net does not make another match"
        assert any("attuned-stt-1100" in name for name in done.block.played_by)
        assert done.config["focal"]["senior"]["net"] == "attuned-stt-1100"
        assert done.config["attuned"]["games"] == 6
        file_block(tmp_path / "kept", done.config, done.block)
        tuned = [now for now in told if "tuning" in now.note]
        assert bool(tuned) == (units.start == 0), "once"
        assert any(now.left is not None for now in told), "the match tells the time that is left"
    kept = filed(tmp_path / "kept")
    assert [one.units for one in kept] == [2]
    assert of_plan(kept, STT, PLANNED) == kept[0]
    assert of_plan(kept, replace(STT, nets=(AttunedNet("hb", 1100),)), PLANNED) is None
    assert of_plan(kept, STT, msgspec.structs.replace(PLANNED, effort=0.004)) is None


def test_a_net_of_seniors_moves_learns_from_the_same_games_and_losses_are_measured(tmp_path: Path) -> None:
    senior = MadeNetMatch("stt-att-senior", nets=(AttunedNet("stt", 1100, "senior"),))
    measured = OfMatch("losses", senior, TagTeamLosses(NetJudgeSpec(net="material")))
    done = measured.run(PLANNED, range(1), Workplace(tmp_path, lambda now: None))
    assert done is not None
    assert isinstance(done.block, Measurement)
    assert sum(count for _, count in done.block.sums["focal senior"]) > 0
    assert done.config["match"]["attuned"]["tune"]["plies"] == "senior"
    runs = sorted(path.name for path in (tmp_path / "attuned").iterdir())
    assert runs == ["attuned-stt-1100-3", "attuned-stt-1100-senior-3"]
    assert not (tmp_path / "attuned" / runs[1] / "games").exists()
    file_block(tmp_path / "kept", done.config, done.block)
    assert of_plan(filed(tmp_path / "kept"), measured, PLANNED) is not None


def test_weak_stockfish_is_the_same_junior_in_the_games_to_learn_from_and_in_the_matches_of_table_9() -> None:
    asked = AttunedNet("stt", "sfw").asked(PLANNED)
    config = msgspec.convert({**asked, "senior": "master"}, AttuneConfig)
    match = read_preset("stt-att-sfw-sfw")
    assert isinstance(match.focal, TagTeamSpec)
    assert match.focal.junior == config.junior
    assert fits(asked["junior"], without_none(to_toml_dict(config))["junior"]), "blocks that were filed follow the plan"
