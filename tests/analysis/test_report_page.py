import csv
import io

import pytest

from foible.analysis.estimates import Estimate
from foible.analysis.report_page import Cell, Table, text_of
from foible.arena.stats import z_test


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        (None, "–"),
        (Estimate(0, 0, None, None, None), "–"),
        (Estimate(9, 3, 1.914, 0.012, 0.022), "1.91 ± 0.02"),
        (Estimate(9, 1, -0.76, 0.02, None), "−0.76"),
        (Estimate(1, 1, -0.001, None, None), "0.00"),
        (z_test(1.0, 1.0), "0.3173 (0.1587)"),
        (z_test(2.0, 1.0), "0.0455 * (0.0228)"),
        (z_test(9.0, 1.0), "< 0.0001 * (< 0.0001)"),
        (0.604, "0.60"),
        (12, "12"),
        ("TREE", "TREE"),
    ],
)
def test_cells_as_people_read_them(cell: Cell, text: str) -> None:
    assert text_of(cell) == text


def test_csv_has_every_number_in_a_column_of_its_own() -> None:
    estimate, test = Estimate(9, 3, 1.25, None, 0.5), z_test(1.0, 2.0)
    rows: tuple[tuple[Cell, ...], ...] = (("TREE, its senior", estimate, test, 4), ("LEELA", None, None, 5))
    table = Table("t", "T", ("", "loss", "p", "n"), rows)
    first, second = csv.DictReader(io.StringIO(table.csv()))
    assert first["what"] == "TREE, its senior"
    assert float(first["loss"]) == 1.25
    assert float(first["loss: standard_error"]) == 0.5
    assert first["loss: independent_error"] == second["loss"] == ""
    assert float(first["p: p_two_sided"]) == pytest.approx(0.617, abs=1e-3)
    assert (first["n"], second["n"]) == ("4", "5")


def test_csv_has_no_column_that_is_always_empty() -> None:
    rows: tuple[tuple[Cell, ...], ...] = (("TREE", None, None), ("Δ", z_test(1.0, 2.0), Estimate(9, 3, 1.25, 0.5, 0.6)))
    header = next(csv.reader(io.StringIO(Table("t", "T", ("", "p", "loss"), rows).csv())))
    assert header[:5] == ["what", "p: z", "p: p_two_sided", "p: p_greater", "loss"]
    assert Table("t", "T", ("", "p", "loss"), ()).csv() == "what,p,loss\n"
    assert Table("t", "T", ("", "p"), (("TREE", None),)).csv() == "what,p\nTREE,\n"


def test_records_are_plain_values() -> None:
    table = Table("t", "T", ("", "loss"), (("TREE", Estimate(9, 3, 1.25, 0.5, None)),))
    expected = {"value": 1.25, "independent_error": 0.5, "standard_error": None, "n": 9, "clusters": 3}
    assert table.records() == [{"what": "TREE", "loss": expected}]
