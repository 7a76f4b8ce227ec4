"""A run that is stopped or killed, and run again, is one that was never disturbed: bit for bit."""

import random
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from foible.errors import NetFileError
from foible.training.config import Sgd
from foible.training.folder import BEST, LAST, LOG
from foible.training.log import EVENTS
from foible.training.schedule import TriangleSchedule
from tests.interrupted import killed
from tests.training.made_up import lines, loop, recipe, same, stop_after, weights

ROOT = Path(__file__).resolve().parents[2]

RECIPES = {
    "adamw": recipe(steps=8, validate_every=3, log_every=2),
    "averaged": recipe(
        steps=8, validate_every=3, ema=0.9, optimiser=Sgd(clip_norm=0.5), schedule=TriangleSchedule(max_lr=0.5)
    ),
}


@pytest.fixture(autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)


@pytest.mark.parametrize("kind", RECIPES)
def test_a_run_stopped_after_any_step_and_continued_ends_with_the_same_weights(tmp_path: Path, kind: str) -> None:
    asked = RECIPES[kind]
    alone = loop(tmp_path / "alone", asked)
    assert alone.run() == "finished"
    for steps in range(1, 8):
        folder = tmp_path / str(steps)
        stopped = loop(folder, asked)
        stop_after(stopped, steps)
        assert stopped.run() == "interrupted"
        assert stopped.standing.step == steps
        continued = loop(folder, asked)
        assert continued.run() == "finished"
        assert same(weights(continued), weights(alone)), f"stopped after {steps}"
        assert lines(folder) == lines(tmp_path / "alone")


def test_another_seed_is_another_run(tmp_path: Path) -> None:
    one, other = loop(tmp_path / "1"), loop(tmp_path / "2", recipe(seed=2))
    one.run()
    other.run()
    assert not same(weights(one), weights(other))


def test_what_a_kill_left_behind_the_checkpoint_in_the_log_is_made_anew(tmp_path: Path) -> None:
    stopped = loop(tmp_path)
    stop_after(stopped, 5)
    stopped.run()
    events = (tmp_path / EVENTS).read_bytes()
    for name in (LOG, EVENTS):
        with (tmp_path / name).open("ab") as stream:
            stream.write(b'{"kind": "train", "step": 6')
    loop(tmp_path).run()
    assert [line["step"] for line in lines(tmp_path) if line["kind"] == "train"] == [3, 6, 9, 12]
    assert (tmp_path / EVENTS).read_bytes().startswith(events)


def test_tensorboard_reads_every_number_once(tmp_path: Path) -> None:
    stopped = loop(tmp_path)
    stop_after(stopped, 7)
    stopped.run()
    loop(tmp_path).run()
    scalars = read_events(tmp_path / EVENTS)
    losses = {line["step"]: line["policy"] for line in lines(tmp_path) if line["kind"] == "train"}
    assert scalars["train/policy"] == pytest.approx(losses)
    assert list(scalars["validation/sets/endgame/accuracy"]) == [4, 8, 12]
    assert "validation/loss" in scalars


def read_events(path: Path) -> dict[str, dict[int, float]]:
    from tensorboard.backend.event_processing.event_file_loader import LegacyEventFileLoader  # noqa: PLC0415

    found: dict[str, dict[int, float]] = {}
    for event in LegacyEventFileLoader(str(path)).Load():
        for value in event.summary.value:
            assert event.step not in found.setdefault(value.tag, {})
            found[value.tag][event.step] = value.simple_value
    return found


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 not really", b"\x80\x04."])
def test_a_damaged_checkpoint_is_named(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "checkpoints").mkdir()
    (tmp_path / LAST).write_bytes(content)
    with pytest.raises(NetFileError, match=r"last\.pt: not a checkpoint"):
        loop(tmp_path)


def start(folder: Path) -> "subprocess.Popen[bytes]":
    return subprocess.Popen([sys.executable, "-m", "tests.training.train_run", str(folder)], cwd=ROOT)


def test_a_run_killed_at_a_random_point_ends_like_an_undisturbed_one(tmp_path: Path) -> None:
    asked = recipe(steps=150, validate_every=10)
    alone = loop(tmp_path / "alone", asked)
    alone.run()
    folder = killed(start, lambda run: (run / LAST).exists(), tmp_path, random.Random(1), kills=1, late=0.3)
    assert loop(folder, asked).standing.step > 0
    assert start(folder).wait() == 0
    assert same(weights(loop(folder, asked)), weights(alone))
    assert lines(folder) == lines(tmp_path / "alone")
    assert {path.name for path in (folder / "checkpoints").iterdir()} == {Path(BEST).name, Path(LAST).name}
