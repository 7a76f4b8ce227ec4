"""What a run finds out before anything is written, and goes on with."""

import shutil
from pathlib import Path
from typing import Any

import msgspec
import pytest

from foible.analysis.go import learning_curves
from foible.arena.go.record import GoRecord
from foible.errors import ConfigError, FoibleError
from foible.nets.download import file_sha256
from foible.nets.go.modules import save_go_net
from foible.nets.go.net import GoNetConfig
from foible.runs.journal import Journal
from foible.selfplay.go.config import GoSelfplayConfig
from foible.training.go.config import GoTrainConfig, PanelConfig, Strength, read_config
from foible.training.go.folder import opened
from foible.training.go.generation import Generation
from foible.training.go.run import go_train, resolved
from foible.training.go.trainer import random_net
from tests.training.go.test_run import TEXT


@pytest.fixture
def config(tmp_path: Path) -> GoTrainConfig:
    path = tmp_path / "go.toml"
    path.write_text(TEXT)
    return read_config(path)


@pytest.fixture
def nets(config: GoTrainConfig, tmp_path: Path) -> Path:
    """A folder of one net, and a copy of it."""
    folder = tmp_path / "nets"
    folder.mkdir()
    save_go_net(random_net(config.net, 11), folder / "a.txt.gz")
    shutil.copy(folder / "a.txt.gz", folder / "copy.txt.gz")
    return folder


def test_a_panel_stays_as_it_was_found(config: GoTrainConfig, tmp_path: Path, nets: Path) -> None:
    config = msgspec.structs.replace(config, generations=1, panel=PanelConfig(nets=[str(nets)], games=2, visits=2))
    folder = tmp_path / "run"
    short = msgspec.structs.replace(config, protocol=msgspec.structs.replace(config.protocol, games=4))
    go_train(short, folder)
    first, hashed = str(nets / "a.txt.gz"), file_sha256(nets / "a.txt.gz")
    assert read_config(folder / "config.toml").panel_nets == {first: hashed}
    with Journal(folder / "gen-0001" / "matches.jsonl", GoRecord) as journal:
        assert [game.opponent for game in journal.items] == [f"a-{hashed[:8]}"] * 2  # not its copy
    (nets / "a.txt.gz").unlink()
    assert len(go_train(short, folder)) == 2  # the copy is the same net
    before = (folder / "config.toml").read_text()
    save_go_net(random_net(config.net, 12), nets / "b.txt.gz")
    with pytest.raises(ConfigError) as caught:
        go_train(short, folder)
    new = nets / "b.txt.gz"
    assert str(caught.value) == f"{folder}: made with other nets in its panel: {new} is new; choose another folder"
    new.rename(nets / "copy.txt.gz")
    with pytest.raises(ConfigError, match=r"in its panel: .*copy\.txt\.gz has changed; choose another folder"):
        go_train(short, folder)
    assert (folder / "config.toml").read_text() == before


def test_a_panel_may_be_new_to_the_record_of_an_earlier_version(
    config: GoTrainConfig, tmp_path: Path, nets: Path
) -> None:
    config = resolved(msgspec.structs.replace(config, panel=PanelConfig(nets=[str(nets)])))
    with opened(tmp_path / "run", msgspec.structs.replace(config, resolved={"foible": "0.0.1"})):
        pass
    with opened(tmp_path / "run", config):
        assert read_config(tmp_path / "run" / "config.toml").panel_nets == config.panel_nets
        assert len(config.panel_nets) == 1


def test_a_record_of_an_earlier_version_may_lack_what_is_as_by_default(config: GoTrainConfig, tmp_path: Path) -> None:
    with opened(tmp_path, resolved(config)):
        pass
    path = tmp_path / "config.toml"
    text = path.read_text()
    assert text.count("later = []\n") == 2
    path.write_text(text.replace("later = []\n", ""))
    with opened(tmp_path, resolved(config)):
        pass
    assert path.read_text() == text


def test_what_cannot_be_played_leaves_no_folder(
    config: GoTrainConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save_go_net(random_net(GoNetConfig(size=5, blocks=1, filters=8), 1), tmp_path / "five.txt.gz")
    monkeypatch.setattr("foible.training.go.run.has_bf16", lambda: False)

    def at_komi(official: float) -> dict[str, Any]:
        komi = msgspec.structs.replace(config.selfplay.komi, official=official)
        return {"selfplay": msgspec.structs.replace(config.selfplay, komi=komi)}

    changes: list[tuple[dict[str, Any], str]] = [
        ({"panel": PanelConfig(nets=["nonet"])}, "nonet"),
        (
            {"panel": PanelConfig(nets=[str(tmp_path / "five.txt.gz")])},
            "five.txt.gz is a net for 5×5; expected one for Go on",
        ),
        (
            {"panel": PanelConfig(nets=["a"], opening_plies=18)},
            "panel.opening_plies = 18: games of this size end after 18",
        ),
        ({"strength": Strength(opening_plies=20)}, "strength.opening_plies = 20: games of this size end after 18"),
        ({"precision": "bf16"}, "precision: this processor has no bf16 arithmetic"),
        (at_komi(1e9), "selfplay.komi.official: komi 1000000000"),
        (at_komi(-9), "selfplay.komi.official = -9: one side could not win; expected less than 9 either way"),
        (
            {"selfplay": msgspec.structs.replace(config.selfplay, terminal_beta=1e-9)},
            "selfplay.terminal_beta = 1e-09: expected",
        ),
        ({"selfplay": GoSelfplayConfig(noise_epsilon=0.0, noise_alpha=9.0)}, "noise_alpha = 9.0 would have no effect"),
    ]
    for change, message in changes:
        with pytest.raises(FoibleError) as caught:
            go_train(msgspec.structs.replace(config, **change), tmp_path / "run")
        assert message in str(caught.value)
        assert not (tmp_path / "run").exists()


def test_runs_compare_where_their_panels_hold_the_same_nets(config: GoTrainConfig, tmp_path: Path, nets: Path) -> None:
    def run(name: str) -> Path:
        """One with a panel of the nets of this name."""
        folder = tmp_path / f"run-{name}"
        with opened(
            folder, resolved(msgspec.structs.replace(config, panel=PanelConfig(nets=[str(tmp_path / name)])))
        ) as over:
            over.append([Generation(number=0, best=0, panel=0.5)])
        return folder

    shutil.copytree(nets, tmp_path / "moved")
    shutil.copytree(nets, tmp_path / "more")
    save_go_net(random_net(config.net, 12), tmp_path / "more" / "b.txt.gz")
    runs = [run("nets"), run("moved"), run("more")]
    assert learning_curves(runs[:2]).remarks == ()
    assert learning_curves(runs).remarks == ("the runs have different panels: their shares do not compare",)
