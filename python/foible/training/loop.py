"""The training loop: steps, evaluations, checkpoints and recovery from spikes, from wherever a run stands to its end
(phase-experts §4.3).
"""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from foible.errors import DivergedError, TrainingError
from foible.training.checkpoint import Checkpoint, TrainingStanding, load_checkpoint, save_checkpoint
from foible.training.data.encoder import Samples
from foible.training.folder import BEST, LAST
from foible.training.log import Log
from foible.training.schedule import Rates
from foible.training.trained import Ended, Validation
from foible.training.trainer import MEANS, Trainer, knows_draws, knows_plies

TICK = 0.5
"""Seconds between two reports of progress."""


@dataclass(frozen=True, slots=True)
class TrainingProgress:
    """How a run is going."""

    folder: Path
    standing: TrainingStanding
    steps: int
    """The steps of the whole schedule."""
    rate: float
    """Positions per second over all processes, since this one began; the time of evaluations does not count."""
    seconds_left: float
    """The estimated time to the end, evaluations included."""
    means: dict[str, float]
    """The means of the last steps: `total`, `policy`, `value`, and `wdl` and `plies` where the net knows draws and
    plies.
    """
    validation: Validation | None
    """The latest evaluation in this process; `None` before the first one."""


class Loop:
    """A run under way in a folder. Where several processes share the run, each has its own `Loop`; only the first
    process writes files.
    """

    def __init__(
        self,
        trainer: Trainer,
        train: Samples,
        validation: Samples | None,
        folder: Path,
        steps: int,
        on_progress: Callable[[TrainingProgress], None] = lambda now: None,
    ) -> None:
        """Take up the run where its last checkpoint stands, if there is one.

        `validation`: has at least one position of weight above 0 of the phases that the trainer trains on.

        :raises NetFileError: a checkpoint is damaged.
        """
        self.trainer = trainer
        self.steps = steps
        self.standing = TrainingStanding()
        self._recipe = trainer.recipe
        self._folder = folder
        self._train = train
        self._validation = validation
        self._on_progress = on_progress
        self._stopped = False
        self._saved = 0
        self._log: Log | None = None
        self._latest: Validation | None = None
        self._worked, self._learnt = 0.0, 0
        (folder / "checkpoints").mkdir(exist_ok=True)
        if (folder / LAST).exists():
            self._take_up(folder / LAST)

    def stop(self) -> None:
        """End after the step under way."""
        self._stopped = True

    @property
    def over(self) -> bool:
        """Whether there is nothing left to do."""
        return self.standing.place >= self.steps or self.standing.spikes >= self._recipe.spikes.most

    def run(self) -> Ended:
        """Train to the end, or until stopped.

        :raises DivergedError: the loss stops being a number, or leaps, before there is a checkpoint to go back to.
        :raises TrainingError: something cannot be written; the last checkpoint is intact.
        """
        try:
            if self.trainer.world.rank == 0:
                self._log = Log(self._folder, self.standing.log)
            self._run()
            if not self.over:
                self._save(LAST)
        except OSError as error:
            what = f"{error.filename}: {error.strerror}" if error.filename else error.strerror or str(error)
            intact = f"the checkpoint of step {self._saved} is intact" if self._saved else "there is no checkpoint yet"
            raise TrainingError(
                f"{self._folder}: {what} at step {self.standing.step}; {intact}, and the same command continues"
            ) from None
        except (RuntimeError, MemoryError) as error:
            if not _lacks_memory(error):
                raise
            whose, size = "GPU" if self.trainer.device.type == "cuda" else "machine", self._recipe.batch_size
            raise TrainingError(f"{self._folder}: the {whose}'s memory is too small for batch_size = {size}") from None
        finally:
            if self._log is not None:
                self._log.close()
        if not self.over:
            return "interrupted"
        return "finished" if self.standing.place >= self.steps else "spikes"

    def _run(self) -> None:
        begun, first = time.monotonic(), self.standing
        shown = begun
        batches = self._train.prefetched(first.step)
        while not (self.over or self.trainer.world.any(self._stopped)):
            before = time.monotonic()
            batch = next(batches)
            self.trainer.step(batch, self.standing.step, self._rates())
            now = time.monotonic()
            self._worked += now - before
            positions = len(batch) * self.trainer.world.size
            self._learnt += positions
            self.standing = replace(
                self.standing,
                step=self.standing.step + 1,
                place=self.standing.place + 1,
                positions=self.standing.positions + positions,
                seconds=first.seconds + now - begun,
                summed=self.standing.summed + 1,
                validation=None,
                restored=None,
            )
            if now - shown >= TICK or self.over:
                shown = now
                self._show((now - begun) / (self.standing.step - first.step))
            if self.standing.step % self._recipe.log_every == 0:
                self._log_means()
            if self.standing.step % self._recipe.validate_every == 0 or self.over:
                self._evaluate()

    def _evaluate(self) -> None:
        """Evaluate the net and write checkpoints, or after a spike go back to the best one."""
        if self._validation is None:
            self._check(self._means(self._shared_sums()))
            self._save(LAST)
            return
        losses = self.trainer.evaluate(self._validation)
        before, loss = self.standing, losses.loss
        assert loss is not None, "a validation set has positions of the phases that are trained on"
        if not loss <= before.previous_loss * self._recipe.spikes.factor:  # true for NaN as well
            self._recover(loss)
            return
        self._latest = losses
        best = loss < before.best_loss
        self.standing = replace(before, previous_loss=loss, validation=losses.to_json())
        if best:
            self.standing = replace(self.standing, best_loss=loss, best_step=before.step, best_place=before.place)
        self._write("validation", {**losses.to_json(), "best": best})
        if best:
            self._save(BEST)
        self._save(LAST)

    def _recover(self, loss: float) -> None:
        """Restore the weights and the optimiser of the best checkpoint. The steps and the data go on, and so does the
        schedule unless `spikes.rewind` is set.
        """
        now = self.standing
        if now.best_step is None:
            raise self._diverged("the validation loss", loss)
        best = load_checkpoint(self._folder / BEST, self.trainer.device)
        self.trainer.restore(best.state)
        self.trainer.sums.zero_()
        self.standing = replace(
            now,
            spikes=now.spikes + 1,
            summed=0,
            place=now.best_place if self._recipe.spikes.rewind else now.place,
            validation=best.standing.validation,
            restored=now.best_step,
        )
        values = {"loss": loss, "previous": now.previous_loss, "spikes": now.spikes + 1, "restored": now.best_step}
        self._write("spike", values)
        self._save(LAST)

    def _check(self, means: dict[str, float]) -> None:
        """End a run without a validation set where the training loss is not a number: there is no checkpoint to go back
        to.
        """
        if self._validation is None and not math.isfinite(means["total"]):
            raise self._diverged("the loss", math.nan)

    def _diverged(self, what: str, loss: float) -> DivergedError:
        is_what = f"is {loss:.4g}" if math.isfinite(loss) else "is not a number"
        back, place = "there is no checkpoint to go back to", ""
        if self._saved:
            back, place = f"the checkpoint of step {self._saved} leads here again", ", in another folder"
        return DivergedError(
            f"{self._folder}: {what} {is_what} after step {self.standing.step}, and {back}; lower the learning rate,"
            f" raise its warmup, or set optimiser.clip_norm{place}"
        )

    def _rates(self) -> Rates:
        return self._recipe.schedule.at(self.standing.place, self.steps)

    def _shared_sums(self) -> Tensor:
        """The trainer's sums, as means over all processes; a collective, which every process has to call."""
        world = self.trainer.world
        return world.sum(self.trainer.sums) / world.size

    def _means(self, sums: Tensor) -> dict[str, float]:
        """The means of the loss and its terms over the summed steps; without those of what the net does not know."""
        means = dict(zip(MEANS, (sums / max(1, self.standing.summed)).tolist(), strict=True))
        if not knows_draws(self.trainer.net):
            del means["wdl"]
        if not knows_plies(self.trainer.net):
            del means["plies"]
        return means

    def _log_means(self) -> None:
        means = self._means(self._shared_sums())
        self._check(means)
        seconds = round(self.standing.seconds, 3)
        self._write(
            "train", {**means, **self._rates()._asdict(), "positions": self.standing.positions, "seconds": seconds}
        )
        self.trainer.sums.zero_()
        self.standing = replace(self.standing, summed=0)

    def _write(self, kind: str, values: dict[str, Any]) -> None:
        if self._log is not None:
            self._log.write(kind, self.standing.step, values)

    def _save(self, name: str) -> None:
        sums = self._shared_sums()
        if self._log is not None:
            self.standing = replace(self.standing, log=self._log.lengths)
            save_checkpoint(self._folder / name, Checkpoint(self.standing, {**self.trainer.state(), "sums": sums}))
            self._saved = self.standing.step if name == LAST else self._saved

    def _take_up(self, path: Path) -> None:
        checkpoint = load_checkpoint(path, self.trainer.device)
        self.trainer.restore(checkpoint.state)
        self.trainer.sums.copy_(checkpoint.state["sums"])
        self.standing = checkpoint.standing
        self._saved = checkpoint.standing.step

    def _show(self, seconds_per_step: float) -> None:
        self._on_progress(
            TrainingProgress(
                folder=self._folder,
                standing=self.standing,
                steps=self.steps,
                rate=self._learnt / self._worked,
                seconds_left=seconds_per_step * (self.steps - self.standing.place),
                means=self._means(self.trainer.sums),
                validation=self._latest,
            )
        )


def _lacks_memory(error: Exception) -> bool:
    """Whether there was no memory left. On a CPU torch has no type of its own for that."""
    return isinstance(error, torch.OutOfMemoryError | MemoryError) or "can't allocate memory" in str(error)
