import re
import xml.etree.ElementTree as ET

import polars as pl
import pytest

from foible.analysis.drawing import Figure
from foible.analysis.estimates import Comparison, Estimate
from foible.analysis.quality.hypothetical_moves import agreement_matrix
from foible.analysis.quality.quality_figures import agreement_figure, bins_figure, exceedance_figure
from foible.analysis.quality.senior_effects import Bin, Exceedance

NOTHING = Estimate(0, 0, None, None, None)
SOME = Estimate(40, 9, 1.5, 0.2, 0.3)


def figures() -> list[Figure]:
    found = [Exceedance(t, SOME, SOME, SOME if t < 20 else NOTHING) for t in (1, 2, 5, 10, 20)]
    bins = [Bin(10 * i, 10 * i + 10, Comparison(SOME, SOME, SOME if i else NOTHING)) for i in range(10)]
    choices = pl.DataFrame({"pair": [0, 1], "TREE & co": ["e2e4", "d2d4"], "<b>": ["e2e4", "e2e4"]})
    return [
        exceedance_figure(found, found, "F", "A"),
        bins_figure(bins, "F", "A"),
        agreement_figure(agreement_matrix(choices)),
    ]


@pytest.mark.parametrize("number", range(3))
def test_every_figure_has_axes_with_units_and_says_n(number: int) -> None:
    svg = figures()[number].svg
    texts = " ".join(text.text or "" for text in ET.fromstring(svg).iter("{http://www.w3.org/2000/svg}text"))
    expected = [
        ("percentage points", "share after senior", "n = 40 moves", "≥ 20"),
        ("(%)", "(points)", "n = 360 moves"),
        ("player", "% of n = 2 positions", "TREE & co", "<b>", "50"),
    ][number]
    for words in expected:
        assert words in texts


def test_figures_are_as_wide_as_their_place_and_share_no_id() -> None:
    everything = [figure.svg for figure in figures()]
    for svg in everything:
        head = svg[: svg.index(">")]
        assert 'width="100%"' in head
        assert "viewBox" in head
        assert " height=" not in head
    ids = [found for svg in everything for found in re.findall(r' id="([^"]*)"', svg)]
    assert len(ids) == len(set(ids))


def test_the_same_numbers_give_the_same_figure() -> None:
    assert figures() == figures()


def test_figures_without_any_number_are_drawn() -> None:
    empty = [Exceedance(t, NOTHING, NOTHING, NOTHING) for t in (1, 2, 5, 10, 20)]
    nothing = Comparison(NOTHING, NOTHING, NOTHING)
    assert "<svg" in exceedance_figure(empty, empty, "F", "A").svg
    assert "<svg" in bins_figure([Bin(0, 50, nothing), Bin(50, 100, nothing)], "F", "A").svg
