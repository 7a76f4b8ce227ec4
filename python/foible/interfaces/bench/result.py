"""What a benchmark returns: repeated measurements with their spread, and the conditions they were made under."""

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any


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
