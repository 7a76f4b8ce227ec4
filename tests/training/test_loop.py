"""Evaluations, checkpoints and spikes, with validation losses that the tests dictate (phase-experts §4.3)."""

import errno
import math
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
import torch

from foible.errors import ConfigError, TrainingError
from foible.runs import files
from foible.training import checkpoint
from foible.training.checkpoint import load_checkpoint
from foible.training.config import Recipe, SpikeConfig
from foible.training.data.encoder import TrainBatch
from foible.training.folder import BEST, LAST
from foible.training.loop import Loop
from foible.training.schedule import Rates
from foible.training.trained import Validation
from tests.training.made_up import RECIPE, lines, loop, recipe, same, stop_after, weights

NAN = math.nan


@pytest.fixture(autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)


def dictated(folder: Path, losses: Sequence[float], asked: Recipe | None = None, every: int = 1) -> Loop:
    """A run whose evaluations, one after each `every` steps, give these losses."""
    asked = asked or recipe(steps=len(losses) * every, validate_every=every)
    run = loop(folder, asked)
    left: Iterator[float] = iter(losses)
    run.trainer.evaluate = lambda samples: Validation(next(left), {})  # type: ignore[method-assign]
    return run


def history(run: Loop) -> list[dict[str, torch.Tensor]]:
    """The weights before each step of a run that is yet to be made."""
    found: list[dict[str, torch.Tensor]] = []
    learn = run.trainer.step

    def step(batch: TrainBatch, number: int, rates: Rates) -> None:
        found.append(weights(run))
        learn(batch, number, rates)

    run.trainer.step = step  # type: ignore[method-assign]
    return found


def state(folder: Path, name: str) -> checkpoint.Checkpoint:
    return load_checkpoint(folder / name, torch.device("cpu"))


def test_the_checkpoint_with_the_lowest_loss_is_kept(tmp_path: Path) -> None:
    run = dictated(tmp_path, [5.0, 3.0, 4.0, 3.5])
    before = history(run)
    assert run.run() == "finished"
    best = state(tmp_path, BEST)
    assert best.standing.best_step == best.standing.step == 2
    assert same(best.state["net"], before[2])
    assert state(tmp_path, LAST).standing.step == 4
    assert same(state(tmp_path, LAST).state["net"], weights(run))


def test_a_spike_restores_weights_and_optimiser_of_the_best_but_not_the_counter(tmp_path: Path) -> None:
    run = dictated(tmp_path, [4.0, 3.0, 4.4, 4.6 * 1.5, 4.0])
    before = history(run)
    assert run.run() == "finished"
    assert run.standing.step == run.standing.place == 5
    assert run.standing.spikes == 1
    assert same(before[4], before[2]), "after the evaluation of step 4 come the weights of step 2"
    assert not same(before[3], before[2])
    (spike,) = [line for line in lines(tmp_path) if line["kind"] == "spike"]
    assert spike == {"kind": "spike", "step": 4, "loss": 4.6 * 1.5, "previous": 4.4, "spikes": 1, "restored": 2}
    assert [line["step"] for line in lines(tmp_path) if line["kind"] == "validation"] == [1, 2, 3, 5]


def test_the_last_checkpoint_tells_the_validation_of_its_own_weights(tmp_path: Path) -> None:
    dictated(tmp_path / "spike", [4.0, 3.0, 4.4, 9.0]).run()
    spike = state(tmp_path / "spike", LAST).standing
    assert spike.validation == Validation(3.0, {}).to_json()
    assert (spike.step, spike.weights_of) == (4, 2), "a spike brought back the weights of step 2"
    stopped = dictated(tmp_path / "stopped", [4.0, 3.0], every=4)
    stop_after(stopped, 5)
    stopped.run()
    now = state(tmp_path / "stopped", LAST).standing
    assert (now.validation, now.weights_of) == (None, 5), "they have learnt since step 4"
    assert state(tmp_path / "stopped", BEST).standing.validation == Validation(4.0, {}).to_json()


def test_the_optimiser_is_restored_with_the_weights(tmp_path: Path) -> None:
    run = dictated(tmp_path, [3.0, 3.0, 9.0], recipe(steps=3, validate_every=1))
    run.run()
    best, now = state(tmp_path, BEST).state["optimiser"]["state"], run.trainer.optimiser.state_dict()["state"]
    assert best[0]["step"] == now[0]["step"] == 1
    assert all(torch.equal(best[key]["exp_avg_sq"], now[key]["exp_avg_sq"]) for key in best)


@pytest.mark.parametrize(("loss", "spikes"), [(4.5, 0), (4.5001, 1), (NAN, 1), (math.inf, 1)])
def test_one_and_a_half_times_the_loss_before_is_still_no_spike(tmp_path: Path, loss: float, spikes: int) -> None:
    run = dictated(tmp_path, [3.0, loss])
    run.run()
    assert run.standing.spikes == spikes


def test_losses_are_compared_with_the_last_that_was_no_spike(tmp_path: Path) -> None:
    run = dictated(tmp_path, [2.0, 2.8, 4.3, 4.1])
    run.run()
    assert run.standing.spikes == 1, "4.1 is less than 1.5 times 2.8"
    assert run.standing.previous_loss == 4.1


