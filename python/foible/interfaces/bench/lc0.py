"""How fast lc0 itself computes a net: what `lc0 backendbench` prints, by its source (`src/tools/backendbench.cc`).

lc0 chooses its backend, a GPU where it finds one, and computes one position over and over.
"""

import re
import shutil
import subprocess
from pathlib import Path
from typing import Final

from foible.errors import EngineError

LC0: Final = "lc0"
_POSITIONS: Final = 4000
"""Positions that one measurement computes, as far as the numbers of batches below allow."""
_BATCHES: Final = (10, 100)
_LONGEST: Final = 300
"""Seconds."""
_OLDER: Final = re.compile(r"Benchmark batch size (\d+) with inference average time .* throughput ([\d.e+]+) nps")


def lc0_at_hand() -> str | None:
    """The program on the path."""
    return shutil.which(LC0)


def lc0_rate(program: str, weights: Path, batch: int, threads: int) -> float:
    """Positions per second of lc0 in its own benchmark, so many at a time.

    :raises EngineError: it cannot be started, does not end, or measures nothing; with what it says.
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
    versions of lc0 write them. All else that it prints is passed over.

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
