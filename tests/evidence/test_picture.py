"""Claims as a picture: what it shows is what the evidence says."""

from pathlib import Path

import pytest

from foible.errors import ConfigError
from foible.evidence.documents import in_words
from foible.evidence.picture import draw
from foible.evidence.run import read_plan
from foible.evidence.standing import Row, standing
from tests.evidence.made import block, keep

ROOT = Path(__file__).parents[2]
SOURCE = "skill-compatible, table 1"


def rows_of(folder: Path, source: str = SOURCE) -> list[Row]:
    plan = read_plan(folder / "plan.toml") if (folder / "plan.toml").exists() else {}
    return [row for row in standing(folder, plan) if row.claim.source == source]


def shown(row: Row) -> str:
    return f"{in_words(row.ours, row.claim.unit)}, {row.verdict}"


def test_every_claim_of_which_something_was_found_is_drawn_with_its_figure(tmp_path: Path) -> None:
    keep(tmp_path / "stt-exp", [block(0, "WW WD LL WW WL")], effort=0.1)
    draw(rows_of(tmp_path), tmp_path / "claims.svg")
    drawn = (tmp_path / "claims.svg").read_text("utf-8")
    assert "tag team, EXP" in drawn
    assert "65.0 ± 18.7 %, undecided" in drawn
    assert "tag team, TREE" not in drawn
    draw(rows_of(tmp_path), tmp_path / "claims.svg")
    assert (tmp_path / "claims.svg").read_text("utf-8") == drawn


def test_claims_that_make_no_picture_are_refused_in_a_line(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="nothing was found of these claims yet"):
        draw(rows_of(tmp_path), tmp_path / "claims.svg")
    kept = standing(ROOT / "evidence", read_plan(ROOT / "evidence" / "plan.toml"))
    with pytest.raises(ConfigError, match="several units"):
        draw(kept, tmp_path / "claims.svg")
    with pytest.raises(ConfigError, match=r"claims.png: the picture is an SVG"):
        draw(kept, tmp_path / "claims.png")
    assert list(tmp_path.iterdir()) == []


def test_the_picture_of_the_readme_shows_what_the_evidence_says() -> None:
    drawn = (ROOT / "docs" / "figures" / "table-1.svg").read_text("utf-8")
    for row in rows_of(ROOT / "evidence"):
        assert row.ours is None or shown(row) in drawn, (
            f"foible papers picture '{SOURCE}' --out docs/figures/table-1.svg draws it anew"
        )
