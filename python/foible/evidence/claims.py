"""The claims of the papers: for each a figure that was published, or the side on which one was said to be, and where
ours comes from.

Figures of single matches stand with the experiments (`foible.arena.papers`). All others stand in the folder `claims`
beside this file, one file for each paper: rows of its tables, curves of its figures, differences between two matches.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Annotated, Any, Final, Literal

import msgspec

from foible.arena.papers import EXPERIMENTS, Quantity
from foible.evidence.experiments import MADE_NETS, experiments
from foible.toml import convert, read_toml

FOLDER: Final = "claims"
PAPERS: Final = ("skill-compatible", "play the man", "search-contempt", "phase experts", "SAI", "ours")
"""In the order of the tables; a source begins with one of them."""
Side = Literal["above", "below"]


@dataclass(frozen=True, slots=True)
class Claim:
    """A figure of a paper, or of a question of ours."""

    name: str
    """Unique: the name of its evidence, followed by the quantity where the evidence has several."""
    source: str
    """The paper and its table; `ours` where it is a question of ours."""
    what: str
    evidence: str
    """The folder of the evidence: for a match the experiment's name."""
    quantity: str
    """A quantity of its blocks, or a sum or difference of such (`figures.terms`); or a figure of a report, by name."""
    published: float | None
    standard_error: float | None = None
    """The standard error of the published figure."""
    null: float | None = None
    """What the figure would be if there were nothing in it; `None` where it claims no difference from anything."""
    unit: str = "%"
    less: str | None = None
    """The evidence whose figure is subtracted, where the claim is a difference of two."""
    command: str = ""
    """The command that measures the claim."""
    expected: Side | None = None
    """Where it was said to lie of the null, though no figure was published."""
    needs: str = ""
    """A resource needed to measure the claim that is not available; empty where there is none."""

    @property
    def side(self) -> int:
        """1 where it was said to be above the null, −1 below; 0 where neither."""
        if self.expected is not None:
            return 1 if self.expected == "above" else -1
        effect = self.effect or 0.0
        return (effect > 0) - (effect < 0)

    @property
    def effect(self) -> float | None:
        """By how much the published figure differs from the null."""
        return None if self.published is None or self.null is None else self.published - self.null


NULLS: dict[Quantity, float] = {"share": 50.0}
"""Even teams share the points; how long games are claims nothing by itself."""
UNITS: dict[Quantity, str] = {"share": "%", "decided": "%", "plies as White": "plies", "plies as Black": "plies"}


class _Row(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One claim in a file, without the keys that all claims of its table share."""

    what: str
    evidence: str
    quantity: str = "share"
    published: float | None = None
    standard_error: float | None = None
    null: float | None = None
    unit: str = "%"
    less: str | None = None
    command: str = ""
    expected: Side | None = None
    needs: str = ""


class _Table(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    source: str
    usual: dict[str, Any] = {}
    """Keys of every claim that does not set them itself."""
    claims: Annotated[list[dict[str, Any]], msgspec.Meta(min_length=1)]


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    tables: Annotated[list[_Table], msgspec.Meta(min_length=1)]


@cache
def all_claims() -> tuple[Claim, ...]:
    """All claims, those of a paper and of a table together."""
    found = [*_of_matches(), *_of_files()]
    return tuple(sorted(found, key=lambda claim: _place(claim.source)))


def _place(source: str) -> tuple[int, list[str]]:
    """The sort key of a source: by paper, then in natural order, table 2 before table 10."""
    paper, _, table = source.partition(", ")
    return PAPERS.index(paper), [part.zfill(4) if part.isdigit() else part for part in re.split(r"(\d+)", table)]


def _of_matches() -> Iterator[Claim]:
    for name, experiment in EXPERIMENTS.items():
        command = f"foible papers run {name}" if name in MADE_NETS else f"foible match --preset {name}"
        if not experiment.published:
            quantity = experiment.quantity
            null, unit = NULLS.get(quantity), UNITS[quantity]
            yield Claim(
                name, experiment.source, experiment.what, name, quantity, None, null=null, unit=unit, command=command
            )
        for figure in experiment.published:
            quantity = figure.quantity
            yield Claim(
                name if quantity == experiment.quantity else f"{name}, {quantity}",
                experiment.source,
                experiment.what if quantity == experiment.quantity else f"{experiment.what}, {quantity}",
                name,
                quantity,
                figure.value,
                figure.standard_error,
                NULLS.get(quantity),
                UNITS[quantity],
                command=command,
            )


def _of_files() -> Iterator[Claim]:
    for path in sorted(files(__package__).joinpath(FOLDER).iterdir(), key=lambda path: path.name):
        found: _File = convert(read_toml(path.read_text("utf-8"), path.name), _File, path.name)
        for table in found.tables:
            for keys in table.claims:
                row = convert({**table.usual, **keys}, _Row, f"{path.name}: {table.source}: {keys.get('what')}")
                yield _claim(table.source, row)


def _claim(source: str, row: _Row) -> Claim:
    name = f"{row.evidence} − {row.less}" if row.less else row.evidence
    if row.quantity != "share":
        name = f"{name}, {row.quantity}"
    keys = msgspec.structs.asdict(row)
    runs = [one for one in (row.evidence, row.less) if one is not None and one in experiments()]
    keys["command"] = row.command or (f"foible papers run {' '.join(runs)}" if runs else "")
    return Claim(name, source, **keys)
