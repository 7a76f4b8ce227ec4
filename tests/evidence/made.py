"""Blocks of games for the tests of evidence."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from foible.arena.papers import EXPERIMENTS
from foible.evidence.blocks import Block, Measurement, Report
from foible.evidence.kept import REPORT, as_lines, file_block
from foible.evidence.kinds import Planned
from foible.evidence.matches import PresetMatch
from foible.toml import to_toml_dict

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


def keep(folder: Path, blocks: Sequence[Block], **config: Any) -> list[Path]:
    """File blocks of the match that the folder is named after, with these keys; where they lie."""
    name = folder.name if folder.name in EXPERIMENTS else "stt-tree"
    match = to_toml_dict(PresetMatch(name).config(Planned(games=8, block=4)))
    return [file_block(folder, {**match, "resolved": {"net": NET}, **config}, one) for one in blocks]


def measurement(first: int, sums: Mapping[str, Sequence[tuple[float, float]]], **changes: Any) -> Measurement:
    """A block of measured sums, one for each unit."""
    kept: dict[str, Any] = {
        "first": first,
        "count": max(map(len, sums.values())),
        "of": "moves",
        "sums": {name: list(values) for name, values in sums.items()},
        "played_by": {"net": NET},
        "finished": datetime(2026, 1, 2, 12, tzinfo=UTC),
    }
    return Measurement(**{**kept, **changes})


def file_report(folder: Path, report: Report) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / REPORT).write_bytes(as_lines(report))
