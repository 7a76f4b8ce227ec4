"""How the claims stand: what was published, what was measured, and what follows."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from foible.arena.stats import t_test, z_test
from foible.evidence.attuned import ATTUNED
from foible.evidence.blocks import Report
from foible.evidence.claims import Claim, all_claims
from foible.evidence.experiments import experiments
from foible.evidence.figures import Figure, difference, difference_of, figure, power, times_enough
from foible.evidence.kept import Filed, filed, filed_report
from foible.evidence.personal import TUNED
from foible.evidence.run import HOUR, Plan, of_plan, seconds_of_unit

Verdict = Literal["confirmed", "refuted", "undecided", "measured", "not run"]
"""`confirmed`: it differs from the null as published; `refuted`: to the other side; both at `LEVEL`, corrected for all
claims of the table. `measured`: nothing to decide was claimed."""

LEVEL = 0.05


@dataclass(frozen=True, slots=True)
class Evidence:
    """All that is kept of one experiment."""

    filed: Filed | None
    """The blocks of the plan's configuration; those of the latest configuration where none of the plan's was run."""
    report: Report | None
    games: int = 0
    """The games in the blocks; where they are of no games, their seeds, positions, or whatever a unit is."""
    as_planned: bool = True
    """Whether `filed` follows the plan; true for experiments that are not planned."""
    seconds: float | None = None
    """The time that a unit takes, as blocks or the plan tell; `None` where neither does."""

    @property
    def played(self) -> Filed | None:
        """The blocks, unless the report tells of more games."""
        told = max((n for _, _, n in self.report.figures.values()), default=0) if self.report else 0
        return self.filed if self.filed and self.games >= told else None

    def figure(self, quantity: str) -> Figure | None:
        """What it says of a quantity."""
        if self.played:
            return figure(self.played.blocks, quantity)
        if self.report is None or quantity not in self.report.figures:
            return None
        return Figure(*self.report.figures[quantity], self.report.of)


@dataclass(frozen=True, slots=True)
class Price:
    """What it takes, in all, to decide a claim with the power `ENOUGH`, at the level that the other claims of its table
    leave to it: if the truth is as published; as found, where only a side was published.
    """

    n: int
    """Values, of what the figure is of; in a difference, those of either side."""
    hours: float | None
    """On the machines that filed the blocks, or as the plan thinks; `None` where neither tells."""


@dataclass(frozen=True, slots=True)
class Row:
    """A claim and how it stands."""

    claim: Claim
    ours: Figure | None
    verdict: Verdict
    p: float | None = None
    """Two-sided probability that chance alone gives as much."""
    p_table: float | None = None
    """`p` corrected for all claims of its table (Holm, 1979)."""
    power: float | None = None
    """With which probability games as many as ours would show the published difference, at the level that the claims of
    its table leave to it."""
    price: Price | None = None
    """What it takes to decide it; `None` where it is decided, ours has as many already, or nothing tells."""
    remarks: tuple[str, ...] = ()
    """What the figure is not: of the papers' visits, of all planned games."""
    evaluations: int | None = None
    """The evaluations of nets, in the games of both experiments where there are two; `None` where no block tells it."""
    note: str = ""
    """What is said of a figure that does not come from games that are kept."""


