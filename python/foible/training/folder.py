"""The run folder of a training, safe against a kill at any instant.

run.json               marks the folder as that of a training
config.toml            the resolved configuration; another one is refused
checkpoints/last.pt    the latest state of the run
checkpoints/best.pt    the state with the lowest validation loss
log.jsonl, events.out.tfevents.0.training      what happened, see `log.Log`
net.pb.gz or net.onnx  the net that was kept   } written when the run ends
result.json            the result of the run   } or is stopped
run.lock               held by the process that writes
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import msgspec

from foible.errors import ConfigError, GameFileError
from foible.runs.files import read_sealed, seal, write_atomically
from foible.runs.folder import CONFIG, RunFolder, check_unchanged, declare, read_recorded, write_config
from foible.toml import to_toml_dict
from foible.training.config import TrainConfig
from foible.training.trained import Trained

RESULT: Final = "result.json"
BEST, LAST = "checkpoints/best.pt", "checkpoints/last.pt"
LOG: Final = "log.jsonl"
LAST_LINES: Final = 1 << 14
"""The number of bytes to read at the end of a log, enough to hold its last line."""

MAY_CHANGE: Final = ("device", "devices", "threads")
"""Keys that a later process may change: they change speed, and rounding where devices differ."""
START: Final = "start"
"""The key with the path of the net to start from. It may change, too, as the net may have moved: the hash of the net
tells whether it is still the same one.
"""


@contextmanager
def opened(folder: Path, config: TrainConfig) -> Iterator[dict[str, str]]:
    """Hold a run folder for this configuration; gives the `resolved` table of an earlier process, empty in a new
    folder.

    The configuration may still change while the run has no checkpoint, as after a learning rate that was too high.

    :raises ConfigError: the folder was made with another configuration or by another command, or has a checkpoint
        without a configuration; or another process is at work in it.
    """
    check_single(folder, "choose another folder, or one of theirs")
    with RunFolder(folder, "training") as run:
        run.expect_config(LAST)
        yield _recorded(folder, config)


def check_single(folder: Path, instead: str) -> None:
    """:raises ConfigError: trainings of several seeds lie below the folder; the message says what to do `instead`."""
    if any(folder.glob("seed-*/checkpoints")):
        raise ConfigError(f"{folder} holds trainings of several seeds; {instead}")


def freeze(folder: Path, config: TrainConfig) -> None:
    """Write the configuration into the run folder, and mark the folder as that of a training."""
    (folder / "checkpoints").mkdir(exist_ok=True)
    declare(folder, "training")
    write_config(folder, to_toml_dict(config))


def write_result(folder: Path, result: Trained) -> None:
    """Write the result of a run into its folder."""
    write_atomically(folder / RESULT, seal(msgspec.json.format(msgspec.json.encode(result.to_json()))))


def read_result(folder: Path) -> Trained | None:
    """The result of a run that is over; `None` where it was interrupted, or has not ended yet.

    :raises ConfigError: the file is damaged.
    """
    path = folder / RESULT
    try:
        decode = msgspec.json.Decoder(Trained, dec_hook=lambda kind, text: kind(text)).decode
        found = read_sealed(path.read_bytes(), decode)
    except FileNotFoundError:
        return None
    except GameFileError as error:
        raise ConfigError(f"{path}: not a result ({error}); remove it, and the same command makes it anew") from None
    return replace(found, folder=folder, net=folder / found.net.name) if found.ended != "interrupted" else None


class _LogLine(msgspec.Struct):
    step: int


def last_step(folder: Path) -> int | None:
    """The last step in the log of a training, which another process may be writing; `None` where there is none.

    :raises GameFileError: the last line is damaged.
    """
    path = folder / LOG
    try:
        with path.open("rb") as stream:
            stream.seek(max(0, stream.seek(0, 2) - LAST_LINES))
            lines = stream.read().split(b"\n")[:-1]
        return msgspec.json.decode(lines[-1], type=_LogLine).step if lines else None
    except FileNotFoundError:
        return None
    except msgspec.DecodeError as error:
        raise GameFileError(f"{path}: the last line cannot be read ({error})") from None


def _recorded(folder: Path, config: TrainConfig) -> dict[str, str]:
    path = folder / CONFIG
    if not path.exists() or not any((folder / one).exists() for one in (LAST, RESULT)):
        return {}
    before, now = read_recorded(path), to_toml_dict(config)
    resolved: dict[str, str] = before.pop("resolved", {})
    del now["resolved"]
    if (made := _length(before)) != (asked := _length(now)):
        raise ConfigError(
            f"{folder}: the length of a training is fixed: made with {made} (now {asked}); choose another folder"
        )
    may_move = START in before and config.start is not None
    check_unchanged(folder, before, now, (*MAY_CHANGE, START) if may_move else MAY_CHANGE)
    return resolved


def _length(config: Mapping[str, Any]) -> str:
    """The key of a configuration that says how long the training is, with its value."""
    return f"steps = {config['steps']}" if config.get("steps") else f"epochs = {config.get('epochs') or 1:g}"
