"""The run folder of a training, safe against a kill at any instant.

config.toml            the resolved configuration; another one is refused
checkpoints/last.pt    where the run stands
checkpoints/best.pt    where the validation loss was lowest
log.jsonl, events.out.tfevents.0.training      what happened, see `log`
net.pb.gz or net.onnx  the net that was kept   } written when the run ends
result.json            what it came to         } or is stopped
run.lock               held by the process that writes
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Final

import msgspec
import tomli_w

from foible.arena.store import check_unchanged, read_recorded, without_none
from foible.errors import ConfigError
from foible.files import Run, check_folder, lock, write_atomically
from foible.training.config import TrainConfig, to_toml_dict
from foible.training.figures import Trained

CONFIG, RESULT, LOCK = "config.toml", "result.json", "run.lock"

MAY_CHANGE: Final = ("device", "devices", "threads")
"""Keys that a later process may change: they change speed, and rounding where devices differ."""
START: Final = "start"
"""The net may have moved; that it is the same one is told by its hash."""


@contextmanager
def opened(folder: Path, config: TrainConfig) -> Iterator[dict[str, str]]:
    """As `held`, for this configuration; gives what an earlier process resolved, empty in a new folder.

    :raises ConfigError: the folder was made with another configuration.
    """
    check_single(folder, "choose another folder, or one of theirs")
    with held(folder, "training"):
        yield _recorded(folder, config)


def check_single(folder: Path, instead: str) -> None:
    """:raises ConfigError: trainings of several seeds lie below the folder; says what to do instead."""
    if any(folder.glob("seed-*/checkpoints")):
        raise ConfigError(f"{folder} holds trainings of several seeds; {instead}")


@contextmanager
def held(folder: Path, run: Run) -> Iterator[None]:
    """Hold a run folder, old or new. A new one in which nothing has begun when the block ends is removed.

    :raises ConfigError: the folder was made by another command, or another process is at work in it.
    """
    check_folder(folder, run)
    made = [one for one in (folder, *folder.parents) if not one.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    handle = lock(folder / LOCK)
    try:
        yield
    finally:
        if made and not (folder / CONFIG).exists():
            _remove(made)
        os.close(handle)


def write_config(folder: Path, config: TrainConfig) -> None:
    """Freeze the configuration, in a folder that shows itself as a training's."""
    (folder / "checkpoints").mkdir(exist_ok=True)
    write_atomically(folder / CONFIG, tomli_w.dumps(without_none(to_toml_dict(config))))


def write_result(folder: Path, result: Trained) -> None:
    """What the run came to."""
    write_atomically(folder / RESULT, msgspec.json.format(msgspec.json.encode(result.to_json())) + b"\n")


def read_result(folder: Path) -> Trained | None:
    """What a run that is over came to; `None` where it is not over.

    :raises ConfigError: the file is damaged.
    """
    path = folder / RESULT
    try:
        found = msgspec.json.decode(path.read_bytes(), type=Trained, dec_hook=lambda kind, text: kind(text))
    except FileNotFoundError:
        return None
    except msgspec.DecodeError as error:
        raise ConfigError(f"{path}: not a result ({error}); remove it, and the same command makes it anew") from None
    return replace(found, folder=folder, net=folder / found.net.name) if found.ended != "interrupted" else None


def _recorded(folder: Path, config: TrainConfig) -> dict[str, str]:
    path = folder / CONFIG
    if not path.exists():
        return {}
    before, now = read_recorded(path), to_toml_dict(config)
    resolved: dict[str, str] = before.pop("resolved", {})
    del now["resolved"]
    may_move = START in before and config.start is not None
    check_unchanged(folder, before, now, (*MAY_CHANGE, START) if may_move else MAY_CHANGE)
    return resolved


def _remove(folders: list[Path]) -> None:
    """A folder with nothing but its lock, and those above it that were made for it."""
    (folders[0] / LOCK).unlink(missing_ok=True)
    with suppress(OSError):  # where somebody else has put something
        for one in folders:
            one.rmdir()
