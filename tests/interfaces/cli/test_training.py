"""`foible train` and `foible experts` from the shell."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import msgspec
import pytest

from foible.interfaces.cli import Stopped, training as command
from foible.interfaces.cli.training import experts, note
from foible.training.checkpoint import FIRST_LOSS, TrainingStanding
from foible.training.config import TrainConfig, read_config
from foible.training.data.config import DataConfig
from foible.training.improve import ImproveReport, Round
from foible.training.loop import TrainingProgress
from foible.training.trained import Ended, Trained, Validation
from tests.interfaces.cli.command import PROGRAM, Command
from tests.interrupted import interrupt
from tests.scale.workers import assert_gone, children
from tests.training.experts.test_run import SMALL_NET

ROOT = Path(__file__).resolve().parents[3]
SMALL = f"""
steps = 4
batch_size = 64
validate_every = 2
device = "cpu"
precision = "f32"
threads = 1
[data]
sources = ["{ROOT}/examples/games.pgn"]
hold_out = {{ validation = 4, test = 4 }}
[net]
kind = "se-resnet"
blocks = 1
filters = 4
squeeze = 2
"""


def test_it_trains_and_says_what_came_out(foible: Command, config: Path, tmp_path: Path) -> None:
    ran = foible("train", config, "--out", tmp_path / "run")
    assert ran.code == 0, ran.err
    for word in ("test, all", "test, endgame", "accuracy", "net.pb.gz"):
        assert word in ran.out
    assert "games.pgn: 36 games" in ran.err
    again = foible("train", tmp_path / "run")
    assert (again.code, again.out) == (0, ran.out), "the folder of a run that is over prints its result"
    assert again.err == ""


def test_a_training_without_held_out_games_is_told_as_well(foible: Command, config: Path, tmp_path: Path) -> None:
    config.write_text(config.read_text().replace("validation = 4, test = 4", "validation = 0, test = 0"))
    ran = foible("train", config, "--out", tmp_path / "run")
    assert ran.code == 0, ran.err
    assert re.search(r"│ run +│ not measured +│ +4 │", ran.out), ran.out


def test_json_has_the_losses_of_every_seed(foible: Command, config: Path, tmp_path: Path) -> None:
    ran = foible("train", config, "--out", tmp_path / "run", "--seed", 2, "--seed", 3, "--steps", 2, "--json")
    assert ran.code == 0, ran.err
    both = msgspec.json.decode(ran.out)
    assert [Path(one["folder"]).name for one in both] == ["seed-2", "seed-3"]
    assert [one["steps"] for one in both] == [2, 2]
    assert all(0 < one["test"]["sets"]["all"]["loss"] < 9 for one in both)
    assert ran.err.count("games.pgn: ") == 1, "both learn from the games as read once"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (SMALL.replace("examples/games.pgn", "examples/no.pgn"), "no.pgn"),
        (SMALL.replace("examples/games.pgn", "README.md"), "no game with moves and a result"),
        (SMALL.replace("filters = 4", "filters = 0"), "net.filters"),
        (SMALL + "\n[optimiser]\nkind = 'sgd'\nweight_decay = -1\n", "optimiser.weight_decay"),
        (SMALL + "\n[optimiser]\nkind = 'sgd'\n[schedule]\nkind = 'constant'\nlr = 100\n", "lower the learning rate"),
    ],
)
def test_what_is_wrong_is_one_line(foible: Command, config: Path, tmp_path: Path, text: str, message: str) -> None:
    config.write_text(text)
    ran = foible("train", config, "--out", tmp_path / "run")
    assert ran.code == 2
    assert ran.err.splitlines()[-1].startswith("foible: ")
    assert message in ran.err.splitlines()[-1]
    assert "lower" in message or not (tmp_path / "run").exists(), "nothing is written where nothing was learnt"


def test_a_folder_of_another_command_is_named(foible: Command, tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text('senior = "master"\n')
    found = foible("train", tmp_path)
    assert found.code == 2
    assert f"{tmp_path} holds an attune run" in found.err


def test_the_folder_of_several_seeds_is_none_of_a_training(foible: Command, tmp_path: Path) -> None:
    (tmp_path / "seed-1" / "checkpoints").mkdir(parents=True)
    found = foible("train", tmp_path)
    assert found.code == 2
    assert f"{tmp_path} holds trainings of several seeds; name their configuration, or one of them" in found.err


def test_ctrl_c_keeps_the_training_and_says_how_to_go_on(config: Path, tmp_path: Path) -> None:
    config.write_text(SMALL.replace("steps = 4", "steps = 5000"))
    folder = tmp_path / "run"
    command = [*PROGRAM, "train", str(config), "--out", str(folder)]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    while not (folder / "checkpoints" / "last.pt").exists() and process.poll() is None:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=300)
    assert process.returncode == 130
    assert "; the same command continues" in err
    assert (folder / "net.pb.gz").exists()
    assert msgspec.json.decode((folder / "result.json").read_bytes())["ended"] == "interrupted"


def test_seeds_that_others_train_outlive_a_kill_and_ctrl_c(foible: Command, config: Path, tmp_path: Path) -> None:
    config.write_text(SMALL.replace("steps = 4", "steps = 12").replace("validate_every = 2", "validate_every = 3"))
    seeds, workers = ("--seed", "1", "--seed", "2"), list[int]()

    def start(out: Path) -> "subprocess.Popen[str]":
        command = [*PROGRAM, "train", str(config), *seeds, "--out", str(out), "--json", "--on", "processes:2"]
        return subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def start_and_kill_a_worker(folder: Path) -> "subprocess.Popen[str]":
        process = start(folder)
        while not list(folder.glob("seed-*/checkpoints/last.pt")) and process.poll() is None:
            time.sleep(0.01)
        workers.extend(found := children(process.pid))
        for worker in found[:1]:
            os.kill(worker, signal.SIGKILL)
        return process

    stopped = interrupt(start_and_kill_a_worker, Path.exists, tmp_path)
    folder = stopped.folder
    assert stopped.code == 130, stopped.err
    assert "stopped; the same command continues" in stopped.err
    assert "Traceback" not in stopped.err
    assert workers
    assert_gone(workers)
    for out in (folder, tmp_path / "whole"):
        whole = foible("train", config, *seeds, "--out", out, "--json")
        assert [one["steps"] for one in msgspec.json.decode(whole.out)] == [12, 12], whole.err
    for seed in ("seed-1", "seed-2"):
        for name in ("net.pb.gz", "config.toml"):
            assert (folder / seed / name).read_bytes() == (tmp_path / "whole" / seed / name).read_bytes(), name


def test_the_example_shows_the_defaults_where_it_says_so() -> None:
    shown = read_config(ROOT / "examples" / "train.toml")
    defaults = TrainConfig(data=DataConfig(sources=["examples/games.pgn"]))
    for name in ("loss", "optimiser", "schedule", "spikes", "keep", "seed", "precision"):
        assert getattr(shown, name) == getattr(defaults, name), name


def test_every_run_that_ended_early_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], config: Path
) -> None:
    def trained(name: str, spikes: int) -> Trained:
        ended: Ended = "spikes" if spikes else "finished"
        return Trained(Path(name), ended, Path("net.pb.gz"), 4, 256, 1.0, spikes, 2, None, None)

    results = [trained("runs/seed-1", 20), trained("runs/seed-2", 0), trained("runs/seed-3", 21)]
    monkeypatch.setattr(command, "train_all", lambda *args, **more: results)
    command.train(config)
    said = capsys.readouterr().err
    assert "seed-1: ended early, the loss leapt 20 times" in said
    assert "seed-3: ended early, the loss leapt 21 times" in said
    assert "seed-2" not in said


def test_the_note_tells_time_speed_and_losses() -> None:
    now = TrainingProgress(
        folder=Path("run"),
        standing=TrainingStanding(step=50, place=50, previous_loss=FIRST_LOSS, best_loss=2.4, spikes=1),
        steps=100,
        rate=1503.2,
        seconds_left=75.4,
        means={"total": 2.5, "policy": 2.5, "value": 0.6, "wdl": 1.0, "plies": 0.0},
        validation=Validation(2.5, {}),
    )
    assert note(now) == ("1503 pos/s  validation 2.5000 (best 2.4000)  spikes 1  policy 2.500 value 0.600 wdl 1.000")


TEXT = f"""
seeds = [1]
regimes = ["separated"]
[data]
sources = ["examples/games.pgn"]
games = 30
hold_out = {{validation = 5, test = 5}}
{SMALL_NET}threads = 1
"""


def test_it_trains_and_prints_the_losses(foible: Command, tmp_path: Path) -> None:
    config = tmp_path / "e.toml"
    config.write_text(TEXT)
    ran = foible("experts", config, "--out", tmp_path / "run", "--json")
    assert ran.code == 0
    assert [line.split(":")[0] for line in ran.err.splitlines()] == [
        f"training {number}/4, {name}, seed 1"
        for number, name in enumerate(("regular", "only-opening", "only-middlegame", "only-endgame"), 1)
    ]
    found = json.loads(ran.out)
    assert found["matches"] == []
    mixture = found["losses"][-1]
    assert (mixture["regime"], mixture["expert"]) == ("separated", "mixture")
    again = foible("experts", config, "--out", tmp_path / "run")
    assert again.code == 0
    assert f"{mixture['mean']['no-phases']:.4f}" in again.out
    assert again.out.splitlines()[-1] == f"report, nets and games: {tmp_path / 'run'}"
    config.unlink()
    assert foible("experts", tmp_path / "run").out == again.out


def test_a_configuration_that_is_wrong_is_one_line(foible: Command, tmp_path: Path) -> None:
    config = tmp_path / "e.toml"
    config.write_text(TEXT.replace("separated", "split"))
    ran = foible("experts", config, "--out", tmp_path / "run")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(f"foible: {config}: no regime is called 'split'; expected regular, separated, staged")
    assert ran.err.count("\n") == 1
    assert not (tmp_path / "run").exists()


def test_a_folder_of_another_kind_is_named(foible: Command, tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text('senior = "x"')
    ran = foible("experts", tmp_path)
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert f"{tmp_path} holds an attune run" in ran.err


def test_without_pytorch_it_says_how_to_get_it(
    foible: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    config = tmp_path / "e.toml"
    config.write_text(TEXT)
    ran = foible("experts", config)
    assert ran.code == 2
    assert ran.err == "foible: this needs PyTorch, which is not installed: pip install 'foible[train]'\n"


def test_ctrl_c_before_the_first_step_says_how_to_go_on(
    foible: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object, **_more: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(sys.modules[experts.__module__], "run_experts", interrupted)
    config = tmp_path / "e.toml"
    config.write_text(TEXT)
    ran = foible("experts", config, "--out", tmp_path / "run")
    assert (ran.code, ran.out, ran.err) == (130, "", "foible: stopped; the same command continues\n")


@pytest.mark.parametrize("over", [[], ["seed-1"]])
def test_when_others_are_stopped_what_is_over_is_printed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], config: Path, over: list[str]
) -> None:
    results = [Trained(Path(name), "finished", Path("net.pb.gz"), 4, 256, 1.0, 0, 2, None, None) for name in over]
    monkeypatch.setattr(command, "train_all_by_workers", lambda *args, **more: results)
    with pytest.raises(Stopped, match=r"^stopped; the same command continues$"):
        command.train(config, seed=[1, 2], on="processes:1", as_json=True)
    assert [Path(one["folder"]).name for one in msgspec.json.decode(capsys.readouterr().out)] == over


def test_the_share_of_a_round_is_shown_where_its_pairs_tell_no_error(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    one = Round(1, labelled=20, agreement=0.25, loss=7.2, games=2, share=0.75, paired_error=None, net="net.pb.gz")
    command.print_rounds(ImproveReport((one,), asked=1), Path("run"))
    assert "75.0 %" in capsys.readouterr().out
