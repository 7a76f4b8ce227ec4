"""The log of a training: lines of JSON and TensorBoard's scalars, cut back to the checkpoint when the run goes on."""

import json
import math
import time
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from typing import Any

from tensorboard.compat.proto.event_pb2 import Event
from tensorboard.compat.proto.summary_pb2 import Summary
from tensorboard.summary.writer.record_writer import RecordWriter

from foible.runs.journal import GrowingFile
from foible.training.folder import LOG

EVENTS = "events.out.tfevents.0.training"


class Log:
    """The log of a run: one file of lines and one for TensorBoard, both held open.

        log.jsonl                          one JSON object per line, by `kind`: train, validation, spike
        events.out.tfevents.0.training     the same numbers as TensorBoard's scalars

    Both files only grow. A checkpoint records how long they were. A later process cuts off whatever comes after that:
    it was written by steps that this process is going to repeat.
    """

    def __init__(self, folder: Path, lengths: tuple[int, int] = (0, 0)) -> None:
        """`lengths`: the sizes of both files that the checkpoint recorded; (0, 0) begins the log anew."""
        self._lines, self._events = (
            GrowingFile(folder / name, length) for name, length in zip((LOG, EVENTS), lengths, strict=True)
        )
        if not lengths[1]:
            self._write_event(Event(wall_time=time.time(), file_version="brain.Event:2"))

    def write(self, kind: str, step: int, values: Mapping[str, Any]) -> None:
        """Append one line, and for each number in it a scalar named by its path: `validation/sets/all/loss`."""
        line = {"kind": kind, "step": step, **values}
        self._lines.append(json.dumps(_plain(line), allow_nan=False).encode() + b"\n")
        scalars = [Summary.Value(tag=tag, simple_value=value) for tag, value in _numbers(kind, values)]
        self._write_event(Event(wall_time=time.time(), step=step, summary=Summary(value=scalars)))

    @property
    def lengths(self) -> tuple[int, int]:
        """The sizes of both files, in bytes; all that was written so far is on the disk."""
        return self._lines.size, self._events.size

    def close(self) -> None:
        self._lines.close()
        self._events.close()

    def _write_event(self, event: Event) -> None:
        record = BytesIO()
        RecordWriter(record).write(event.SerializeToString())
        self._events.append(record.getvalue())


def _numbers(place: str, values: Mapping[str, Any]) -> list[tuple[str, float]]:
    found: list[tuple[str, float]] = []
    for name, value in values.items():
        if isinstance(value, Mapping):
            found += _numbers(f"{place}/{name}", value)
        elif isinstance(value, int | float):
            found.append((f"{place}/{name}", float(value)))
    return found


def _plain(value: Any) -> Any:
    """The value with `None` in place of NaN and infinities, which JSON does not have."""
    if isinstance(value, Mapping):
        return {name: _plain(one) for name, one in value.items()}
    return None if isinstance(value, float) and not math.isfinite(value) else value
