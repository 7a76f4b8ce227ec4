"""Whole trainings on a few real games."""

import shutil
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from foible._core import Batch, ChessPosition
from foible.errors import ConfigError, NetFileError
from foible.nets.catalogue import find_net, open_net
from foible.nets.modules import Rise, SeResNet
from foible.scale import Executor
from foible.scale.lending import lent
from foible.training import TrainConfig, train
from foible.training.by_workers import train_all_by_workers
from foible.training.config import LossConfig, Sgd
from foible.training.data.config import DataConfig, Filters, HoldOut
from foible.training.folder import BEST, LAST
from foible.training.loop import TrainingProgress
from foible.training.run import train_all
from foible.training.schedule import ConstantSchedule
from foible.training.setup import make_net, weights_hash
from tests.training.made_up import lines, same

GAMES = str(Path(__file__).resolve().parents[2] / "examples" / "games.pgn")
SMALL = SeResNet(blocks=1, filters=4, squeeze=2, value_filters=2, value_hidden=4)


def config(**changes: Any) -> TrainConfig:
    data = DataConfig(sources=[GAMES], hold_out=HoldOut(validation=4, test=4))
    base: dict[str, Any] = {
        "data": data,
        "net": SMALL,
        "steps": 6,
        "batch_size": 64,
        "validate_every": 3,
        "device": "cpu",
        "precision": "f32",
        "threads": 1,
    }
    return TrainConfig(**{**base, **changes})


def test_games_become_a_net_that_foible_plays_with(tmp_path: Path) -> None:
    seen: list[TrainingProgress] = []
    result = train(config(), tmp_path, on_progress=seen.append)
    assert (result.ended, result.steps, result.positions) == ("finished", 6, 384)
    assert result.net == tmp_path / "net.pb.gz"
    for found in (result.validation, result.test):
        assert found is not None
        assert list(found.sets) == ["all", "opening", "middlegame", "endgame"]
        assert found.loss is not None
        assert 0 < found.loss < 9
    assert seen[-1].standing.place == seen[-1].steps == 6
    batch = Batch([ChessPosition()])
    answer = open_net(str(result.net), runtime="onnxruntime", threads=1).evaluate(batch)
    net = make_net(config(net=None, start=str(tmp_path)))
    net.eval()
    with torch.no_grad():
        outputs = net(torch.from_numpy(batch.planes()))
    assert np.allclose(answer.logits, batch.legal(outputs.policy.numpy()), atol=0.01)
    assert np.allclose(answer.wdl, outputs.wdl.softmax(1).numpy(), atol=0.01)


def test_a_run_that_is_over_is_read_back_without_its_data_and_without_torch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = train(config(), tmp_path)

    def never(_config: DataConfig) -> Any:
        raise AssertionError("it is not needed")

    monkeypatch.setattr("foible.training.run.required", lambda module: never(config().data))
    assert train(config(), tmp_path, read=never) == first
    moved = tmp_path.rename(tmp_path.with_name("moved"))
    again = train(config(), moved, read=never)
    assert again.net == moved / "net.pb.gz"
    assert again.test == first.test


def test_a_result_is_read_back_where_no_test_game_reaches_the_phase_that_was_learnt(tmp_path: Path) -> None:
    long, short = Path(GAMES).read_text().split("[Event")[3], ' "short"]\n[Result "0-1"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n'
    games = tmp_path / "games.pgn"
    games.write_text(f"[Event{long}[Event{short}")
    endgames = DataConfig(
        sources=[str(games)], filters=Filters(phases=[2], min_plies=0), hold_out=HoldOut(validation=0, test=1)
    )
    found = train(config(data=endgames, steps=1), tmp_path / "run")
    assert found.test is not None
    assert found.test.loss is None
    assert found.test.sets["opening"].positions == 4
    assert train(config(data=endgames, steps=1), tmp_path / "run") == found


def test_another_configuration_is_refused_but_for_what_changes_speed_alone(tmp_path: Path) -> None:
    train(config(), tmp_path)
    with pytest.raises(ConfigError, match=r"made with loss\.policy = 0\.988 \(now 0\.5\); choose another folder"):
        train(config(loss=LossConfig(policy=0.5)), tmp_path)
    assert train(config(threads=2), tmp_path).steps == 6


