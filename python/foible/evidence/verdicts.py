"""How the claims stand: what was published, what was measured, and what follows."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Literal, get_args

from foible.arena.stats import t_test, z_test
from foible.evidence.attuned import ATTUNED
from foible.evidence.by_experiment import Evidence, games_each, read_evidence
from foible.evidence.claims import Claim, all_claims
from foible.evidence.figures import Figure, difference, difference_of, power, times_enough
from foible.evidence.kept import Filed
from foible.evidence.personal import TUNED
from foible.evidence.run import HOUR, Plan

Verdict = Literal["confirmed", "refuted", "undecided", "measured", "not run", "out of reach"]
"""`confirmed`: it differs from the null as published; `refuted`: to the other side; both at `LEVEL`, corrected for all
claims of the table, or at `EARLY`. `measured`: nothing to decide was claimed. `out of reach`: not run, for want of what
`Claim.needs` says."""
VERDICTS: Final[tuple[Verdict, ...]] = get_args(Verdict)

NEAR: Final = 2.0
FAR: Final = 3.0
"""A figure agrees with the published one up to `NEAR` standard errors from it, and differs from `FAR` on."""

LEVEL: Final = 0.05
EARLY: Final = 0.001
"""The level of a verdict before all planned games are played. Each block is a look at the figure; at this level, looks
cost the last one next to nothing of its own (Haybittle 1971; Peto et al., British Journal of Cancer 34, 1976)."""


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
    distance: float | None = None
    """By how much ours is above the published figure, in standard errors of the two together; `None` where one of the
    two figures, or the error of ours, is not known. A published figure without an error counts as exact.
    """
    p: float | None = None
    """Two-sided probability that chance alone gives as much."""
    p_table: float | None = None
    """`p` corrected for all claims of its table (Holm, 1979)."""
    power: float | None = None
    """With which probability games as many as ours would show the published difference, at the level that the claims of
    its table leave to it."""
    price: Price | None = None
    """What it takes to decide it; `None` where it is decided, ours has as many already, or nothing tells."""
    share_played: float = 1.0
    """The share of the planned games that are played; of two experiments, the smaller."""
    remarks: tuple[str, ...] = ()
    """What the figure is not: of the papers' visits, of all planned games."""
    evaluations: int | None = None
    """The evaluations of nets, in the games of both experiments where there are two; `None` where no block tells it."""
    seconds: float | None = None
    """The time that these games took on the machines that played them; `None` where no block tells it."""
    note: str = ""
    """What is said of a figure that does not come from games that are kept."""


def standing(folder: Path, plan: Plan) -> list[Row]:
    """How all claims stand by the evidence in a folder.

    :raises GameFileError: a file is no evidence.
    """
    evidence = read_evidence(folder, plan)
    rows = [_row(claim, evidence) for claim in all_claims()]
    return [row for table in by_table(rows).values() for row in _corrected(table, evidence)]


def by_table(rows: Sequence[Row]) -> dict[str, list[Row]]:
    """The rows of each published table, by its name."""
    tables = dict[str, list[Row]]()
    for row in rows:
        tables.setdefault(row.claim.source, []).append(row)
    return tables


def counts(rows: Sequence[Row]) -> dict[Verdict, int]:
    """How many of some rows have each verdict, those that none has as well."""
    return {verdict: sum(row.verdict == verdict for row in rows) for verdict in VERDICTS}


def compared(rows: Sequence[Row]) -> dict[str, int]:
    """How many figures of some rows agree with the published ones, and how many differ from them."""
    distances = [abs(row.distance) for row in rows if row.distance is not None]
    return {"agree": sum(each <= NEAR for each in distances), "differ": sum(each >= FAR for each in distances)}


def _row(claim: Claim, evidence: Mapping[str, Evidence]) -> Row:
    ours = _measured(claim, evidence)
    if ours is None:
        return Row(claim, None, "out of reach" if claim.needs else "not run")
    kept = _kept(claim, evidence)
    found = Row(
        claim,
        ours,
        "measured",
        _distance(claim, ours),
        share_played=_share_played(claim, kept, evidence),
        remarks=_remarks(claim, kept, evidence),
        evaluations=sum(one.evaluations for one in kept.values()) or None,
        seconds=_seconds(kept),
        note=_note(claim, kept, evidence),
    )
    if claim.null is None or not claim.side or ours.standard_error is None:
        return found
    distance, error = ours.value - claim.null, ours.standard_error
    test = t_test(distance, error, ours.units - 1) if ours.units else z_test(distance, error)
    p = test.p_two_sided if test else None
    return replace(found, verdict="undecided", p=p)


def _distance(claim: Claim, ours: Figure) -> float | None:
    if claim.published is None or not ours.standard_error:
        return None
    return (ours.value - claim.published) / math.hypot(ours.standard_error, claim.standard_error or 0.0)


def _kept(claim: Claim, evidence: Mapping[str, Evidence]) -> dict[str, Filed]:
    """The blocks that a claim is judged by, by the names of its experiments.

    Where a claim is a difference, games that were kept are compared with others that were, unit by unit, though a
    report tells of more of one of the two.
    """
    names = _names(claim)
    played = {name: found for name in names if (found := evidence[name].played(claim.quantity))}
    filed_ones = {name: found for name in names if (found := evidence[name].filed)}
    return filed_ones if played and len(filed_ones) == len(names) else played


