"""What a benchmark returns: repeated measurements with their spread, and the conditions they were made under."""

import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, TypeVar

T = TypeVar("T")

OnProgress = Callable[[int, int, str], None]
"""Told before each measurement how many are done, how many there are, and what is measured now."""


def silent(_done: int, _total: int, _now: str) -> None:
    """Nobody watches."""


def interleaved(
    subjects: Mapping[str, Callable[[], T]], repetitions: int, on_progress: OnProgress = silent
) -> dict[str, list[T]]:
    """What measuring each subject so often gives, all of them by turns: a machine that slows down slows them all."""
    found: dict[str, list[T]] = {name: [] for name in subjects}
    turns = [name for _ in range(repetitions) for name in subjects]
    for done, name in enumerate(turns):
        on_progress(done, len(turns), name)
        found[name].append(subjects[name]())
    return found


@dataclass(frozen=True, slots=True)
class Row:
    """One quantity, measured once or several times."""

    name: str
    unit: str
    values: tuple[float, ...]
    """One per repetition."""
    target: float | None = None
    """What the median should reach."""

    @property
    def median(self) -> float:
        return statistics.median(self.values)

    @property
    def met(self) -> bool | None:
        """Whether the target is reached; `None` where there is none."""
        return None if self.target is None else self.median >= self.target


@dataclass(frozen=True, slots=True)
class Benchmark:
    """Rows that were measured together."""

    title: str
    conditions: Mapping[str, object]
    rows: Sequence[Row]

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        rows = [
            asdict(row) | {"median": row.median, "low": min(row.values), "high": max(row.values), "met": row.met}
            for row in self.rows
        ]
        return {"title": self.title, "conditions": dict(self.conditions), "rows": rows}


def number(value: float) -> str:
    """Four digits or more, thousands apart."""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"