def test_a_training_that_diverged_before_its_first_checkpoint_can_be_taken_up_with_a_lower_rate(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="there is no checkpoint to go back to; lower the learning rate"):
        train(config(optimiser=Sgd(), schedule=ConstantSchedule(lr=100)), tmp_path)
    assert train(config(optimiser=Sgd(), schedule=ConstantSchedule(lr=0.01)), tmp_path).ended == "finished"
    with pytest.raises(ConfigError, match=r"made with schedule\.lr = 0\.01"):
        train(config(optimiser=Sgd(), schedule=ConstantSchedule(lr=0.001)), tmp_path)


def without_the_last(games: str) -> str:
    return games[: games.rindex("[Event")]


def with_other_ratings(games: str) -> str:
    return games.replace('[WhiteElo "', '[WhiteElo "1')


def with_other_results(games: str) -> str:
    return games.replace("1-0", "1/2-1/2")


@pytest.mark.parametrize("change", [without_the_last, with_other_ratings, with_other_results])
def test_other_games_under_the_same_name_are_refused(tmp_path: Path, change: Callable[[str], str]) -> None:
    games = tmp_path / "games.pgn"
    text = Path(GAMES).read_text()
    games.write_text(text)
    asked = config(data=DataConfig(sources=[str(games)], hold_out=HoldOut(validation=4, test=4)))
    train(asked, tmp_path / "run")
    (tmp_path / "run" / "result.json").unlink()
    assert change(text) != text
    games.write_text(change(text))
    with pytest.raises(ConfigError, match="made with other games"):
        train(asked, tmp_path / "run")


