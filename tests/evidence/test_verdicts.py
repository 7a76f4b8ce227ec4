"""What follows from the evidence: verdicts, corrected for all claims of a table."""

import math
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from statistics import NormalDist

import pytest
import scipy.stats

from foible.arena.papers import EXPERIMENTS
from foible.evidence.blocks import Report
from foible.evidence.by_experiment import read_evidence
from foible.evidence.claims import all_claims
from foible.evidence.documents import apart, verdict
from foible.evidence.experiments import experiments
from foible.evidence.kept import file_block
from foible.evidence.kinds import Planned
from foible.evidence.run import read_plan
from foible.evidence.verdicts import Price, Row, compared, standing
from tests.evidence.made import block, file_report, keep, measurement

EVIDENCE = Path(__file__).parents[2] / "evidence"
PLAN = {"stt-tree": Planned(games=80, block=40, effort=0.1)}


def rows(folder: Path) -> dict[str, Row]:
    return {row.claim.name: row for row in standing(folder, PLAN)}


def report(folder: Path, name: str, value: float, error: float, n: int = 100) -> None:
    figures: dict[str, tuple[float, float | None, int]] = {"share": (value, error, n)}
    file_report(folder / name, Report(command="", figures=figures, of="games", note="typed"))


def test_every_claim_has_a_name_of_its_own_and_every_published_figure_is_a_claim() -> None:
    claims = all_claims()
    assert len({claim.name for claim in claims}) == len(claims)
    assert len({(claim.source, claim.what) for claim in claims}) == len(claims), "rows that read alike"
    for name, experiment in EXPERIMENTS.items():
        ours = [claim.published for claim in claims if claim.evidence == name and claim.less is None]
        published: list[float | None] = [figure.value for figure in experiment.published]
        assert ours == (published or [None])


def test_every_claim_is_of_an_experiment_of_a_kept_report_or_says_what_it_needs() -> None:
    reports = {place.parent.name for place in EVIDENCE.glob("*/report.json")}
    for claim in all_claims():
        for name in filter(None, (claim.evidence, claim.less)):
            assert name in experiments() or name in reports or claim.needs, claim.name


def test_every_experiment_is_planned_or_shown_by_a_claim() -> None:
    shown = {name for claim in all_claims() for name in (claim.evidence, claim.less)}
    assert set(experiments()) <= shown
    assert set(read_plan(EVIDENCE / "plan.toml")) <= shown


def test_without_evidence_nothing_is_said(tmp_path: Path) -> None:
    rows = standing(tmp_path, {})
    assert {row.verdict for row in rows} == {"not run", "out of reach"}
    assert all((row.verdict == "out of reach") == bool(row.claim.needs) for row in rows)


def test_a_figure_on_the_published_side_confirms_on_the_other_refutes_and_near_the_null_decides_nothing(
    tmp_path: Path,
) -> None:
    report(tmp_path, "stt-exp", 60.0, 2.0)
    report(tmp_path, "stt-maia", 60.0, 2.0)
    report(tmp_path, "stt-tree", 51.0, 2.0)
    found = rows(tmp_path)
    assert found["stt-exp"].verdict == "confirmed"
    assert found["stt-maia"].verdict == "refuted"
    assert found["stt-tree"].verdict == "undecided"
    assert found["stt-tree"].power == pytest.approx(0.90, abs=0.01)
    assert found["stt-tree"].note == "typed"


def test_a_figure_may_be_on_the_published_side_and_yet_far_from_the_published_figure(tmp_path: Path) -> None:
    report(tmp_path, "stt-exp", 75.0, 2.0)  # 66.5 ± 0.5 was published
    report(tmp_path, "stt-tree", 51.0, 2.0)  # 56.5 ± 0.5
    report(tmp_path, "hb-exp", 56.0, 0.0)
    found = rows(tmp_path)
    assert found["stt-exp"].verdict == "confirmed"
    assert found["stt-exp"].distance == pytest.approx(8.5 / math.hypot(2.0, 0.5))
    assert found["stt-tree"].distance == pytest.approx(-5.5 / math.hypot(2.0, 0.5))
    assert (found["hb-exp"].distance, found["hb-tree"].distance) == (None, None)
    assert compared(list(found.values())) == {"agree": 0, "differ": 2}, "EXP, and by how much it is above TREE"
    assert apart(found["stt-tree"]) == "−2.7"


