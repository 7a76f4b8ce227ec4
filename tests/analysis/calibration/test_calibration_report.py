import math

import pytest

from foible.analysis.calibration.calibration_report import (
    draw_reliability,
    group_columns,
    group_rows,
    overall_rows,
    own_band_summary,
    own_bands,
    to_json,
    values,
)
from foible.analysis.calibration.model_scores import calibrate
from foible.drawing import KINDS
from foible.fields import PictureKind
from tests.analysis.calibration.played import played_by
from tests.opponents.scripted import Scripted, drawn_by, first_move_only, uniform


@pytest.mark.parametrize("kind", KINDS)
def test_the_plot_names_its_axes_and_numbers(kind: PictureKind) -> None:
    found = calibrate([Scripted(drawn_by(1), "one")], played_by(Scripted(uniform), 4, 12))
    drawn = draw_reliability(found, kind)
    assert drawn == draw_reliability(found, kind)
    if kind == "svg":
        text = drawn.decode()
        for part in ("played, %", "predicted probability, %", "forecasts", "48 moves of 4 games", "n = 48", "one:"):
            assert part in text


def test_impossible_moves_are_counted_and_make_the_log_loss_infinite() -> None:
    games = played_by(Scripted(uniform), 4, 6)
    found = calibrate([Scripted(first_move_only, "sure"), Scripted(uniform, "chance")], games)
    impossible = sum(move.played != 0 for game in games for move in game)
    assert found.all.impossible.tolist() == [impossible, 0]
    assert values(found.all, "log_loss")[0][0] == math.inf
    assert values(found.all, "top1")[0][0] == pytest.approx((24 - impossible) / 24)
    assert overall_rows(found)[0][1:5] == ["∞", "–", "∞", "–"]
    assert overall_rows(found)[1][3] == "0.0000"
    assert "∞" in group_rows(found, "rating", "log_loss")[0][3]
    own = own_bands(found, [1500, 1550])
    assert [(each.best, each.gap) for each in own] == [("chance", math.inf), ("chance", 0)]


def test_the_best_of_each_group_is_marked_and_own_bands_are_judged() -> None:
    itself = Scripted(drawn_by(1, 2), "itself")
    found = calibrate([itself, Scripted(drawn_by(2, 2), "other")], played_by(itself, 20, 20))
    [row] = group_rows(found, "rating", "log_loss")
    assert row[:3] == ["1500–1599", "20", "400"]
    assert row[3].endswith("*")
    assert not row[4].endswith("*")
    assert len(group_columns(found, "rating")) == len(row)
    good = own_bands(found, [1500, 1900])
    assert [each.holds for each in good] == [True]
    assert own_band_summary(good) == "itself is best in 1500–1599, its own rating band."
    [bad] = own_bands(found, [1900, 1537])
    assert not bad.holds
    assert bad.gap == pytest.approx(found.all.difference.mean[1, 0])
    assert own_band_summary([bad]).startswith("other is not best in 1500–1599, its own rating band: itself is, by ")
    assert own_band_summary([*good, bad]).startswith("1 of 2 levels predict their own rating band best: other is not ")
    assert own_band_summary([*good, *good]) == "Each of the 2 levels predicts its own rating band best."
    assert own_bands(found, [1500, None]) == []


def test_models_that_are_equally_good_are_all_marked() -> None:
    found = calibrate([Scripted(uniform, "one"), Scripted(uniform, "two")], played_by(Scripted(uniform), 4, 6))
    assert all(cell.endswith("*") for row in group_rows(found, "rating", "top1") for cell in row[3:5])


def test_json_holds_the_whole_and_only_bins_with_forecasts() -> None:
    found = calibrate([Scripted(drawn_by(1)), Scripted(uniform)], played_by(Scripted(uniform), 4, 12))
    document = to_json(found, [None, None])
    assert (document["moves"], document["games"]) == (48, 4)
    for model in document["models"]:
        bins = model["reliability"]["every_move"]
        assert all(b["from"] <= b["predicted"] <= b["to"] for b in bins)
        assert all(b["forecasts"] > 0 for b in bins)
        assert sum(b["forecasts"] for b in model["reliability"]["top_move"]) == 48
        assert sum(group["moves"] for group in model["by"]["phase"]) == 48