def test_the_folder_of_another_kind_of_run_is_refused(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text('focal = "a"\n')
    with pytest.raises(ConfigError, match="holds a match run"):
        train(config(), tmp_path)


def test_checkpoints_without_the_configuration_that_made_them_are_refused(tmp_path: Path) -> None:
    train(config(), tmp_path)
    for gone in ("config.toml", "result.json"):
        (tmp_path / gone).unlink()
    with pytest.raises(ConfigError, match=r"holds checkpoints/last\.pt without config\.toml; put back a copy"):
        train(config(loss=LossConfig(policy=0.5)), tmp_path)


def test_a_mistyped_net_to_start_from_can_be_corrected(tmp_path: Path) -> None:
    with pytest.raises(NetFileError, match="no net is called 'nonet'"):
        train(config(net=None, start="nonet"), tmp_path)
    assert train(config(), tmp_path).ended == "finished"


def test_the_run_folder_freezes_the_configuration_with_its_defaults(tmp_path: Path) -> None:
    train(config(), tmp_path)
    found = tomllib.loads((tmp_path / "config.toml").read_text())
    assert found["loss"] == {"policy": 0.988, "value": 0.01, "wdl": 0.01, "plies": 0.002}
    assert found["resolved"]["precision"] == "f32"
    assert found["resolved"]["games"].startswith("sha256 ")


def test_a_net_to_start_from_is_taken_up_where_it_stands(tmp_path: Path) -> None:
    first = train(config(), tmp_path / "first")
    assert first.validation
    still = config(net=None, start=str(first.net), schedule=config().schedule, steps=1)
    exact = make_net(config(net=None, start=str(tmp_path / "first")))
    rounded = make_net(still)
    assert not same(exact.state_dict(), rounded.state_dict()), "a file holds rounded weights, a run folder does not"
    for name, weight in exact.state_dict().items():
        if "conv.weight" in name:
            assert torch.allclose(weight, rounded.state_dict()[name], atol=1e-3), name
    second = train(still, tmp_path / "second")
    assert second.validation
    assert second.validation.loss is not None
    assert second.validation.loss < 7.6
    assert second.validation.loss == pytest.approx(first.validation.loss, abs=0.2)


def test_a_net_that_learns_without_ratings_plays_at_none(tmp_path: Path) -> None:
    train(config(), tmp_path / "run")
    with pytest.raises(NetFileError, match=r"run.*was trained without ratings"):
        open_net(f"{tmp_path / 'run'}:1300")


def test_a_mixture_is_no_start(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="start = master-experts: a mixture of nets; expected one net"):
        make_net(config(net=None, start="master-experts"))


def test_a_start_plays_at_the_rating_that_is_asked_for(tmp_path: Path) -> None:
    any_rating, weak, strong = (
        weights_hash(make_net(config(net=None, start=start))) for start in ("club", "club:1100", "club:1900")
    )
    assert len({any_rating, weak, strong}) == 3


def test_a_folder_with_a_net_alone_is_a_start(tmp_path: Path) -> None:
    shutil.copy(find_net("master"), tmp_path / "net.pb.gz")
    alone, named = (weights_hash(make_net(config(net=None, start=start))) for start in (str(tmp_path), "master"))
    assert alone == named


def test_a_run_can_start_from_a_run_that_started_from_another(tmp_path: Path) -> None:
    train(config(), tmp_path / "a")
    train(config(net=None, start=str(tmp_path / "a")), tmp_path / "b")
    shutil.rmtree(tmp_path / "a")
    assert make_net(config(net=None, start=str(tmp_path / "b"))).config == SMALL
    with pytest.raises(NetFileError, match="no such file"):
        make_net(config(net=None, start=str(tmp_path / "a")))
    (tmp_path / "b" / BEST).unlink()
    (tmp_path / "b" / LAST).unlink()
    with pytest.raises(NetFileError, match="has no checkpoint"):
        make_net(config(net=None, start=str(tmp_path / "b")))


def test_the_net_to_start_from_may_move_but_not_become_another(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    train(config(steps=2), first)
    train(config(net=None, start=str(first), steps=2), second)
    moved, result = first.rename(tmp_path / "moved"), second / "result.json"
    result.unlink()
    assert train(config(net=None, start=str(moved), steps=2), second).ended == "finished"
    result.unlink()
    train(config(steps=2, seed=2), tmp_path / "other")
    with pytest.raises(ConfigError, match=r"second: made from another net than start = .*other is now"):
        train(config(net=None, start=str(tmp_path / "other"), steps=2), second)
    with pytest.raises(ConfigError, match="made with start = "):
        train(config(net=None, steps=2), second)


def test_a_start_that_fails_leaves_nothing_behind(tmp_path: Path) -> None:
    asked = config(net=None, start="nonet", seeds=[1, 2])
    with pytest.raises(NetFileError, match="nonet"):
        train_all(asked, tmp_path / "runs" / "new")
    assert not any(tmp_path.iterdir())
    (tmp_path / "old").mkdir()
    with pytest.raises(NetFileError, match="nonet"):
        train(config(net=None, start="nonet"), tmp_path / "old")
    assert (tmp_path / "old").is_dir(), "a folder that was there is not ours to remove"


def test_one_run_and_several_do_not_share_a_folder(tmp_path: Path) -> None:
    train_all(config(seeds=[3, 4], steps=1), tmp_path / "several")
    with pytest.raises(ConfigError, match="several holds trainings of several seeds"):
        train(config(), tmp_path / "several")
    train(config(steps=1), tmp_path / "one")
    with pytest.raises(ConfigError, match="one holds a training run"):
        train_all(config(seeds=[3, 4], steps=1), tmp_path / "one")


@pytest.mark.parametrize("changes", [{"steps": 7}, {"steps": None, "epochs": 2.0}])
def test_a_training_of_another_length_is_another_training(tmp_path: Path, changes: dict[str, Any]) -> None:
    train(config(), tmp_path)
    with pytest.raises(ConfigError, match=r"the length of a training is fixed: made with steps = 6 \(now .* = ."):
        train(config(**changes), tmp_path)


def test_several_seeds_are_several_runs(tmp_path: Path) -> None:
    both = train_all(config(seeds=[3, 4]), tmp_path)
    assert [one.folder.name for one in both] == ["seed-3", "seed-4"]
    assert both[0].validation != both[1].validation
    alone = train(config(seed=4), tmp_path / "alone")
    assert alone.validation == both[1].validation
    assert alone.net.read_bytes() == both[1].net.read_bytes()


def test_others_train_one_run_or_several(processes: Executor, tmp_path: Path) -> None:
    ours = train_all(config(seeds=[3, 4]), tmp_path / "here")
    theirs = train_all_by_workers(config(seeds=[3, 4]), tmp_path / "there", processes)
    assert [one.net.read_bytes() for one in theirs] == [one.net.read_bytes() for one in ours]
    assert train_all_by_workers(config(seeds=[3, 4]), tmp_path / "there", processes) == theirs
    (alone,) = train_all_by_workers(config(seed=4), tmp_path / "alone", processes)
    assert (alone.folder, alone.net.read_bytes()) == (tmp_path / "alone", ours[1].net.read_bytes())
    with pytest.raises(ConfigError, match="made with batch_size = 64"):
        train_all_by_workers(config(seeds=[3, 4, 5], batch_size=32), tmp_path / "there", processes)
    assert not (tmp_path / "there" / "seed-5").exists()


def test_a_net_to_start_from_is_lent_to_others(processes: Executor, tmp_path: Path) -> None:
    start = tmp_path / "start.pb.gz"
    with pytest.raises(NetFileError, match=r"start\.pb\.gz: no such file"):
        train_all_by_workers(config(net=None, start=str(start), steps=1), tmp_path / "run", processes)
    assert not (tmp_path / "run").exists()
    shutil.copy(train(config(steps=1), tmp_path / "first").net, start)
    (trained,) = train_all_by_workers(config(net=None, start=str(start), steps=1), tmp_path / "run", processes)
    assert trained.ended == "finished"
    assert lent()[str(start)] == start
    train_all_by_workers(config(net=None, start=str(tmp_path / "first"), steps=1), tmp_path / "second", processes)
    assert str(tmp_path / "first") not in lent()
    start.unlink()  # what is over needs it no longer
    again = train_all_by_workers(config(net=None, start=str(start), steps=1), tmp_path / "run", processes)
    assert again == [trained]


def test_of_a_net_that_knows_no_draws_no_such_loss_is_told(tmp_path: Path) -> None:
    classical = SeResNet(blocks=1, filters=4, squeeze=0, value="classical")
    result = train(config(net=classical, loss=LossConfig(wdl=0), log_every=2), tmp_path)
    assert result.test
    assert {losses.wdl for losses in result.test.sets.values()} == {None}
    assert result == train(config(net=classical, loss=LossConfig(wdl=0), log_every=2), tmp_path), "also read back"
    log = lines(tmp_path)
    assert not any("wdl" in line for line in log if line["kind"] == "train")
    assert [line["sets"]["all"]["wdl"] for line in log if line["kind"] == "validation"] == [None, None]


@pytest.mark.parametrize("moves_left", [False, True])
def test_of_a_net_without_a_head_for_the_plies_no_such_loss_is_told(tmp_path: Path, *, moves_left: bool) -> None:
    small = SeResNet(blocks=1, filters=4, squeeze=0, moves_left=moves_left)
    result = train(config(net=small, log_every=2), tmp_path)
    assert result.test
    assert {losses.plies is not None for losses in result.test.sets.values()} == {moves_left}
    log = lines(tmp_path)
    assert {"plies" in line for line in log if line["kind"] == "train"} == {moves_left}
    told = [line["sets"]["all"]["plies"] for line in log if line["kind"] == "validation"]
    assert all((one is not None) == moves_left for one in told)


def test_a_rise_without_the_blocks_that_it_names_is_refused(tmp_path: Path) -> None:
    data = DataConfig(sources=[GAMES], encoding="crazyara")
    with pytest.raises(ConfigError, match=r"\[net\]: large_kernels: there is no block 7, expected 0 to 4"):
        train(config(net=Rise(blocks=5), data=data), tmp_path)


def test_net_data_and_loss_must_go_together(tmp_path: Path) -> None:
    classical = SeResNet(blocks=1, filters=4, squeeze=0, value="classical")
    with pytest.raises(ConfigError, match="knows no draws"):
        train(config(net=classical), tmp_path / "a")
    train(config(), tmp_path / "lc0")
    data = DataConfig(sources=[GAMES], encoding="crazyara")
    with pytest.raises(ConfigError, match="a net for encoding = lc0"):
        train(config(net=None, start=str(tmp_path / "lc0"), data=data), tmp_path / "b")
