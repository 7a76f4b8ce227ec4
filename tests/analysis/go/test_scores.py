"""Panel results from the games of cells."""

import numpy as np
import pytest

from foible.analysis.go.panel import Calibration
from foible.analysis.go.scores import deviation, panel_results, to_json
from foible.arena.elo import Z95, credible_share
from foible.arena.stats import Tally
from tests.arena.go.records import cell

CELLS = [cell("x", "p", [1, 1, 1, -1]), cell("p", "q", [1, 1, -1, -1, 1, -1]), cell("x", "q", [])]
SCALE = Calibration(("p", "q"), (0.6, 0.8), (0.5, 0.25), nets=4, explained=0.9)


def test_shares_come_from_either_side_and_from_oneself() -> None:
    found = panel_results(CELLS, ["x", "p", "q"], ["p", "q"])
    assert found.shares.tolist()[1:] == [[0.5, 0.5], [0.5, 0.5]]
    assert found.shares[0, 0] == 0.75
    assert np.isnan(found.shares[0, 1])
    assert not found.complete
    assert found.errors[0, 0] == pytest.approx(0.25)
    assert found.errors[1, 0] == 0
    assert found.errors[1, 1] == found.errors[2, 0] == pytest.approx(CELLS[1].statistics.share.error)


def test_scores_are_of_those_who_met_the_whole_panel() -> None:
    found = panel_results(CELLS, ["x", "p"], ["p", "q"])
    (score,) = found.scored(SCALE)
    assert score.name == "p"
    assert score.value == pytest.approx(0.8 * 0.25)
    assert score.error == pytest.approx(0.8 * found.errors[1, 1])


def test_the_document_has_plain_values_and_no_holes() -> None:
    plain = to_json(panel_results(CELLS, ["x", "p"], ["p", "q"]), SCALE)
    assert plain["shares"]["x"] == {"p": {"share": 0.75, "error": pytest.approx(0.25)}, "q": None}
    assert plain["scale"]["scores"].keys() == {"p"}
    assert plain["scale"]["ceiling"] == pytest.approx(0.6 * 0.5 + 0.8 * 0.75)
    assert to_json(panel_results(CELLS, ["x"], ["p", "q"]), None)["scale"] is None


@pytest.mark.parametrize("margins", [[1, -1], [1, 1] * 50])
def test_who_did_alike_in_all_pairs_might_do_otherwise_in_the_next(margins: list[float]) -> None:
    found = panel_results([cell("x", "p", margins), cell("x", "q", [1, 1, -1, 1])], ["x"], ["p", "q"])
    assert 0.01 < found.errors[0, 0] < 2 / len(margins)
    (score,) = found.scored(SCALE)
    assert score.error == pytest.approx(np.hypot(0.6 * found.errors[0, 0], 0.8 * 0.25))


def test_the_deviation_of_a_share_is_that_of_its_interval() -> None:
    for counts in ((3, 20, 60, 30, 4), (40, 10, 50)):
        low, high = credible_share(Tally(counts))
        assert deviation(Tally(counts)) == pytest.approx((high - low) / (2 * Z95), rel=0.01)
