"""Nets alone: positions per second by runtime, precision and batch, beside lc0's own rate where lc0 is on the `PATH`;
and the encoding of positions.
"""

import re
import shutil
import subprocess
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Final

from foible._core import Batch
from foible.errors import ConfigError, EngineError
from foible.games.chess import random_positions
from foible.interfaces.bench.result import Benchmark, OnProgress, Row, interleaved, silent
from foible.nets import MATERIAL, Evaluator, Precision, Runtime, RuntimeNet, open_net
from foible.nets.catalogue import find_source, format_of
from foible.nets.chess_formats import LC0 as LC0_FILES
from foible.nets.choices import default_threads
from foible.nets.graph_workers import installed_runtimes

LC0: Final = "lc0"
_POSITIONS: Final = 4000
"""Positions that lc0 computes in one measurement, as far as the least and the most batches below allow."""
_BATCHES: Final = (10, 100)
_LONGEST: Final = 300
"""Seconds that a measurement by lc0 may take."""
_OLDER: Final = re.compile(r"Benchmark batch size (\d+) with inference average time .* throughput ([\d.e+]+) nps")


def lc0_at_hand() -> str | None:
    """The file of the program lc0 on the `PATH`; `None` where there is none."""
    return shutil.which(LC0)


def lc0_rate(program: str, weights: Path, batch: int, threads: int) -> float:
    """Positions per second of lc0 in its own benchmark, in batches of one size.

    `lc0 backendbench` prints them, as its source shows (`src/tools/backendbench.cc`). lc0 chooses its backend, a GPU
    where it finds one, and computes one position over and over.

    :raises EngineError: lc0 cannot be started, does not end, or measures nothing; repeats what lc0 said last.
    """
    fewest, most = _BATCHES
    words = {
        "weights": weights,
        "threads": threads,
        "batches": min(most, max(fewest, _POSITIONS // batch)),
        "start-batch-size": batch,
        "max-batch-size": batch,
    }
    command = [program, "backendbench", *(f"--{name}={value}" for name, value in words.items())]
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=_LONGEST, check=False
        )
    except OSError as error:
        raise EngineError(f"{program}: cannot be started: {error.strerror}") from None
    except subprocess.TimeoutExpired:
        raise EngineError(f"{program} backendbench: no end after {_LONGEST} s") from None
    found = parse_backendbench(done.stdout).get(batch)
    if found is None:
        said = [line.strip() for line in done.stderr.splitlines() if line.strip()]
        raise EngineError(f"{program} backendbench: no rate for batches of {batch}{f': {said[-1]}' if said else ''}")
    return found


def parse_backendbench(text: str) -> dict[int, float]:
    r"""Positions per second by batch size: the mean of a table with a header, or of a sentence for each size, as older
    versions of lc0 write them. All other lines are ignored.

    >>> parse_backendbench("size, mean nps, mean ms,   sdev,\n  64,     2100,   30.48, 0.2100,\n")
    {64: 2100.0}
    """
    rates: dict[int, float] = {}
    columns: list[str] = []
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.split(",")]
        if cells[0] == "size":
            columns = cells
        elif cells[0].isdecimal() and "mean nps" in columns[: len(cells)]:
            rates[int(cells[0])] = float(cells[columns.index("mean nps")])
        elif found := _OLDER.search(line):
            rates[int(found[1])] = float(found[2])
    return rates


BATCHES = (1, 8, 32, 64, 128, 256)
"""The batches that are measured by default."""
ENCODED = 256
"""The positions that are encoded in one call."""
ENCODED_PER_SECOND = 1_000_000
"""The target of encoding as bit boards, on one core."""


