import polars as pl
import pytest

from foible.analysis.quality.induced import induced_losses
from foible.analysis.quality.schema import INDUCED
from foible.analysis.quality.values import clipped_loss, raw_loss
from tests.analysis.quality.judged import TOLERANCE, golden, numbers


def test_induced_losses_equal_the_golden_ones() -> None:
    for given_, expected in golden("method2"):
        rows = []
        for index, record in enumerate(given_["records"]):
            replies = []
            for senior in ("leela", "focal"):
                white = (record[f"wp_white_after_{senior}"], record[f"wp_white_after_{senior}_then_maia"])
                # The replier is the other side than the one to move on the board.
                own = white if record["mover"] == "black" else (1 - white[0], 1 - white[1])
                replies.append(float(clipped_loss(raw_loss(*own))))
            rows.append((index, index, 0, record["team"] == "focal", *replies))
        found = induced_losses(pl.DataFrame(rows, schema=INDUCED, orient="row"))
        for boards, comparison in (("alter", found.alter_boards), ("focal", found.focal_boards)):
            for senior, estimate in (("focal", comparison.first), ("leela", comparison.second)):
                wanted = expected[f"boards_{boards}_induced_by_{senior}"]
                assert estimate.n == wanted["n"]
                assert estimate.value == pytest.approx(wanted["mean"], abs=TOLERANCE)
                assert estimate.se == pytest.approx(wanted["se"], abs=TOLERANCE)


def test_the_seniors_are_compared_on_the_same_boards() -> None:
    rows = [(0, 0, 0, True, 1.0, 3.0), (0, 0, 1, True, 5.0, 7.0), (1, 1, 0, True, 90.0, None)]
    found = induced_losses(pl.DataFrame(rows, schema=INDUCED, orient="row")).focal_boards
    assert found.first.value == pytest.approx(5)
    assert found.second.value == pytest.approx(32)
    assert (found.difference.n, found.difference.value, found.difference.se) == (2, 2.0, 0.0)


def test_boards_of_nobody_are_undefined() -> None:
    found = induced_losses(INDUCED.to_frame())
    assert {estimate.value for estimate in numbers(found)} == {None}
