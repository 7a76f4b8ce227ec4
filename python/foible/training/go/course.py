"""The training of a generation's net, kept on the disk while it goes on."""

import io
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch

from foible.errors import NetFileError
from foible.files import write_atomically
from foible.nets.go.modules import GoNet
from foible.training.go.config import GoTraining
from foible.training.go.samples import GoSamples
from foible.training.go.trainer import GoTrainer

BETWEEN_SAVES: Final = 60.0
"""Seconds: so much work a kill may cost."""


class Course:
    """A net that learns in place. A later process goes on from the last save, to the same net bit for bit."""

    def __init__(
        self, path: Path, net: GoNet, config: GoTraining, *, seed: int, generation: int, attempt: int = 0
    ) -> None:
        """Begin, or go on with the same attempt where the file holds it.

        `net`: as it begins. `attempt`: which training of the generation's this is.

        :raises NetFileError: the file is damaged.
        """
        self.net = net
        self.done = 0
        """Steps."""
        self._path = path
        self._attempt = attempt
        self._trainer = GoTrainer(net, config, generation)
        self._rng = np.random.default_rng([seed, generation, attempt])
        saved = _load(path)
        if saved and saved["attempt"] == attempt:
            self.done = saved["done"]
            self._trainer.restore(saved["trainer"])
            self._rng.bit_generator.state = saved["rng"]

    def train(self, samples: GoSamples, steps: int, on_step: Callable[[int], bool]) -> bool:
        """Until so many steps are done in all; whether it came there, `on_step` never having said to stop."""
        first, saved = self.done, time.monotonic()

        def tell(done: int) -> bool:
            nonlocal saved
            self.done = first + done
            stopped = on_step(self.done)
            if stopped or time.monotonic() - saved > BETWEEN_SAVES:
                self.save()
                saved = time.monotonic()
            return stopped

        return self._trainer.train(samples, self._rng, steps - first, tell)

    def save(self) -> None:
        """Whole or not at all."""
        buffer = io.BytesIO()
        rng = self._rng.bit_generator.state
        torch.save({"attempt": self._attempt, "done": self.done, "trainer": self._trainer.state, "rng": rng}, buffer)
        write_atomically(self._path, buffer.getvalue())


def attempt_under_way(path: Path) -> int:
    """The attempt that a file holds, from 0.

    :raises NetFileError: it is damaged.
    """
    saved = _load(path)
    return int(saved["attempt"]) if saved else 0


def _load(path: Path) -> dict[str, Any] | None:
    """`None` where there is no file."""
    if not path.exists():
        return None
    try:
        found: dict[str, Any] = torch.load(path, weights_only=True)
    except Exception as error:  # torch raises what it likes on a damaged file
        raise NetFileError(
            f"{path}: no training under way ({error!r:.80}); without it the training begins anew"
        ) from None
    return found