def _measured(claim: Claim, evidence: Mapping[str, Evidence]) -> Figure | None:
    if any(name not in evidence for name in _names(claim)):
        return None
    if claim.less is None:
        return evidence[claim.evidence].figure(claim.quantity)
    kept = _kept(claim, evidence)
    if len(kept) == 2:
        return difference(kept[claim.evidence].blocks, kept[claim.less].blocks, claim.quantity)
    return difference_of(evidence[claim.evidence].figure(claim.quantity), evidence[claim.less].figure(claim.quantity))


def _names(claim: Claim) -> list[str]:
    """The experiments that a claim is about: one, or the two of a difference."""
    return [claim.evidence, *([claim.less] if claim.less else [])]


def _share_played(claim: Claim, kept: Mapping[str, Filed], evidence: Mapping[str, Evidence]) -> float:
    """The share of the planned games that are played, 0 to 1; of two experiments, of those that both are to have. 1
    where nothing is planned.
    """
    planned = {name: evidence[name] for name in _names(claim) if evidence[name].planned}
    if not planned:
        return 1.0
    played = min(one.games if name in kept else one.reported(name) for name, one in planned.items())
    return min(1.0, played / min(one.planned for one in planned.values()))


def _seconds(kept: Mapping[str, Filed]) -> float | None:
    told = [one.seconds * one.units for one in kept.values() if one.seconds is not None]
    return sum(told) if told and len(told) == len(kept) else None


def _remarks(claim: Claim, kept: Mapping[str, Filed], evidence: Mapping[str, Evidence]) -> tuple[str, ...]:
    remarks = list[str]()
    for name in _names(claim):
        one, played, whose = evidence[name], kept.get(name), f"{name}: " if claim.less else ""
        if played is not None:
            remarks += _differences(played)
        if played is not None and not one.as_planned:
            remarks.append(f"{whose}not as planned")
        elif 0 < (games := one.games if played else one.reported(name)) < one.planned:
            remarks.append(f"{whose}{games} of {one.planned} planned")
    return tuple(dict.fromkeys(remarks))


def _differences(played: Filed) -> Iterator[str]:
    """In what a match was less than the papers'."""
    match = played.config.get("match", played.config)
    effort = match.get("effort", 1.0)
    if effort != 1:
        yield f"{effort:.3g} of the visits"
    if ATTUNED in match:
        yield f"a net attuned to {match[ATTUNED]['games']} games"
    if TUNED in match:
        yield f"the player's net was tuned for {match[TUNED]['steps']} steps"


def _note(claim: Claim, kept: Mapping[str, Filed], evidence: Mapping[str, Evidence]) -> str:
    reports = (evidence[name].report for name in _names(claim) if name not in kept)
    notes = (part for report in reports if report for part in report.note.split("; ") if part)
    return "; ".join(dict.fromkeys(notes))


def _corrected(table: Sequence[Row], evidence: Mapping[str, Evidence]) -> list[Row]:
    """The rows of a table with their corrected probabilities and what follows."""
    tested = sorted((row.p, index) for index, row in enumerate(table) if row.p is not None)
    corrected = dict[int, float]()
    largest = 0.0
    for rank, (p, index) in enumerate(tested):
        largest = max(largest, min(1.0, p * (len(tested) - rank)))
        corrected[index] = largest
    decided = {index for index, p in corrected.items() if p < _level(table[index])}
    return [
        _decided(row, corrected[i], len(tested) - len(decided - {i}), evidence) if i in corrected else row
        for i, row in enumerate(table)
    ]


def _level(row: Row) -> float:
    """What the corrected probability of a row has to be below."""
    return LEVEL if row.share_played == 1 else EARLY


def _decided(row: Row, p_table: float, claims: int, evidence: Mapping[str, Evidence]) -> Row:
    """A row with what follows. `claims`: the claims of its table that share the level, as the others stand."""
    claim, ours = row.claim, row.ours
    assert ours is not None
    assert claim.null is not None
    strength = None if claim.effect is None else power(ours, claim.effect, _level(row) / claims)
    found = replace(row, p_table=p_table, power=strength)
    if p_table >= _level(row):
        return replace(found, price=_price(found, claims, evidence))
    as_published = (ours.value > claim.null) == (claim.side > 0)
    return replace(found, verdict="confirmed" if as_published else "refuted")


def _price(row: Row, claims: int, evidence: Mapping[str, Evidence]) -> Price | None:
    claim, ours = row.claim, row.ours
    assert ours is not None
    assert claim.null is not None
    found = ours.value - claim.null
    if claim.effect is None and abs(found) < (ours.standard_error or 0.0):
        return None  # of noise alone
    late, early = (times_enough(ours, claim.effect or found, level / claims) for level in (LEVEL, EARLY))
    if late is None or early is None:
        return None
    whole = 1 / row.share_played if row.share_played else math.inf
    times = min(early, max(late, whole))  # early, or at the earliest when all is played
    if times <= 1:
        return None
    names = _names(claim)
    seconds = [evidence[name].seconds for name in names]
    units = ours.units or (ours.n / games_each(claim.evidence) if ours.of == "games" else None)
    told = [second for second in seconds if second is not None]
    hours = None if units is None or len(told) < len(names) else times * units * sum(told) / HOUR
    return Price(math.ceil(times * ours.n), hours)