def test_probabilities_are_corrected_for_the_claims_of_the_table_as_holm_has_it(tmp_path: Path) -> None:
    for name, value in (("stt-exp", 54.0), ("stt-tree", 54.5), ("hb-exp", 50.2)):
        report(tmp_path, name, value, 2.0)
    found = rows(tmp_path)
    tree, exp, brain = found["stt-tree"], found["stt-exp"], found["hb-exp"]
    assert tree.p == pytest.approx(0.0244, abs=1e-4)
    assert exp.p == pytest.approx(0.0455, abs=1e-4)
    assert brain.p == pytest.approx(0.9203, abs=1e-4)
    assert tree.p_table == pytest.approx(3 * 0.02445, abs=1e-3)
    assert exp.p_table == pytest.approx(2 * 0.0455, abs=1e-3)
    assert brain.p_table == brain.p
    assert tree.verdict == exp.verdict == "undecided"


def test_power_is_that_of_the_test_that_decides(tmp_path: Path) -> None:
    """By Student's t over the pairs, at the level that the table leaves to the two claims that are not decided."""
    report(tmp_path, "stt-maia", 20.0, 1.0)  # decided
    report(tmp_path, "hb-exp", 50.2, 2.0)
    keep(tmp_path / "stt-tree", [block(0, "WW WL DL LL WL")])
    found = rows(tmp_path)
    tree, brain, maia = found["stt-tree"], found["hb-exp"], found["stt-maia"]
    assert (maia.verdict, tree.verdict, brain.verdict) == ("confirmed", "undecided", "undecided")
    assert tree.ours is not None
    assert tree.ours.standard_error is not None
    early, level = 0.001 / 2, 0.05 / 2
    shift = 6.5 / tree.ours.standard_error
    assert tree.power == pytest.approx(float(scipy.stats.t.sf(scipy.stats.t.isf(early / 2, 4) - shift, 4)), abs=1e-6)
    normal = NormalDist()
    assert brain.power == pytest.approx(1 - normal.cdf(normal.inv_cdf(1 - level / 2) - 6.5 / 2), abs=1e-6)


@pytest.mark.parametrize(
    ("results", "verdict"),
    [("WW WW WL WW WL WW DW WW WL WL", "undecided"), ("WW WW WL WW DW WW DW WW WW WW", "confirmed")],
)
def test_before_all_planned_games_are_played_a_verdict_takes_more(tmp_path: Path, results: str, verdict: str) -> None:
    """A thousandth, as a look at the games of every block must not make chance findings likely."""
    keep(tmp_path / "stt-tree", [block(0, results)], effort=0.1)
    found = rows(tmp_path)["stt-tree"]
    assert found.share_played == 20 / 80
    assert found.p_table is not None
    assert found.p_table < 0.05
    assert (found.verdict, found.p_table < 0.001) == (verdict, verdict == "confirmed")
    planned = {"stt-tree": Planned(games=20, block=20, effort=0.1)}
    whole = {row.claim.name: row for row in standing(tmp_path, planned)}["stt-tree"]
    assert whole.verdict == "confirmed"


def test_a_report_of_fewer_games_than_planned_takes_more_as_well(tmp_path: Path) -> None:
    report(tmp_path, "stt-tree", 55.5, 2.0, n=40)
    found = rows(tmp_path)["stt-tree"]
    assert (found.share_played, found.remarks, found.verdict) == (0.5, ("40 of 80 planned",), "undecided")
    report(tmp_path, "stt-tree", 55.5, 2.0, n=80)
    found = rows(tmp_path)["stt-tree"]
    assert (found.share_played, found.remarks, found.verdict) == (1.0, (), "confirmed")


def test_two_experiments_are_whole_where_the_smaller_plan_is(tmp_path: Path) -> None:
    for name in ("stt-exp", "stt-tree"):
        keep(tmp_path / name, [block(0, "WW WL DW WW WL", seconds=None if name == "stt-tree" else 10.0)])
    planned = {"stt-exp": Planned(games=80, block=10), "stt-tree": Planned(games=10, block=10)}
    found = {row.claim.name: row for row in standing(tmp_path, planned)}["stt-exp − stt-tree"]
    assert found.share_played == 1.0
    assert found.seconds is None