def read_evidence(folder: Path, plan: Plan) -> Mapping[str, Evidence]:
    """What is kept, by the names of the experiments.

    :raises GameFileError: a file is no evidence.
    """
    found = {}
    for place in sorted(path for path in folder.glob("*") if path.is_dir()):
        groups, name = filed(place), place.name
        asked = of_plan(groups, experiments()[name], plan[name]) if name in plan else None
        latest = groups[-1] if groups else None
        chosen = asked or latest
        each = _games_each(name)
        games = chosen.units * each if chosen else 0
        as_planned = asked is not None or name not in plan
        if name in plan:
            seconds = seconds_of_unit(chosen, plan[name], plan[name].games // each)
        else:
            seconds = chosen.seconds if chosen else None
        found[name] = Evidence(chosen, filed_report(place), games, as_planned, seconds)
    return found


def standing(folder: Path, plan: Plan) -> list[Row]:
    """How all claims stand by the evidence in a folder.

    :raises GameFileError: a file is no evidence.
    """
    evidence = read_evidence(folder, plan)
    rows = [_row(claim, evidence, plan) for claim in all_claims()]
    sources = dict.fromkeys(claim.source for claim in all_claims())
    tables = (_corrected([row for row in rows if row.claim.source == source], evidence) for source in sources)
    return [row for table in tables for row in table]


def _row(claim: Claim, evidence: Mapping[str, Evidence], plan: Plan) -> Row:
    ours = _measured(claim, evidence)
    if ours is None:
        return Row(claim, None, "not run")
    found = Row(
        claim,
        ours,
        "measured",
        remarks=_remarks(claim, evidence, plan),
        evaluations=_evaluations(claim, evidence),
        note=_note(claim, evidence),
    )
    if claim.null is None or not claim.side or ours.standard_error is None:
        return found
    distance, error = ours.value - claim.null, ours.standard_error
    test = t_test(distance, error, ours.units - 1) if ours.units else z_test(distance, error)
    p = test.p_two_sided if test else None
    return replace(found, verdict="undecided", p=p)


def _measured(claim: Claim, evidence: Mapping[str, Evidence]) -> Figure | None:
    one = evidence.get(claim.evidence)
    if one is None:
        return None
    if claim.less is None:
        return one.figure(claim.quantity)
    other = evidence.get(claim.less)
    if other is None:
        return None
    if one.played and other.played:
        return difference(one.played.blocks, other.played.blocks, claim.quantity)
    return difference_of(one.figure(claim.quantity), other.figure(claim.quantity))


def _remarks(claim: Claim, evidence: Mapping[str, Evidence], plan: Plan) -> tuple[str, ...]:
    remarks = []
    for name in filter(None, (claim.evidence, claim.less)):
        played = evidence[name].played
        if played is None:
            continue
        match = played.config.get("match", played.config)
        effort = match.get("effort", 1.0)
        if effort != 1:
            remarks.append(f"{effort:.3g} of the visits")
        if ATTUNED in match:
            remarks.append(f"a net attuned to {match[ATTUNED]['games']} games")
        if TUNED in match:
            remarks.append(f"the player's net was tuned for {match[TUNED]['steps']} steps")
        if name not in plan:
            continue
        games, whose = evidence[name].games, f"{name}: " if claim.less else ""
        if not evidence[name].as_planned:
            remarks.append(f"{whose}not as planned")
        elif games < plan[name].games:
            remarks.append(f"{whose}{games} of {plan[name].games} planned")
    return tuple(dict.fromkeys(remarks))


def _evaluations(claim: Claim, evidence: Mapping[str, Evidence]) -> int | None:
    played = (evidence[name].played for name in (claim.evidence, claim.less) if name)
    return sum(one.evaluations for one in played if one) or None


def _note(claim: Claim, evidence: Mapping[str, Evidence]) -> str:
    found = (evidence[name] for name in (claim.evidence, claim.less) if name)
    notes = (one.report.note for one in found if one.report and not one.played)
    return "; ".join(dict.fromkeys(filter(None, notes)))


def _corrected(table: Sequence[Row], evidence: Mapping[str, Evidence]) -> list[Row]:
    """The rows of a table with their corrected probabilities and what follows."""
    tested = sorted((row.p, index) for index, row in enumerate(table) if row.p is not None)
    corrected = dict[int, float]()
    largest = 0.0
    for rank, (p, index) in enumerate(tested):
        largest = max(largest, min(1.0, p * (len(tested) - rank)))
        corrected[index] = largest
    decided = {index for index, p in corrected.items() if p < LEVEL}
    return [
        _decided(row, corrected[i], LEVEL / (len(tested) - len(decided - {i})), evidence) if i in corrected else row
        for i, row in enumerate(table)
    ]


def _decided(row: Row, p_table: float, level: float, evidence: Mapping[str, Evidence]) -> Row:
    """A row with what follows. `level`: what its `p` has to be below, as the other claims of the table stand."""
    claim, ours = row.claim, row.ours
    assert ours is not None
    assert claim.null is not None
    strength = None if claim.effect is None else power(ours, claim.effect, level)
    found = replace(row, p_table=p_table, power=strength)
    if p_table >= LEVEL:
        return replace(found, price=_price(claim, ours, level, evidence))
    as_published = (ours.value > claim.null) == (claim.side > 0)
    return replace(found, verdict="confirmed" if as_published else "refuted")


def _price(claim: Claim, ours: Figure, level: float, evidence: Mapping[str, Evidence]) -> Price | None:
    assert claim.null is not None
    found = ours.value - claim.null
    if claim.effect is None and abs(found) < (ours.standard_error or 0.0):
        return None  # of noise alone
    times = times_enough(ours, claim.effect or found, level)
    if times is None or times <= 1:
        return None
    names = [name for name in (claim.evidence, claim.less) if name]
    seconds = [evidence[name].seconds for name in names]
    units = ours.units or (ours.n / _games_each(claim.evidence) if ours.of == "games" else None)
    told = [second for second in seconds if second is not None]
    hours = None if units is None or len(told) < len(names) else times * units * sum(told) / HOUR
    return Price(math.ceil(times * ours.n), hours)


def _games_each(name: str) -> int:
    """The games of a unit of an experiment; 1 for what is no experiment."""
    return experiments()[name].games if name in experiments() else 1
