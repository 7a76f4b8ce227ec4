"""Tables of claims as pictures, and the pictures in the documents of this repository."""

from pathlib import Path

import pytest

from foible.errors import ConfigError
from foible.evidence.pictures import draw, draw_marked, marked, shows
from foible.evidence.run import read_plan
from foible.evidence.verdicts import Row, standing
from tests.evidence.made import block, keep

ROOT = Path(__file__).parents[2]
SOURCE = "skill-compatible, table 1"
PAGE = f"<!-- picture: {SOURCE} -->\n![shares](../figures/claims.svg)\n"


@pytest.fixture
def kept() -> list[Row]:
    return standing(ROOT / "evidence", read_plan(ROOT / "evidence" / "plan.toml"))


def found_in(folder: Path, text: str = "WW WD LL WW WL") -> list[Row]:
    keep(folder / "stt-exp", [block(0, text)], effort=0.1)
    return [row for row in standing(folder, {}) if row.claim.source == SOURCE]


def test_every_claim_of_which_something_was_found_is_drawn_with_its_figure(tmp_path: Path) -> None:
    rows, path = found_in(tmp_path), tmp_path / "claims.svg"
    draw(rows, path)
    drawn = path.read_text("utf-8")
    assert "tag team, EXP" in drawn
    assert "65.0 ± 18.7 %, undecided" in drawn
    assert "tag team, TREE" not in drawn
    draw(rows, path)
    assert path.read_text("utf-8") == drawn


def test_claims_of_several_units_stand_below_each_other(tmp_path: Path, kept: list[Row]) -> None:
    rows = [row for row in kept if row.claim.source == "play the man, its 400 games"]
    assert {row.claim.unit for row in rows} == {"%", "plies"}
    draw(rows, tmp_path / "claims.svg")
    assert shows(tmp_path / "claims.svg", rows)


def test_what_makes_no_picture_is_refused_in_a_line(tmp_path: Path, kept: list[Row]) -> None:
    with pytest.raises(ConfigError, match="nothing was found of these claims yet"):
        draw([row for row in kept if row.ours is None], tmp_path / "claims.svg")
    with pytest.raises(ConfigError, match=r"claims.png: the picture is an SVG"):
        draw(kept, tmp_path / "claims.png")
    assert list(tmp_path.iterdir()) == []


def test_a_picture_shows_the_figures_of_its_rows_and_of_no_others(tmp_path: Path) -> None:
    before, path = found_in(tmp_path / "before"), tmp_path / "claims.svg"
    assert not shows(path, before)
    draw(before, path)
    assert shows(path, before)
    assert not shows(path, found_in(tmp_path / "after", "WW WW LL WW WL"))
    assert not shows(path, [row for row in before if row.ours is None])


def test_only_pictures_that_change_are_drawn(tmp_path: Path) -> None:
    (tmp_path / "docs" / "methods").mkdir(parents=True)
    (tmp_path / "docs" / "figures").mkdir()
    (tmp_path / "docs" / "methods" / "page.md").write_text(PAGE)
    before = found_in(tmp_path / "before")
    (drawn,) = draw_marked(tmp_path / "docs", before)
    assert drawn.samefile(tmp_path / "docs" / "figures" / "claims.svg")
    assert draw_marked(tmp_path / "docs", before) == []
    assert draw_marked(tmp_path / "docs", found_in(tmp_path / "after", "WW WW")) == [drawn]


def test_a_picture_of_an_unknown_table_is_refused_with_the_document_that_asks_for_it(tmp_path: Path) -> None:
    (tmp_path / "page.md").write_text(PAGE.replace("table 1", "table 77"))
    with pytest.raises(ConfigError, match=r"page.md: evidence of 'skill-compatible, table 77'; expected one of"):
        draw_marked(tmp_path, found_in(tmp_path))


def test_the_pictures_of_the_documents_show_what_the_evidence_says(kept: list[Row]) -> None:
    pictures = list(marked(ROOT / "docs", kept))
    assert ROOT / "docs" / "figures" / "table-1.svg" in [path for path, _ in pictures]
    for path, rows in pictures:
        assert shows(path, rows), f"{path}: `foible papers write docs` draws it anew"