def bench_nets(
    nets: Sequence[str],
    *,
    runtimes: Sequence[Runtime] | None = None,
    precisions: Sequence[Precision] = ("f32",),
    batches: Sequence[int] = BATCHES,
    threads: int | None = None,
    seconds: float = 0.5,
    repetitions: int = 5,
    on_progress: OnProgress = silent,
) -> Benchmark:
    """Positions per second, each measured for `seconds` at a time, the repetitions interleaved.

    `runtimes`: when absent, those for the processor that are installed.

    A runtime is not measured at a precision that it lacks. Where there is an `lc0` on the `PATH`, its own rate stands
    beside that of each net that it can read, with the ratio of the two, which are measured in turn.

    :raises NetFileError: as `open_net`.
    :raises ConfigError: none of the runtimes has any of the precisions.
    :raises EngineError: as `lc0_rate`.
    """
    subjects: dict[str, Callable[[], float]] = {
        f"encoding, {name}": partial(rate, encode, ENCODED, seconds / 2) for name, encode in encoders(ENCODED).items()
    }
    ratios: dict[str, tuple[str, str]] = {}
    lc0 = lc0_at_hand()
    for net in nets:
        if lc0 and (weights := _weights(net)):
            for batch in batches:
                theirs = partial(lc0_rate, lc0, weights, batch, threads or default_threads())
                subjects[f"lc0 {net}, batch {batch}"] = theirs
        for evaluator in _open(net, runtimes or installed_runtimes(), precisions, threads):
            for batch in batches:
                work, name = raw_work(evaluator, batch), f"{evaluator.name}, batch {batch}"
                subjects[name] = partial(rate, work, batch, seconds)
                if (beside := f"lc0 {net}, batch {batch}") in subjects:
                    ratios[f"{evaluator.name} / lc0, batch {batch}"] = name, beside
    values = interleaved(subjects, repetitions, on_progress)
    rows = [
        Row(name, "positions/s", tuple(found), ENCODED_PER_SECOND if name == "encoding, packed" else None)
        for name, found in values.items()
    ]
    rows += [
        Row(name, "times", tuple(a / b for a, b in zip(values[one], values[other], strict=True)))
        for name, (one, other) in ratios.items()
    ]
    conditions = {"threads": threads or "one per processor", "threads of the encoding": 1} | (
        {"lc0": lc0} if lc0 else {}
    )
    return Benchmark("Nets", conditions, rows)


def _weights(net: str) -> Path | None:
    """The file of a net that lc0 reads as it is; `None` for others, such as a net at a rating or with chosen heads."""
    if net == MATERIAL:
        return None
    source = find_source(net)
    plain = format_of(source.path) is LC0_FILES and source.ratings is None and source.heads is None
    return source.path if plain else None


def encoders(count: int) -> dict[str, Callable[[], object]]:
    """Functions that encode `count` prepared positions, on one core: as bit boards (packed), and as float planes."""
    batch = Batch(random_positions(count, plies=(8, 60)))
    return {"packed": batch.packed, "float planes": batch.planes}


def raw_work(evaluator: Evaluator, batch: int) -> Callable[[], object]:
    """A function that calls the net once with `batch` encoded positions: the work that no search can do without."""
    positions = Batch(random_positions(batch))
    if isinstance(evaluator, RuntimeNet):
        planes = positions.planes(evaluator.model.encoding)
        return lambda: evaluator.evaluate_planes(planes)
    return lambda: evaluator.evaluate(positions)


def rate(work: Callable[[], object], positions: int, seconds: float) -> float:
    """Positions per second of repeated calls; the first call is not counted."""
    work()
    calls, start = 0, time.perf_counter()
    while (elapsed := time.perf_counter() - start) < seconds or not calls:
        work()
        calls += 1
    return calls * positions / elapsed


def _open(
    net: str, runtimes: Sequence[Runtime], precisions: Sequence[Precision], threads: int | None
) -> list[Evaluator]:
    found: list[Evaluator] = []
    problem: ConfigError | None = None
    for runtime in runtimes:
        for precision in precisions:
            try:
                found.append(open_net(net, runtime=runtime, precision=precision, threads=threads))
            except ConfigError as error:
                problem = error
    if problem and not found:
        raise problem
    return found
