"""What follows from the evidence: verdicts, corrected for all claims of a table."""

from pathlib import Path

import pytest

from foible.arena.papers import EXPERIMENTS
from foible.evidence.blocks import Report, file_report
from foible.evidence.claims import all_claims
from foible.evidence.plan import Planned
from foible.evidence.standing import Row, standing
from tests.evidence.made import block, keep

PLAN = {"stt-tree": Planned(games=80, block=40, effort=0.1)}


def rows(folder: Path) -> dict[str, Row]:
    return {row.claim.name: row for row in standing(folder, PLAN)}


def report(folder: Path, name: str, value: float, error: float, n: int = 100) -> None:
    figures: dict[str, tuple[float, float | None, int]] = {"share": (value, error, n)}
    file_report(folder / name, Report(command="", figures=figures, of="games", note="typed"))


def test_every_claim_has_a_name_of_its_own_and_every_published_figure_is_a_claim() -> None:
    claims = all_claims()
    assert len({claim.name for claim in claims}) == len(claims)
    for name, experiment in EXPERIMENTS.items():
        ours = [claim.published for claim in claims if claim.evidence == name and claim.less is None]
        published: list[float | None] = [figure.value for figure in experiment.published]
        assert ours == (published or [None])


def test_differences_are_of_experiments_or_reports_that_other_claims_show() -> None:
    alone = {claim.evidence for claim in all_claims() if claim.less is None}
    for claim in all_claims():
        assert claim.less is None or {claim.evidence, claim.less} <= alone


def test_without_evidence_nothing_is_said(tmp_path: Path) -> None:
    assert {row.verdict for row in standing(tmp_path, {})} == {"not run"}


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


def test_kept_games_replace_a_report_of_fewer_and_tell_what_they_are_not(tmp_path: Path) -> None:
    report(tmp_path, "stt-tree", 90.0, 1.0, n=30)
    keep(tmp_path / "stt-tree", tmp_path / "run", [block(0, "WW DL " * 10)], effort=0.1)
    found = rows(tmp_path)["stt-tree"]
    assert found.ours is not None
    assert found.ours.n == 40
    assert found.remarks == ("0.1 of the visits", "stt-tree: 40 of 80 so far")
    assert found.note == ""
    assert found.evaluations == 100
    report(tmp_path, "stt-tree", 90.0, 1.0, n=400)
    assert rows(tmp_path)["stt-tree"].note == "typed"


def test_lengths_claim_nothing_by_themselves(tmp_path: Path) -> None:
    keep(tmp_path / "antimaia", tmp_path / "run", [block(0, "WW WW WD")])
    found = rows(tmp_path)
    assert found["antimaia, plies as White"].verdict == "measured"
    assert found["antimaia − antimaia-stockfish, plies as White"].verdict == "not run"
