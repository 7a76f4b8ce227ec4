"""Blocks of games for the tests of evidence."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import tomli_w

from foible.evidence.blocks import Block, file_block
from foible.runs.configuration import CONFIG

NET = "net (openvino f32), sha256 " + 64 * "a"


def block(first: int, results: str, **changes: Any) -> Block:
    """A block with results as `WL DD`."""
    pairs = results.split()
    kept: dict[str, Any] = {
        "first": first,
        "results": pairs,
        "plies": [(40 + first, 60 + first) for _ in pairs],
        "terminations": {"checkmate": 2 * len(pairs)},
        "evaluations": {"net": 100},
        "seconds": 10.0,
        "played_by": {"foible": "0.1.0", "net": NET},
        "finished": datetime(2026, 1, 2, 12, tzinfo=UTC),
    }
    return Block(**{**kept, **changes})


def keep(folder: Path, run: Path, blocks: Sequence[Block], **config: Any) -> list[Path]:
    """File blocks of a match with these keys; where they lie."""
    run.mkdir(exist_ok=True)
    written: Mapping[str, Any] = {"framework": "standard", "games": 8, "seed": 1, "resolved": {"net": NET}, **config}
    (run / CONFIG).write_text(tomli_w.dumps(written))
    return [file_block(folder, run, one) for one in blocks]
