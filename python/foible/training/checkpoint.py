"""The state of a run on the disk, from which a later process goes on as if nothing had happened."""

import io
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final, Literal

import torch

from foible.errors import NetFileError
from foible.runs.files import seal_file, unseal_file, write_atomically
from foible.training.folder import BEST, LAST

FORMAT: Final = 1
FIRST_LOSS: Final = 9000.0
"""The loss with which the first evaluation is compared (phase-experts §4.3)."""


@dataclass(frozen=True, slots=True)
class TrainingStanding:
    """How far a run has come: its counters, and what its evaluations have shown."""

    step: int = 0
    """The number of batches learnt from so far, which is also the number of the next one."""
    place: int = 0
    """The next step of the schedule; less than `step` once a spike has rewound the schedule."""
    positions: int = 0
    seconds: float = 0.0
    """Seconds of work, over all processes of the run."""
    summed: int = 0
    """The number of steps that the trainer's running sums are over."""
    previous_loss: float = FIRST_LOSS
    """Validation loss of the last evaluation that was no spike."""
    best_loss: float = float("inf")
    best_step: int | None = None
    best_place: int = 0
    validation: dict[str, Any] | None = None
    """The validation of the current weights, as `Validation.to_json` gives it; `None` where training has changed them
    since.
    """
    restored: int | None = None
    """The step whose weights a spike has brought back; `None` as soon as training changes them again."""
    spikes: int = 0
    log: tuple[int, int] = (0, 0)
    """The sizes in bytes of the two files of the log when the checkpoint was written."""

    @property
    def weights_of(self) -> int:
        """The step at which the current weights were reached."""
        return self.step if self.restored is None else self.restored


@dataclass(frozen=True, slots=True)
class Checkpoint:
    standing: TrainingStanding
    state: dict[str, Any]
    """The state of the trainer, and as `sums` its running sums, as means over all processes."""


def save_checkpoint(path: Path, checkpoint: Checkpoint) -> None:
    """Write a checkpoint, whole or not at all.

    :raises OSError: it cannot be written; names the file. A checkpoint that was there before is intact.
    """
    buffer = io.BytesIO()
    torch.save({"format": FORMAT, "standing": asdict(checkpoint.standing), "state": checkpoint.state}, buffer)
    write_atomically(path, seal_file(buffer.getvalue()))


def load_checkpoint(path: Path, device: torch.device) -> Checkpoint:
    """:raises NetFileError: the file is damaged or of another version."""
    try:
        data = io.BytesIO(unseal_file(path.read_bytes()))
        checkpoint = torch.load(data, map_location=device, weights_only=True)
        known = checkpoint["format"]
        standing = (
            TrainingStanding(**{**checkpoint["standing"], "log": tuple(checkpoint["standing"]["log"])})
            if known == FORMAT
            else None
        )
    except OSError:
        raise
    except Exception as error:  # torch raises what it likes on a damaged file
        raise NetFileError(f"{path}: not a checkpoint ({error!r:.80}); {_way_on(path)}") from None
    if standing is None:
        raise NetFileError(f"{path}: a checkpoint of format {known}; expected {FORMAT}")
    return Checkpoint(standing, checkpoint["state"])


def kept_checkpoint(folder: Path, keep: Literal["best", "last"], device: torch.device) -> Checkpoint:
    """The checkpoint whose weights become the net of a run, its best or its last. Errors as `load_checkpoint`.

    :raises NetFileError: the run has none yet, or its best one is gone.
    """
    best, last = folder / BEST, folder / LAST
    if keep == "best" and best.exists():
        return load_checkpoint(best, device)
    if not last.exists():
        raise NetFileError(f"{folder}: has no checkpoint; expected the folder of a training")
    checkpoint = load_checkpoint(last, device)
    if keep == "best" and checkpoint.standing.best_step is not None:
        raise NetFileError(f"{best}: is missing; {_way_on(best)}")
    return checkpoint


def _way_on(path: Path) -> str:
    return f"put back a copy of it, or remove {path.parent}, and the training begins anew"