def test_the_first_evaluation_is_compared_with_9000(tmp_path: Path) -> None:
    assert dictated(tmp_path / "high", [13_500.0]).run() == "finished"
    with pytest.raises(ConfigError, match=r"the validation loss is 1\.35\S+ after step 1, and there is no checkpoint"):
        dictated(tmp_path / "higher", [13_501.0]).run()


def test_no_number_before_the_first_checkpoint_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"is not a number after step 1, .* lower the learning rate"):
        dictated(tmp_path, [NAN, 1.0]).run()
    assert not (tmp_path / LAST).exists()


def test_twenty_spikes_end_the_run_with_the_best_checkpoint_intact(tmp_path: Path) -> None:
    run = dictated(tmp_path, [3.0, *[NAN] * 20, 3.0], recipe(steps=22, validate_every=1))
    before = history(run)
    assert run.run() == "spikes"
    assert run.standing.step == 21
    assert same(state(tmp_path, BEST).state["net"], before[1])
    assert loop(tmp_path, recipe(steps=22, validate_every=1)).run() == "spikes", "and it stays ended"


@pytest.mark.parametrize("rewind", [False, True])
def test_the_schedule_is_rewound_only_where_that_is_asked_for(tmp_path: Path, rewind: bool) -> None:
    asked = recipe(steps=8, validate_every=2, spikes=SpikeConfig(rewind=rewind))
    run = dictated(tmp_path, [3.0, 2.0, 9.0, 3.0, 2.5, 2.5], asked)
    numbers, used, learn = [], [], run.trainer.step

    def step(batch: TrainBatch, number: int, rates: Rates) -> None:
        numbers.append(number)
        used.append(rates)
        learn(batch, number, rates)

    run.trainer.step = step  # type: ignore[method-assign]
    assert run.run() == "finished"
    places = [0, 1, 2, 3, 4, 5, 4, 5, 6, 7] if rewind else list(range(8))
    assert used == [asked.schedule.at(place, 8) for place in places]
    assert numbers == list(range(len(places))), "the data goes on"


def test_the_log_has_the_means_of_every_step_once(tmp_path: Path) -> None:
    run = loop(tmp_path)
    run.run()
    train = [line for line in lines(tmp_path) if line["kind"] == "train"]
    assert [line["step"] for line in train] == [3, 6, 9, 12]
    assert [line["positions"] for line in train] == [24, 48, 72, 96]
    assert train[-1]["lr"] == RECIPE.schedule.at(12, 12).lr
    assert all(line["total"] > 0 and line["policy"] > line["wdl"] > 0 for line in train)


@pytest.mark.parametrize("log_every", [3, 4])
def test_a_run_without_validation_keeps_the_end_and_stops_when_it_learns_nothing_but_nan(
    tmp_path: Path, log_every: int
) -> None:
    asked = recipe(log_every=log_every)
    assert loop(tmp_path / "good", asked, validation=False).run() == "finished"
    assert not (tmp_path / "good" / BEST).exists()
    bad = loop(tmp_path / "bad", asked, validation=False)
    stop_after(bad, 6)
    assert bad.run() == "interrupted"
    bad = loop(tmp_path / "bad", asked, validation=False)
    with torch.no_grad():
        next(bad.trainer.net.parameters()).fill_(NAN)
    expected = "the loss is not a number after step 8, and the checkpoint of step 6 leads here again; .* another folder"
    with pytest.raises(ConfigError, match=expected):
        bad.run()
    assert state(tmp_path / "bad", LAST).standing.step == 6
    assert not any(one.isnan().any() for one in state(tmp_path / "bad", LAST).state["net"].values())


def test_a_full_disk_ends_in_one_line_with_the_last_checkpoint_intact(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = files.write_atomically

    def full(path: Path, content: bytes) -> None:
        if loop_.standing.step > 4:
            with files.replacing(path) as stream:
                stream.write(content[: len(content) // 2])
                raise OSError(errno.ENOSPC, "No space left on device")
        written(path, content)

    monkeypatch.setattr(checkpoint, "write_atomically", full)
    loop_ = loop(tmp_path)
    expected = "No space left on device at step 8; the checkpoint of step 4 is intact, and the same command continues"
    with pytest.raises(TrainingError, match=expected) as found:
        loop_.run()
    assert "\n" not in str(found.value)
    assert {path.name for path in (tmp_path / "checkpoints").iterdir()} == {"best.pt", "last.pt"}
    monkeypatch.undo()
    again, alone = loop(tmp_path), loop(tmp_path / "alone")
    assert again.standing.step == 4
    assert again.run() == alone.run() == "finished"
    assert same(weights(again), weights(alone))
    assert lines(tmp_path) == lines(tmp_path / "alone")


def test_too_large_a_batch_ends_in_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = loop(tmp_path)

    def step(batch: TrainBatch, number: int, rates: Rates) -> None:
        torch.empty(2**60, dtype=torch.uint8)

    monkeypatch.setattr(run.trainer, "step", step)
    with pytest.raises(TrainingError, match="the machine's memory is too small for batch_size = 8"):
        run.run()
