"""The claims of the papers: for each a figure that was published, and where ours comes from.

Figures of single matches stand with the experiments (`foible.arena.papers`). Differences between two of them, and what
other commands measure, stand in `claims.toml` beside this file.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Annotated

import msgspec

from foible.arena.papers import EXPERIMENTS, Quantity
from foible.toml import convert, read_toml

FILE = "claims.toml"


@dataclass(frozen=True, slots=True)
class Claim:
    """A figure of a paper, or of a question of ours."""

    name: str
    """Unique: that of its evidence, and the quantity where it is not the only one."""
    source: str
    """The paper and its table; `ours` where it is a question of ours."""
    what: str
    evidence: str
    """The folder of the evidence: for a match the experiment's name."""
    quantity: str
    """A `Quantity` of a match, or the name of a figure in a report."""
    published: float | None
    error: float | None = None
    """Standard error of the published figure."""
    null: float | None = None
    """What the figure would be if there were nothing in it; `None` where it claims no difference from anything."""
    unit: str = "%"
    less: str | None = None
    """The evidence whose figure is subtracted, where the claim is a difference of two."""
    command: str = ""
    """What measures it."""

    @property
    def effect(self) -> float | None:
        """By how much the published figure differs from the null."""
        return None if self.published is None or self.null is None else self.published - self.null


NULLS: dict[Quantity, float] = {"share": 50.0}
"""Even teams share the points; how long games are claims nothing by itself."""
UNITS: dict[Quantity, str] = {"share": "%", "plies as White": "plies", "plies as Black": "plies"}


class _Measured(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A claim of `claims.toml`."""

    source: str
    what: str
    evidence: str
    quantity: str
    published: float | None = None
    error: float | None = None
    null: float | None = 0.0
    unit: str = "%"
    less: str | None = None
    command: str = ""


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    claims: Annotated[list[_Measured], msgspec.Meta(min_length=1)]


@cache
def all_claims() -> tuple[Claim, ...]:
    """All claims, those of a table together and in its order."""
    measured = list(_of_file())
    played = list(_of_matches())
    sources = dict.fromkeys(claim.source for claim in [*played, *measured])
    return tuple(claim for source in sources for claim in [*played, *measured] if claim.source == source)


def _of_matches() -> Iterator[Claim]:
    for name, experiment in EXPERIMENTS.items():
        command = f"foible match --preset {name}"
        if not experiment.published:
            yield Claim(name, experiment.source, experiment.what, name, "share", None, null=50.0, command=command)
        for figure in experiment.published:
            quantity = figure.quantity
            yield Claim(
                name if quantity == "share" else f"{name}, {quantity}",
                experiment.source,
                experiment.what if quantity == "share" else f"{experiment.what}, {quantity}",
                name,
                quantity,
                figure.value,
                figure.error,
                NULLS.get(quantity),
                UNITS[quantity],
                command=command,
            )


def _of_file() -> Iterator[Claim]:
    text = files(__package__).joinpath(FILE).read_text("utf-8")
    found: _File = convert(read_toml(text, FILE), _File, FILE)
    for one in found.claims:
        name = f"{one.evidence} − {one.less}" if one.less else one.evidence
        if one.quantity != "share":
            name = f"{name}, {one.quantity}"
        yield Claim(name, **msgspec.structs.asdict(one))