def test_it_is_decided_early_or_at_the_earliest_when_all_is_played(tmp_path: Path) -> None:
    report(tmp_path, "stt-maia", 20.0, 1.0)
    keep(tmp_path / "stt-tree", [block(0, "WW WL DL LW WL " * 2)], effort=0.1)
    found = rows(tmp_path)["stt-tree"]
    assert found.ours is not None
    assert found.ours.standard_error is not None
    assert found.price is not None
    error, normal = found.ours.standard_error, NormalDist()
    needed = {
        level: 20 * (error * (normal.inv_cdf(1 - level / 2) + normal.inv_cdf(0.8)) / 6.5) ** 2
        for level in (0.05, 0.001)
    }
    assert needed[0.05] > 80
    assert found.price.n == math.ceil(needed[0.05])
    planned = {"stt-tree": Planned(games=2 * found.price.n, block=2, effort=0.1)}
    later = {row.claim.name: row for row in standing(tmp_path, planned)}["stt-tree"].price
    assert later is not None
    assert later.n == math.ceil(min(needed[0.001], 2 * found.price.n))


def test_kept_games_are_compared_with_kept_games(tmp_path: Path) -> None:
    """Though a report tells of more: both sides had the same coins."""
    report(tmp_path, "stt-exp", 76.0, 2.0, n=400)
    keep(tmp_path / "stt-exp", [block(0, "WW WL WW DW WL")])
    keep(tmp_path / "stt-tree", [block(0, "WL WL DL LW WL")], effort=0.1)
    found = rows(tmp_path)
    assert found["stt-exp"].note == "typed"
    compared = found["stt-exp − stt-tree"]
    assert compared.ours is not None
    assert (compared.ours.n, compared.ours.units, compared.note) == (10, 5, "")


def test_what_is_undecided_tells_how_many_games_would_decide_it_and_in_which_time(tmp_path: Path) -> None:
    """As many as give the test of the published difference a power of 0.8: 6.5 points for TREE."""
    keep(tmp_path / "stt-tree", [block(0, "WW WL DL LL WL")])  # of 5 pairs, in 10 seconds
    found = rows(tmp_path)["stt-tree"]
    assert found.ours is not None
    assert found.ours.standard_error is not None
    assert found.price is not None
    normal = NormalDist()
    error = 6.5 / (normal.inv_cdf(0.975) + normal.inv_cdf(0.8))
    games = 10 * (found.ours.standard_error / error) ** 2
    assert found.price.n == math.ceil(games)
    assert found.price.hours == pytest.approx(games / 2 * 2.0 / 3600)
    assert verdict(found).endswith("decided by some 510 games, 0.1 h")


def test_what_is_decided_has_no_price_and_without_blocks_the_plan_tells_the_hours(tmp_path: Path) -> None:
    report(tmp_path, "stt-maia", 20.0, 1.0)
    report(tmp_path, "stt-tree", 51.0, 6.5)
    planned = {"stt-tree": Planned(games=80, block=40, hours=1.0)}
    found = {row.claim.name: row for row in standing(tmp_path, planned)}
    assert found["stt-maia"].price is None
    price = found["stt-tree"].price
    assert price is not None
    assert price.n == pytest.approx(100 * 7.849, abs=1)
    assert price.hours == pytest.approx(price.n / 80, rel=0.01)
    assert found["hb-tree"].price is None


def test_no_price_is_told_that_is_paid_already_or_that_is_of_noise(tmp_path: Path) -> None:
    report(tmp_path, "stt-tree", 51.0, 2.0, n=400)  # 6.5 points have a power of 0.9 by now
    report(tmp_path, "leela-stockfish", 51.0, 5.0)
    found = {row.claim.name: row for row in standing(tmp_path, {})}
    assert (found["stt-tree"].verdict, found["stt-tree"].price) == ("undecided", None)
    assert found["leela-stockfish"].price is not None  # though it is no experiment
    name = "dial-5-interesting − dial-off-interesting, interesting"
    for match, value in (("dial-5-interesting", 21.0), ("dial-off-interesting", 20.0)):
        figures: dict[str, tuple[float, float | None, int]] = {"interesting": (value, 3.0, 500)}
        file_report(tmp_path / match, Report(command="", figures=figures, of="positions"))
    assert {row.claim.name: row for row in standing(tmp_path, {})}[name].price is None


@pytest.mark.parametrize(
    ("n", "told"), [(12, "12"), (998, "1 000"), (2_833, "2 800"), (2_032_140, "2 000 000"), (5, "5")]
)
def test_large_numbers_are_rounded_and_spaced(tmp_path: Path, n: int, told: str) -> None:
    report(tmp_path, "stt-tree", 51.0, 6.5)
    found = {row.claim.name: row for row in standing(tmp_path, {})}["stt-tree"]
    assert verdict(replace(found, price=Price(n, None))).endswith(f"decided by some {told} games")


