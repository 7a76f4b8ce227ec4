"""What a benchmark returns: repeated measurements with their spread, and the conditions they were made under."""

import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, TypeVar

T = TypeVar("T")

OnProgress = Callable[[int, int, str], None]
"""Called before each measurement with the number done, the number in all, and the name of what is measured now."""


def silent(_done: int, _total: int, _now: str) -> None:
    """Tell nobody of the progress."""


def interleaved(
    subjects: Mapping[str, Callable[[], T]], repetitions: int, on_progress: OnProgress = silent
) -> dict[str, list[T]]:
    """The measurements of each subject. All subjects take turns, so that a machine that slows down slows them all."""
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
    """The measured values, one per repetition."""
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
        """The benchmark as plain values for JSON, with the statistics of each row."""
        rows = [
            asdict(row) | {"median": row.median, "low": min(row.values), "high": max(row.values), "met": row.met}
            for row in self.rows
        ]
        return {"title": self.title, "conditions": dict(self.conditions), "rows": rows}


def number(value: float) -> str:
    """A number with four significant digits, or all before the point from 1000 on, with commas between thousands."""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"