def test_where_only_a_side_was_published_the_price_is_of_what_was_found(tmp_path: Path) -> None:
    name = "dial-5-interesting − dial-off-interesting, interesting"
    figures: dict[str, tuple[float, float | None, int]] = {"interesting": (26.0, 3.0, 500)}
    file_report(tmp_path / "dial-5-interesting", Report(command="", figures=figures, of="positions"))
    file_report(
        tmp_path / "dial-off-interesting", Report(command="", figures={"interesting": (20.0, 3.0, 500)}, of="positions")
    )
    found = {row.claim.name: row for row in standing(tmp_path, {})}[name]
    assert found.price is not None
    assert found.price.n == pytest.approx(500 * 7.849 * 18 / 36, rel=0.01)
    assert found.price.hours is None


def test_a_report_of_more_seeds_stands_above_blocks_of_fewer(tmp_path: Path) -> None:
    quantity = "regular, opening"
    file_block(tmp_path / "experts-losses", {"resolved": {}}, measurement(0, {quantity: [(1.94, 1)]}))
    figures: dict[str, tuple[float, float | None, int]] = {quantity: (1.962, 0.003, 2)}
    file_report(tmp_path / "experts-losses", Report(command="foible experts", figures=figures, of="seeds"))
    found = read_evidence(tmp_path, {})["experts-losses"].figure(quantity)
    assert found is not None
    assert (found.value, found.n) == (1.962, 2)


def test_blocks_tell_what_a_report_leaves_out(tmp_path: Path) -> None:
    told, left_out = "separated, batch 1", "separated, batch 64"
    sums: dict[str, list[tuple[float, float]]] = {told: [(-90.0, 1)], left_out: [(-70.0, 1)]}
    file_block(tmp_path / "experts-matches", {"resolved": {}}, measurement(0, sums))
    figures: dict[str, tuple[float, float | None, int]] = {told: (-203.0, 11.7, 1000)}
    file_report(tmp_path / "experts-matches", Report(command="foible experts", figures=figures, of="games"))
    kept = read_evidence(tmp_path, {})["experts-matches"]
    found = [kept.figure(quantity) for quantity in (told, left_out)]
    assert [one and (one.value, one.n) for one in found] == [(-203.0, 1000), (-70.0, 1)]
    assert kept.played(told) is None
    assert kept.played(left_out) is kept.filed


def test_kept_games_replace_a_report_of_fewer_and_tell_what_they_are_not(tmp_path: Path) -> None:
    report(tmp_path, "stt-tree", 90.0, 1.0, n=30)
    keep(tmp_path / "stt-tree", [block(0, "WW DL " * 10)], effort=0.1)
    found = rows(tmp_path)["stt-tree"]
    assert found.ours is not None
    assert found.ours.n == 40
    assert found.remarks == ("0.1 of the visits", "40 of 80 planned")
    assert found.note == ""
    assert found.evaluations == 100
    report(tmp_path, "stt-tree", 90.0, 1.0, n=400)
    assert rows(tmp_path)["stt-tree"].note == "typed"


def test_lengths_claim_nothing_by_themselves(tmp_path: Path) -> None:
    keep(tmp_path / "antimaia", [block(0, "WW WW WD")])
    found = rows(tmp_path)
    assert found["antimaia, plies as White"].verdict == "measured"
    assert found["antimaia − antimaia-stockfish, plies as White"].verdict == "not run"


def test_games_that_are_not_the_plan_s_stand_for_it_only_where_there_are_no_others_and_are_marked(
    tmp_path: Path,
) -> None:
    keep(tmp_path / "stt-tree", [block(0, "WW WW")], effort=0.5)
    assert rows(tmp_path)["stt-tree"].remarks == ("0.5 of the visits", "not as planned")
    earlier = datetime(2026, 1, 1, tzinfo=UTC)
    keep(tmp_path / "stt-tree", [block(0, "LL DD LL", finished=earlier)], effort=0.1)
    found = rows(tmp_path)["stt-tree"]
    assert found.ours is not None
    assert found.ours.n == 6
    assert found.remarks == ("0.1 of the visits", "6 of 80 planned")


def test_a_side_without_a_figure_is_confirmed_or_refuted_as_well(tmp_path: Path) -> None:
    name = "dial-5-interesting − dial-off-interesting, interesting"
    for more, expected in ((9.0, "confirmed"), (-9.0, "refuted")):
        for match, value in (("dial-5-interesting", 20.0 + more), ("dial-off-interesting", 20.0)):
            figures: dict[str, tuple[float, float | None, int]] = {"interesting": (value, 1.0, 100)}
            file_report(tmp_path / match, Report(command="", figures=figures, of="positions"))
        assert rows(tmp_path)[name].verdict == expected
